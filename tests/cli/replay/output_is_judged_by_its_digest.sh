# The bytes beside the cassette only tell where the output differs: they may be gone, or others than were recorded.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
kill "$mock"
wait "$mock"
trap - EXIT
# replayed COMMAND...: the verdict, what is said of the output, and the exit status
replayed()
{
	trackway replay run -- "$@" 2>said >verdict
	set -- $?
	grep -e '^verdict:' -e '^first' -e '^output:' verdict
	echo "exit $1"
}
rm run/stdout
echo '--- the file is gone'
replayed "$talker"
replayed sh -c "'$talker' >result; echo other"
echo other >run/stdout
echo '--- the file is another one'
replayed "$talker"
replayed sh -c "'$talker' >result; echo other"
sed -i '$d' run/cassette.jsonl
rm run/meta.json
echo '--- a recording without an end'
replayed "$talker"
