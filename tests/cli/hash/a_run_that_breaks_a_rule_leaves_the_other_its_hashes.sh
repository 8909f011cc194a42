trackway hash "$DATA/otutl/two_runs_second_bad.jsonl" 2>/dev/null
