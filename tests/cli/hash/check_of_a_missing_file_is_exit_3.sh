printf '[1]' >value.json
printf '[2]' >gone.json
trackway hash value.json gone.json >SUMS
rm gone.json
trackway hash --check SUMS
