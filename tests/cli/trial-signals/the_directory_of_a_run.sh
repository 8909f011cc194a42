. "$DATA/../cli/trial-signals/common"
mkdir run && mv trajectory.jsonl run && cp "$DATA/show/full.jsonl" run/agent-trace.jsonl
trackway trial signals run --json=path
trackway trial signals run/agent-trace.jsonl --json=path
