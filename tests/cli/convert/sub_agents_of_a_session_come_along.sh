mkdir session session/subagents
cp "$DATA/../../doc/examples/session.jsonl" 5f0c1f6e-3a44-4c8e-9d53-0f7c8a1b2c3d.jsonl
mkdir -p 5f0c1f6e-3a44-4c8e-9d53-0f7c8a1b2c3d/subagents
sed 's/"isSidechain":false/"isSidechain":true,"agentId":"abc123"/; s/"uuid":"0a/"uuid":"0c/; s/msg_0/msg_9/; s/toolu_0/toolu_9/g' \
	"$DATA/../../doc/examples/session.jsonl" >5f0c1f6e-3a44-4c8e-9d53-0f7c8a1b2c3d/subagents/agent-abc123.jsonl
trackway convert 5f0c1f6e-3a44-4c8e-9d53-0f7c8a1b2c3d.jsonl --to otutl -q >out
trackway validate -q out
grep -c '"type":"run_start"' out
grep -o '"branch":"[^"]*"' out | sort | uniq -c | sed 's/^ *//'
