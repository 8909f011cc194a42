. "$DATA/../cli/ledger/common"
start
record t-001
masked trackway ledger add t-001.json
trackway -q ledger prove t-001
mkdir elsewhere && mv t-001.tlog-proof t-001.entry t-001.json trials.vkey elsewhere && cd elsewhere || exit
HOME="$PWD"
masked trackway ledger verify --proof t-001.tlog-proof --entry t-001.entry --vkey trials.vkey --record t-001.json
