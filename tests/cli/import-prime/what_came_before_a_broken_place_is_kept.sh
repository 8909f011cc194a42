. "$DATA/../cli/import/common"
echo '{"samples": [{"sample_id": "a"}, {"sample_id": "b"}, {"sample_id": ]}' >samples.json
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json
