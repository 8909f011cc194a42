trackway show "$DATA/claude-code/session.jsonl" --transcript
