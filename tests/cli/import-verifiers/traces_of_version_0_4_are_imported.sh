. "$DATA/../cli/import/common"
mkdir -p out/run7
cp "$DATA/verifiers/traces.jsonl" out/run7/
trackway import verifiers out
trackway import verifiers out/run7/traces.jsonl --json=imported,duplicates,refused,experiment_id
cd ledger/diagnostic/records/prime-eval-run7 || exit
grep -h '"reward"' ./*.json
cat ../../artifacts/prime-eval-run7/prime-run7-aaaa/conversation.jsonl
