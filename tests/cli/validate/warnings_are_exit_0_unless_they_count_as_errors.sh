sed 's/"output":146/"output":147/' "$DATA/../../doc/examples/agent-trace.jsonl" >odd.jsonl
trackway validate --json=verdict,errors,warnings odd.jsonl
echo $?
trackway validate --json=verdict,errors,warnings --warnings-as-errors odd.jsonl
