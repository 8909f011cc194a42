trackway trial signals "$DATA/conversation/anthropic.jsonl" --json
