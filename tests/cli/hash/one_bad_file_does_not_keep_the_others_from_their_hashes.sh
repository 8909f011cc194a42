printf '{' >bad.json
printf '[1]' >good.json
trackway hash bad.json good.json
