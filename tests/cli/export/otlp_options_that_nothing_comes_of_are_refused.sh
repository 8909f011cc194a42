run="$DATA/export/run.jsonl"
trackway export "$run" --format dot --endpoint http://127.0.0.1:9
trackway export "$run" --format dot --otlp
trackway export "$run" --format dot --profile seed
trackway export "$run" --format otlp-json --profile seeds
trackway export "$run" --format otlp-json --shift-time yesterday
trackway export "$run" --otlp -o x
trackway export "$run" --otlp --to jager
trackway export "$run" --otlp --to jaeger --signal metrics
trackway export "$run" --otlp --signal logs
trackway export "$run" --otlp --endpoint ftp://127.0.0.1/
OTEL_EXPORTER_OTLP_PROTOCOL=grpc trackway export "$run" --otlp
