trackway formats --json=nothing
