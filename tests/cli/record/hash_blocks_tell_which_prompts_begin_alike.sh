. "$DATA/../cli/record/common"
. "$DATA/../cli/record/blocks"
TRACKWAY_KEYS=$PWD/keys
export TRACKWAY_KEYS
start_mock
record -q -o a --hash-blocks --upstream "openai=$url/v1" -- "$cases/talker"
record -q -o b --hash-blocks --upstream "openai=$url/v1" -- "$cases/talker"
shape a/agent-trace.jsonl
trackway validate --strict a/agent-trace.jsonl
ids a/agent-trace.jsonl >a.ids
ids b/agent-trace.jsonl >b.ids
echo "in both runs, each with a key of its own: $(LC_ALL=C comm -12 a.ids b.ids | wc -l)"
record -q -o c --hash-blocks --block-key mine --upstream "openai=$url/v1" -- "$cases/talker"
record -q -o d --hash-blocks --block-key mine --upstream "openai=$url/v1" -- "$cases/talker"
ids c/agent-trace.jsonl >c.ids
ids d/agent-trace.jsonl >d.ids
echo "in only one of two runs with the same key: $(LC_ALL=C comm -3 c.ids d.ids | wc -l)"
record -q -o e --hash-blocks=512 --upstream "openai=$url/v1" -- "$cases/talker"
shape e/agent-trace.jsonl
record -q -o f --upstream "openai=$url/v1" -- "$cases/talker"
record -q -o g --plain-v1 --hash-blocks --upstream "openai=$url/v1" -- "$cases/talker"
grep -c hash_ids f/agent-trace.jsonl g/agent-trace.jsonl
grep -l canary [a-g]/*
trackway convert -q --to agent-trace -o converted.jsonl a/agent-trace.jsonl
ids converted.jsonl | cmp - a.ids && echo converted
