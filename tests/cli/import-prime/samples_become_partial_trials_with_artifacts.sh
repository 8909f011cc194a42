. "$DATA/../cli/import/common"
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json"
cd ledger/diagnostic || exit
find records artifacts -type f | LC_ALL=C sort
cat artifacts/prime-eval-ev-2207/prime-ev-2207-s-1/output.md && echo
cat artifacts/prime-eval-ev-2207/prime-ev-2207-s-1/conversation.jsonl records/prime-eval-ev-2207/prime-ev-2207-s-2.json
