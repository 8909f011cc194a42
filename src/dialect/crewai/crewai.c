/*
 * CrewAI: what its event bus says, as its tracing sends it ({"events":[...]}), as a log of those requests, or as the
 * events themselves, one on each line.
 */
#include "dialect/crewai/private.h"
#include "dialect/formats.h"

static const struct read_ops read_crewai = {
	.vendor = "crewai",
	.key = "crewai/1",
	.assemble = ASSEMBLE_STEP_COSTS | ASSEMBLE_EXT_MERGE,
	.value = crewai_read_value,
	.fold_open = crewai_fold_open,
	.fold_close = crewai_fold_close,
	.fold = crewai_fold,
	.fold_end = crewai_fold_end,
};

const struct dialect crewai_dialect = {
	.name = "crewai",
	.title = "CrewAI events: lines, batches, and the requests that carry them",
	.file = "events.jsonl",
	.unit = "event",
	.forms = DIALECT_LINES | DIALECT_DOCUMENT,
	.rules = dialect_no_rules,
	.fits = crewai_fits,
	.read = &read_crewai,
};
