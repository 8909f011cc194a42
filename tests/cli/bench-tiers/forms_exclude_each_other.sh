trackway bench tiers monday --csv --json
