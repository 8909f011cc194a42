# The cassette as the recorder wrote it has no finding, alone and with the files of its run; a changed one is told.
. "$(dirname "$0")/common"
# codes FILE: the verdict and what was found
codes()
{
	trackway validate "$@" >found
	echo "exit $?, $(grep -c . found) lines"
	grep -oE '^[a-z]+\[[A-Z0-9]+\]' found
}
start_mock
record -q --content --shell -o run --upstream "openai=$url/v1" -- sh -c "$cases/agent >/dev/null; ls meta* | wc -l" >said 2>&1
for lane in model shell; do
	grep -q "\"lane\":\"$lane\"" run/cassette.jsonl && echo "has $lane"
done
codes --strict run/cassette.jsonl
codes run
sed 's/"run_id":"0/"run_id":"1/' run/cassette.jsonl >changed
cp changed run/cassette.jsonl
trackway validate run | grep -oE '^[a-z]+\[RN[0-9]+\]'
exit 0
