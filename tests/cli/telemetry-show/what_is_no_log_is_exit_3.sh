echo "{\"a\":1}" >x.json
trackway telemetry show x.json; echo "exit $?"
trackway telemetry show nowhere.jsonl
