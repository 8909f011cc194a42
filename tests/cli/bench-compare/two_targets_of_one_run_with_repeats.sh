cp -r "$DATA/bench/looking" runs
trackway bench compare thrice --a mock:small --b large --metric pass --metric latency
