trackway formats --json=name,form
