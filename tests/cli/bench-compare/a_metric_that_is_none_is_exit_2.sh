cp -r "$DATA/bench/looking" runs
trackway bench compare monday tuesday --metric beauty
