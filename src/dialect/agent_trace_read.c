/*
 * Reading a trace: a model_call is a step (one that is total_only a cost), a tool_call a call with its result, every
 * other node a note (a user_input too: there is no message without content, and notes keep their place). Ids, parents,
 * times and whatever the model has no field for stay with the event, as they are, so that the same trace can be written
 * again.
 *
 * A node knows its parents and not what they are. The fold remembers the latest nodes, so that a call is given to
 * the step that asked for it, be it directly or by way of a branch.
 */
#include "base/arena.h"
#include "dialect/agent_trace.h"
#include "dialect/agent_trace_calls.h"
#include "dialect/reading.h"
#include "dialect/seed_formats.h"
#include "model/assemble.h"
#include "model/words.h"

/* ---- one event of a trace ---- */

static struct val text_at(struct val object, struct str name)
{
	struct val v = val_get(object, name);

	return val_is(v, JSON_STRING) ? v : VAL_NONE;
}

static struct figure take_count(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);
	int64_t n;

	if (!val_is(v, JSON_NUMBER) || !val_i64(v, &n) || n < 0 || n >= (int64_t)1 << 53)
		return (struct figure){ 0, 0, 0 };
	return reading_count(r, object, name);
}

static struct amount peek_ms(struct val object, struct str name)
{
	double seconds;

	if (!val_double(val_get(object, name), &seconds) || !(seconds >= 0 && seconds < 1e12))
		return (struct amount){ 0, 0, 0 };
	return AMOUNT(seconds * 1000);
}

/* Seconds since 1970. The number itself stays in the rest. */
static struct moment peek_time(struct reading *r, struct val object, struct str name)
{
	struct val v = val_get(object, name);

	return val_is(v, JSON_NUMBER) ? reading_time_of(r, v) : (struct moment){ .source = MOMENT_NONE };
}

/*
 * Whether an event has what every event of its type has. If it has, that is taken; if not, the event stays as it is in
 * the rest, with a note that nothing is to be added to it when it is written again.
 */
static bool take_head(struct reading *r, struct val v, struct str type, struct val word)
{
	struct val head[] = {
		val_get(v, STR("schema_version")), val_get(v, STR("event_type")), text_at(v, STR("trace_id")),
	};

	if (!val_text_is(head[0], STR("agent-trace/v1")) || !val_text_is(head[1], type) || val_is_none(head[2]) ||
	    !val_is(word, JSON_STRING))
		return false;
	for (size_t i = 0; i < COUNT(head); i++)
		reading_take(r, head[i]);
	return true;
}

/* The run that the line belongs to; the fold lets through the first of each. */
static void add_run(struct reading *r, struct val v, struct moment ts)
{
	struct str trace = reading_peek(r, v, STR("trace_id"));
	struct event *e;

	if (!trace.p || trace.n == 0)
		return;
	e = reading_add(r, EVENT_RUN_START);
	e->run = trace;
	e->ts = ts;
	e->framework = reading_peek(r, v, STR("framework"));
	reading_extra(r, e, STR("trace_id"), reading_quote(r, trace));
}

/* The sources of both figures, which OTUTL has one word for, stay in the rest. */
static void set_source(struct figure *f, struct val detail, struct str name)
{
	if (!val_text_is(val_get(detail, name), STR("api")))
		f->source = FIGURE_ESTIMATED;
}

/* Whether the member is among those that nobody said. */
static bool is_inferred(struct val detail, struct str name)
{
	struct val list = val_get(detail, STR("inferred")), v;
	struct val_iter it = val_begin(list);

	while (val_is(list, JSON_ARRAY) && val_next(&it, &v))
		if (val_text_is(v, name))
			return true;
	return false;
}

static struct figure peek_count(struct val detail, struct str name)
{
	int64_t n;

	if (!val_i64(val_get(detail, name), &n) || n < 0)
		return (struct figure){ 0, 0, 0 };
	return FIGURE((uint64_t)n);
}

/* No call, but what a log stated only in total. All of the node stays in the rest. */
static void read_total(struct reading *r, struct val detail, struct event *e)
{
	struct usage *u = &e->usage;
	double usd;

	e->scope = STR("run");
	e->flags |= EVENT_TOTAL | EVENT_INFERRED;
	e->model = reading_peek(r, detail, STR("model"));
	if (str_eq(e->model, STR("unknown")))
		e->model = str_of(NULL, 0);
	u->input = peek_count(detail, STR("input_tokens"));
	u->output = peek_count(detail, STR("output_tokens"));
	u->cache_read = peek_count(detail, STR("cache_read_tokens"));
	u->cache_write = peek_count(detail, STR("cache_write_tokens"));
	u->reasoning = peek_count(detail, STR("reasoning_tokens"));
	set_source(&u->input, detail, STR("input_tokens_source"));
	set_source(&u->output, detail, STR("output_tokens_source"));
	e->latency_ms = peek_ms(detail, STR("latency_seconds"));
	if (val_double(val_get(detail, STR("estimated_cost_usd")), &usd) && usd >= 0) {
		e->usd = AMOUNT(usd);
		e->usd.source = FIGURE_ESTIMATED;
	}
}

static void read_model_call(struct reading *r, struct val v, struct val detail, struct event *e)
{
	struct usage *u = &e->usage;
	struct val choice = val_get(detail, STR("tool_choice"));

	e->step = reading_peek(r, v, STR("node_id"));
	e->flags |= EVENT_LAST;
	e->endpoint = reading_string(r, detail, STR("endpoint"));
	e->model = reading_string(r, detail, STR("model"));
	u->input = take_count(r, detail, STR("input_tokens"));
	u->output = take_count(r, detail, STR("output_tokens"));
	u->cache_read = take_count(r, detail, STR("cache_read_tokens"));
	u->cache_write = take_count(r, detail, STR("cache_write_tokens"));
	u->reasoning = take_count(r, detail, STR("reasoning_tokens"));
	set_source(&u->input, detail, STR("input_tokens_source"));
	set_source(&u->output, detail, STR("output_tokens_source"));
	if (val_text_is(choice, STR("auto")) || val_text_is(choice, STR("none")) ||
	    val_text_is(choice, STR("required")))
		e->tool_choice = reading_string(r, detail, STR("tool_choice"));
	e->stop_reason = reading_string(r, detail, STR("stop_reason"));
	if (str_eq(e->stop_reason, STR("error")) && val_is(val_get(detail, STR("refused")), JSON_TRUE))
		e->stop_reason = STR("refusal");
	e->request_id = reading_string(r, detail, STR("request_id"));
	e->response_id = reading_string(r, detail, STR("response_id"));
	e->latency_ms = peek_ms(detail, STR("latency_seconds"));
	e->ttft_ms = peek_ms(detail, STR("ttft_seconds"));
	if (val_is(val_get(detail, STR("stream")), JSON_TRUE))
		e->flags |= EVENT_STREAM;
	else if (val_is(val_get(detail, STR("stream")), JSON_FALSE) && !is_inferred(detail, STR("stream")))
		e->flags |= EVENT_NO_STREAM;
	if (val_is(val_get(detail, STR("partial")), JSON_TRUE))
		e->flags |= EVENT_PARTIAL;
}

/* One that asks for a COST of its own: the price, where the node has one. */
static void add_cost(struct reading *r, struct val detail, const struct event *step)
{
	struct event copy = *step, *e;
	double usd;

	if (!usage_is_known(&copy.usage) && !val_double(val_get(detail, STR("estimated_cost_usd")), &usd))
		return;
	e = reading_add(r, EVENT_COST);
	e->ts = copy.ts;
	e->branch = copy.branch;
	e->step = copy.step;
	e->model = copy.model;
	e->usage = copy.usage;
	e->scope = STR("step");
	if (val_double(val_get(detail, STR("estimated_cost_usd")), &usd) && usd >= 0) {
		e->usd = AMOUNT(usd);
		e->usd.source = FIGURE_ESTIMATED;
	}
}

/* The hint of CALL and NOTE. */
struct trace_hint {
	struct str node, parent; /* its own id, and the first of its parents; p NULL: none */
	bool unknown;            /* NOTE: of a type that this version does not have */
};

static void set_place(struct reading *r, struct val v, struct event *e, bool unknown)
{
	struct trace_hint *h = arena_new(r->arena, struct trace_hint);
	struct val parent;
	struct val_iter it = val_begin(val_get(v, STR("parent_node_ids")));

	h->unknown = unknown;
	h->node = reading_peek(r, v, STR("node_id"));
	if (val_is(it.container, JSON_ARRAY) && val_next(&it, &parent) && val_is(parent, JSON_STRING))
		h->parent = arena_copy(r->arena, val_text(parent, r->arena));
	e->hint = h;
}

static void read_tool_call(struct reading *r, struct val v, struct val detail, struct event *e)
{
	e->call = reading_peek(r, detail, STR("call_id"));
	if (!e->call.p || e->call.n == 0)
		e->call = reading_peek(r, v, STR("node_id"));
	e->tool = reading_peek(r, detail, STR("name"));
	e->args = STR("null"); /* a trace never has them */
	e->flags |= EVENT_WITHHELD;
	set_place(r, v, e, false);
	if (val_is(val_get(detail, STR("partial")), JSON_TRUE))
		e->flags |= EVENT_PARTIAL;
}

static void add_result(struct reading *r, struct val detail, const struct event *call, struct moment end)
{
	struct event copy = *call, *e;

	if (copy.flags & EVENT_PARTIAL)
		return; /* there was none */
	e = reading_add(r, EVENT_RESULT);
	e->ts = end;
	e->branch = copy.branch;
	e->call = copy.call;
	e->duration_ms = peek_ms(detail, STR("wall_time_seconds"));
	e->stall_ms = peek_ms(detail, STR("stall_seconds"));
}

/* An event of a type that this version does not have: it is kept, and counts for nothing. */
static bool is_unknown(struct val v)
{
	struct val type = text_at(v, STR("event_type"));

	return !val_is_none(type) && !val_text_is(type, STR("node"));
}

static void read_other(struct reading *r, struct val v, struct event *e)
{
	e->role = reading_peek(r, v, is_unknown(v) ? STR("event_type") : STR("kind"));
	if (!e->role.p)
		e->role = STR("node");
	set_place(r, v, e, is_unknown(v));
}

static enum event_kind kind_of(struct val v)
{
	struct val kind = val_get(v, STR("kind"));

	if (is_unknown(v))
		return EVENT_NOTE;
	if (val_text_is(kind, STR("model_call")) && val_is(val_get(v, STR("model_call")), JSON_OBJECT))
		return val_is(val_get(v, STR("total_only")), JSON_TRUE) ? EVENT_COST : EVENT_STEP;
	if (val_text_is(kind, STR("tool_call")) && val_is(val_get(v, STR("tool_call")), JSON_OBJECT))
		return EVENT_CALL;
	return EVENT_NOTE;
}

static void read_node(struct reading *r, struct val v)
{
	enum event_kind kind = kind_of(v);
	struct val model = val_get(v, STR("model_call")), tool = val_get(v, STR("tool_call"));
	struct moment end = peek_time(r, v, STR("timestamp_end"));
	bool usual = take_head(r, v, STR("node"), val_get(v, STR("kind")));
	struct event *e;

	add_run(r, v, end);
	e = reading_add(r, kind);
	e->ts = kind == EVENT_CALL ? peek_time(r, v, STR("timestamp_start")) : end;
	e->branch = reading_peek(r, v, STR("agent_id"));
	if ((kind == EVENT_STEP || kind == EVENT_CALL) && usual)
		reading_take(r, val_get(v, STR("kind")));
	if (kind == EVENT_STEP)
		read_model_call(r, v, model, e);
	else if (kind == EVENT_CALL)
		read_tool_call(r, v, tool, e);
	else if (kind == EVENT_COST)
		read_total(r, model, e);
	else
		read_other(r, v, e);
	reading_rest(r, e, v);
	if (!usual)
		reading_extra(r, e, STR(AT_AS_IS), STR("true"));
	if (kind == EVENT_STEP)
		add_cost(r, model, e);
	else if (kind == EVENT_CALL)
		add_result(r, tool, e, end);
}

static void read_summary(struct reading *r, struct val v)
{
	struct val exit = text_at(v, STR("exit_status"));
	enum run_status status = words_find_status(reading_peek(r, v, STR("exit_status")));
	struct str completed = reading_peek(r, v, STR("completed_at")), started = reading_peek(r, v, STR("started_at"));
	bool usual = status != STATUS_UNKNOWN && take_head(r, v, STR("summary"), exit);
	struct event *e;

	add_run(r, v, reading_time_text(r, started));
	e = reading_add(r, EVENT_RUN_END);
	e->ts = reading_time_text(r, completed);
	e->status = status != STATUS_UNKNOWN ? status : STATUS_INTERRUPTED; /* it does not say that it was a success */
	if (usual)
		reading_take(r, exit);
	e->reason = reading_string(r, v, STR("error_message"));
	reading_rest(r, e, v);
	if (!usual)
		reading_extra(r, e, STR(AT_AS_IS), STR("true"));
}

/* Another version may mean something else by the same names. */
static bool check_version(struct reading *r, struct val v)
{
	struct str version = reading_peek(r, v, STR("schema_version"));

	if (r->permissive || str_eq(version, STR("agent-trace/v1")))
		return true;
	reading_refuse(r, version.n ? arena_printf(r->arena, "the version '%.*s' is not known here", STR_ARG(version)) :
				      STR("the line has no schema_version"));
	return false;
}

static void read_value(struct reading *r, struct val v)
{
	if (!check_version(r, v))
		return;
	if (val_text_is(val_get(v, STR("event_type")), STR("summary")))
		read_summary(r, v);
	else
		read_node(r, v);
}

/* ---- the order of the trace ---- */

#define RECENT 256 /* nodes; a parent is hardly ever further away */

enum { NODE_STEP = 1, NODE_CALL, NODE_FORK };

struct recent {
	struct hash id;
	int what;
	struct str of; /* NODE_FORK: the step it comes from */
};

struct fold {
	struct arena arenas[2]; /* texts of the older and of the newer half */
	struct recent nodes[RECENT];
	size_t next;
	struct buf run;
	bool has_run;
	bool ended;  /* by a summary */
	bool failed; /* the latest node did */
	struct trace_calls *calls;
};

static void *fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->arenas[0]);
	arena_init(&f->arenas[1]);
	f->calls = trace_calls_open();
	return f;
}

static void fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arenas[0]);
	arena_free(&f->arenas[1]);
	trace_calls_close(f->calls);
	buf_free(&f->run);
	mem_free(f);
}

static const struct recent *find_node(const struct fold *f, struct str id)
{
	struct hash h = str_hash_wide(id);

	for (size_t i = 0; i < RECENT && i < f->next; i++) {
		const struct recent *n = &f->nodes[(f->next - 1 - i) % RECENT];

		if (n->what && n->id.a == h.a && n->id.b == h.b)
			return n;
	}
	return NULL;
}

static void add_node(struct fold *f, struct str id, int what, struct str of)
{
	struct arena *a = &f->arenas[f->next / (RECENT / 2) % 2];

	/* the half that is written over now is the one whose texts are in this arena */
	if (f->next % (RECENT / 2) == 0) {
		memset(&f->nodes[f->next % RECENT], 0, sizeof(f->nodes) / 2);
		arena_reset(a);
	}
	f->nodes[f->next++ % RECENT] = (struct recent){ str_hash_wide(id), what, of.p ? arena_copy(a, of) : of };
}

/* The step behind a parent: itself, or that of the branch. */
static struct str step_of(const struct fold *f, struct str parent, struct str *outer)
{
	const struct recent *n = parent.p ? find_node(f, parent) : NULL;

	if (n && n->what == NODE_STEP)
		return parent;
	if (n && n->what == NODE_CALL)
		*outer = n->of;
	return n && n->what == NODE_FORK ? n->of : str_of(NULL, 0);
}

/* A trace without a summary ended where it breaks off: by a failure, or because something stopped it. */
static bool end_trace(struct fold *f, struct assemble *as, struct err *err)
{
	struct event end = {
		.kind = EVENT_RUN_END,
		.flags = EVENT_INFERRED,
		.status = f->failed ? STATUS_ERROR : STATUS_INTERRUPTED,
		.index = -1,
	};
	bool ended = f->ended || !f->has_run;

	f->has_run = f->ended = f->failed = false;
	return ended || trace_calls_add(f->calls, &end, as, err);
}

static bool begin_trace(struct fold *f, const struct event *e, struct assemble *as, struct err *err)
{
	if (!end_trace(f, as, err))
		return false;
	buf_clear(&f->run);
	buf_add_str(&f->run, e->run);
	f->has_run = true;
	return trace_calls_add(f->calls, e, as, err);
}

/* Every node says whether it is the one that failed. */
static void note_end(struct fold *f, const struct event *e, const struct trace_hint *h)
{
	if (e->kind == EVENT_RUN_END)
		f->ended = true;
	else if (e->kind == EVENT_STEP)
		f->failed = str_eq(e->stop_reason, STR("error"));
	else if (e->kind == EVENT_CALL || (e->kind == EVENT_NOTE && !h->unknown))
		f->failed = false;
}

static bool fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	static const struct trace_hint nothing;
	const struct trace_hint *h = e->hint ? e->hint : &nothing;
	struct fold *f = fold;
	struct event mine = *e;

	if (e->kind == EVENT_RUN_START)
		return (f->has_run && str_eq(buf_str(&f->run), e->run)) || begin_trace(f, e, as, err);
	f->has_run = true;
	note_end(f, e, h);
	if (e->kind == EVENT_STEP && e->step.p)
		add_node(f, e->step, NODE_STEP, str_of(NULL, 0));
	mine.hint = NULL;
	if (e->kind == EVENT_CALL || e->kind == EVENT_NOTE)
		mine.step = step_of(f, h->parent, &mine.parent);
	if (e->kind == EVENT_CALL && h->node.p)
		add_node(f, h->node, NODE_CALL, e->call);
	if (e->kind == EVENT_NOTE) {
		if (h->node.p && mine.step.p)
			add_node(f, h->node, NODE_FORK, mine.step);
		mine.step = mine.parent = str_of(NULL, 0);
	}
	return trace_calls_add(f->calls, &mine, as, err);
}

static bool fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct fold *f = fold;

	f->next = 0;
	buf_clear(&f->run);
	memset(f->nodes, 0, sizeof(f->nodes));
	return end_trace(f, as, err) && trace_calls_end(f->calls, as, err);
}

const struct read_ops agent_trace_read = {
	.vendor = "agent-trace",
	.key = "agent-trace/1",
	.value = read_value,
	.fold_open = fold_open,
	.fold_close = fold_close,
	.fold = fold_event,
	.fold_end = fold_end,
};
