printf '{"b":1.0,\n "a":"\\u0041"}\n' >value.json
trackway hash value.json
trackway canon value.json | sha256sum
