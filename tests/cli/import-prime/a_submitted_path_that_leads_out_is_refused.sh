. "$DATA/../cli/import/common"
cat >samples.json <<'END'
{"samples": [
 {"sample_id": "up", "reward": 1, "completion": [{"role": "assistant", "tool_calls": [{"function": {"name": "submit_answer",
  "arguments": {"path": "../../x", "content": "x"}}}]}]},
 {"sample_id": "root", "reward": 1, "completion": [{"role": "assistant", "tool_calls": [{"function": {"name": "submit_answer",
  "arguments": "{\"path\": \"/etc/x\", \"content\": \"x\"}"}}]}]},
 {"sample_id": "good", "reward": 1}]}
END
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json
echo "exit $?"
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json --json
