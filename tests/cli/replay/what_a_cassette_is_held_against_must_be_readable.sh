. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
TRACKWAY_KEYS=$PWD/keys
export TRACKWAY_KEYS
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
kill "$mock"
wait "$mock"
trap - EXIT
mkdir red
trackway redact --keep-structure --key own run/cassette.jsonl -o red/cassette.jsonl 2>said
trackway redact --keep-structure --key other run/cassette.jsonl -o result 2>said
for key in own other; do
	trackway replay --redact-key $key --json=verdict,why red -- "$talker" 2>said
	echo "exit $?"
done
trackway replay --redact-key own --json=behavior_hash red -- "$talker" 2>said | grep -o '"equal":[a-z]*'
echo '--- a key that is not needed'
trackway replay --redact-key own --json=verdict,why run -- "$talker" 2>said
echo '--- no meta.json that could name the cassette'
echo '{' >run/meta.json
trackway replay run -- "$talker"
echo "exit $?"
