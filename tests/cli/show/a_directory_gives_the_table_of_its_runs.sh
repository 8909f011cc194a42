mkdir -p logs/run
cp "$DATA/claude-code/main.jsonl" "$DATA/atif/subagents.json" logs
cp "$DATA/show/full.jsonl" logs/run/agent-trace.jsonl
COLUMNS=150 trackway show logs
mkdir empty
trackway show empty
