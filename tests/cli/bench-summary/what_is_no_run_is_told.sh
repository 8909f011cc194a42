mkdir nothing
trackway bench summary nothing
echo "exit $?"
trackway bench load -q --target mock:echo --rate 100 --requests 1 --run-id load >/dev/null
trackway bench summary load
