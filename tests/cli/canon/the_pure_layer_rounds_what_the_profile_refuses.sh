printf '[9007199254740993,1e-400]' > n.json
trackway canon n.json && echo
trackway canon --profile otutl n.json
