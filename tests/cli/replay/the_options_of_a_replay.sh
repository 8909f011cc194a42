# One recording, replayed in every way.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
echo '--- the model is asked again'
OPENAI_BASE_URL=$url/v1 trackway replay --live model --json=verdict,mode,served run -- "$talker" 2>said
OPENAI_BASE_URL=$url/v1 WORDS=off trackway replay --live model --json=verdict,output run -- sh -c "'$talker' >said; cat run/stdout" 2>said |
	sed 's/[0-9a-f]\{64\}/DIGEST/g'
kill "$mock"
wait "$mock"
trap - EXIT
echo '--- tools run'
trackway replay --live tools --json=verdict,mode,served run -- "$talker" 2>said
echo '--- the files of the replay'
trackway replay -o again --json=verdict,dir run -- "$talker" 2>said
ls again
trackway replay --output again2 --child-stdout words --json=verdict run -- "$talker"
cat words
echo '--- all divergences'
WORDS=off trackway replay --on-divergence continue --json=verdict,missed,unconsumed run -- "$talker" 2>said
echo '--- what differs is served, and marked'
WORDS=off trackway replay --lenient --json=verdict,lenient run -- "$talker" 2>said
WORDS=off trackway replay --lenient run -- "$talker" 2>said | grep -e lenient -e first -e recorded: -e replayed:
echo '--- too slow'
trackway replay --timeout 1 run -- sleep 60 2>said | grep -E 'verdict|divergence'
echo '--- a limit of years'
trackway replay --timeout 4294968 run -- sh -c 'sleep 1; exit 7' 2>said | grep -c timeout
echo '--- with the network'
trackway replay --share-network run -- "$talker" 2>said | grep network
echo '--- the clock of the recording'
began=$(sed -n '1s/.*"clock0_us":\([0-9]*\)[0-9]\{6\},.*/\1/p' run/cassette.jsonl)
# shellcheck disable=SC2016
SOURCE_DATE_EPOCH=1 trackway replay --clock recorded --child-stdout words run -- sh -c 'echo $SOURCE_DATE_EPOCH' >said
[ "$(cat words)" = "$began" ] && echo 'is in SOURCE_DATE_EPOCH'
echo '--- redacted'
TRACKWAY_KEYS=$PWD/keys
export TRACKWAY_KEYS
mkdir red
trackway redact --keep-structure --key k run/cassette.jsonl -o red/cassette.jsonl 2>said
trackway replay red -- "$talker" 2>said
echo "exit $?"
trackway replay --allow-redacted --json=verdict red -- "$talker" 2>said
trackway replay --redact-key k --json=verdict,exact red -- "$talker" 2>said
