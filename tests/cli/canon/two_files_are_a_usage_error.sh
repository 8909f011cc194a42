echo 1 > a.json; echo 2 > b.json
trackway canon a.json b.json
