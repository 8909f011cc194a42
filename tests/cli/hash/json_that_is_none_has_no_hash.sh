printf '{"a":1,\n "b":tru}\n' >value.json
trackway hash value.json
