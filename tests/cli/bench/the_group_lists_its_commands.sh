trackway bench
echo "exit $?"
trackway bench --help | head -20
