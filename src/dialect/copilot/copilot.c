/*
 * Sessions of the GitHub Copilot CLI: events.jsonl, an event with its data on each line. What a call of the model cost
 * is an event of its own, joined to the answer by the id of the call. A sub-agent's events name the call that began it.
 */
#include "base/map.h"
#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "dialect/session/told.h"
#include "model/assemble.h"

static const struct told_names copilot_tokens = {
	.input = WORD("inputTokens"), .output = WORD("outputTokens"), .cache_read = WORD("cacheReadTokens"),
	.cache_write = WORD("cacheWriteTokens"), .reasoning = WORD("reasoningTokens"),
};

/* What a session has used in all, by what it is billed for: what was cached stands beside the input. */
static const struct told_names copilot_details = {
	.input = WORD("/input/tokenCount"), .output = WORD("/output/tokenCount"),
	.cache_read = WORD("/cache_read/tokenCount"),
	.cache_write = WORD("/cache_write/tokenCount"), .cache_apart = true,
};

enum copilot_what { COPILOT_PLAIN, COPILOT_BEGUN, COPILOT_USED, COPILOT_SUM, COPILOT_OVER };

struct copilot_hint {
	enum copilot_what what;
	struct str tool, args, args_text; /* BEGUN: of the call, which may have been asked for by nobody */
	enum run_status status;           /* OVER */
};

/* An event of the log while it is read. */
struct copilot_line {
	struct reading *r;
	struct val v, data;
	struct str type;
	struct moment ts;
	struct str parent; /* the call inside which it happened; p NULL for the main line */
};

static struct event *copilot_add(const struct copilot_line *l, enum event_kind kind)
{
	struct event *e = reading_add(l->r, kind);

	e->ts = l->ts;
	e->branch = e->parent = l->parent;
	return e;
}

static struct copilot_hint *copilot_add_hint(const struct copilot_line *l, struct event *e, enum copilot_what what)
{
	struct copilot_hint *h = arena_new(l->r->arena, struct copilot_hint);

	*h = (struct copilot_hint){ .what = what };
	e->hint = h;
	return h;
}

static void copilot_read_start(const struct copilot_line *l)
{
	struct event *e = copilot_add(l, EVENT_RUN_START);

	e->run = text_or_none(reading_text(l->r, l->data, STR("sessionId")));
	e->agent = STR("copilot");
	e->agent_version = reading_text(l->r, l->data, STR("copilotVersion"));
	e->model = reading_text(l->r, l->data, STR("selectedModel"));
}

static void copilot_read_given(const struct copilot_line *l)
{
	struct event *e = copilot_add(l, EVENT_MESSAGE);

	reading_take(l->r, val_get(l->data, STR("role")));
	e->role = str_of(l->type.p, l->type.n - STR(".message").n);
	e->content = reading_json(l->r, e, "content", l->data, STR("content"));
}

/* ---- answers ---- */

static struct event *copilot_add_step(const struct copilot_line *l, struct val said)
{
	struct event *e = copilot_add(l, EVENT_STEP);

	e->step = e->response_id = text_or_none(reading_text(l->r, said, STR("apiCallId")));
	if (!e->step.p)
		e->step = text_or_none(reading_text(l->r, said, STR("messageId")));
	e->flags = e->step.p ? EVENT_PIECE : 0;
	e->model = reading_text(l->r, said, STR("model"));
	return e;
}

static void copilot_read_call(const struct copilot_line *l, struct val call, struct str step, int index)
{
	struct event *e = copilot_add(l, EVENT_CALL);

	e->step = step;
	e->index = index;
	e->call = text_or_none(reading_text(l->r, call, STR("toolCallId")));
	e->tool = reading_text(l->r, call, STR("name"));
	e->server = text_or_none(reading_text(l->r, call, STR("mcpServerName")));
	told_args(l->r, e, val_get(call, STR("arguments")));
	if (val_text_is(val_get(call, STR("type")), STR("function")))
		reading_take(l->r, val_get(call, STR("type")));
	reading_rest(l->r, e, call);
}

static void copilot_read_answer(const struct copilot_line *l)
{
	struct event *e = copilot_add_step(l, l->data);
	struct str step = e->step;
	int index = 0;

	e->text = reading_text(l->r, l->data, STR("content"));
	e->reasoning = reading_text(l->r, l->data, STR("reasoningText"));
	e->request_id = text_or_none(reading_text(l->r, l->data, STR("requestId")));
	e->usage.output = reading_count(l->r, l->data, STR("outputTokens"));
	VALUES_EACH(call, val_get(l->data, STR("toolRequests")))
		copilot_read_call(l, call, step, index++);
}

/* Its "cost" counts premium requests, no dollars, and stays in the rest. */
static void copilot_read_used(const struct copilot_line *l)
{
	struct val usage = val_get(l->data, STR("usage"));
	struct val used = val_is(usage, JSON_OBJECT) ? usage : l->data;
	struct event *e = copilot_add_step(l, used);

	copilot_add_hint(l, e, COPILOT_USED);
	e->provider = reading_text(l->r, used, STR("providerType"));
	e->endpoint = reading_text(l->r, used, STR("apiEndpoint"));
	e->stop_reason = reading_text(l->r, used, STR("finishReason"));
	e->latency_ms = reading_amount(l->r, used, STR("duration"), 1);
	e->ttft_ms = reading_amount(l->r, used, STR("timeToFirstTokenMs"), 1);
	e->usage = told_usage(l->r, used, &copilot_tokens);
}

static void copilot_read_thought(const struct copilot_line *l)
{
	struct event *e = copilot_add(l, EVENT_NOTE);

	e->role = l->type;
	e->content = reading_json(l->r, e, "content", l->data, STR("content"));
}

/* ---- tools ---- */

/* The call is told again when it begins: only when that was is new. */
static void copilot_read_begun(const struct copilot_line *l)
{
	struct event *e = copilot_add(l, EVENT_NOTE);
	struct copilot_hint *h = copilot_add_hint(l, e, COPILOT_BEGUN);
	struct event call = { .kind = EVENT_CALL };

	e->role = l->type;
	e->content = STR("null");
	e->call = text_or_none(reading_text(l->r, l->data, STR("toolCallId")));
	told_args(l->r, &call, val_get(l->data, STR("arguments")));
	h->tool = reading_text(l->r, l->data, STR("toolName"));
	h->args = call.args;
	h->args_text = call.args_text;
	reading_take(l->r, val_get(l->data, STR("model")));
}

static void copilot_read_result(const struct copilot_line *l)
{
	struct reading *r = l->r;
	struct val result = val_get(l->data, STR("result")), error = val_get(l->data, STR("error"));
	struct val code = val_get(val_get(l->data, STR("shellExecution")), STR("exitCode"));
	struct event *e = copilot_add(l, EVENT_RESULT);
	enum truth good = reading_truth(r, l->data, STR("success"));
	int64_t n;

	e->call = text_or_none(reading_text(r, l->data, STR("toolCallId")));
	if (good == TRUTH_TRUE || good == TRUTH_FALSE)
		e->is_error = good == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
	e->content = reading_json(r, e, "result", result, STR("content"));
	if (!e->content.p && val_is(error, JSON_OBJECT))
		e->content = reading_json(r, e, "result", error, STR("message"));
	if (!e->content.p && !val_is_unset(result))
		e->content = reading_json_of(r, e, "result", result);
	if (val_is(code, JSON_NUMBER) && val_i64(code, &n)) {
		reading_take(r, code);
		e->exit_code = FIGURE((uint64_t)n);
	}
	reading_take(r, val_get(l->data, STR("model")));
}

/* ---- the session ---- */

static void copilot_read_error(const struct copilot_line *l)
{
	struct event *e = copilot_add(l, EVENT_ERROR);
	struct val status = val_get(l->data, STR("statusCode"));

	e->class = val_is(status, JSON_NUMBER) ? STR("model") : STR("harness");
	e->code = val_is(status, JSON_NUMBER) ? val_raw(reading_take(l->r, status))
					      : reading_text(l->r, l->data, STR("errorType"));
	e->text = reading_text(l->r, l->data, STR("message"));
}

static void copilot_add_sum(const struct copilot_line *l, struct str model, struct val object, struct str name,
			    const struct told_names *names)
{
	struct usage usage = told_usage(l->r, val_get(object, name), names);
	struct event *e;

	if (!usage_is_known(&usage))
		return;
	e = copilot_add(l, EVENT_COST);
	copilot_add_hint(l, e, COPILOT_SUM);
	e->scope = STR("run");
	e->flags = EVENT_TOTAL;
	e->model = model;
	e->usage = usage;
}

/* What was used in all, for each model or at once: only wanted where no call told its own. */
static void copilot_read_end(const struct copilot_line *l)
{
	struct val metrics = val_get(l->data, STR("modelMetrics")), name, each;
	struct val_iter it = val_begin(metrics);
	struct reading *r = l->r;
	size_t before;
	struct event *e = copilot_add(l, EVENT_NOTE);
	struct copilot_hint *h = copilot_add_hint(l, e, COPILOT_OVER);
	struct val type = val_get(l->data, STR("shutdownType"));

	h->status = val_text_is(type, STR("error")) ? STATUS_ERROR :
		    val_text_is(type, STR("routine")) ? STATUS_SUCCESS : STATUS_UNKNOWN;
	e->role = l->type;
	before = r->count;
	while (val_is(metrics, JSON_OBJECT) && val_next_member(&it, &name, &each))
		copilot_add_sum(l, val_text(name, r->arena), each, STR("usage"), &copilot_tokens);
	if (r->count == before)
		copilot_add_sum(l, str_of(NULL, 0), l->data, STR("tokenDetails"), &copilot_details);
	e = &r->events[before - 1];
	e->content = reading_json_of(r, e, "content", l->data);
}

static void copilot_read_other(const struct copilot_line *l)
{
	told_note(l->r, l->type, l->ts, l->data)->branch = l->parent;
}

static const struct {
	struct str type;
	void (*read)(const struct copilot_line *l);
} copilot_readers[] = {
	{ WORD("session.start"), copilot_read_start },
	{ WORD("user.message"), copilot_read_given },
	{ WORD("system.message"), copilot_read_given },
	{ WORD("assistant.message"), copilot_read_answer },
	{ WORD("assistant.reasoning"), copilot_read_thought },
	{ WORD("session.usage_record"), copilot_read_used },
	{ WORD("assistant.usage"), copilot_read_used },
	{ WORD("tool.execution_start"), copilot_read_begun },
	{ WORD("tool.execution_complete"), copilot_read_result },
	{ WORD("session.error"), copilot_read_error },
	{ WORD("session.shutdown"), copilot_read_end },
};

static void copilot_read_value(struct reading *r, struct val v)
{
	struct copilot_line l = { .r = r, .v = v, .data = val_get(v, STR("data")) };
	size_t at = r->count, i = 0;

	if (!val_is(l.data, JSON_OBJECT) || !val_is(val_get(v, STR("type")), JSON_STRING)) {
		reading_add_unknown(r, v);
		return;
	}
	l.type = reading_text(r, v, STR("type"));
	l.ts = reading_time(r, v, STR("timestamp"));
	l.parent = text_or_none(reading_text(r, l.data, STR("parentToolCallId")));
	while (i < COUNT(copilot_readers) && !str_eq(l.type, copilot_readers[i].type))
		i++;
	(i < COUNT(copilot_readers) ? copilot_readers[i].read : copilot_read_other)(&l);
	reading_rest(r, &r->events[at], v);
}

/* ---- the fold: when calls began, and how the session ended ---- */

struct copilot_fold {
	struct arena arena;
	struct map calls;    /* asked for, or begun: when, in ns, 0 when they were not begun yet */
	bool used;           /* calls of the model told what they used */
	uint64_t output;     /* tokens that answers told without it */
	enum run_status status;
};

static void copilot_fold_reset(struct copilot_fold *f)
{
	arena_reset(&f->arena);
	map_init(&f->calls, &f->arena);
	f->used = false;
	f->output = 0;
	f->status = STATUS_UNKNOWN;
}

static void *copilot_fold_open(void)
{
	struct copilot_fold *f = mem_alloc(sizeof(*f));

	arena_init(&f->arena);
	copilot_fold_reset(f);
	return f;
}

static void copilot_fold_close(void *fold)
{
	arena_free(&((struct copilot_fold *)fold)->arena);
	mem_free(fold);
}

/* A call that no answer asked for is one all the same. */
static bool copilot_begin_call(struct copilot_fold *f, struct event *e, const struct copilot_hint *h,
			       struct assemble *as, struct err *err)
{
	struct event call = { .kind = EVENT_CALL, .index = -1, .ts = e->ts, .branch = e->branch, .parent = e->parent,
			      .call = e->call, .tool = h->tool, .args = h->args, .args_text = h->args_text,
			      .line = e->line };
	bool added;
	uint64_t *begun = map_add(&f->calls, e->call, &added);

	*begun = (uint64_t)e->ts.ns;
	return (!added || assemble_add(as, &call, err)) && assemble_add(as, e, err);
}

static void copilot_end_call(struct copilot_fold *f, struct event *e)
{
	uint64_t *begun = map_find(&f->calls, e->call);
	struct moment from = { .text = STR("begun") };

	if (!begun || !*begun)
		return;
	from.ns = (int64_t)*begun;
	e->duration_ms = told_span(from, e->ts);
}

/* What answers told of their output is in the sum already. */
static bool copilot_add_rest(struct copilot_fold *f, struct event *e, struct assemble *as, struct err *err)
{
	uint64_t told = f->output < e->usage.output.n ? f->output : e->usage.output.n;

	if (f->used)
		return true;
	e->usage.output.n -= told;
	f->output -= told;
	return assemble_add(as, e, err);
}

static bool copilot_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct copilot_fold *f = fold;
	const struct copilot_hint *h = e->hint;
	enum copilot_what what = h ? h->what : COPILOT_PLAIN;
	struct event copy = *e;
	bool added;

	copy.hint = NULL;
	if (what == COPILOT_BEGUN && e->call.n)
		return copilot_begin_call(f, &copy, h, as, err);
	if (what == COPILOT_SUM)
		return copilot_add_rest(f, &copy, as, err);
	if (what == COPILOT_OVER)
		f->status = h->status;
	f->used = f->used || what == COPILOT_USED;
	if (e->kind == EVENT_STEP && what == COPILOT_PLAIN && figure_is_known(e->usage.output))
		f->output += e->usage.output.n;
	if (e->kind == EVENT_CALL && e->call.n)
		map_add(&f->calls, e->call, &added);
	if (e->kind == EVENT_RESULT && e->call.n)
		copilot_end_call(f, &copy);
	return assemble_add(as, &copy, err);
}

/* A session can be resumed behind its end, so the last one counts. */
static bool copilot_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct copilot_fold *f = fold;
	struct event end = { .kind = EVENT_RUN_END, .index = -1, .status = f->status };
	bool good = f->status == STATUS_UNKNOWN || assemble_add(as, &end, err);

	copilot_fold_reset(f);
	return good;
}

/* ---- the format ---- */

static int copilot_fits(struct val v)
{
	struct val data = val_get(v, STR("data")), type = val_get(v, STR("type"));

	if (!val_is(data, JSON_OBJECT) || !val_is(type, JSON_STRING))
		return 0;
	if (val_has(data, STR("copilotVersion")))
		return 98;
	if (!val_is(val_get(v, STR("id")), JSON_STRING) || !val_has(v, STR("parentId")) ||
	    !val_has(v, STR("timestamp")))
		return 0;
	for (size_t i = 0; i < COUNT(copilot_readers); i++)
		if (val_text_is(type, copilot_readers[i].type))
			return 85;
	return 0;
}

static const struct read_ops copilot_read = {
	.vendor = "copilot",
	.key = "copilot/1",
	.assemble = ASSEMBLE_STEP_COSTS,
	.value = copilot_read_value,
	.fold_open = copilot_fold_open,
	.fold_close = copilot_fold_close,
	.fold = copilot_fold_event,
	.fold_end = copilot_fold_end,
};

const struct dialect copilot_dialect = {
	.name = "copilot",
	.title = "GitHub Copilot CLI sessions",
	.file = "events.jsonl",
	.unit = "event",
	.forms = DIALECT_LINES,
	.rules = dialect_no_rules,
	.fits = copilot_fits,
	.read = &copilot_read,
};
