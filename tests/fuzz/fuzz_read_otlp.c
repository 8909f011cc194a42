/* Traces of OpenTelemetry: OTLP, Tempo, Jaeger, dumps of SDKs. */
#include "fuzz_read.h"

FUZZ_READ("otlp-json")
