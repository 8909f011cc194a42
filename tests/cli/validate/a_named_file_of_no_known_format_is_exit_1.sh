echo '{"name":"package"}' >package.json
trackway validate package.json >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
exit $status
