/*
 * The table of OTUTL: which members the record of each kind of event has, and where each of them is in struct event.
 * The reader and the writer both go by it. The schema does not: it documents members in another order, and some that
 * only other writers have; a test holds its names against the columns.
 */
#include "dialect/otutl/convert.h"
#include "dialect/record/field.h"

#define NAMES(name_) .name = WORD(name_), .lead = WORD(",\"" name_ "\":")
#define AT(name_, how_, member_) { NAMES(name_), .how = (how_), .offset = offsetof(struct event, member_) }
#define BY(name_, how_) { NAMES(name_), .how = (how_) }
#define FLAGGED(name_, flag_) { NAMES(name_), .how = OTUTL_FLAG, .flag = (flag_) }

/* What every record has, where no other name comes between. */
#define RUN_ID_AND_SEQ BY("run_id", OTUTL_RULED_RUN_ID), BY("seq", OTUTL_RULED_SEQ)
#define TS_AND_TYPE BY("ts", OTUTL_RULED_TS), BY("type", OTUTL_RULED_TYPE)

/* In the order of their names, as every table here. */
static const struct otutl_column run_start[] = {
	BY("agent", OTUTL_AGENT),
	BY("ext", OTUTL_EXT),
	AT("framework", OTUTL_TEXT, framework),
	AT("model", OTUTL_TEXT, model),
	BY("otutl", OTUTL_VERSION),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("parent_run_id", OTUTL_TEXT, parent_run),
	AT("provider", OTUTL_TEXT, provider),
	RUN_ID_AND_SEQ,
	BY("source", OTUTL_SOURCE),
	AT("tools", OTUTL_JSON, tools),
	TS_AND_TYPE,
	AT("vendor", OTUTL_TEXT, vendor),
	AT("vendor_run_id", OTUTL_TEXT, run),
};

static const struct otutl_column message[] = {
	AT("call_id", OTUTL_TEXT, call),
	AT("content", OTUTL_JSON, content),
	BY("ext", OTUTL_EXT),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("role", OTUTL_TEXT, role),
	AT("step_id", OTUTL_TEXT, step),
	BY("ts", OTUTL_MOMENT),
};

static const struct otutl_column note[] = {
	AT("call_id", OTUTL_TEXT, call),
	AT("content", OTUTL_JSON, content),
	BY("ext", OTUTL_EXT),
	AT("name", OTUTL_TEXT, role),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("step_id", OTUTL_TEXT, step),
	BY("ts", OTUTL_MOMENT),
};

static const struct otutl_column model_step[] = {
	AT("call_ids", OTUTL_JSON, calls),
	AT("endpoint", OTUTL_TEXT, endpoint),
	BY("ext", OTUTL_EXT),
	AT("latency_ms", OTUTL_AMOUNT, latency_ms),
	AT("model", OTUTL_TEXT, model),
	AT("parent_call_id", OTUTL_TEXT, parent),
	FLAGGED("partial", EVENT_PARTIAL),
	AT("provider", OTUTL_TEXT, provider),
	AT("reasoning", OTUTL_TEXT, reasoning),
	BY("request", OTUTL_REQUEST),
	AT("request_id", OTUTL_TEXT, request_id),
	AT("response_id", OTUTL_TEXT, response_id),
	RUN_ID_AND_SEQ,
	AT("step_id", OTUTL_TEXT, step),
	AT("stop_reason", OTUTL_TEXT, stop_reason),
	BY("stream", OTUTL_STREAM),
	AT("text", OTUTL_TEXT, text),
	AT("tool_choice", OTUTL_TEXT, tool_choice),
	BY("ts", OTUTL_RULED_TS),
	AT("ttft_ms", OTUTL_AMOUNT, ttft_ms),
	BY("type", OTUTL_RULED_TYPE),
	AT("usage", OTUTL_USAGE, usage),
};

static const struct otutl_column tool_call[] = {
	AT("args", OTUTL_RULED_ARGS, args),
	BY("args_encoding", OTUTL_RAW_ARGS),
	FLAGGED("args_withheld", EVENT_WITHHELD),
	AT("call_id", OTUTL_RULED_CALL, call),
	BY("ext", OTUTL_EXT),
	AT("parent_call_id", OTUTL_RULED_PARENT, parent),
	RUN_ID_AND_SEQ,
	AT("step_id", OTUTL_TEXT, step),
	AT("tool", OTUTL_RULED_TOOL, tool),
	TS_AND_TYPE,
};

static const struct otutl_column tool_result[] = {
	AT("call_id", OTUTL_RULED_CALL, call),
	AT("chunks", OTUTL_RULED_CHUNKS, chunks),
	AT("duration_ms", OTUTL_AMOUNT, duration_ms),
	AT("exit_code", OTUTL_SIGNED, exit_code),
	BY("ext", OTUTL_EXT),
	AT("is_error", OTUTL_TRUTH, is_error),
	AT("media", OTUTL_JSON, media),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("result", OTUTL_JSON, content),
	RUN_ID_AND_SEQ,
	AT("stall_ms", OTUTL_AMOUNT, stall_ms),
	AT("step_id", OTUTL_TEXT, step),
	TS_AND_TYPE,
};

static const struct otutl_column cost[] = {
	AT("api_duration_ms", OTUTL_AMOUNT, latency_ms),
	AT("cache_read_tokens", OTUTL_COUNT, usage.cache_read),
	AT("cache_write_1h_tokens", OTUTL_COUNT, usage.cache_write_1h),
	AT("cache_write_tokens", OTUTL_COUNT, usage.cache_write),
	AT("call_id", OTUTL_TEXT, call),
	BY("cost_source", OTUTL_USD_SOURCE),
	BY("estimated", OTUTL_USAGE_ESTIMATED),
	AT("estimated_cost_usd", OTUTL_AMOUNT, usd),
	BY("ext", OTUTL_EXT),
	AT("model", OTUTL_TEXT, model),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("price_table", OTUTL_TEXT, price_table),
	AT("provider", OTUTL_TEXT, provider),
	AT("reasoning_tokens", OTUTL_COUNT, usage.reasoning),
	BY("run_id", OTUTL_RULED_RUN_ID),
	AT("scope", OTUTL_TEXT, scope),
	BY("seq", OTUTL_RULED_SEQ),
	AT("service_tier", OTUTL_TEXT, tier),
	BY("source", OTUTL_USAGE_SOURCE),
	AT("step_id", OTUTL_TEXT, step),
	AT("tokens_in", OTUTL_COUNT, usage.input),
	AT("tokens_out", OTUTL_COUNT, usage.output),
	TS_AND_TYPE,
};

static const struct otutl_column error[] = {
	AT("call_id", OTUTL_RULED_CALL, call),
	AT("class", OTUTL_TEXT, class),
	AT("code", OTUTL_TEXT, code),
	BY("ext", OTUTL_EXT),
	AT("message", OTUTL_TEXT, text),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("retryable", OTUTL_TRUTH, retryable),
	RUN_ID_AND_SEQ,
	AT("step_id", OTUTL_TEXT, step),
	TS_AND_TYPE,
};

static const struct otutl_column run_end[] = {
	BY("ext", OTUTL_EXT),
	AT("output", OTUTL_JSON, output),
	AT("parent_call_id", OTUTL_TEXT, parent),
	AT("reason", OTUTL_TEXT, reason),
	BY("request", OTUTL_REQUEST),
	RUN_ID_AND_SEQ,
	BY("status", OTUTL_STATUS),
	BY("totals", OTUTL_TOTALS),
	TS_AND_TYPE,
};

#define COLUMNS(type_, table) { WORD(type_), (table), COUNT(table) }

const struct otutl_columns otutl_columns[EVENT_KINDS] = {
	[EVENT_RUN_START] = COLUMNS("run_start", run_start),
	[EVENT_MESSAGE] = COLUMNS("", message),
	[EVENT_STEP] = COLUMNS("model_step", model_step),
	[EVENT_CALL] = COLUMNS("tool_call", tool_call),
	[EVENT_RESULT] = COLUMNS("tool_result", tool_result),
	[EVENT_COST] = COLUMNS("cost", cost),
	[EVENT_ERROR] = COLUMNS("error", error),
	[EVENT_NOTE] = COLUMNS("", note),
	[EVENT_RUN_END] = COLUMNS("run_end", run_end),
};

const char *const otutl_moment_sources[5] = {
	[MOMENT_NONE] = "none",
	[MOMENT_DERIVED] = "derived",
	[MOMENT_INHERITED] = "inherited",
	[MOMENT_LAID_OUT] = "laid_out",
};

const struct otutl_amount otutl_amounts[OTUTL_AMOUNTS] = {
	{ WORD("duration_ms"), offsetof(struct event, duration_ms) },
	{ WORD("latency_ms"), offsetof(struct event, latency_ms) },
	{ WORD("stall_ms"), offsetof(struct event, stall_ms) },
	{ WORD("ttft_ms"), offsetof(struct event, ttft_ms) },
};

/* ---- usage ---- */

#define FIGURE_ROW(name_, cost_, member_) { NAMES(name_), WORD(cost_), offsetof(struct usage, member_) }

const struct otutl_figure otutl_figures[OTUTL_USAGE_FIGURES] = {
	FIGURE_ROW("cache_read_tokens", "cache_read_tokens", cache_read),
	FIGURE_ROW("cache_write_1h_tokens", "cache_write_1h_tokens", cache_write_1h),
	FIGURE_ROW("cache_write_tokens", "cache_write_tokens", cache_write),
	FIGURE_ROW("input_tokens", "tokens_in", input),
	FIGURE_ROW("output_tokens", "tokens_out", output),
	FIGURE_ROW("reasoning_tokens", "reasoning_tokens", reasoning),
};

struct figure otutl_figure_of(const struct usage *u, const struct otutl_figure *f)
{
	return *(const struct figure *)(const void *)((const char *)u + f->offset);
}

struct str otutl_usage_source(const struct usage *u)
{
	size_t known = 0, estimated = 0;

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		struct figure f = otutl_figure_of(u, &otutl_figures[i]);

		known += f.state == FIGURE_KNOWN;
		estimated += f.state == FIGURE_KNOWN && f.source == FIGURE_ESTIMATED;
	}
	if (known == 0)
		return str_of(NULL, 0);
	return estimated == 0 ? STR("api") : estimated == known ? STR("estimated") : STR("mixed");
}

void otutl_put_estimated(struct buf *out, const struct usage *u, bool of_cost)
{
	char before = '[';

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		struct figure f = otutl_figure_of(u, &otutl_figures[i]);

		if (f.state != FIGURE_KNOWN || f.source != FIGURE_ESTIMATED)
			continue;
		buf_add_byte(out, before);
		otutl_put_text(out, of_cost ? otutl_figures[i].cost : otutl_figures[i].name);
		before = ',';
	}
	buf_add_byte(out, ']');
}

void otutl_put_figure(struct buf *out, struct figure f)
{
	if (f.state == FIGURE_KNOWN)
		otutl_put_count(out, f.n);
	else
		buf_add_str(out, STR("null"));
}

/* Members in order: the figures up to "cache_...", "estimated", the other figures, "source". */
void otutl_put_usage(struct buf *out, const struct usage *u, const struct otutl_pieces *rest)
{
	struct otutl_merge m = otutl_merge_begin(out, rest);
	struct str source = rest ? str_of(NULL, 0) : otutl_usage_source(u);

	for (size_t i = 0; i < OTUTL_USAGE_FIGURES; i++) {
		const struct otutl_figure *row = &otutl_figures[i];
		struct figure f = otutl_figure_of(u, row);

		if (row->offset == offsetof(struct usage, input) && str_eq(source, STR("mixed"))) {
			otutl_merge_name(&m, STR(",\"estimated\":"));
			otutl_put_estimated(out, u, false);
		}
		if (f.state == FIGURE_ABSENT)
			continue;
		otutl_merge_reach(&m, row->name);
		otutl_merge_name(&m, row->lead);
		otutl_put_figure(out, f);
	}
	if (source.p) {
		otutl_merge_name(&m, STR(",\"source\":"));
		otutl_put_text(out, source);
	}
	otutl_merge_end(&m);
}
