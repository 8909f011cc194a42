cp -r "$DATA/bench/looking" runs
trackway bench summary monday
