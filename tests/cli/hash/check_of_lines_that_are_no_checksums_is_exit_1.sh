printf '[1]' >value.json
trackway hash value.json >SUMS
echo 'hello' >>SUMS
trackway hash --check SUMS
