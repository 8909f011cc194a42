trackway show "$DATA/conversation/anthropic.jsonl" --limit 0
trackway show "$DATA/trajectory/convert.jsonl" --json=format,tool_errors
trackway show "$DATA/claude-code/session.jsonl" --plain | grep errors
echo '{"version":1,"format":"aec-bench-trajectory"}
{"step":1,"role":"tool_call","tool_name":"bash","command":"x"}
{"step":1,"role":"tool_result","stderr":"\u001b[31mkey sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789","exit_code":1}' >t.jsonl
trackway show t.jsonl --limit 0 | grep -A1 errors:
