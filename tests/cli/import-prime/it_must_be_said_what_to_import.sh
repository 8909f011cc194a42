trackway import prime
echo "exit $?"
trackway import prime --samples a.json
echo "exit $?"
trackway import prime ev-9 --samples a.json
