printf '{"a":"x\0y"}' > nul.json
trackway canon nul.json
