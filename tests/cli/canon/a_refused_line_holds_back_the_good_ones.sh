printf '{"a":1}\n{"a":1e999}\n{"a":"\\ud800"}\n{"a":1,"a":2}\n' > bad.jsonl
trackway canon bad.jsonl
