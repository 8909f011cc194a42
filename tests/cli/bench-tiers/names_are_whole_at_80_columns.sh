trackway bench run tools --target mock:a-model-name-that-is-rather-long-for-a-narrow-table@high --target mock:b --run-id t -q >/dev/null
trackway bench tiers t | head -n 4
COLUMNS=120 trackway bench tiers t | head -n 3
[ "$(trackway bench tiers t | wc -L)" -le 80 ] && echo "all fits"
