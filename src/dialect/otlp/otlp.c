/* OTLP/JSON among the other formats: its row, and the functions that read and write it. */
#include "dialect/formats.h"
#include "dialect/otlp/fold.h"
#include "dialect/otlp/read.h"
#include "dialect/otlp/write.h"

static const struct read_ops read_otlp = {
	.vendor = "otlp-json",
	.key = OTLP_KEY,
	.assemble = ASSEMBLE_STEP_COSTS,
	.elements = true,
	.value = otlp_read_value,
	.fold_open = otlp_fold_open,
	.fold_close = otlp_fold_close,
	.fold = otlp_fold_add,
	.fold_end = otlp_fold_end,
};

static const struct write_ops write_otlp = {
	.cannot = OTLP_WRITE_CANNOT,
	.names_runs = true,
	.needs_times = true,
	.open = otlp_write_open,
	.close = otlp_write_close,
	.event = otlp_write_event,
	.end = otlp_write_end,
};

const struct dialect otlp_dialect = {
	.name = "otlp-json",
	.title = "OpenTelemetry traces as JSON: OTLP, Tempo, Jaeger",
	.file = "trace.json",
	.unit = "span",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = otlp_read_fits,
	.read = &read_otlp,
	.write = &write_otlp,
};
