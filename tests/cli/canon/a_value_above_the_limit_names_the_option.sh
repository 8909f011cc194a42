printf '{"a":"%0100d"}\n' 7 > long.jsonl
trackway canon --max-record 64 long.jsonl
