mkdir s
cat >s/7_a.messages.json <<'X'
{"version":1,"sessionId":"7_a","origin":{"source":"cli","version":"3.0.65"},"messages":[
 {"id":"a","role":"user","content":[{"type":"text","text":"hello"}],"ts":1794856999897},
 {"id":"b","role":"assistant","content":[{"type":"text","text":"yes"}],"ts":1794857000000,
  "modelInfo":{"id":"m","provider":"p"},"metrics":{"inputTokens":10,"outputTokens":2}}]}
X
cat >s/7_a.json <<'X'
{"version":1,"session_id":"7_a","started_at":"2026-11-16T19:23:19.967Z","ended_at":"2026-11-16T19:23:25.170Z",
 "status":"completed","model":"m","workspace_root":"/w","enable_tools":true,"prompt":"hello",
 "metadata":{"usage":{"inputTokens":10,"outputTokens":2}},"messages_path":"/w/7_a.messages.json"}
X
count() { grep -c "\"type\":\"$1\"" out.jsonl; }
trackway convert s --to otutl -o out.jsonl --no-cost -q
count run_start; count cost; grep -o hello out.jsonl | wc -l; grep -o '"tokens_in":[0-9]*' out.jsonl | sort -u
echo "the record alone"
trackway convert s/7_a.json --to otutl -o out.jsonl --no-cost -q
count run_start; count cost; grep -o '"tokens_in":[0-9]*' out.jsonl | sort -u
