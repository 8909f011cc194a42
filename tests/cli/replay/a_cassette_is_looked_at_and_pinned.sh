# --status and --pin have no command; a replay with --ledger holds the cassette against the pin.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
digests()
{
	sed -E 's/[0-9a-f]{64}/DIGEST/g'
}
trackway replay --status run | digests
trackway replay --status --json run | digests | stable | sed 's/"age_seconds":[0-9]*/"age_seconds":AGE/'
echo '--- not in the ledger yet'
trackway ledger init -q --origin example.org/log --ledger ledger >key 2>said
trackway replay --pin --ledger ledger run 2>&1
echo "exit $?"
trackway ledger add -q --ledger ledger run >sealed 2>said
echo '--- pinned, twice'
trackway replay --pin --ledger ledger run | digests
trackway replay --pin --ledger ledger run | digests
trackway replay --pin --json --ledger ledger run | digests
trackway replay --pin --ledger ledger run/cassette.jsonl 2>&1
echo "exit $?"
trackway ledger verify --ledger ledger | grep -o '1 run, . artifacts'
trackway replay --ledger ledger run -- "$talker" 2>said | grep -E 'verdict|cassette' | digests
echo '--- a cassette that was changed'
cp -r run other
sed -i '1s/"redacted":false/"redacted":false /' other/cassette.jsonl
trackway replay other -- "$talker"
echo "exit $?"
trackway replay --status other | head -n 1
trackway replay --ledger ledger other/cassette.jsonl -- "$talker" | digests
trackway replay --ledger ledger other/cassette.jsonl -- "$talker" >said
echo "exit $?"
echo '--- no cassette'
trackway replay --status other/agent-trace.jsonl 2>&1
echo "exit $?"
rm other/cassette.jsonl
trackway replay --status other 2>&1
echo "exit $?"
echo '--- damaged'
cp -r run damaged
sed -i '2s/hello/hellp/' damaged/cassette.jsonl
trackway replay --json=verdict damaged -- "$talker"
echo "exit $?"
