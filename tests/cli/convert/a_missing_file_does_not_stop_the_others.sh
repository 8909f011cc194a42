cp "$DATA/../../doc/examples/chat.jsonl" .
trackway convert nowhere.jsonl chat.jsonl --to otutl -q >out
echo "exit $?"
trackway validate -q out
