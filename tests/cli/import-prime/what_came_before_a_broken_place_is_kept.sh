. "$DATA/../cli/import/common"
echo '{"samples": [{"sample_id": "a", "reward": 1}, {"sample_id": "b", "reward": 1}, {"sample_id": ]}' >samples.json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json
