name=$(printf '%0240d' 0)
cp "$DATA/../../doc/examples/chat.jsonl" "$name.jsonl"
trackway convert "$name.jsonl" "$name.jsonl" --to agent-trace -q -o out/ --flat
ls out
