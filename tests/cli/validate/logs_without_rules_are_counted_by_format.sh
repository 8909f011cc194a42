mkdir logs
echo '{"candidates":[{"content":{"parts":[{"text":"x"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":1}}' >logs/a.json
cp logs/a.json logs/b.json
cp "$DATA/otlp/run.json" logs/c.json
echo '{"nobody":"knows"}' >logs/d.json
trackway validate logs
echo $?
trackway validate -q logs
echo $?
cp "$DATA/../../doc/examples/agent-trace.jsonl" logs/e.jsonl
trackway validate logs
echo $?
trackway validate --json logs | tr '[' '\n' | tail -n 3
trackway validate logs/a.json logs/e.jsonl | sed 's/ ([0-9.]* m\{0,1\}s)$/ (TIME)/'
