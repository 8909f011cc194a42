trackway formats --strict
