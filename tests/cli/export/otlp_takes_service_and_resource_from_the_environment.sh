export OTEL_SERVICE_NAME=nightly OTEL_RESOURCE_ATTRIBUTES=team=core,place=lab%201
trackway export "$DATA/export/run.jsonl" --format otlp-json | cut -c1-420
OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental \
	trackway export "$DATA/export/run.jsonl" --format otlp-json | grep -o '"schemaUrl":"[^"]*"'
