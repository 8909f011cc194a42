trackway show "$DATA/claude-code/session.jsonl" --transcript --json
trackway show - --transcript --jsonl <"$DATA/claude-code/session.jsonl" | sed -n 3p
