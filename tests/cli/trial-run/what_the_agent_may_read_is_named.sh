. "$DATA/../cli/trial-run/common"
mkdir -p packages/lib && echo 4 >packages/lib/four
try()
{
	trackway trial run task --isolation none -q "$@" 2>&1
}
try --agent "cat $PWD/packages/lib/four >answer" --allow-read packages -o job | plain
grep -h '"configuration"' job/*/record.json | plain
# Another content of the packages is another agent.
trackway trial lock task --agent true --allow-read packages --isolation none >a.json
echo 5 >packages/lib/four
trackway trial lock task --agent true --allow-read packages --isolation none >b.json
trackway trial diff a.json b.json | head -n 1
# Tests, solutions, the job and the ledger are never shown, nor is what has them.
for path in task task/tests task/tests/test.sh . ledger refused nowhere; do
	try --agent true --allow-read $path -o refused | joined
done
try --agent "cat task/tests/test.sh" -o word | joined
