# as many faults as make a list: what is left out is counted, and no option is named that would show it
trackway bench run builtin:sanity builtin:sanity --target mock:echo 2>err
echo "exit $?"
grep 'more of' err
