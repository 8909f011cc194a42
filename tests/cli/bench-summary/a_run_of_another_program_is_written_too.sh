cp -r "$DATA/bench/looking" runs
rm runs/monday/config.json
trackway bench summary monday --write -q --csv | wc -l
ls runs/monday
