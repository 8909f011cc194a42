trackway ledger bake
