trackway help ledger-verify >one
trackway help ledger verify >two
cmp one two && head -n 1 one
trackway help bench-run | head -n 1
trackway help bench run | head -n 1
trackway help telemetry-verify-payload | head -n 1
trackway help verify
trackway help ledger-verfy
