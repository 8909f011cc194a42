. "$DATA/../cli/import/common"
find ledger keys -type f -exec sha256sum {} + | sort >before
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" --dry-run
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" -n \
	--json=imported,dry_run
find ledger keys -type f -exec sha256sum {} + | sort >after
cmp before after
