cp -r "$DATA/bench/looking" runs
trackway bench summary monday tuesday --ci exact --plain | cut -f 2,4,5,6,7,8,9,13-15
trackway bench summary monday tuesday --ci jeffreys --plain | cut -f 2,13-15
