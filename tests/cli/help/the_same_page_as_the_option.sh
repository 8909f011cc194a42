trackway help version >one
trackway version --help >two
cmp one two
trackway help >one
trackway --help >two
cmp one two
