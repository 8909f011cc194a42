E=$DATA/../../doc/examples
mkdir -p x
cp "$E/chat.jsonl" x
trackway convert x/chat.jsonl - --to conversation -o out/ -q <"$E/session.jsonl"
ls out
