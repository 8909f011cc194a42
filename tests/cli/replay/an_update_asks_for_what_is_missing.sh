# The old run stays as it is; the new one has all that was asked, and is replayed without the model.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
OPENAI_BASE_URL=$url/v1
export OPENAI_BASE_URL
updated()
{
	trackway replay --update "$@" 2>said >verdict
	set -- $?
	grep -E '^(verdict|requests|added|changed|unused|difference)' verdict
	echo "exit $1"
}
cksum run/* >before
echo '--- another word'
WORDS=new updated -o new run -- "$talker"
cksum run/* | cmp before - && echo 'the old run is as it was'
echo '--- the same words'
updated -o same run -- "$talker"
kill "$mock"
wait "$mock"
trap - EXIT
echo '--- a replay of the new one'
WORDS=new trackway replay --json=verdict,served new -- "$talker" 2>said
