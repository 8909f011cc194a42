cp -r "$DATA/bench/looking" runs
trackway bench tiers thrice --json
trackway bench tiers thrice --json=run_id
