trackway convert "$DATA/inspect/log.json" --to otutl -q -o out.jsonl
grep -c '"run_start"' out.jsonl
