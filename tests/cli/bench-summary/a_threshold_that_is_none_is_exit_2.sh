cp -r "$DATA/bench/looking" runs
trackway bench summary monday --fail-under 'p95_latancy<=30s'
