cp "$DATA/otutl/valid.jsonl" a.jsonl
cp a.jsonl b.jsonl
trackway validate --strict a.jsonl b.jsonl --as OTUTL --json=' verdict , mode '
trackway validate -q --permissive a.jsonl
