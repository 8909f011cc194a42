echo hello >SUMS
trackway hash --check SUMS
