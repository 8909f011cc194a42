trackway export "$DATA/export/run.jsonl" --format otlp-metrics-json | tr ',' '\n' | grep '"name":"gen_ai'
echo seed
trackway export "$DATA/export/run.jsonl" --format otlp-metrics-json --profile seed | tr ',' '\n' | grep '"name":"gen_ai'
echo server
trackway export "$DATA/export/run.jsonl" --format otlp-metrics-json --server-metrics --include-estimated |
	tr ',' '\n' | grep '"name":"gen_ai'
