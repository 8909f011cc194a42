cp -r "$DATA/bench/looking" runs
trackway bench summary runs/monday --md | head -3
trackway bench summary runs/monday/results.jsonl --csv | cut -d, -f 1-6
