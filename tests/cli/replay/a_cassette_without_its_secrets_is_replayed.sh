# The live side loses its secrets by the same rules, and nothing else.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
TRACKWAY_KEYS=$PWD/keys
kind=proj
WORDS="use sk-$kind-abcdefghijklmnop1234567890ABCDEFGHIJ"
export TRACKWAY_KEYS WORDS
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" >words
mkdir clean
trackway redact --secrets-only run/cassette.jsonl -o clean/cassette.jsonl 2>said
grep -q 'sk-proj' clean/cassette.jsonl || echo 'the key is gone'
grep -o '"redacted_what":"[a-z]*"' clean/cassette.jsonl
trackway replay --redact-key default --json=verdict,exact clean -- "$talker" 2>said
trackway replay --redact-key default --json=verdict,exact clean -- env WORDS="$WORDS and more" "$talker" 2>said
true
