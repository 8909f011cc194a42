# Tokens stand in the place of arguments and output; which stream it was and how a command ended are no content.
. "$DATA/../cli/record/common"
TRACKWAY_KEYS=$PWD/keys
export TRACKWAY_KEYS
trackway record -q --content --shell -o run -- sh -c 'bash -c "echo one; echo two >&2"; true' >out 2>said
mkdir red
trackway redact --keep-structure run/cassette.jsonl -o red/cassette.jsonl 2>said
grep -c 'echo one' red/cassette.jsonl
trackway validate red/cassette.jsonl 2>&1 | sed 's/, .*//'
trackway replay --redact-key default red -- sh -c 'bash -c "echo one; echo two >&2"; true' 2>said | grep verdict
trackway replay --redact-key default red -- sh -c 'bash -c "echo three; echo two >&2"; true' 2>said | grep verdict
