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
#include "dialect/agent_trace/clean.h"
#include "dialect/agent_trace/agent_trace.h"
#include "dialect/agent_trace/calls.h"
#include "dialect/agent_trace/fields.h"
#include "dialect/reading/reading.h"
#include "dialect/record/io.h"
#include "dialect/record/seed_formats.h"
#include "model/assemble.h"
#include "model/words.h"

/* ---- one event of a trace ---- */

/* Only what can be written again as it was. */
static struct str take_text(struct reading *r, struct val v)
{
	return val_is(v, JSON_STRING) ? reading_text_of(r, v) : str_of(NULL, 0);
}

/* Absent for what is negative or 1e12 seconds and more. The number itself stays in the rest. */
static struct amount peek_ms(struct val v)
{
	double seconds;

	if (!val_double(v, &seconds) || !(seconds >= 0 && seconds < 1e12))
		return (struct amount){ 0, 0, 0 };
	return AMOUNT(seconds * 1000);
}

/* Seconds since 1970. The number itself stays in the rest. */
static struct moment peek_time(struct reading *r, struct val v)
{
	return val_is(v, JSON_NUMBER) ? reading_time_of(r, v) : (struct moment){ .source = MOMENT_NONE };
}

/*
 * Whether an event has what every event of its type has. If it has, that is taken; if not, the event stays as it is in
 * the rest, with a note that nothing is to be added to it when it is written again.
 */
static bool take_head(struct reading *r, const struct val *head, struct str type, struct val word)
{
	if (!val_text_is(head[ND_VERSION], STR("agent-trace/v1")) || !val_text_is(head[ND_EVENT], type) ||
	    !val_is(head[ND_TRACE], JSON_STRING) || !val_is(word, JSON_STRING))
		return false;
	for (size_t i = ND_VERSION; i <= ND_TRACE; i++)
		reading_take(r, head[i]);
	return true;
}

_Static_assert((int)ND_VERSION == (int)SM_VERSION && (int)ND_EVENT == (int)SM_EVENT && (int)ND_TRACE == (int)SM_TRACE,
	       "nodes and summaries have the same head");

/* The run that the line belongs to; the fold lets through the first of each. */
static void agent_trace_read_add_run(struct reading *r, struct val id, struct val framework, struct moment ts)
{
	struct str trace = val_text_copy(id, r->arena);
	struct event *e;

	if (!trace.p || trace.n == 0)
		return;
	e = reading_add(r, EVENT_RUN_START);
	e->run = trace;
	e->ts = ts;
	e->framework = val_text_copy(framework, r->arena);
	reading_extra(r, e, STR("trace_id"), reading_quote(r, trace));
}

/* The sources of both figures, which OTUTL has one word for, stay in the rest. */
static void set_source(struct figure *f, struct val word)
{
	if (!val_text_is(word, STR("api")))
		f->source = FIGURE_ESTIMATED;
}

/* Taken counts leave the rest, so they must come back as they were: no more than a double holds. */
static struct figure trace_read_count(struct reading *r, struct val v, bool take)
{
	int64_t n;

	if (!val_i64(v, &n) || n < 0 || (take && n >= (int64_t)1 << 53))
		return (struct figure){ 0, 0, 0 };
	if (take)
		reading_take(r, v);
	return FIGURE((uint64_t)n);
}

/* `take`: counts leave the rest of the node, because the writer writes them again from the event. */
static struct usage trace_read_usage(struct reading *r, const struct val *call, bool take)
{
	struct usage u = {
		.input = trace_read_count(r, call[MC_INPUT], take),
		.output = trace_read_count(r, call[MC_OUTPUT], take),
		.cache_read = trace_read_count(r, call[MC_FIELDS + AF_CACHE_READ], take),
		.cache_write = trace_read_count(r, call[MC_FIELDS + AF_CACHE_WRITE], take),
		.reasoning = trace_read_count(r, call[MC_FIELDS + AF_REASONING], take),
	};

	set_source(&u.input, call[MC_INPUT_SOURCE]);
	set_source(&u.output, call[MC_OUTPUT_SOURCE]);
	return u;
}

/* The price of a call is an estimate unless the trace says that the service stated it. */
static void set_usd(struct event *e, const struct val *call)
{
	bool stated = val_text_is(call[MC_FIELDS + AF_COST_SOURCE], STR("api"));
	double usd;

	if (val_double(call[MC_FIELDS + AF_USD], &usd) && usd >= 0)
		e->usd = (struct amount){ FIGURE_KNOWN, stated ? FIGURE_API : FIGURE_ESTIMATED, usd };
}

/* No call, but what a log stated only in total. All of the node stays in the rest. */
static void read_total(struct reading *r, const struct val *call, struct event *e)
{
	e->scope = STR("run");
	e->flags |= EVENT_TOTAL | EVENT_INFERRED;
	e->model = val_text_copy(call[MC_MODEL], r->arena);
	if (str_eq(e->model, STR("unknown")))
		e->model = str_of(NULL, 0);
	e->usage = trace_read_usage(r, call, false);
	e->latency_ms = peek_ms(call[MC_LATENCY]);
	set_usd(e, call);
}

/* The step of a model_call. What can be written again as it was is taken; the rest stays with the event. */
static void read_model_call(struct reading *r, const struct val *node, const struct val *call, struct event *e)
{
	struct val choice = call[MC_TOOL_CHOICE];

	e->step = val_text_copy(node[ND_ID], r->arena);
	e->flags |= EVENT_LAST;
	e->endpoint = take_text(r, call[MC_ENDPOINT]);
	e->model = take_text(r, call[MC_MODEL]);
	e->usage = trace_read_usage(r, call, true);
	if (val_text_is(choice, STR("auto")) || val_text_is(choice, STR("none")) ||
	    val_text_is(choice, STR("required")))
		e->tool_choice = take_text(r, call[MC_TOOL_CHOICE]);
	e->stop_reason = take_text(r, call[MC_STOP]);
	if (str_eq(e->stop_reason, STR("error")) && val_is(call[MC_FIELDS + AF_REFUSED], JSON_TRUE))
		e->stop_reason = STR("refusal");
	e->request_id = take_text(r, call[MC_REQUEST_ID]);
	e->response_id = take_text(r, call[MC_FIELDS + AF_RESPONSE_ID]);
	e->latency_ms = peek_ms(call[MC_LATENCY]);
	e->ttft_ms = peek_ms(call[MC_TTFT]);
	if (val_is(call[MC_STREAM], JSON_TRUE))
		e->flags |= EVENT_STREAM;
	else if (val_is(call[MC_STREAM], JSON_FALSE) && !at_list_names(call[MC_FIELDS + AF_INFERRED], STR("stream")))
		e->flags |= EVENT_NO_STREAM;
	if (val_is(call[MC_FIELDS + AF_PARTIAL], JSON_TRUE))
		e->flags |= EVENT_PARTIAL;
}

/* One that asks for a COST of its own: the price, where the node has one. */
static void agent_trace_read_add_cost(struct reading *r, const struct val *call, const struct event *step)
{
	struct event copy = *step, *e;
	double usd;

	if (!usage_is_known(&copy.usage) && !val_double(call[MC_FIELDS + AF_USD], &usd))
		return;
	e = reading_add(r, EVENT_COST);
	e->ts = copy.ts;
	e->branch = copy.branch;
	e->step = copy.step;
	e->model = copy.model;
	e->usage = copy.usage;
	e->scope = STR("step");
	set_usd(e, call);
}

/* The hint of CALL and NOTE. */
struct trace_hint {
	struct str node, parent; /* its own id, and the first of its parents; p NULL: none */
	bool unknown;            /* NOTE: of a type that this version does not have */
};

/* Keeps the ids by which the fold finds the step that a call belongs to. */
static void set_place(struct reading *r, const struct val *node, struct event *e, bool unknown)
{
	struct trace_hint *h = arena_new(r->arena, struct trace_hint);
	struct val parent;
	struct val_iter it = val_begin(node[ND_PARENTS]);

	h->unknown = unknown;
	h->node = val_text_copy(node[ND_ID], r->arena);
	if (val_is(it.container, JSON_ARRAY) && val_next(&it, &parent) && val_is(parent, JSON_STRING))
		h->parent = arena_copy(r->arena, val_text(parent, r->arena));
	e->hint = h;
}

/* A call without an id of its own is known by its node's. */
static void read_tool_call(struct reading *r, const struct val *node, const struct val *call, struct event *e)
{
	e->call = val_text_copy(call[TC_FIELDS + AF_CALL_ID], r->arena);
	if (!e->call.p || e->call.n == 0)
		e->call = val_text_copy(node[ND_ID], r->arena);
	e->tool = val_text_copy(call[TC_NAME], r->arena);
	e->args = STR("null"); /* a trace never has them */
	e->flags |= EVENT_WITHHELD;
	set_place(r, node, e, false);
	if (val_is(call[TC_FIELDS + AF_PARTIAL], JSON_TRUE))
		e->flags |= EVENT_PARTIAL;
}

/* A trace has no results, only how long the call took: the result has no content. */
static void agent_trace_read_add_result(struct reading *r, const struct val *call, const struct event *made,
					struct moment end)
{
	struct event copy = *made, *e;

	if (copy.flags & EVENT_PARTIAL)
		return; /* there was none */
	e = reading_add(r, EVENT_RESULT);
	e->ts = end;
	e->branch = copy.branch;
	e->call = copy.call;
	e->duration_ms = peek_ms(call[TC_WALL]);
	e->stall_ms = peek_ms(call[TC_STALL]);
}

/* An event of a type that this version does not have: it is kept, and counts for nothing. */
static bool is_unknown(const struct val *node)
{
	return val_is(node[ND_EVENT], JSON_STRING) && !val_text_is(node[ND_EVENT], STR("node"));
}

static void agent_trace_read_other(struct reading *r, const struct val *node, struct event *e)
{
	e->role = val_text_copy(node[is_unknown(node) ? ND_EVENT : ND_KIND], r->arena);
	if (!e->role.p)
		e->role = STR("node");
	set_place(r, node, e, is_unknown(node));
}

static enum event_kind agent_trace_read_kind_of(const struct val *node)
{
	if (is_unknown(node))
		return EVENT_NOTE;
	if (val_text_is(node[ND_KIND], STR("model_call")) && val_is(node[ND_MODEL_CALL], JSON_OBJECT))
		return val_is(node[ND_FIELDS + AF_TOTAL_ONLY], JSON_TRUE) ? EVENT_COST : EVENT_STEP;
	if (val_text_is(node[ND_KIND], STR("tool_call")) && val_is(node[ND_TOOL_CALL], JSON_OBJECT))
		return EVENT_CALL;
	return EVENT_NOTE;
}

/* The events of one node: the run it belongs to, what it is, and the cost or result that a node has with it. */
static void agent_trace_read_node(struct reading *r, struct val v)
{
	struct val node[AT_FIELDS], call[AT_FIELDS];
	enum event_kind kind;
	struct moment end;
	struct event *e;
	bool usual;

	record_pick(&at_node, v, node);
	kind = agent_trace_read_kind_of(node);
	if (kind == EVENT_CALL)
		record_pick(&at_tool_call, node[ND_TOOL_CALL], call);
	else
		record_pick(&at_model_call, node[ND_MODEL_CALL], call);
	end = peek_time(r, node[ND_END]);
	usual = take_head(r, node, STR("node"), node[ND_KIND]);
	agent_trace_read_add_run(r, node[ND_TRACE], node[ND_FRAMEWORK], end);
	e = reading_add(r, kind);
	e->ts = kind == EVENT_CALL ? peek_time(r, node[ND_START]) : end;
	e->branch = val_text_copy(node[ND_FIELDS + AF_AGENT_ID], r->arena);
	if ((kind == EVENT_STEP || kind == EVENT_CALL) && usual)
		reading_take(r, node[ND_KIND]);
	if (kind == EVENT_STEP)
		read_model_call(r, node, call, e);
	else if (kind == EVENT_CALL)
		read_tool_call(r, node, call, e);
	else if (kind == EVENT_COST)
		read_total(r, call, e);
	else
		agent_trace_read_other(r, node, e);
	reading_rest(r, e, v);
	if (!usual)
		reading_extra(r, e, STR(AT_AS_IS), STR("true"));
	if (kind == EVENT_STEP)
		agent_trace_read_add_cost(r, call, e);
	else if (kind == EVENT_CALL)
		agent_trace_read_add_result(r, call, e, end);
}

/* The summary is the end of the run. A status that is no word of ours stays as it is in the rest. */
static void agent_trace_read_summary(struct reading *r, struct val v)
{
	struct val s[AT_FIELDS];
	enum run_status status;
	struct event *e;
	bool usual;

	record_pick(&at_summary, v, s);
	status = words_find_status(val_text_copy(s[SM_EXIT], r->arena));
	usual = status != STATUS_UNKNOWN && take_head(r, s, STR("summary"), s[SM_EXIT]);
	agent_trace_read_add_run(r, s[SM_TRACE], val_get(v, STR("framework")),
				 reading_time_text(r, val_text_copy(s[SM_STARTED], r->arena)));
	e = reading_add(r, EVENT_RUN_END);
	e->ts = reading_time_text(r, val_text_copy(s[SM_COMPLETED], r->arena));
	e->status = status != STATUS_UNKNOWN ? status : STATUS_INTERRUPTED; /* it does not say that it was a success */
	if (usual)
		reading_take(r, s[SM_EXIT]);
	e->reason = take_text(r, s[SM_ERROR]);
	reading_rest(r, e, v);
	if (!usual)
		reading_extra(r, e, STR(AT_AS_IS), STR("true"));
}

/* Another version may mean something else by the same names. */
static bool agent_trace_read_check_version(struct reading *r, struct val v)
{
	struct str version = val_text_copy(val_get(v, STR("schema_version")), r->arena);

	if (r->permissive || str_eq(version, STR("agent-trace/v1")))
		return true;
	reading_refuse(r, !version.n ? STR("the line has no schema_version") :
			  arena_printf(r->arena, "version '%.*s' is unknown", STR_ARG(clean_model(version))));
	return false;
}

static void agent_trace_read_value(struct reading *r, struct val v)
{
	if (!agent_trace_read_check_version(r, v))
		return;
	if (val_text_is(val_get(v, STR("event_type")), STR("summary")))
		agent_trace_read_summary(r, v);
	else
		agent_trace_read_node(r, v);
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

static void *agent_trace_read_fold_open(void)
{
	struct fold *f = mem_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	arena_init(&f->arenas[0]);
	arena_init(&f->arenas[1]);
	f->calls = trace_calls_open();
	return f;
}

static void agent_trace_read_fold_close(void *fold)
{
	struct fold *f = fold;

	arena_free(&f->arenas[0]);
	arena_free(&f->arenas[1]);
	trace_calls_close(f->calls);
	buf_free(&f->run);
	mem_free(f);
}

/* One of the latest RECENT nodes by its id, newest first; NULL for one that is further away. */
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

static void agent_trace_read_add_node(struct fold *f, struct str id, int what, struct str of)
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
static struct str agent_trace_read_step_of(const struct fold *f, struct str parent, struct str *outer)
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

/* Ends the trace before, if no summary did. */
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

/*
 * Passes on the first RUN_START of each trace, and gives calls their step. Notes are remembered only as forks
 * between a step and its calls.
 */
static bool agent_trace_read_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
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
		agent_trace_read_add_node(f, e->step, NODE_STEP, str_of(NULL, 0));
	mine.hint = NULL;
	if (e->kind == EVENT_CALL || e->kind == EVENT_NOTE)
		mine.step = agent_trace_read_step_of(f, h->parent, &mine.parent);
	if (e->kind == EVENT_CALL && h->node.p)
		agent_trace_read_add_node(f, h->node, NODE_CALL, e->call);
	if (e->kind == EVENT_NOTE) {
		if (h->node.p && mine.step.p)
			agent_trace_read_add_node(f, h->node, NODE_FORK, mine.step);
		mine.step = mine.parent = str_of(NULL, 0);
	}
	return trace_calls_add(f->calls, &mine, as, err);
}

static bool agent_trace_read_fold_end(void *fold, struct assemble *as, struct err *err)
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
	.value = agent_trace_read_value,
	.fold_open = agent_trace_read_fold_open,
	.fold_close = agent_trace_read_fold_close,
	.fold = agent_trace_read_fold_event,
	.fold_end = agent_trace_read_fold_end,
};
