. "$DATA/../cli/ledger/common"
start_with_trials
cp ledger/checkpoint old
key=$(ls keys/*.key)
cp "$key" stolen.key && chmod 600 stolen.key
rm -rf ledger keys
trackway -q ledger init --key stolen.key >/dev/null
record t-009
record t-002
trackway -q ledger add t-002.json t-009.json >/dev/null
masked trackway ledger verify --vkey trials.vkey
masked trackway ledger verify --vkey trials.vkey --against old
