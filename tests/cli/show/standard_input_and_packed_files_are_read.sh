gzip -c "$DATA/show/full.jsonl" | trackway show --json=path,verdict,node_counts -
