. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger review t-001 --judgment pass --reviewer ana --output r.json
sed -i 's/"leaf": "......../"leaf": "00000000/' r.json
masked trackway ledger review r.json
