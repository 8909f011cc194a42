trackway formats --schema json
