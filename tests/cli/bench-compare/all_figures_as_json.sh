cp -r "$DATA/bench/looking" runs
trackway bench compare runs/monday/results.jsonl runs/tuesday --json --metric pass
