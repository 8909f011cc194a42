. "$DATA/../cli/import/common"
trackway -q import prime --evaluation "$EXAMPLES/prime.json" --samples "$EXAMPLES/prime-samples.json" >/dev/null
cd ledger/diagnostic/artifacts/prime-eval-ev-2207/prime-ev-2207-s-1 || exit
sed 's/ kN/ MN/' output.md >new && mv -f new output.md
rm conversation.jsonl
cd ../../../../..
trackway ledger verify | sed '/^OK\|^NOT OK/q'
trackway ledger verify >/dev/null
