cp -r "$DATA/bench/looking" runs
sed -i '/"prompt_id":"free"/d; /"model":"large"/d' runs/tuesday/results.jsonl
sed -i '/"prompt_id":"sum"/d' runs/monday/results.jsonl
trackway bench compare monday tuesday --metric ttft
