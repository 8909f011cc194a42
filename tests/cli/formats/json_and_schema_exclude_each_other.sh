trackway formats --json --schema results
