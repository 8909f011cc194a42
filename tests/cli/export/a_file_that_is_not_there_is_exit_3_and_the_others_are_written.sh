trackway export gone.jsonl "$DATA/agent-trace/minimal.jsonl" --format dot
