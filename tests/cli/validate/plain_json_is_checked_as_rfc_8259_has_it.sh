echo '{"a":[1,2]}' >good.json
echo '{"a":[1,2,]}' >bad.json
trackway validate --as json --json=path,format,verdict,events good.json bad.json
