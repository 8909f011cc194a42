name=$(printf 'a\nb\\c.json')
printf '[1]' >"$name"
trackway hash "$name" >SUMS
cat SUMS
trackway hash --check SUMS
