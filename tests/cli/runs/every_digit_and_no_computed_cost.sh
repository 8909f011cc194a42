. "$DATA/../cli/runs/common"
make_runs
COLUMNS=120 trackway runs --raw --kind record
trackway runs "$DATA/claude-code/main.jsonl" --no-cost --jobs 1 --json=cost,unpriced_models
