printf '[1]' >there.json
trackway hash gone.json there.json gone.too
