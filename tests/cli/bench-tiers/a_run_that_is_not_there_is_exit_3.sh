trackway bench tiers nothing
