mkdir in
echo '{"nothing":1}' >in/value.json
trackway convert in --to otutl -q -o out/
status=$?
ls
exit $status
