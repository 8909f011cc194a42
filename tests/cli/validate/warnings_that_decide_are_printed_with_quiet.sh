sed 's/"output":146/"output":147/' "$DATA/../../doc/examples/agent-trace.jsonl" >odd.jsonl
trackway validate -q odd.jsonl
echo $?
trackway validate -q --warnings-as-errors odd.jsonl | head -n 1
trackway validate --warnings-as-errors --report github odd.jsonl | grep -o '^::[a-z]*'
trackway validate --warnings-as-errors --report sarif odd.jsonl | grep -o '"ruleIndex":0,"level":"[a-z]*"'
