: > empty.json; : > empty.jsonl
trackway canon empty.jsonl; echo "exit $?"
trackway canon empty.json
