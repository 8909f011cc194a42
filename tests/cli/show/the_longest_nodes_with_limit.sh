trackway show --limit 3 "$DATA/show/full.jsonl" | sed -n '/^waterfall/,$p'
trackway show --limit 0 --jobs 1 "$DATA/show/full.jsonl" | grep -c waterfall
