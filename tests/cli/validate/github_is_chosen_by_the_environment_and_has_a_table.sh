cp "$DATA/../../doc/examples/damaged.agent-trace.jsonl" bad.jsonl
cp "$DATA/../../doc/examples/agent-trace.jsonl" good.jsonl
echo before >page.md
export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=page.md
trackway validate bad.jsonl >out
status=$?
head -n 1 out
sed 's/ \\([0-9.]* m\{0,1\}s\\)$/ (TIME)/; s/ \\([0-9\\.]* s\\)$/ (TIME)/' page.md
trackway validate --report text good.jsonl
exit $status
