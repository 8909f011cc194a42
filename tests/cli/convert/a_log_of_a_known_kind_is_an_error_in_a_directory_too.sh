mkdir in
cp "$DATA/../../doc/examples/session.jsonl" in
echo '{"nothing":1}' >in/value.json
echo '{"messages":[]}' >in/list.json
trackway convert in --to otutl -o out/ -q
echo $?
echo '{"version":2,"eval":{"task_id":"t"},"plan":{' >in/inspect.json
echo '{"kind":"scope","atof_version":"0.1","uuid":"u"}' >in/nemo.jsonl
trackway convert in --to otutl -o out2/ -q
echo $?
ls out2
