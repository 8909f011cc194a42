/* Messages of opencode and their parts: texts, thoughts, calls with their state, and what each answer cost. */
#include "dialect/opencode/opencode.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"

static const struct told_names opencode_tokens = {
	.input = WORD("input"), .output = WORD("output"), .cache_read = WORD("/cache/read"),
	.cache_write = WORD("/cache/write"), .reasoning = WORD("reasoning"), .total = WORD("total"),
	.cache_apart = true,
};

struct event *opencode_add(const struct opencode_place *x, enum event_kind kind)
{
	struct event *e = reading_add(x->r, kind);

	e->ts = x->ts;
	e->hint = x->hint;
	return e;
}

/* A piece of the answer at hand. */
static struct event *opencode_add_piece(const struct opencode_place *x)
{
	struct event *e = opencode_add(x, EVENT_STEP);

	e->step = x->step;
	e->flags = EVENT_PIECE;
	e->model = x->model;
	e->provider = x->provider;
	return e;
}

/* Of each part: the message and the session that it stands in. */
static void opencode_take_place(struct reading *r, struct val v)
{
	static const struct str names[] = { WORD("type"), WORD("role"), WORD("sessionID"), WORD("messageID") };

	told_again(r, v, names, COUNT(names));
}

/* {name, data:{message, ...}}, of an answer and of a try that was repeated. */
static struct event *opencode_add_error(const struct opencode_place *x, struct val error)
{
	struct event *e = opencode_add(x, EVENT_ERROR);
	struct val data = val_get(error, STR("data"));

	e->step = x->step;
	e->class = STR("model");
	e->code = reading_text(x->r, error, STR("name"));
	e->text = reading_text(x->r, data, STR("message"));
	e->retryable = (uint8_t)reading_truth(x->r, data, STR("isRetryable"));
	reading_rest(x->r, e, error);
	return e;
}

void opencode_read_info(struct opencode_place *x, struct val info)
{
	struct reading *r = x->r;
	struct val time = val_get(info, STR("time")), error = val_get(info, STR("error"));
	struct moment done = told_time(r, time, STR("completed"));
	bool calls = val_text_is(val_get(info, STR("finish")), STR("tool-calls"));
	struct usage usage = told_usage(r, val_get(info, STR("tokens")), &opencode_tokens);
	struct amount usd = reading_amount(r, info, STR("cost"), 1);
	size_t at = r->count;
	struct event *e;

	x->ts = told_time(r, time, STR("created"));
	e = opencode_add_piece(x);
	e->model = x->model = reading_text(r, info, STR("modelID"));
	e->provider = x->provider = reading_text(r, info, STR("providerID"));
	e->stop_reason = reading_text(r, info, STR("finish"));
	if (done.text.p && !calls) { /* with calls, it is over when they are */
		e->ts = done;
		e->latency_ms = told_span(x->ts, done);
	}
	if (done.text.p && !x->told) { /* before that they are zeros that stand for nothing */
		e->usage = usage;
		e->usd = usd;
	}
	opencode_take_place(r, info);
	reading_take(r, val_get(info, STR("id")));
	if (val_is(error, JSON_OBJECT))
		opencode_add_error(x, error);
	reading_rest_under(r, &r->events[at], info, STR("info"));
}

/* A text, or a thought. One without its end is told again when it has ended. */
static void opencode_read_said(struct opencode_place *x, struct val part, bool thought)
{
	struct val time = val_get(part, STR("time"));
	struct moment end = told_time(x->r, time, STR("end"));
	struct event *e = opencode_add_piece(x);

	told_time(x->r, time, STR("start"));
	if (end.text.p)
		e->ts = end;
	if (thought)
		e->reasoning = reading_text(x->r, part, STR("text"));
	else
		e->text = reading_text(x->r, part, STR("text"));
	reading_rest(x->r, e, part);
}

/* Output that stands in the metadata too, letter by letter, is dropped there. */
static void opencode_drop_output(struct reading *r, struct val output, struct val metadata)
{
	struct val again = val_get(metadata, STR("output"));

	if (val_is(output, JSON_STRING) && val_is(again, JSON_STRING) && str_eq(val_raw(output), val_raw(again)))
		reading_drop(r, again);
}

static void opencode_read_outcome(struct opencode_place *x, struct val part, struct str call, bool failed)
{
	struct reading *r = x->r;
	struct val state = val_get(part, STR("state")), metadata = val_get(state, STR("metadata"));
	struct val time = val_get(state, STR("time")), code = val_get(metadata, STR("exit"));
	struct moment start = told_time(r, time, STR("start")), end = told_time(r, time, STR("end"));
	struct event *e = opencode_add(x, EVENT_RESULT);
	int64_t n;

	e->call = call;
	e->step = x->step;
	if (end.text.p)
		e->ts = end;
	e->is_error = failed ? TRUTH_TRUE : TRUTH_FALSE;
	e->duration_ms = told_span(start, end);
	if (val_is(code, JSON_NUMBER) && val_i64(code, &n)) {
		reading_take(r, code);
		e->exit_code = FIGURE((uint64_t)n);
	}
	opencode_drop_output(r, val_get(state, STR("output")), metadata);
	e->content = reading_json(r, e, "result", state, failed ? STR("error") : STR("output"));
	reading_take(r, val_get(state, STR("status")));
	reading_rest(r, e, part);
}

/* A call with its state: pending, running, completed or error. Told at each change; the same call told again is one. */
static void opencode_read_call(struct opencode_place *x, struct val part)
{
	struct reading *r = x->r;
	struct val state = val_get(part, STR("state")), status = val_get(state, STR("status")), child;
	bool done = val_text_is(status, STR("completed")), failed = val_text_is(status, STR("error"));
	struct moment start = told_time(r, val_get(state, STR("time")), STR("start"));
	struct str call;
	struct event *e;

	if (val_text_is(status, STR("pending")) && x->hint) {
		reading_drop(r, part); /* the arguments are not there yet: it is told again */
		return;
	}
	e = opencode_add(x, EVENT_CALL);
	e->call = call = text_or_none(reading_text(r, part, STR("callID")));
	e->step = x->step;
	e->tool = reading_text(r, part, STR("tool"));
	if (start.text.p)
		e->ts = start;
	told_args(r, e, val_get(state, STR("input")));
	child = val_get(val_get(state, STR("metadata")), STR("sessionId"));
	if (x->hint && val_is(child, JSON_STRING)) {
		struct opencode_hint *h = arena_new(r->arena, struct opencode_hint);

		*h = *x->hint;
		h->child = val_text(child, r->arena);
		e->hint = h;
	}
	if (done || failed)
		opencode_read_outcome(x, part, call, failed);
	else
		reading_rest(r, e, part);
}

/* What the answer cost, and why it ended. */
static void opencode_read_finish(struct opencode_place *x, struct val part)
{
	struct event *e = opencode_add_piece(x);

	e->ts = (struct moment){ 0 };
	e->stop_reason = reading_text(x->r, part, STR("reason"));
	e->usage = told_usage(x->r, val_get(part, STR("tokens")), &opencode_tokens);
	e->usd = reading_amount(x->r, part, STR("cost"), 1);
	x->finished = x->told = true;
	reading_rest(x->r, e, part);
}

/* Another answer in the same message has an id of its own. */
static void opencode_begin_step(struct opencode_place *x, struct val part)
{
	if (x->finished && !x->hint)
		x->step = arena_printf(x->r->arena, "%.*s#%u", STR_ARG(x->message), ++x->steps + 1);
	x->finished = false;
	reading_rest(x->r, opencode_add_piece(x), part);
}

void opencode_read_part(struct opencode_place *x, struct val part)
{
	struct val type = val_get(part, STR("type"));
	struct str word = val_get_text(part, STR("type"), x->r->arena);

	opencode_take_place(x->r, part);
	if (val_text_is(type, STR("text")))
		opencode_read_said(x, part, false);
	else if (val_text_is(type, STR("reasoning")))
		opencode_read_said(x, part, true);
	else if (val_text_is(type, STR("tool")))
		opencode_read_call(x, part);
	else if (val_text_is(type, STR("step-start")))
		opencode_begin_step(x, part);
	else if (val_text_is(type, STR("step-finish")))
		opencode_read_finish(x, part);
	else if (val_text_is(type, STR("retry")) && val_is(val_get(part, STR("error")), JSON_OBJECT))
		reading_rest(x->r, opencode_add_error(x, val_get(part, STR("error"))), part);
	else
		told_note(x->r, word, x->ts, part)->hint = x->hint;
}

/* One text is the message; several parts, and files, are kept as a list. */
void opencode_read_given(struct opencode_place *x, struct val info, struct val parts)
{
	struct reading *r = x->r;
	struct val only = val_count(parts) == 1 ? values_first(parts) : VAL_NONE;
	size_t at = r->count;
	struct event *e;

	x->ts = told_time(r, val_get(info, STR("time")), STR("created"));
	e = opencode_add(x, EVENT_MESSAGE);
	e->role = val_get_text(info, STR("role"), r->arena);
	if (!e->role.n)
		e->role = STR("user");
	if (val_text_is(val_get(only, STR("type")), STR("text"))) {
		opencode_take_place(r, only);
		e->content = reading_json(r, e, "content", only, STR("text"));
		reading_rest_under(r, e, only, STR("part"));
	} else {
		e->content = val_is_none(parts) ? STR("null") : reading_json_of(r, e, "content", parts);
	}
	opencode_take_place(r, info);
	reading_take(r, val_get(info, STR("model"))); /* each answer says by which model it was made */
	reading_rest_under(r, &r->events[at], info, STR("info"));
}
