cat >cline.json <<'X'
{"version":1,"agent":"lead","sessionId":"s","origin":{"source":"cli","version":"3.0.65"},"messages":[
 {"id":"a","role":"user","content":[{"type":"text","text":"hello"}],"ts":1},
 {"id":"b","role":"assistant","content":[{"type":"tool_use","id":"c","name":"t","input":{}}],"ts":2}]}
X
trackway convert cline.json --to agent-trace
echo $?
