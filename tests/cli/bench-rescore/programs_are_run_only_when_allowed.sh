cp -r "$DATA/bench/looking" runs
echo '[{"id":"sum","name":"S","prompt":"p","validator":{"type":"command","argv":["/bin/false"]}}]' >check.json
trackway bench rescore monday --suite check.json -n 2>&1 | grep -v '^ '
trackway bench rescore monday --suite check.json -n --allow-commands=unsandboxed | head -3
