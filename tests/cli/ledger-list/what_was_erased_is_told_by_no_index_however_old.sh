. "$DATA/../cli/ledger/common"
start_with_trials
trackway ledger list --model m-large --json=id,model >/dev/null
trackway -q ledger erase t-001 --reason 'on request' --force >/dev/null
trackway ledger list --all --json=id,model,reward,task_id
trackway -q ledger fsck --repair-index >/dev/null
trackway ledger list --all --json=id,model,reward,task_id
