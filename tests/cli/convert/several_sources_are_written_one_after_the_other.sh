cp "$DATA/../../doc/examples/session.jsonl" "$DATA/../../doc/examples/chat.jsonl" .
trackway convert session.jsonl chat.jsonl --to otutl -q >both.jsonl
trackway validate both.jsonl -q
trackway hash both.jsonl --json | tr ',' '\n' | grep -c '"run_hash"'
trackway convert session.jsonl chat.jsonl --to agent-trace -q | trackway validate -
