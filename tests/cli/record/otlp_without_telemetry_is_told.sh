. "$DATA/../cli/record/common"
record -o run --otlp -- true
# metrics are no spans
record -o only --otlp -- sh -c '"$0/ask" "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/metrics" "{}"; echo' "$cases"
