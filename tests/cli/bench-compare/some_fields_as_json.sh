cp -r "$DATA/bench/looking" runs
trackway bench compare monday tuesday --json=seed,tests
trackway bench compare monday tuesday --json=tests,colour
