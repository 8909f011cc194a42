. "$DATA/../cli/ledger/common"
start
trackway record -q -o rec --content -- true 2>/dev/null
cp "$DATA/otutl/valid.jsonl" log.jsonl
masked trackway ledger add rec/agent-trace.jsonl log.jsonl rec/meta.json
masked trackway ledger add log.jsonl --json
