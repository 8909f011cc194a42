echo 1 > a.json
trackway hash --lines --document a.json
