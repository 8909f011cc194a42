. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger export --part main --experiment e-2 -o out.jsonl
wc -l <out.jsonl
trackway ledger export --part diagnostic --layout jsonl --output out.jsonl
wc -l <out.jsonl
