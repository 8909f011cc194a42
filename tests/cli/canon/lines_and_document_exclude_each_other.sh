echo 1 > a.json
trackway canon --lines --document a.json
