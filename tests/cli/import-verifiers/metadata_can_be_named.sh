. "$DATA/../cli/import/common"
echo '{"evaluation_id": "ev-5", "model": "named"}' >other.json
trackway import verifiers "$EXAMPLES/verifiers.results.jsonl" --metadata other.json --json=experiment_id,evaluation_id
grep -h '"model"' ledger/diagnostic/records/prime-eval-ev-5/*
trackway import verifiers "$EXAMPLES/verifiers.results.jsonl" --metadata none.json
