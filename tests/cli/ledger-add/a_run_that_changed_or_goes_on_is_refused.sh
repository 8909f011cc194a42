. "$DATA/../cli/ledger/common"
start
trackway record -q -o rec -- true 2>/dev/null
cp -r rec changed
echo ' ' >>changed/agent-trace.jsonl
cp -r rec open
printf '{"schema":"trackway.run/1","run_id":"01a1e453-a48f-7359-be8b-caf0980288b9"}' >open/meta.json
rm open/agent-trace.jsonl open/summary.json
masked trackway ledger add changed open
masked trackway ledger add changed --jsonl
trackway ledger log --json=size
