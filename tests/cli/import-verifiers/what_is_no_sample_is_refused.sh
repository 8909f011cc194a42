. "$DATA/../cli/import/common"
echo '{"hello":1}' >hello.jsonl
trackway import verifiers hello.jsonl
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples hello.jsonl
trackway import verifiers "$DATA/claude-code/main.jsonl" --json=imported,refused
trackway ledger list --json=trial_id
trackway import verifiers hello.jsonl 2>/dev/null
