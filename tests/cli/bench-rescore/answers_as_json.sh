cp -r "$DATA/bench/looking" runs
sed -i 's/"42"/"43"/; /"id": "free"/d; s/main in src/main in lib/; s/\("ls"\]}}\),/\1/' runs/suite.json
trackway bench rescore monday --suite runs/suite.json --out elsewhere --run-id again --json
trackway bench rescore monday --suite runs/suite.json -n --json=kept,reworded
ls elsewhere
