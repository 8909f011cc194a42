# What is before the fork comes from the record, what follows from the model; the new run says where it comes from.
. "$DATA/../cli/record/common"
talker=$DATA/../cli/replay/talker
start_mock
trackway record -q --content -o run --upstream "openai=$url/v1" -- "$talker" | cat
OPENAI_BASE_URL=$url/v1
export OPENAI_BASE_URL
# forked ARGUMENT...: a replay, its verdict without what differs from run to run
forked()
{
	trackway replay --live model "$@" 2>said >verdict
	set -- $?
	grep -v '^network:' verdict | stable | sed -E 's/sha256:[0-9a-f]{64}/sha256:HASH/'
	echo "exit $1"
}
hash=$(trackway hash run/run.otutl.jsonl | sed -n 's/^\(otutl-v1:[^ ]*\) .*/\1/p')
echo '--- another word behind the fork'
WORDS=elsewhere forked --from 3 -o there run -- "$talker"
cat said
echo '--- its lineage'
for file in there/run.otutl.jsonl there/cassette.jsonl there/meta.json; do
	grep -o '"forked_from": *{[^}]*}' $file | sed "s/$hash/HASH/"
done
trackway validate -q there/run.otutl.jsonl && echo valid
trackway show there | grep -A2 'forked from' | sed "s/$hash/HASH/"
trackway runs | grep forked | sed "s/$hash/HASH/; s/^[0-9a-f]*/NAME/"
trackway runs --limit 1 --json=forked_from | sed "s/$hash/HASH/"
echo '--- another word before it'
WORDS=elsewhere forked --from 4 -o other run -- "$talker"
echo '--- it is never reached'
forked --from 3 -o early run -- true
echo '--- all is served, and nothing comes behind it'
forked --from $(($(wc -l <run/run.otutl.jsonl) - 1)) -o late run -- "$talker" | grep -E 'verdict|forked|exit'
echo '--- as JSON'
trackway replay --live model --from 0 -o all --json=verdict,served,forked run -- "$talker" 2>said | sed "s/$hash/HASH/" | stable |
	sed -E 's/"run_id":"[^"]*"/"run_id":"ID"/'
echo '--- sealed'
trackway ledger init -q --origin example.org/log --ledger ledger >key 2>said
trackway ledger add -q --ledger ledger there >sealed 2>said
trackway ledger show --ledger ledger "$(cut -d' ' -f3 sealed)" | grep 'forked from' | sed "s/$hash/HASH/"
trackway ledger verify -q --ledger ledger >said && echo whole
echo '--- the service has no answer'
kill "$mock"
wait "$mock"
trap - EXIT
WORDS=elsewhere forked --from 3 -o dead run -- "$talker" | grep -E 'verdict|exit'
grep -c '"status":502' dead/cassette.jsonl
echo '--- paths are those of the client'
grep -o '"base":"[^"]*","req":{"method":"POST","target":"[^"]*"' all/cassette.jsonl
