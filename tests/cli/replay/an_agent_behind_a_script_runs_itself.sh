# With --shell the agent is a command of the script that starts it, and each of its clients one of its own commands.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content --shell -o run --upstream "openai=$url/v1" -- sh -c "bash '$talker'; true" | cat
echo '--- tools are not in the new run of an update'
OPENAI_BASE_URL=$url/v1 trackway replay --update -o new run -- sh -c "bash '$talker'; true" 2>said | grep -e 'not in it'
kill "$mock"
wait "$mock"
trap - EXIT
# replayed OPTION...: the verdict; grep and its neighbour begin in either order, so the rest differs
replayed()
{
	trackway replay "$@" run -- sh -c "bash '$talker'; true" 2>said >verdict
	set -- $?
	grep -e '^verdict:' -e '^inside' -e '^output:' verdict
	echo "exit $1"
}
echo '--- the same'
replayed
echo '--- another word'
WORDS='go off' replayed | head -n 1
echo '--- the tools run, the agent is none'
replayed --live tools
