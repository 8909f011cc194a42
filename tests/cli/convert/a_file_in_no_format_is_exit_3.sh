echo '{"nothing":1}' >x.json
trackway convert x.json --to otutl
