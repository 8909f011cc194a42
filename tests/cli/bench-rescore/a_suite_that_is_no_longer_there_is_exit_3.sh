cp -r "$DATA/bench/looking" runs
trackway bench rescore monday
