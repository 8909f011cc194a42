trackway explain >all
trackway explain --list >list
cmp all list
grep '^  ' list | grep -o '^  [A-Z][A-Z0-9_]*' >codes
[ "$(wc -l <codes)" -gt 60 ] || echo 'too few codes'
while read -r code; do
	trackway explain "$code" >page || echo "exit $?: $code"
	grep -q '^What to do$' page || echo "no help: $code"
done <codes
