cp -r "$DATA/bench/looking" runs
trackway bench summary monday --fail-under 'error_rate<=20%' -q >out
echo $?
trackway bench summary monday --fail-under 'error_rate<=20%' --confident -q >out
