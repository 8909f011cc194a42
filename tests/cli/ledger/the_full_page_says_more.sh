trackway help ledger >page && trackway ledger --help | cmp - page && grep -A 2 "^Description" page
