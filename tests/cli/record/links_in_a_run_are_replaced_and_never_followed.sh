. "$DATA/../cli/record/common"
start_mock
umask 022
for name in summary meta otutl trajectory dot; do
	echo "keep $name" >"$name"
done
record -o run --content --dot --upstream "openai=$url/v1" -- sh -c '
	ln -s ../summary run/summary.json
	rm run/meta.json
	ln -s ../meta run/meta.json
	ln -s ../otutl run/run.otutl.jsonl
	cp trajectory run/trajectory.jsonl
	chmod 666 run/trajectory.jsonl
	mkfifo run/agent-trace.dot
	"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}" >answer' "$cases"
cat summary meta otutl
find run -type f -printf '%f %m\n' | sort
trackway validate -q run/agent-trace.jsonl run/run.otutl.jsonl run/trajectory.jsonl

record -o other --content --upstream "openai=$url/v1" -- sh -c '
	"$0/ask" "$OPENAI_BASE_URL/chat/completions" "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}" >answer
	mv other/agent-trace.jsonl other/cassette.jsonl .
	ln -s ../agent-trace.jsonl ../cassette.jsonl other' "$cases"
find other -printf '%f %y\n' | sort
