trackway bench run builtin:sanity --target mock:echo --run-id r -q >/dev/null
trackway bench tiers r
