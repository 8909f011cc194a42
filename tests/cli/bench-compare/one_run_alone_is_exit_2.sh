cp -r "$DATA/bench/looking" runs
sed -i '/"model":"large"/d' runs/monday/results.jsonl
trackway bench compare monday
