printf '[1.0]' >value.json
trackway hash value.json >SUMS
printf ' [ 1 ]\n' >value.json
trackway hash --check SUMS
