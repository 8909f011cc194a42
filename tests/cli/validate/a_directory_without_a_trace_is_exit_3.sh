mkdir dir
echo '{"name":"package"}' >dir/package.json
echo '[1]' >dir/list.json
trackway validate dir
