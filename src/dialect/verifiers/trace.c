/*
 * A trace of traces.jsonl: messages as a graph, in which each names the one before it, and the calls of the model, each
 * with the message that it gave. A message stands in the graph once, however many branches share it. The branch of a
 * message is that of its parent; where a parent has several children, the first goes on and each other one begins a
 * branch: after a compaction, or in a sub-agent.
 */
#include "dialect/reading/billing.h"
#include "dialect/record/field.h"
#include "dialect/verifiers/fields.h"
#include "dialect/verifiers/rollout.h"
#include "json/write.h"

struct trace_node {
	struct str branch;
	bool has_child;
	struct val call; /* that gave it; VAL_NONE when none did */
};

struct trace {
	struct reading *r;
	struct val v;
	struct trace_node *nodes;
	size_t count;
	struct val *calls;
	size_t call_count, calls_told; /* up to here those without a message were told */
	struct map asked;              /* ids of calls of tools */
	struct verifiers_talk talk;
};

/* ---- calls of the model ---- */

/* Which message a call gave is looked at here; calls without one are errors, and told in their place. */
static void trace_list_calls(struct trace *t)
{
	struct val calls = val_get(t->v, STR("calls"));
	int64_t node;

	if (!val_is(calls, JSON_ARRAY))
		return;
	t->calls = arena_array(t->r->arena, struct val, val_count(calls) + 1);
	VALUES_EACH(call, calls) {
		t->calls[t->call_count++] = call;
		if (val_i64(val_get(call, STR("node")), &node) && node >= 0 && (uint64_t)node < t->count)
			t->nodes[node].call = call;
	}
}

static struct figure trace_sum(struct figure a, struct figure b)
{
	if (!figure_is_known(a) || !figure_is_known(b) || a.n > UINT64_MAX - b.n)
		return a;
	return FIGURE(a.n + b.n);
}

/* prompt_tokens does not hold what was read from the cache. */
static void trace_take_usage(struct reading *r, struct val usage, struct event *e)
{
	e->usage.cache_read = reading_count(r, usage, STR("cached_input_tokens"));
	e->usage.input = trace_sum(reading_count(r, usage, STR("prompt_tokens")), e->usage.cache_read);
	e->usage.output = reading_count(r, usage, STR("completion_tokens"));
	e->usage.reasoning = reading_count(r, usage, STR("reasoning_tokens"));
	e->usd = billing_stated(usage);
	if (amount_is_known(e->usd))
		reading_take(r, val_get(usage, STR("cost")));
}

/* The path of the request, behind the address of the service where that is told. */
static struct str trace_endpoint(struct trace *t, struct val call)
{
	struct str path = reading_text(t->r, call, STR("endpoint"));
	struct str base = val_text_or_none(val_at(t->v, STR("/agent/config/client/base_url")), t->r->arena);

	return path.n && path.p[0] == '/' && base.n ? ARENA_JOIN(t->r->arena, base, path) : path;
}

/* What the call tells of its STEP or ERROR. */
static void trace_read_call(struct trace *t, struct event *e, struct val call)
{
	struct reading *r = t->r;
	struct val time = val_get(call, STR("time"));
	struct moment begun = verifiers_take_seconds(r, val_get(time, STR("start")));
	struct moment ended = verifiers_take_seconds(r, val_get(time, STR("end")));

	e->model = reading_text(r, call, STR("model"));
	e->endpoint = trace_endpoint(t, call);
	e->stop_reason = reading_text(r, call, STR("finish_reason"));
	trace_take_usage(r, val_get(call, STR("usage")), e);
	if (ended.text.p)
		e->ts = ended;
	if (ended.text.p && begun.text.p && ended.ns >= begun.ns)
		e->latency_ms = AMOUNT((double)(ended.ns - begun.ns) / 1e6);
	reading_drop(r, val_get(call, STR("node"))); /* where it stands in the graph: it is with its message now */
	reading_rest_under(r, e, call, STR("call"));
}

/* Calls that gave no message, up to the one that gave the next; all with VAL_NONE. */
static void trace_tell_failed(struct trace *t, struct val until)
{
	for (; t->calls_told < t->call_count; t->calls_told++) {
		struct val call = t->calls[t->calls_told], error = val_get(call, STR("error"));
		struct event *e;

		if (!val_is_none(until) && call.at == until.at)
			return;
		if (!val_is_unset(val_get(call, STR("node"))))
			continue;
		e = reading_add(t->r, val_is(error, JSON_OBJECT) ? EVENT_ERROR : EVENT_STEP);
		if (e->kind == EVENT_ERROR) {
			e->class = STR("model");
			e->text = reading_text(t->r, error, STR("message"));
			e->text = e->text.p ? e->text : STR("");
		}
		trace_read_call(t, e, call);
	}
}

/* ---- messages ---- */

static void trace_place(struct trace *t, size_t i, struct val node)
{
	int64_t parent;

	if (!val_i64(val_get(node, STR("parent")), &parent) || parent < 0 || (uint64_t)parent >= i) {
		if (i > 0) /* another root */
			t->nodes[i].branch = arena_printf(t->r->arena, "branch-%zu", i);
		return;
	}
	t->nodes[i].branch = t->nodes[parent].has_child ? arena_printf(t->r->arena, "branch-%zu", i) :
			     t->nodes[parent].branch;
	t->nodes[parent].has_child = true;
}

/* Whether the model gave it here, or a tool did that the model asked here: other messages were given to the model. */
static bool trace_is_said(struct trace *t, struct val node, struct val message)
{
	struct str id;

	if (val_text_is(val_get(message, STR("role")), STR("tool"))) {
		id = val_text_or_none(val_get(message, STR("tool_call_id")), t->r->arena);
		return id.n ? map_find(&t->asked, id) != NULL : t->talk.steps > 0;
	}
	return val_is(val_get(node, STR("sampled")), JSON_TRUE);
}

/* What stands beside the message goes to its first event. */
static void trace_read_node(struct trace *t, size_t i, struct val node)
{
	struct reading *r = t->r;
	struct val message = val_get(node, STR("message"));
	struct moment ts = verifiers_take_seconds(r, val_get(node, STR("timestamp")));
	size_t from;

	trace_place(t, i, node);
	if (!val_is_none(t->nodes[i].call))
		trace_tell_failed(t, t->nodes[i].call);
	from = r->count;
	if (trace_is_said(t, node, message))
		verifiers_read_said(&t->talk, message);
	else
		verifiers_read_given(&t->talk, message);
	if (r->count == from)
		return;
	for (size_t k = from; k < r->count; k++) {
		r->events[k].branch = t->nodes[i].branch;
		r->events[k].ts = ts;
		if (r->events[k].kind == EVENT_CALL && r->events[k].call.n)
			map_add(&t->asked, r->events[k].call, &(bool){ false });
	}
	if (!val_is_none(t->nodes[i].call) && r->events[from].kind == EVENT_STEP)
		trace_read_call(t, &r->events[from], t->nodes[i].call);
	reading_drop(r, val_get(node, STR("parent"))); /* the branch tells it */
	reading_drop(r, val_get(node, STR("sampled")));
	reading_rest(r, &r->events[from], node);
}

/* ---- the trace ---- */

static void trace_begin(struct trace *t, struct val episode, bool is_first)
{
	struct reading *r = t->r;
	struct val agent = val_get(t->v, STR("agent"));
	struct event *e = reading_add(r, EVENT_RUN_START);

	e->vendor = STR("verifiers");
	e->run = reading_text(r, t->v, STR("id"));
	e->agent = reading_text(r, agent, STR("name"));
	e->agent = e->agent.n ? e->agent : STR("verifiers");
	e->model = reading_text(r, val_get(agent, STR("config")), STR("model"));
	e->ts = verifiers_take_seconds(r, val_at(t->v, STR("/timing/start")));
	if (val_is(val_get(t->v, STR("tools")), JSON_ARRAY))
		e->tools = reading_json(r, e, "tools", t->v, STR("tools"));
	reading_rest_under(r, e, val_get(t->v, STR("task")), STR("task"));
	reading_rest_under(r, e, agent, STR("agent"));
	if (!is_first && val_is(val_get(episode, STR("id")), JSON_STRING))
		reading_extra(r, e, STR("episode"), arena_printf(r->arena, "{\"id\":%.*s}", STR_ARG(reading_quote(r,
			      val_text(val_get(episode, STR("id")), r->arena)))));
}

/* The last end of what was timed. */
static struct moment trace_ended(struct trace *t)
{
	static const struct str spans[] = { WORD("boot"), WORD("setup"), WORD("agent"), WORD("finalize"),
					    WORD("scoring") };
	struct moment last = { .source = MOMENT_NONE }, m;

	for (size_t i = 0; i < COUNT(spans); i++) {
		m = reading_time_of(t->r, val_get(val_get(val_get(t->v, STR("timing")), spans[i]), STR("end")));
		if (m.text.p && (!last.text.p || m.ns >= last.ns))
			last = m;
	}
	return last;
}

static void trace_end(struct trace *t, bool failed)
{
	struct reading *r = t->r;
	struct val done = val_get(t->v, STR("is_completed"));
	struct str reward = { NULL, 0 };
	struct event *e;
	double sum;

	if (verifiers_reward_sum(val_get(t->v, STR("rewards")), &sum)) {
		struct buf b = { 0 };
		struct json_writer w;

		json_write_init(&w, &b, JSON_COMPACT);
		json_write_double(&w, sum);
		reward = arena_take(r->arena, &b);
	}
	e = verifiers_add_end(r, reward, val_get(t->v, STR("metrics")), VAL_NONE);
	e->status = failed || val_is(val_get(t->v, STR("ok")), JSON_FALSE) ? STATUS_ERROR :
		    val_is(done, JSON_TRUE) ? STATUS_SUCCESS : STATUS_INTERRUPTED;
	e->ts = trace_ended(t);
	e->reason = reading_text(r, t->v, STR("stop_condition"));
	if (val_is(done, JSON_TRUE) && e->status == STATUS_SUCCESS)
		reading_take(r, done);
	reading_rest_under(r, e, val_get(t->v, STR("rewards")), STR("rewards"));
	reading_rest(r, e, t->v);
}

void verifiers_read_trace(struct reading *r, struct val v, struct val episode, bool is_first)
{
	struct val nodes = val_get(v, STR("nodes"));
	struct trace t = { .r = r, .v = v, .talk = { .r = r } };
	bool failed = false;
	size_t i = 0;

	t.count = val_is(nodes, JSON_ARRAY) ? val_count(nodes) : 0;
	t.nodes = arena_array(r->arena, struct trace_node, t.count + 1);
	memset(t.nodes, 0, (t.count + 1) * sizeof(t.nodes[0]));
	map_init(&t.asked, r->arena);
	trace_list_calls(&t);
	trace_begin(&t, episode, is_first);
	VALUES_EACH(node, nodes)
		trace_read_node(&t, i++, node);
	trace_tell_failed(&t, VAL_NONE);
	VALUES_EACH(error, val_get(v, STR("errors")))
		failed = verifiers_read_error(r, error) || failed;
	trace_end(&t, failed);
}
