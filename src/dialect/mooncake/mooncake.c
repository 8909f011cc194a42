/*
 * Load traces as Mooncake publishes them: a request on each line, with the milliseconds since an unknown start, the
 * tokens of prompt and answer, and the ids of the prompt's blocks. A file is one run and each line a step. The file may
 * have been measured or made up, and does not say which: so the tokens are estimates. It has no clock, so the run has
 * none.
 */
#include "dialect/formats.h"
#include "dialect/reading/reading.h"
#include "model/assemble.h"

/* Lines of generators may leave out the answer's length, or the blocks. */
static int mooncake_fits(struct val v)
{
	return val_is(val_get(v, STR("input_length")), JSON_NUMBER) &&
	       (val_is(val_get(v, STR("output_length")), JSON_NUMBER) ||
		val_is(val_get(v, STR("hash_ids")), JSON_ARRAY)) ? 90 : 0;
}

static void mooncake_read_value(struct reading *r, struct val v)
{
	struct event *e;

	if (mooncake_fits(v) == 0) {
		reading_add_unknown(r, v);
		return;
	}
	e = reading_add(r, EVENT_STEP);
	e->usage.input = reading_count(r, v, STR("input_length"));
	e->usage.output = reading_count(r, v, STR("output_length"));
	e->usage.input.source = e->usage.output.source = FIGURE_ESTIMATED;
	reading_rest(r, e, v);
}

static const struct read_ops read_mooncake = {
	.vendor = "mooncake",
	.key = "mooncake/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = mooncake_read_value,
};

const struct dialect mooncake_dialect = {
	.name = "mooncake",
	.title = "load traces of Mooncake: times and lengths of requests",
	.file = "mooncake_trace.jsonl",
	.unit = "request",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.fits = mooncake_fits,
	.read = &read_mooncake,
};
