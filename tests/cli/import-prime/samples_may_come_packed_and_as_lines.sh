. "$DATA/../cli/import/common"
gzip -c "$EXAMPLES/prime-samples.json" >samples.json.gz
printf '%s\n' '{"sample_id": "x", "reward": 1}' 'not JSON' >samples.jsonl
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json.gz
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.jsonl
