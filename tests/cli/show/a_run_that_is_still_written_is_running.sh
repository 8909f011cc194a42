# The recorder holds a lock on its trace as long as it lives; flock holds one in its place.
head -n 3 "$DATA/show/full.jsonl" >trace.jsonl
flock -s trace.jsonl trackway show trace.jsonl | head -n 5
flock -s trace.jsonl trackway show trace.jsonl --json=verdict
trackway show trace.jsonl --json=verdict
: >begun.jsonl
flock -s begun.jsonl trackway show begun.jsonl
