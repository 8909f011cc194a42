/* The row is read first; what it leaves out is picked by the same tables. */
#include "dialect/agent_trace/trace_entry.h"

#include "base/clock.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/reading/seconds.h"
#include "dialect/record/io.h"

/* Negative when there is none. */
static double entry_seconds(struct val v)
{
	double n;

	return val_double(v, &n) && n >= 0 && n < 1e12 ? n : -1;
}

static uint8_t entry_truth(struct val v)
{
	return val_is(v, JSON_TRUE) ? TRUTH_TRUE : val_is(v, JSON_FALSE) ? TRUTH_FALSE : TRUTH_ABSENT;
}

static struct str entry_json(struct val v, enum json_type type)
{
	return val_is(v, type) ? val_source(v) : str_of(NULL, 0);
}

/* The texts of a list, in the arena; what is none is passed over. */
static uint32_t entry_list(struct arena *a, struct val list, const struct str **out)
{
	struct val_iter it = val_begin(list);
	size_t count = val_is(list, JSON_ARRAY) ? val_count(list) : 0;
	struct str *texts;
	uint32_t n = 0;
	struct val v;

	if (count == 0)
		return 0;
	texts = arena_array(a, struct str, count);
	while (val_next(&it, &v))
		if (val_is(v, JSON_STRING))
			texts[n++] = val_text(v, a);
	*out = texts;
	return n;
}

static void entry_read_model(struct trace_entry *e, struct arena *a, struct val object)
{
	struct val v[AT_FIELDS];

	record_pick(&at_model_call, object, v);
	e->endpoint = val_text_or_none(v[MC_ENDPOINT], a);
	e->request_id = val_text_or_none(v[MC_REQUEST_ID], a);
	e->response_id = val_text_or_none(v[MC_FIELDS + AF_RESPONSE_ID], a);
	e->stop_reason = val_text_or_none(v[MC_STOP], a);
	e->tool_choice = val_text_or_none(v[MC_TOOL_CHOICE], a);
	e->cost_source = val_text_or_none(v[MC_FIELDS + AF_COST_SOURCE], a);
	e->hash_ids = entry_json(v[MC_FIELDS + AF_HASH_IDS], JSON_ARRAY);
	e->tpot = entry_seconds(v[MC_TPOT]);
	e->ttfb = entry_seconds(v[MC_FIELDS + AF_TTFB]);
	e->ttfc = entry_seconds(v[MC_FIELDS + AF_TTFC]);
	e->stream = entry_truth(v[MC_STREAM]);
	e->measured = val_text_is(v[MC_KV], STR("measured"));
	e->refused = val_is(v[MC_FIELDS + AF_REFUSED], JSON_TRUE);
}

static void entry_read_tool(struct trace_entry *e, struct arena *a, struct val object)
{
	struct val v[AT_FIELDS];
	int64_t size;

	record_pick(&at_tool_call, object, v);
	e->call_id = val_text_or_none(v[TC_FIELDS + AF_CALL_ID], a);
	e->result_kind = val_text_or_none(v[TC_KIND], a);
	e->wall_source = val_text_or_none(v[TC_FIELDS + AF_WALL_SOURCE], a);
	e->external = entry_truth(v[TC_EXTERNAL]);
	e->io_bound = entry_truth(v[TC_IO]);
	if (val_i64(v[TC_SIZE], &size) && size >= 0)
		e->size = FIGURE((uint64_t)size);
}

static void entry_read_node(struct trace_entry *e, struct arena *a, struct val line)
{
	struct val v[AT_FIELDS];

	record_pick(&at_node, line, v);
	seconds_ns(v[ND_START], &e->from_ns); /* the row could read them */
	seconds_ns(v[ND_END], &e->to_ns);
	e->parent_count = entry_list(a, v[ND_PARENTS], &e->parents);
	if (e->row.kind == AT_MODEL_CALL)
		entry_read_model(e, a, v[ND_MODEL_CALL]);
	else if (e->row.kind == AT_TOOL_CALL)
		entry_read_tool(e, a, v[ND_TOOL_CALL]);
	else if (e->row.kind == AT_BRANCH)
		e->sibling_count = entry_list(a, val_get(v[ND_BRANCH], STR("siblings")), &e->siblings);
}

/* Nanoseconds since 1970; 0 for what is no time. */
static int64_t entry_stamp(struct arena *a, struct val v)
{
	struct stamp s;
	int64_t ns;

	return stamp_parse(val_text_or_none(v, a), &s) && stamp_ns(&s, &ns) ? ns : 0;
}

static void entry_read_summary(struct trace_entry *e, struct arena *a, struct val line)
{
	struct val v[AT_FIELDS];

	record_pick(&at_summary, line, v);
	e->from_ns = entry_stamp(a, v[SM_STARTED]);
	e->to_ns = entry_stamp(a, v[SM_COMPLETED]);
	e->framework_version = entry_json(v[SM_FRAMEWORK], JSON_OBJECT);
	e->prompts_redacted = entry_truth(val_get(v[SM_REDACTION], STR("prompts_redacted")));
	e->args_redacted = entry_truth(val_get(v[SM_REDACTION], STR("tool_args_redacted")));
	e->stall_total = entry_seconds(v[SM_STALL]);
	e->stall_share = entry_seconds(v[SM_STALL_PCT]);
}

void trace_entry_read(struct trace_entry *e, struct arena *a, struct val line, bool any_version)
{
	*e = (struct trace_entry){ .tpot = -1, .ttfb = -1, .ttfc = -1, .stall_total = -1, .stall_share = -1 };
	trace_row_read(&e->row, a, line, any_version);
	if (e->row.type == TRACE_ROW_NODE)
		entry_read_node(e, a, line);
	else if (e->row.type == TRACE_ROW_SUMMARY)
		entry_read_summary(e, a, line);
}
