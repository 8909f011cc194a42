cp -r "$DATA/bench/looking" runs
trackway bench tiers monday --csv
