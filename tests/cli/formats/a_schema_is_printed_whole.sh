trackway formats --schema summary
