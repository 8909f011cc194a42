cp -r "$DATA/bench/looking" runs
trackway bench summary monday --json | grep -v generated_at | head -8
trackway bench summary monday --json=run_id
