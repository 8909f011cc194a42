/* One pass over the members of a line picks the values of all fields; each is then looked at by its place. */
#include "dialect/agent_trace/trace_row.h"

#include "base/clock.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/reading/seconds.h"
#include "dialect/record/io.h"

#define FAR ((int64_t)1 << 60) /* microseconds: what is beyond is no time, and could not be added up */

/* Negative when there is none. */
static double seconds_of(struct val v)
{
	double n;

	return val_double(v, &n) && n >= 0 && n < 1e12 ? n : -1;
}

/* Absent when v is no price; an estimate unless `source` says that the service stated it. */
static struct amount usd_of(struct val v, struct val source)
{
	uint8_t by = val_text_is(source, STR("api")) ? FIGURE_API : FIGURE_ESTIMATED;
	double n;

	if (!val_double(v, &n) || !(n >= 0 && n < 1e12))
		return (struct amount){ .state = FIGURE_ABSENT };
	return (struct amount){ FIGURE_KNOWN, by, n };
}

/* Absent when v is no count; `is_api`: the service said it. */
static struct figure trace_row_count_of(struct val v, bool is_api)
{
	struct figure f = { FIGURE_ABSENT, is_api ? FIGURE_API : FIGURE_ESTIMATED, 0 };
	int64_t n;

	if (val_i64(v, &n) && n >= 0) {
		f.state = FIGURE_KNOWN;
		f.n = (uint64_t)n;
	}
	return f;
}

/* A latency that the node lists as inferred is TRACE_LENGTH_ABOUT. */
static void trace_row_read_model(struct trace_row *r, struct arena *a, struct val object)
{
	struct val v[AT_FIELDS];

	record_pick(&at_model_call, object, v);
	r->model = val_text_or_none(v[MC_MODEL], a);
	r->usage.input = trace_row_count_of(v[MC_INPUT], val_text_is(v[MC_INPUT_SOURCE], STR("api")));
	r->usage.output = trace_row_count_of(v[MC_OUTPUT], val_text_is(v[MC_OUTPUT_SOURCE], STR("api")));
	r->usage.cache_read = trace_row_count_of(v[MC_FIELDS + AF_CACHE_READ], true);
	r->usage.cache_write = trace_row_count_of(v[MC_FIELDS + AF_CACHE_WRITE], true);
	r->usage.reasoning = trace_row_count_of(v[MC_FIELDS + AF_REASONING], true);
	r->latency = seconds_of(v[MC_LATENCY]);
	r->ttft = seconds_of(v[MC_TTFT]);
	r->failed = val_text_is(v[MC_STOP], STR("error")) && !val_is(v[MC_FIELDS + AF_REFUSED], JSON_TRUE);
	r->partial = val_is(v[MC_FIELDS + AF_PARTIAL], JSON_TRUE);
	r->usd = usd_of(v[MC_FIELDS + AF_USD], v[MC_FIELDS + AF_COST_SOURCE]);
	if (at_list_names(v[MC_FIELDS + AF_INFERRED], STR("latency_seconds")))
		r->length = TRACE_LENGTH_ABOUT;
}

/* Where a tool's time is not said to come from, an inferred node has no better one. */
static enum trace_length length_of_tool(const struct trace_row *r, struct val source)
{
	if (val_text_is(source, STR("inferred")) || (r->inferred && !val_is(source, JSON_STRING)))
		return TRACE_LENGTH_AT_MOST;
	if (val_is(source, JSON_STRING) && !val_text_is(source, STR("measured")))
		return TRACE_LENGTH_ABOUT;
	return TRACE_LENGTH_MEASURED;
}

static void trace_row_read_tool(struct trace_row *r, struct arena *a, struct val object)
{
	struct val v[AT_FIELDS];

	record_pick(&at_tool_call, object, v);
	r->tool = val_text_or_none(v[TC_NAME], a);
	r->wall = seconds_of(v[TC_WALL]);
	r->stall = seconds_of(v[TC_STALL]);
	r->external = val_is(v[TC_EXTERNAL], JSON_TRUE);
	r->length = length_of_tool(r, v[TC_FIELDS + AF_WALL_SOURCE]);
	r->untimed = val_text_is(v[TC_FIELDS + AF_WALL_SOURCE], STR("unknown"));
	r->partial = val_is(v[TC_FIELDS + AF_PARTIAL], JSON_TRUE);
}

static void read_branch(struct trace_row *r, struct arena *a, struct val object)
{
	struct val siblings = val_get(object, STR("siblings"));

	r->branch = val_get_text(object, STR("branch_kind"), a);
	r->siblings = val_is(siblings, JSON_ARRAY) ? val_count(siblings) : 0;
}

static bool trace_row_find_kind(struct trace_row *r, struct val v)
{
	for (unsigned i = 0; i < AT_KINDS && val_is(v, JSON_STRING); i++) {
		r->kind = (enum at_kind)i;
		if (val_text_is(v, agent_trace_kinds[i]))
			return true;
	}
	return false;
}

static bool us_of(struct val v, int64_t *out)
{
	return seconds_us(v, out) && *out > -FAR && *out < FAR;
}

static void read_parents(struct trace_row *r, struct arena *a, struct val parents)
{
	struct val_iter it = val_begin(parents);
	struct val first;

	if (!val_is(parents, JSON_ARRAY))
		return;
	r->parent_count = val_count(parents);
	if (val_next(&it, &first) && val_is(first, JSON_STRING))
		r->parent = val_text(first, a);
}

/* known_by is a list of words, or one word. Other words are passed over. */
static unsigned trace_row_layers(struct val v)
{
	struct val_iter it = val_begin(v);
	unsigned layers = 0;
	struct val word;

	for (unsigned i = 0; i < SIGHT_LAYERS && val_is(v, JSON_STRING); i++)
		layers |= val_text_is(v, agent_trace_layers[i]) ? 1u << i : 0;
	while (val_is(v, JSON_ARRAY) && val_next(&it, &word))
		for (unsigned i = 0; i < SIGHT_LAYERS && val_is(word, JSON_STRING); i++)
			layers |= val_text_is(word, agent_trace_layers[i]) ? 1u << i : 0;
	return layers;
}

/* Needs both times and a known kind: without them the row stays TRACE_ROW_OTHER. */
static void trace_row_read_node(struct trace_row *r, struct arena *a, const struct val *v)
{
	if (!us_of(v[ND_START], &r->from_us) || !us_of(v[ND_END], &r->to_us) ||
	    !trace_row_find_kind(r, v[ND_KIND]))
		return;
	r->type = TRACE_ROW_NODE;
	if (r->to_us < r->from_us)
		r->to_us = r->from_us;
	r->id = val_text_or_none(v[ND_ID], a);
	r->agent = val_text_or_none(v[ND_FIELDS + AF_AGENT_ID], a);
	r->inferred = val_is(v[ND_FIELDS + AF_INFERRED], JSON_TRUE);
	r->layers = trace_row_layers(v[ND_FIELDS + AF_KNOWN_BY]);
	read_parents(r, a, v[ND_PARENTS]);
	r->total_only = r->kind == AT_MODEL_CALL && val_is(v[ND_FIELDS + AF_TOTAL_ONLY], JSON_TRUE);
	if (r->kind == AT_MODEL_CALL)
		trace_row_read_model(r, a, v[ND_MODEL_CALL]);
	else if (r->kind == AT_TOOL_CALL)
		trace_row_read_tool(r, a, v[ND_TOOL_CALL]);
	else if (r->kind == AT_BRANCH)
		read_branch(r, a, v[ND_BRANCH]);
	r->partial = r->partial || val_is(v[ND_FIELDS + AF_PARTIAL], JSON_TRUE);
	if (r->from_us == 0 && r->to_us == 0 && r->latency <= 0 && r->wall <= 0)
		r->untimed = true; /* its log had no times at all */
}

/*
 * Microseconds since 1970; false, with *us as it was, for what is no time or does not fit into 64 bits of
 * nanoseconds.
 */
static bool stamp_of(struct arena *a, struct val v, int64_t *us)
{
	struct stamp s;
	int64_t ns;

	if (!stamp_parse(val_text_or_none(v, a), &s) || !stamp_ns(&s, &ns))
		return false;
	*us = ns / 1000;
	return true;
}

/* Times that are missing or out of order are both 0. */
static void trace_row_read_summary(struct trace_row *r, struct arena *a, struct val line)
{
	r->type = TRACE_ROW_SUMMARY;
	if (!stamp_of(a, val_get(line, STR("started_at")), &r->from_us) ||
	    !stamp_of(a, val_get(line, STR("completed_at")), &r->to_us) || r->to_us < r->from_us)
		r->from_us = r->to_us = 0;
	r->total = seconds_of(val_get(line, STR("total_seconds")));
	r->exit_status = val_get_text(line, STR("exit_status"), a);
	r->error = val_get_text(line, STR("error_message"), a);
	r->rig = val_get_text(line, STR("rig_label"), a);
	r->engine = val_get_text(line, STR("engine"), a);
	r->usd = usd_of(val_get(line, STR("estimated_cost_usd")), val_get(line, STR("cost_source")));
}

void trace_row_read(struct trace_row *r, struct arena *a, struct val line, bool any_version)
{
	struct val v[AT_FIELDS];

	*r = (struct trace_row){ .type = TRACE_ROW_OTHER };
	r->latency = r->ttft = r->wall = r->stall = r->total = -1;
	record_pick(&at_node, line, v);
	if (!val_text_is(v[ND_VERSION], STR("agent-trace/v1"))) {
		bool is_event = val_is(v[ND_EVENT], JSON_STRING);

		r->version = val_text_or_none(v[ND_VERSION], a);
		if (is_event && !r->version.p)
			r->version = STR("");
		if (is_event)
			r->type = TRACE_ROW_VERSION;
		if (!any_version || !r->version.p)
			return;
		r->type = TRACE_ROW_OTHER;
	}
	r->trace = val_text_or_none(v[ND_TRACE], a);
	r->framework = val_text_or_none(v[ND_FRAMEWORK], a);
	if (val_text_is(v[ND_EVENT], STR("node")))
		trace_row_read_node(r, a, v);
	else if (val_text_is(v[ND_EVENT], STR("summary")))
		trace_row_read_summary(r, a, line);
}
