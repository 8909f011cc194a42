echo '{"nothing":1}' >x.json
echo old >out
trackway convert x.json --to otutl -o out
echo "exit $?"
cat out
