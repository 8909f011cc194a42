trackway bench run sanity --target mock:echo --run-id r -q >/dev/null
grep -A 2 '"suites"' runs/r/config.json
trackway bench run sanitt --target mock:echo
trackway bench run sanity.txt --target mock:echo
# A file of that name wins, and that is said.
echo '[{"id":"A","name":"a","prompt":"p","validator":{"type":"noop"}}]' >tools
trackway bench plan tools --target mock:echo | head -n 1
trackway bench plan builtin:tools --target mock:echo | head -n 1
