. "$DATA/../cli/import/common"
mkdir run1
cp "$EXAMPLES/verifiers.results.jsonl" run1/results.jsonl
cp "$EXAMPLES/verifiers.metadata.json" run1/metadata.json
trackway import verifiers run1
trackway import verifiers run1/results.jsonl --experiment mine
(cd run1 && trackway import verifiers . --ledger ../ledger)
sed -n '/"breakdown"/,/}/p' ledger/diagnostic/records/mine/*-sample-2.json
