echo '{}' >trace.jsonl
trackway watch trace.jsonl --once
