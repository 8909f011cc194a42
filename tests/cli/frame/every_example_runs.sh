# The files that examples may name: value.json, one value; run.jsonl and run.otutl.jsonl, logs of runs; policy.json;
# agent-trace.jsonl, and the logs of two vendors, session.jsonl and chat.jsonl; mock.json, a script for the mock server;
# agent.py, which does nothing; trial.json, a record, trial-2.json, directories trials and good with others;
# witness.key and ana.key, whose only use is here. What reads or fills the ledger comes after the examples that make one.
echo '{"b":1.0,"a":2}' >value.json
cp "$DATA/otutl/valid.jsonl" run.jsonl
cp "$DATA/../../doc/examples/agent-trace.jsonl" "$DATA/../../doc/examples/session.jsonl" \
	"$DATA/../../doc/examples/run.otutl.jsonl" "$DATA/../../doc/examples/policy.json" \
	"$DATA/../../doc/examples/chat.jsonl" "$DATA/../../doc/examples/mock.json" "$DATA/../../doc/examples/suite.json" .
mkdir bin runs
cp -r "$DATA/bench/looking/tuesday" runs/monday # two runs of a benchmark, the second one no worse than the first
cp -r "$DATA/bench/looking/monday" runs/tuesday
cp -r "$DATA/bench/run" runs/ID # a whole one
cp "$DATA/bench/looking/suite.json" mended.json
cat >bin/python3 <<'END'
#!/bin/sh
[ "$1" = agent.py ] || exit 1
[ -z "$TRACKWAY_REPLAY$2" ] || "$ASK" "$OPENAI_BASE_URL/chat/completions" '{"model":"m","messages":[]}'
END
chmod +x bin/python3
PATH=$PWD/bin:$PATH
export ASK="$DATA/../cli/record/ask"
cp "$DATA"/../../doc/examples/trial.json .
trackway bench summary -q runs/monday runs/tuesday --write >/dev/null
mkdir trials
sed 's/t-001/t-002/' trial.json >trial-2.json
sed 's/t-001/t-003/; s/"complete"/"partial"/' trial.json >trials/trial-3.json
mkdir good # trials with a full reward and a transcript
sed 's/"reward": 0.75/"reward": 1.0/; s/"trajectory_path": null/"trajectory_path": "run.jsonl"/' trial.json >good/trial.json
trackway convert run.otutl.jsonl --to trajectory -q -o good/run.jsonl
(umask 077 && echo 'PRIVATE+KEY+w.test+cb1df962+BLGgH9YMEBGp784NeUXJxHk4TfqGw963fbNx3a4VfIMk' >witness.key)
echo 'w.test+cb1df962+BNmGO/9W+N4lU23aeL3KjC5FW1ce035NI+GhuOGSr3uy' >witness.vkey
TRACKWAY_KEYS=ana trackway -q ledger review --make-key ana.example.org >/dev/null
mv ana/*.key ana.key
export USER=ana
trackway --generate examples >all
run_all()
{
	while read -r line; do
		sh -c "$line" >out 2>err || {
			echo "exit $?: $line"
			cat err
		}
	done
}
[ "$(wc -l <all)" -gt 4 ] || echo 'too few examples'
grep -v -e ledger -e 'trackway import' -e 'trackway report' -e 'trackway replay' -e 'trial [rld][euoi]' all | run_all
# replays: a run that python3 repeats
trackway mock -q >url &
while [ ! -s url ]; do
	sleep 0.02
done
mkdir taped
trackway record -q --content -o taped/agent --upstream "openai=$(cat url)/v1" -- python3 agent.py ask >/dev/null
kill $!
grep 'trackway replay' all | sed 's/runs/taped/' | run_all
# logs that are imported, not converted: a directory with one of them is not converted without a word
cp "$DATA"/../../doc/examples/prime*.json "$DATA"/../../doc/examples/verifiers.* "$DATA"/../../doc/examples/aec-trials.jsonl .
grep 'trackway ledger ' all | run_all
grep -e ledger -e 'trackway import' all | grep -v 'trackway ledger ' | run_all
# reports: two models in two experiments
for e in before after; do
	for m in m-large m-small; do
		sed "s/\"t-001\"/\"$e-$m\"/; s/\"model\": *\"[^\"]*\"/\"model\":\"$m\"/; s/\"experiment_id\": *\"[^\"]*\"/\"experiment_id\":\"$e\"/" \
			trial.json | trackway -q ledger add - >/dev/null 2>&1
	done
done
grep 'trackway report' all | grep -v ledger | run_all
# trials: where no sandbox works, none is run
mkdir tasks
cp -r "$DATA/../../doc/examples/trials/sort" "$DATA/../../doc/examples/trials/total" tasks
printf '#!/bin/sh\n' >agent.py
chmod +x agent.py
if trackway trial lock tasks/sort --agent true >/dev/null 2>&1; then
	grep 'trackway trial run' all | run_all
	id=$(trackway ledger list --experiment trials --json | grep -o '"trial_id":"[^"]*"' | head -1 | cut -d'"' -f4)
	grep 'trackway trial lock' all | run_all
	cp a.json b.json
	grep -e 'trackway trial diff' -e 'trackway trial regrade' all | sed "s/01a1[0-9a-f-]*/$id/" | run_all
fi
