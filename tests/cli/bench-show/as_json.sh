. "$DATA/../cli/bench-show/common"
trackway bench show r P1 --target long --repetition 1 --json | sed 's/"\(e2e\|ttft\)_ms": [0-9]*/"\1_ms": T/'
trackway bench show r --json=run_id,rows_total
trackway bench show r --json | grep -c '"answer":'
grep -c sk-proj-abc runs/r/results.jsonl
trackway bench show r --json | grep -c sk-proj-abc || true
