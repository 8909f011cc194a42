cp "$DATA/../../doc/examples/session.jsonl" .
trackway export session.jsonl --format ro-crate -o crate
mkdir empty
trackway export session.jsonl "$DATA/export/run.jsonl" --format ro-crate -o empty
ls empty
trackway convert session.jsonl --to agent-trace | cmp - empty/agent-trace.jsonl
sed -n "s/.*\"hasPart\":\([^]]*\)].*/\1/p" empty/ro-crate-metadata.json
