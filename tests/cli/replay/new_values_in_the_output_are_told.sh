# A time or an id that the command made up is another one in every run; a result is not.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
# shellcheck disable=SC2016
agent='"$0" >words; date -u +%Y-%m-%dT%H:%M:%S.%NZ; cat /proc/sys/kernel/random/uuid; echo "result ${RESULT:-1}"'
trackway record -q --content -o run --upstream "openai=$url/v1" -- sh -c "$agent" "$talker" | tail -n 1
trackway replay run -- sh -c "$agent" "$talker" 2>said | grep -e verdict -e values -e output | sed 's/byte [0-9]*/byte N/'
echo "--- another result"
RESULT=2 trackway replay run -- sh -c "$agent" "$talker" 2>said >told
grep -e verdict -e recorded: -e replayed: told | sed 's/[0-9a-f-]\{36\}/UUID/; s/.*\(result\)/... \1/'
RESULT=2 trackway replay --json=output run -- sh -c "$agent" "$talker" 2>said | sed 's/[0-9a-f]\{64\}/DIGEST/g'
