echo "{\"a\":1}" >x.json
trackway trial signals x.json; echo "exit $?"
trackway trial signals nowhere.jsonl
