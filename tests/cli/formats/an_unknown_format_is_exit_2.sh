trackway formats --schema agent-trac
