# The files that examples may name: value.json, one value, run.jsonl, a log of a run, agent-trace.jsonl, and the logs
# of two vendors, session.jsonl and chat.jsonl; mock.json, a script for the mock server; agent.py, which is not run in earnest.
echo '{"b":1.0,"a":2}' >value.json
cp "$DATA/otutl/valid.jsonl" run.jsonl
cp "$DATA/../../doc/examples/agent-trace.jsonl" "$DATA/../../doc/examples/session.jsonl" \
	"$DATA/../../doc/examples/chat.jsonl" "$DATA/../../doc/examples/mock.json" .
mkdir bin
cat >bin/python3 <<'END'
#!/bin/sh
[ "$1" = agent.py ]
END
chmod +x bin/python3
PATH=$PWD/bin:$PATH
trackway --generate examples >list
[ "$(wc -l <list)" -gt 4 ] || echo 'too few examples'
while read -r line; do
	sh -c "$line" >out 2>err || {
		echo "exit $?: $line"
		cat err
	}
done <list
