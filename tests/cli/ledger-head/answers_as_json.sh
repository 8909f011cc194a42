. "$DATA/../cli/ledger/common"
start_with_trials
masked trackway ledger head --json=part,origin,size,root,vkey,vkey_is_trusted,sealed_at,signatures
trackway ledger head --json | grep -c checkpoint
