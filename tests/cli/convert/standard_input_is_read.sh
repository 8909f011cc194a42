trackway convert - --to conversation <"$DATA/../../doc/examples/chat.jsonl"
