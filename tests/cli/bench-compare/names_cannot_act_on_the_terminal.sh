cp -r "$DATA/bench/looking" runs
sed -i 's/"model":"large"/"model":"l\\u001b[31mr"/; s/"prompt_id":"free"/"prompt_id":"f\\u001b[2J"/' runs/monday/results.jsonl
trackway bench compare monday tuesday --metric cost | grep -e only -e 31m
