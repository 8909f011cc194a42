cp -r "$DATA/bench/looking" runs
trackway bench rescore monday --suite runs/suite.json -q >out
trackway bench rescore monday --suite runs/suite.json -q
