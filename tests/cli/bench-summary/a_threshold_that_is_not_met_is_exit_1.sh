cp -r "$DATA/bench/looking" runs
trackway bench summary monday --fail-under 'pass_rate>=90%' --fail-under 'p95_latency<=30s' -q >out
