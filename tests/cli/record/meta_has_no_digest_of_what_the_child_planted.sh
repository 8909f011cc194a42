. "$DATA/../cli/record/common"
record -o run -- sh -c '
	echo "{\"planted\":1}" >run/trajectory.jsonl
	echo "{\"planted\":1}" >run/cassette.jsonl
	echo "digraph planted {}" >run/agent-trace.dot' 2>/dev/null
sed -n 's/^ *"name": //p' run/meta.json
