trackway export "$DATA/export/run.jsonl" --format html | sed -n "/<body>/,\$p"
