. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
trackway mock --listen 127.0.0.1:0 --script judge.json -q >url &
server=$!
while ! [ -s url ]; do sleep 0.05; done
OPENAI_API_KEY=k trackway trial classify trajectory.jsonl --judge openai:m --base openai="$(head -1 url)/v1" -q \
	--json=classifier | sed 's/sha256:[0-9a-f]*/sha256:X/'
kill "$server"
wait "$server"
true
