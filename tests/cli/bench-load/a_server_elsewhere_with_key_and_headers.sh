# shellcheck disable=SC1091,SC2154 # found by $DATA, where $url and $server are set
. "$DATA/mock/server.sh"
serve -q
(umask 077 && echo secret-key-0123456789 >key)
echo 'X-Team: a' >headers
trackway bench load -q --target openai_responses:m --base "openai_responses=$url/v1" --key-file openai_responses=key --header-file headers \
	--rate 100 --requests 3 --run-id a --json=failures
grep -c '"status":"ok"' runs/a/requests.jsonl
grep -r secret-key runs || echo 'no key in any file'
stop
