. "$DATA/../cli/record/common"
# The collector is the recorder of another run: it counts what comes. The user's addresses are not the command's any more.
OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://127.0.0.1:1/logs OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc \
	record -o outer --otlp -- sh -c '
	trackway record -q -o inner --otlp -- sh -c "
		env | grep ^OTEL_EXPORTER | sort
		\"\$0/ask\" \"\$OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces\" \"{}\"
		\"\$0/ask\" \"\$OTEL_EXPORTER_OTLP_ENDPOINT/v1/logs\" \"{}\"
		echo" "$0" 2>&1' "$cases" | stable
# gRPC cannot be passed on
OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_PROTOCOL=grpc record -q -o grpc --otlp -- true
# a collector that is not there
OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 record -q -o dead --otlp -- sh -c '
	"$0/ask" "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces" "{}"; echo' "$cases"
