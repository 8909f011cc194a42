trackway formats --json
