# Two runs and a directory without content; one of them goes wrong.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
for run in one two; do
	trackway record -q --content --tag set=small -o "runs/$run" --upstream "openai=$url/v1" -- "$talker" | cat
done
trackway record -q -o runs/without --upstream "openai=$url/v1" -- "$talker" | cat
kill "$mock"
wait "$mock"
trap - EXIT
# batch ARGUMENT...: what is told, without what takes time and what depends on the system
batch()
{
	trackway replay "$@" >told 2>said
	set -- $?
	sed -e '/^network:/d' -e 's/ in [0-9.]* m*s/ in TIME/' -e 's/time="[0-9.]*"/time="T"/' -e "s|$PWD/||" told
	cat said
	echo "exit $1"
}
echo '--- all of a directory'
batch --batch runs -- "$talker"
echo '--- those of a tag, one of them otherwise'
# shellcheck disable=SC2016
batch --batch tag:set=small --jobs 1 -- sh -c 'test "$2" = one || WORDS=off; export WORDS; "$1"' talker "$talker" '{name}'
echo '--- the first, by its name, with options for each replay'
batch --batch runs/two runs/one --limit 1 --by model --strict-params --timeout 60 -- "$talker"
batch --batch runs/one --by agent -o kept -- "$talker"
ls kept
echo '--- gates'
batch --batch runs/one --max-age 0s -- "$talker"
trackway replay --batch runs --json -- "$talker" >earlier 2>said
batch --batch runs/one --same-as earlier -- "$talker" | sed 's/[0-9a-f-]\{36\}/ID/g'
echo '--- nothing is asked'
batch --batch runs/one --report json -- true | grep -o '"failures":{[^}]*}'
batch --batch runs --report junit -- "$talker"
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/page batch --batch runs -- "$talker" | grep ^::
cat page
echo '--- one replay'
batch runs/one --report junit -- "$talker"
WORDS=off batch runs/one --report github -- "$talker" | grep ^::
batch runs/one --report text -- "$talker" | grep verdict
GITHUB_ACTIONS=true batch --json=verdict runs/one -- "$talker" | grep verdict
