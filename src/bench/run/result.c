/*
 * Rows are settled, when written and when read, so that no reader has to ask whether a row contradicts itself: a
 * failure has no verdict, times do not go back, what is not known is -1.
 */
#include "bench/run/result.h"

#include <math.h>

#include "base/utf8.h"
#include "dialect/record/io.h"
#include "json/repair.h"

static const struct str no_text = { NULL, 0 };

/* ---- what every row keeps to, written or read: dialect/bench/results.c has the rules ---- */

/* A success has no failure; what is no success has a failure and no verdict. */
static void settle_outcome(struct result *r)
{
	if (r->success && r->status != PROVIDER_OK)
		r->success = false;
	if (r->success) {
		r->failure = no_text;
		if (r->pass != VERDICT_FALSE)
			r->violation = no_text;
		return;
	}
	if (str_trim(r->failure).n == 0)
		r->failure = STR("exception");
	r->pass = VERDICT_NULL;
	r->violation = no_text;
	if (r->tool_count == 0)
		r->tool_source = TOOLS_FROM_TEXT;
}

static int64_t at_least(int64_t v, int64_t low)
{
	return v < low ? low : v;
}

/* The wall clock may be set back during a call, and times are rounded each for itself. */
static void settle_numbers(struct result *r)
{
	r->started_at_ms = at_least(r->started_at_ms, 0);
	r->ended_at_ms = at_least(r->ended_at_ms, r->started_at_ms);
	r->e2e_ms = at_least(r->e2e_ms, 0);
	r->ttft_ms = at_least(r->ttft_ms, -1);
	if (r->ttft_ms > r->e2e_ms)
		r->ttft_ms = r->e2e_ms;
	r->input_tokens = at_least(r->input_tokens, -1);
	r->output_tokens = at_least(r->output_tokens, -1);
	r->attempts = at_least(r->attempts, 0);
	r->repetition = at_least(r->repetition, 1);
	r->scheduled_at_ms = at_least(r->scheduled_at_ms, -1);
	r->cache_read_tokens = at_least(r->cache_read_tokens, -1);
	r->reasoning_tokens = at_least(r->reasoning_tokens, -1);
	r->ttfb_ms = at_least(r->ttfb_ms, -1);
	if (!isfinite(r->usd) || r->usd < 0) {
		r->usd = -1;
		r->usd_estimated = false;
	}
}

static struct str settle_name(struct str s)
{
	return str_trim(s).n ? s : STR("unknown");
}

static void result_settle(struct result *r)
{
	r->run_id = settle_name(r->run_id);
	r->provider = settle_name(r->provider);
	r->model = settle_name(r->model);
	r->prompt_id = settle_name(r->prompt_id);
	settle_outcome(r);
	settle_numbers(r);
}

/* ---- writing ---- */

/* What is no UTF-8 is replaced first, since that makes it longer. */
static void result_cut_output(struct result *r, struct buf *room)
{
	struct str part = r->output;

	/* of a text that is cut only its beginning is looked at, and a character more */
	if (part.n > RESULT_OUTPUT_MAX + 4)
		part.n = RESULT_OUTPUT_MAX + 4;
	if (utf8_check(part) < part.n) {
		buf_reserve(room, 3 * part.n);
		room->n = repair_utf8(room->p, part);
		part = buf_str(room);
	}
	/* a text that was cut when it was written stays so when it is written again, as long as nobody shortens it */
	r->truncated = part.n > RESULT_OUTPUT_MAX || (r->truncated && r->output.n + 3 >= RESULT_OUTPUT_MAX);
	r->output = utf8_cut(part, RESULT_OUTPUT_MAX);
}

/* An object that was laid out on several lines is on one here: in JSON a line end is never part of a value. */
static void result_join_lines(struct result *r, struct buf *room)
{
	struct str parsed = r->parsed;

	if (parsed.n == 0 || (!memchr(parsed.p, '\n', parsed.n) && !memchr(parsed.p, '\r', parsed.n)))
		return;
	for (size_t i = 0; i < parsed.n; i++)
		buf_add_byte(room, parsed.p[i] == '\n' || parsed.p[i] == '\r' ? ' ' : parsed.p[i]);
	r->parsed = buf_str(room);
}

void result_write(struct buf *out, const struct result *given)
{
	struct result r = *given;
	struct buf output, parsed;
	struct json_writer w;

	buf_init(&output);
	buf_init(&parsed);
	result_settle(&r);
	result_cut_output(&r, &output);
	result_join_lines(&r, &parsed);
	if (!r.success && r.tool_count == 0)
		r.tool_source = TOOL_SOURCES; /* nobody looked for any */
	json_write_init(&w, out, JSON_COMPACT);
	record_write(&w, &result_type, &r);
	buf_add_byte(out, '\n');
	buf_free(&output);
	buf_free(&parsed);
}

/* ---- reading ---- */

/* Of a row without a status: what its failure comes to. */
static enum provider_status result_guess_status(const struct result *r)
{
	if (r->success || str_eq(r->failure, STR("empty_response")))
		return PROVIDER_OK;
	return str_eq(r->failure, STR("http_429")) ? PROVIDER_LIMITED : PROVIDER_ERROR;
}

static bool result_has_other_type(struct val row)
{
	struct val type = val_get(row, STR("record_type"));

	return val_is(type, JSON_STRING) && !val_text_is(type, STR("result"));
}

bool result_read(struct result *r, struct arena *a, struct val row)
{
	*r = (struct result){
		.status = PROVIDER_STATUSES,
		.ttft_ms = -1,
		.input_tokens = -1,
		.output_tokens = -1,
		.output = STR(""),
		.attempts = INT64_MIN,
		.repetition = 1,
		.scheduled_at_ms = -1,
		.cache_read_tokens = -1,
		.reasoning_tokens = -1,
		.ttfb_ms = -1,
		.tool_source = TOOLS_FROM_TEXT,
		/* rows of another harness do not say it, but what a validator of tools read in an answer shows it */
		.expects = val_is(val_get(val_get(row, STR("parsed_output")), STR("detected_tools")), JSON_ARRAY),
		.usd = -1,
	};
	if (result_has_other_type(row))
		return false;
	/* the harness that set the format has its rows also with every value as text */
	record_read(&result_type, r, row, a, RECORD_READ_LOOSE);
	if (str_trim(r->model).n == 0 || str_trim(r->prompt_id).n == 0)
		return false;
	if (r->thinking.n == 0)
		r->thinking = no_text;
	if (!r->prompt_name.p)
		r->prompt_name = r->prompt_id;
	if (r->status == PROVIDER_STATUSES)
		r->status = result_guess_status(r);
	if (r->attempts == INT64_MIN) /* it was sent once, unless nobody was there to send it to */
		r->attempts = r->status != PROVIDER_UNAVAILABLE;
	result_settle(r);
	r->truncated = r->truncated && r->output.n + 3 >= RESULT_OUTPUT_MAX;
	return true;
}

struct str result_key(struct arena *a, struct str provider, struct str model, struct str thinking, struct str prompt_id,
		      int64_t repetition)
{
	/* with its length in front, no part can pass for two */
	struct str parts[] = { arena_printf(a, "%zu:", provider.n), provider, arena_printf(a, "%zu:", model.n), model,
			       arena_printf(a, "%zu:", thinking.n), thinking, arena_printf(a, "%zu:", prompt_id.n),
			       prompt_id, arena_printf(a, "#%lld", (long long)repetition) };

	return arena_join(a, parts, COUNT(parts));
}
