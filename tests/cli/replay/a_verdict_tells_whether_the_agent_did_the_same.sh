# The mock is gone when the run is replayed: every answer is the recorded one.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
kill "$mock"
wait "$mock"
trap - EXIT
# replayed WORD ARGUMENT...: what the verdict says, without what depends on the system
replayed()
{
	trackway replay "$@" 2>said >verdict
	set -- $?
	grep -v '^network:' verdict
	echo "exit $1"
}
echo '--- the same'
replayed run -- "$talker"
cat said
echo '--- another word'
WORDS='go off' replayed run -- "$talker"
echo '--- another temperature'
HEAT=1 replayed run -- "$talker"
HEAT=1 trackway replay --strict-params --json=verdict,served run -- "$talker" 2>said
echo '--- ended early'
replayed run -- true
echo '--- another exit status'
replayed run -- sh -c "'$talker'; exit 3"
echo '--- no content'
replayed run/agent-trace.jsonl -- "$talker"
for how in recorded event single bytes:1; do
	trackway replay --json=verdict --chunking $how run -- "$talker" 2>said
done
