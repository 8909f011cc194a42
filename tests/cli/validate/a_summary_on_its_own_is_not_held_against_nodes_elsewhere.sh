tail -n 1 "$DATA/agent-trace/minimal.jsonl" | sed 's/01HVTRACE/01a1e389-098e-711a-8d24-308060a0c304/; s/,/,\n/' > summary.json
trackway validate summary.json
