trackway convert "$DATA/inspect/log.json" --to otutl -v -o out.jsonl
grep -c '"run_start"' out.jsonl
