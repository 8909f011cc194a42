. "$DATA/../cli/import/common"
echo '[{"sample_id": "a", "prompt": "p", "reward": 1}]' >samples.json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json
echo '{"reward":1.0,"prompt":"p","sample_id":"a"}' >same.jsonl
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples same.jsonl
echo '[{"sample_id": "a", "prompt": "p", "reward": 0}]' >other.json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples other.json --dry-run
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples other.json
