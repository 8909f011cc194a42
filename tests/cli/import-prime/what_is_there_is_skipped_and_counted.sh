. "$DATA/../cli/import/common"
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" >/dev/null
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" --json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" \
	--experiment other --json=imported,duplicates,experiment_id
