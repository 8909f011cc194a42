mkdir dir
echo '{"name":"package"}' >dir/package.json
trackway validate --json dir
