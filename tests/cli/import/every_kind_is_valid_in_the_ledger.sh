. "$DATA/../cli/import/common"
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json"
trackway import verifiers "$EXAMPLES/verifiers.results.jsonl"
trackway import aec "$EXAMPLES/aec-trials.jsonl"
for log in ledger ledger/diagnostic; do
	trackway validate --as trial --json=path,verdict $log/records | tr ',' '\n' | grep -c '"valid"'
done
trackway ledger verify >/dev/null && echo verified
