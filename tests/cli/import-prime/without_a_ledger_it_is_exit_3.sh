trackway import prime --evaluation "$DATA/../../doc/examples/prime.json" --samples "$DATA/../../doc/examples/prime-samples.json" \
	--ledger none
