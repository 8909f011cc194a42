mkdir run && cp "$DATA/show/full.jsonl" run/agent-trace.jsonl
trackway trial signals run --json
trackway trial signals run
trackway trial signals run -q --json=format
