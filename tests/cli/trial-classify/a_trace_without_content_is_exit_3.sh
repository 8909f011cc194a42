. "$DATA/../cli/trial-classify/common"
cp "$DATA/agent-trace/valid.jsonl" agent-trace.jsonl 2>/dev/null || echo '{}' >agent-trace.jsonl
rm trajectory.jsonl
trackway trial classify agent-trace.jsonl
