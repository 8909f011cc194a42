printf '{"b":1.0, "a":2}\r\n\n[1e2]' >values.jsonl
trackway hash values.jsonl
trackway canon values.jsonl | sha256sum
