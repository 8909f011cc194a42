export TRACKWAY_HOME="$PWD/home"
mkdir -p home runs/old runs/new
cp "$DATA/show/failed.jsonl" runs/old/agent-trace.jsonl
cp "$DATA/show/full.jsonl" runs/new/agent-trace.jsonl
for name in old new gone; do
	echo "{\"run_id\":\"0190a0c0-0000-7000-8000-0000000$name\",\"dir\":\"$PWD/runs/$name\",\"kind\":\"record\"," \
		"\"started\":\"2026-05-06T14:03:12.000Z\",\"program\":\"agent.py\",\"tags\":{\"team\":\"$name\"}}"
done >home/runs.jsonl
trackway show --json=verdict
trackway show --json=verdict @last
trackway show --json=verdict @-2
trackway show --json=verdict tag:team=old
trackway show --json=verdict 0000old
trackway show --json=verdict runs/new
trackway validate @last | sed "s|$PWD/||"
trackway convert tag:team=new --to otutl -q | head -1 | cut -c1-60
trackway __complete -- show 0190
trackway __complete -- show @
trackway show 0190a0
