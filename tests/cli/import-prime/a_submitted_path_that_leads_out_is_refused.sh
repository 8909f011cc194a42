. "$DATA/../cli/import/common"
cat >samples.json <<'END'
{"samples": [
 {"sample_id": "up", "completion": [{"role": "assistant", "tool_calls": [{"function": {"name": "submit_answer",
  "arguments": {"path": "../../x", "content": "x"}}}]}]},
 {"sample_id": "root", "completion": [{"role": "assistant", "tool_calls": [{"function": {"name": "submit_answer",
  "arguments": "{\"path\": \"/etc/x\", \"content\": \"x\"}"}}]}]},
 {"sample_id": "good"}]}
END
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json
echo "exit $?"
trackway import prime --evaluation "$EXAMPLES/prime.json" --samples samples.json --json
