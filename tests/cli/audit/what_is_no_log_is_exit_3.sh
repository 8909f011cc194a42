echo '{"a":1}' >x.json
trackway audit x.json --policy "$DATA/audit/policy.json"
