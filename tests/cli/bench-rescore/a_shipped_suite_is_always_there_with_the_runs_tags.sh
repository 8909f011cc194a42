trackway bench run sanity --target mock:echo --tag json --run-id r -q >/dev/null
trackway bench rescore r -n --json=judged,kept
