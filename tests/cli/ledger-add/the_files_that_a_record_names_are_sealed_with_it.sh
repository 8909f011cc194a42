. "$DATA/../cli/ledger/common"
start
record t-001
mkdir out
echo 'the answer' >out/raw.txt
echo '{"version":1,"format":"aec-bench-trajectory"}' >out/trajectory.jsonl
masked trackway ledger add t-001.json
masked trackway ledger log --plain | cut -f 3,5
cat ledger/artifacts/e-1/t-001/out%2Fraw.txt
echo '{}' >out/conversation.jsonl
masked trackway ledger add t-001.json
trackway -q ledger verify | sed -n 1,2p | sed 's/;.*//'
