. "$DATA/../cli/trial-classify/common"
. "$DATA/../cli/trial-classify/judge"
trackway mock --listen 127.0.0.1:0 --script judge.json -q >url &
server=$!
while ! [ -s url ]; do sleep 0.05; done
(umask 077 && echo k >key)
echo 'X-Team: blue' >headers
trackway trial classify trajectory.jsonl --judge openai:m --base openai="$(head -1 url)/v1" -q \
	--key-file openai=key --header-file headers --json=classifier | sed 's/sha256:[0-9a-f]*/sha256:X/'
kill "$server"
wait "$server"
echo 'no header' >headers
trackway trial classify trajectory.jsonl --judge mock:m --mock-script judge.json --header-file headers
