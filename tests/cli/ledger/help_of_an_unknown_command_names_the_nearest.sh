trackway help ledger verfy
