. "$DATA/../cli/record/common"
cat >script.json <<'X'
{"schema":"trackway.mock/1","rules":[
	{"match":{"last":"canary-prompt"},"reply":{"tool_calls":[{"name":"Bash","arguments":{"command":"canary"}}]}},
	{"reply":{"text":"Done."}}]}
X
start_mock --script script.json

# one node for the call, with the shell's times: it slept, so it stalled; what the agent runs for itself is no node
record -q --shell -o run --upstream "openai=$url/v1" -- "$cases/shell_agent" 'sleep 0.2; echo canary-output; exit 3'
sed -nE 's/.*"known_by":(\[[^]]*\]),"tool_call":\{"name":"([^"]*)",(.*)/\2 \1 \3/p' run/agent-trace.jsonl |
	sed -E 's/"wall_time_seconds":0\.[23][0-9]*,"stall_seconds":0\.[12][0-9]*,.*/by the shell/'
grep -c '"kind":"tool_call"' run/agent-trace.jsonl
trackway validate -q --strict run/agent-trace.jsonl

# nothing that was said, and no directory of shims is left
grep -rlE 'canary|sleep' run home
find "${XDG_RUNTIME_DIR:-/tmp/trackway-$(id -u)}" -name "shell-$(sed -nE 's/.*"run_id":"[^"]*(.{8})".*/\1/p' run/meta.json)" 2>&1

# with --content the cassette has it, and only that
record -q --shell --content -o kept --upstream "openai=$url/v1" -- "$cases/shell_agent" 'printf canary-output; exit 3'
grep -o '"lane":"shell",.*"argv":\["bash","-c","printf canary-output; exit 3"\],"cwd":"<ws>"' kept/cassette.jsonl |
	sed 's/command":"[0-9a-f]*"/command":"ID"/'
grep -oE '\["o","canary-output",' kept/cassette.jsonl
grep -oE '"stdout_size":13,"stderr_size":0,"exit":3,"signal":null' kept/cassette.jsonl
grep -l canary kept/agent-trace.jsonl kept/meta.json kept/summary.json
true
