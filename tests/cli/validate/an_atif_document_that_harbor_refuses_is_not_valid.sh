sed 's/"step_id":4/"step_id":6/; s/"model_name":"m-1","tool_definitions"/"model":"m-1","tool_definitions"/' "$DATA/atif/full.json" >t.json
trackway validate t.json >out
status=$?
sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/' out
trackway validate --as atif t.json --report github | grep '^::' | cut -c 1-60
trackway validate t.json --report sarif | grep -o '"ruleId": *"[A-Z0-9]*"'
trackway validate t.json --report junit | grep -o '<failure[^:]*'
exit $status
