cp -r "$DATA/bench/looking" runs
trackway bench rescore monday --suite runs/suite.json --run-id ../x
