printf '{"b":1.0,"a":"A"}' >one.json
printf ' { "a" : "\\u0041", "b" : 1 }\n' >two.json
trackway hash one.json two.json
