printf '{"a":1}' > v.json
trackway canon v.json > /dev/full
