. "$(dirname "$0")/common"
good --run-id r --fail-under 'pass_rate>=50%' --fail-under 'n>=100' --ci exact -q >/dev/null
echo "exit $?"
good --run-id s --fail-under 'pass_rate>=90%' --confident --ci jeffreys -q >/dev/null
