. "$DATA/../cli/ledger/common"
start
record t-001
cp "$DATA/otutl/valid.jsonl" run.jsonl
masked trackway ledger add t-001.json --run run.jsonl
trackway ledger show t-001 --only entry | grep -o '"run":{.*}' | mask | sed 's/},.*/}/'
trackway hash --json=run_hash run.jsonl | grep -o '[0-9a-f]\{64\}' >hashes
trackway ledger show t-001 --only entry | grep -qf hashes
