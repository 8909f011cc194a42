export TRACKWAY_HOME="$PWD/home"
mkdir home run
cp "$DATA/export/run.jsonl" run/agent-trace.jsonl
printf '{"run_id":"0192f3a8-7c1e-7d3a-9b1f-0c5d2e8a4f60","dir":"%s/run","started":"2026-04-30T12:00:00Z",' "$PWD" >home/runs.jsonl
echo '"kind":"record","program":"x","tags":{}}' >>home/runs.jsonl
trackway export @last --format dot -o a.dot
trackway export 0192f3a8 --format dot -o b.dot
cmp a.dot b.dot
trackway export @-2 --format dot
