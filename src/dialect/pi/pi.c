/*
 * Sessions of pi, the coding agent: a header, then an entry on each line. A message holds blocks, and what it cost.
 * Entries form a tree by their parents: what was tried on a branch that was left happened too, and counts.
 */
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

#define LATENCY_MAX 3600000.0 /* ms: an entry that was written later was copied, and not when the answer came */

static const struct told_names pi_tokens = {
	.input = WORD("input"), .output = WORD("output"), .cache_read = WORD("cacheRead"),
	.cache_write = WORD("cacheWrite"), .reasoning = WORD("reasoning"), .total = WORD("totalTokens"),
	.cache_apart = true,
};

/* An entry while it is read. */
struct pi_entry {
	struct reading *r;
	struct val v, message;
	struct str id;
	struct moment ts;
};

static void pi_read_header(struct reading *r, struct val v)
{
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->run = text_or_none(reading_text(r, v, STR("id")));
	e->agent = STR("pi");
	e->ts = reading_time(r, v, STR("timestamp"));
	e->model = reading_text(r, v, STR("modelId"));
	reading_take(r, val_get(v, STR("type")));
	reading_rest(r, e, v);
}

/* ---- messages ---- */

static void pi_read_given(const struct pi_entry *x)
{
	struct event *e = reading_add(x->r, EVENT_MESSAGE);

	e->ts = x->ts;
	e->role = reading_text(x->r, x->message, STR("role"));
	e->content = reading_json(x->r, e, "content", x->message, STR("content"));
	reading_rest(x->r, e, x->v);
}

static void pi_read_result(const struct pi_entry *x)
{
	struct event *e = reading_add(x->r, EVENT_RESULT);

	e->ts = x->ts;
	e->call = text_or_none(reading_text(x->r, x->message, STR("toolCallId")));
	e->tool = reading_text(x->r, x->message, STR("toolName"));
	e->content = reading_json(x->r, e, "result", x->message, STR("content"));
	e->is_error = (uint8_t)reading_truth(x->r, x->message, STR("isError"));
	reading_take(x->r, val_get(x->message, STR("role")));
	reading_rest(x->r, e, x->v);
}

/* A block of the answer: a piece of the step, or a call. What is something else stays with the step, in its rest. */
static void pi_read_block(const struct pi_entry *x, struct val block, int *calls)
{
	struct val type = val_get(block, STR("type"));
	bool said = val_text_is(type, STR("text")), thought = val_text_is(type, STR("thinking"));
	struct event *e;

	if (!said && !thought && !val_text_is(type, STR("toolCall")))
		return;
	reading_take(x->r, type);
	e = reading_add(x->r, said || thought ? EVENT_STEP : EVENT_CALL);
	e->ts = x->ts;
	e->step = x->id;
	if (said || thought) {
		e->flags = EVENT_PIECE;
		if (said)
			e->text = reading_text(x->r, block, STR("text"));
		else
			e->reasoning = reading_text(x->r, block, STR("thinking"));
		return;
	}
	e->index = (*calls)++;
	e->call = text_or_none(reading_text(x->r, block, STR("id")));
	e->tool = reading_text(x->r, block, STR("name"));
	told_args(x->r, e, val_get(block, STR("arguments")));
	reading_rest(x->r, e, block);
}

/* The request failed: an ERROR, beside the step when something of the answer came, and else in its place. */
static struct event *pi_add_error(const struct pi_entry *x)
{
	struct event *e = reading_add(x->r, EVENT_ERROR);

	e->ts = x->ts;
	e->class = STR("model");
	e->text = reading_text(x->r, x->message, STR("errorMessage"));
	e->code = val_get_text(x->message, STR("stopReason"), x->r->arena);
	return e;
}

static void pi_read_answer(const struct pi_entry *x)
{
	struct reading *r = x->r;
	struct val content = val_get(x->message, STR("content")), usage = val_get(x->message, STR("usage"));
	struct moment begun = told_time(r, x->message, STR("timestamp"));
	struct amount took = told_span(begun, x->ts);
	bool failed = val_is(val_get(x->message, STR("errorMessage")), JSON_STRING);
	size_t at = r->count;
	int calls = 0;
	struct event *e;

	reading_take(r, val_get(x->message, STR("role")));
	if (failed && val_is(content, JSON_ARRAY) && val_count(content) == 0) {
		e = pi_add_error(x);
		reading_take(r, val_get(x->message, STR("stopReason")));
		reading_rest(r, e, x->v);
		return;
	}
	e = reading_add(r, EVENT_STEP);
	e->ts = x->ts;
	e->step = x->id;
	e->flags = EVENT_PIECE;
	e->model = reading_text(r, x->message, STR("model"));
	e->provider = reading_text(r, x->message, STR("provider"));
	e->response_id = text_or_none(reading_text(r, x->message, STR("responseId")));
	e->stop_reason = reading_text(r, x->message, STR("stopReason"));
	e->usage = told_usage(r, usage, &pi_tokens);
	e->usd = reading_amount(r, val_get(usage, STR("cost")), STR("total"), 1);
	if (amount_is_known(took) && took.n < LATENCY_MAX)
		e->latency_ms = took;
	if (val_is(content, JSON_STRING))
		e->text = reading_text_of(r, content);
	VALUES_EACH(block, content)
		pi_read_block(x, block, &calls);
	if (failed)
		pi_add_error(x)->step = x->id;
	reading_rest(r, &r->events[at], x->v);
}

static void pi_read_value(struct reading *r, struct val v)
{
	struct pi_entry x = { .r = r, .v = v, .message = val_get(v, STR("message")) };
	struct val type = val_get(v, STR("type")), role = val_get(x.message, STR("role"));

	if (val_text_is(type, STR("session"))) {
		pi_read_header(r, v);
		return;
	}
	if (val_text_is(type, STR("message")) && val_is(role, JSON_STRING)) {
		bool answer = val_text_is(role, STR("assistant"));

		x.ts = reading_time(r, v, STR("timestamp"));
		if (!x.ts.text.p)
			x.ts = told_time(r, x.message, STR("timestamp"));
		if (answer)
			x.id = text_or_none(reading_text(r, v, STR("id")));
		if (answer && !x.id.p) /* of version 1: an error must find its step */
			x.id = arena_printf(r->arena, "line-%llu", (unsigned long long)r->line);
		reading_take(r, type);
		if (answer)
			pi_read_answer(&x);
		else if (val_text_is(role, STR("toolResult")))
			pi_read_result(&x);
		else if (val_text_is(role, STR("user")) || val_text_is(role, STR("system")))
			pi_read_given(&x);
		else
			told_note(r, val_text(role, r->arena), x.ts, v);
		return;
	}
	told_note(r, val_get_text(v, STR("type"), r->arena), reading_time(r, v, STR("timestamp")), v);
}

/* Entries other than the header look like those of other logs, but for their messages. */
static int pi_fits(struct val v)
{
	static const struct str header[] = { WORD("version"), WORD("thinkingLevel"), WORD("modelId") };
	struct val type = val_get(v, STR("type")), message = val_get(v, STR("message"));

	if (val_text_is(type, STR("session")) && val_is(val_get(v, STR("id")), JSON_STRING) &&
	    val_is(val_get(v, STR("cwd")), JSON_STRING))
		return values_count_names(v, header, COUNT(header)) ? 95 : 60;
	if (!val_text_is(type, STR("message")) || !val_is(val_get(v, STR("timestamp")), JSON_STRING))
		return 0;
	if (val_has(message, STR("stopReason")) || val_has(message, STR("toolCallId")))
		return 85;
	return val_is(val_get(message, STR("role")), JSON_STRING) &&
	       val_is(val_get(message, STR("timestamp")), JSON_NUMBER) ? 70 : 0;
}

static const struct read_ops pi_read = {
	.vendor = "pi",
	.key = "pi/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = pi_read_value,
};

const struct dialect pi_dialect = {
	.name = "pi",
	.title = "pi sessions",
	.file = "session.jsonl",
	.unit = "entry",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.fits = pi_fits,
	.read = &pi_read,
};
