/* Calls of tools: asked for in an answer, answered in a later request, never seen in between. */
#include "capture/graph/run_graph_private.h"
#include "dialect/reading/tool_name.h"
#include "model/words.h"

static uint64_t run_graph_calls_key_of(struct str call)
{
	uint64_t key = call.n ? str_hash(call) : 0;

	return call.n && key == 0 ? 1 : key;
}

/* What a call that was answered is known by afterwards. */
static uint64_t trace_of(struct id owner, uint64_t key)
{
	return run_graph_mix(str_hash(str_of(owner.b, sizeof(owner.b))), key);
}

/* ---- the list ---- */

/* One piece of memory with its texts: thousands may wait. */
static struct run_graph_call *new_call(struct str name, struct str call, struct str agent)
{
	struct run_graph_call *c = mem_alloc(sizeof(*c) + name.n + call.n + agent.n);
	char *text = (char *)(c + 1);
	struct str *const into[] = { &c->name, &c->call, &c->agent_id };
	const struct str from[] = { name, call, agent };

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < 3; i++) {
		if (from[i].n)
			memcpy(text, from[i].p, from[i].n);
		*into[i] = from[i].p ? str_of(text, from[i].n) : from[i];
		text += from[i].n;
	}
	return c;
}

static void link_call(struct run_graph *w, struct run_graph_call *c)
{
	struct run_graph_call **bucket = &w->buckets[c->key % RUN_GRAPH_BUCKETS];

	c->before = w->newest;
	if (w->newest)
		w->newest->after = c;
	else
		w->oldest = c;
	w->newest = c;
	c->next = *bucket;
	c->here = bucket;
	if (c->next)
		c->next->here = &c->next;
	*bucket = c;
	w->call_count++;
}

static void unlink_call(struct run_graph *w, struct run_graph_call *c)
{
	*c->here = c->next;
	if (c->next)
		c->next->here = c->here;
	if (c->before)
		c->before->after = c->after;
	else
		w->oldest = c->after;
	if (c->after)
		c->after->before = c->before;
	else
		w->newest = c->before;
	w->call_count--;
}

static void forget_call(struct run_graph *w, struct run_graph_call *c)
{
	unlink_call(w, c);
	mem_free(c);
}

void run_graph_calls_free(struct run_graph *w)
{
	while (w->oldest)
		forget_call(w, w->oldest);
}

/* ---- nodes ---- */

/* The call is over, with a result or (NULL) without one. Forgets it. */
static void end_call(struct run_graph *w, struct run_graph_call *c, const struct observation_result *r, int64_t ns)
{
	double wall = r && ns > c->asked_ns ? (double)(ns - c->asked_ns) / 1e9 : 0;
	struct trace_tool tool = {
		.name = c->name,
		.call = c->call,
		.wall = wall,
		.stall = c->mcp && r ? wall : -1,
		.external = c->external,
		.partial = !r,
		.wall_source = r ? "inferred" : "unknown",
	};
	struct trace_node n = {
		.kind = AT_TOOL_CALL,
		.id = c->node,
		.parents = &c->parent,
		.parent_count = 1,
		.from_us = run_graph_us(c->asked_ns),
		.to_us = run_graph_us(ns),
		.inferred = true,
		.agent = c->agent_id,
		.framework = c->framework,
		.tool = &tool,
	};

	if (r) {
		tool.size = r->size;
		tool.result_kind = r->kind;
		known_set(w->known, KNOWN_CALL, trace_of(c->owner, c->key), c->node);
	}
	if (tool.stall >= 0) {
		w->stall += tool.stall;
		w->stalls++;
	}
	run_graph_put(w, &n);
	forget_call(w, c);
}

/* Nobody knows its result. Of a call that perhaps was never made nothing is written. */
static void give_up(struct run_graph *w, struct run_graph_call *c, int64_t ns)
{
	if (c->tentative)
		forget_call(w, c);
	else
		end_call(w, c, NULL, ns);
}

void run_graph_give_up(struct run_graph *w, int64_t ns)
{
	while (w->oldest)
		give_up(w, w->oldest, ns);
}

/* ---- asked for ---- */

void run_graph_ask(struct run_graph *w, const struct run_graph_open *x, const struct observation *s)
{
	struct run_graph_ids one = { .count = 0 }, nodes = { .count = 0 };
	struct id parent = x->node;

	for (size_t i = 0; i < s->call_count; i++)
		run_graph_ids_add(w, &nodes, run_graph_new_id(w, s->ended_ns));
	/* of tentative ones nobody knows yet how many there will be, so they hang on the model call itself */
	if (nodes.count > 1 && !s->partial) {
		run_graph_ids_add(w, &one, x->node);
		parent = run_graph_put_branch(w, "fan_out", &one, &nodes, s->ended_ns, x->agent_id, x->framework);
	}
	for (size_t i = 0; i < nodes.count; i++) {
		struct event e = { .kind = EVENT_CALL, .tool = s->calls[i].name };
		struct run_graph_call *c;
		struct str name;
		bool mcp;

		while (w->call_count >= RUN_GRAPH_CALLS)
			give_up(w, w->oldest, s->ended_ns);
		name = tool_name_trace(&w->scratch, &e, &mcp);
		c = new_call(name, s->calls[i].call, x->agent_id);
		c->node = nodes.ids[i];
		c->parent = parent;
		c->owner = x->node;
		c->key = run_graph_calls_key_of(s->calls[i].call);
		c->agent = x->agent;
		c->asked_ns = s->ended_ns;
		c->mcp = mcp;
		c->external = words_tool_is_external(name, mcp);
		c->framework = x->framework;
		c->tentative = s->partial;
		link_call(w, c);
	}
}

/* ---- answered ---- */

/* By its id: of the call before the first, else the latest that waits. */
static struct run_graph_call *find_by_id(const struct run_graph *w, uint64_t key, const struct id *before)
{
	struct run_graph_call *own = NULL, *latest = NULL;

	for (struct run_graph_call *c = w->buckets[key % RUN_GRAPH_BUCKETS]; c; c = c->next) {
		if (c->key != key)
			continue;
		if (before && id_eq(c->owner, *before))
			own = c; /* the bucket has the latest first */
		latest = latest ? latest : c;
	}
	return own ? own : latest;
}

/* Without an id: the first that has the name, among those of the call before. */
static struct run_graph_call *find_by_name(struct run_graph *w, struct str tool, const struct id *before)
{
	struct event e = { .kind = EVENT_CALL, .tool = tool };
	struct str bare = tool.n ? tool_name_trace(&w->scratch, &e, NULL) : tool;
	struct run_graph_call *first = NULL;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		if (tool.n && !str_eq(bare, c->name))
			continue;
		if (before && id_eq(c->owner, *before))
			return c;
		first = first || c->tentative ? first : c;
	}
	return before ? NULL : first;
}

void run_graph_take_results(struct run_graph *w, const struct observation *s, const struct id *before, size_t from,
			    struct run_graph_ids *parents)
{
	for (size_t i = 0; i < s->result_count; i++) {
		const struct observation_result *r = &s->results[i];
		uint64_t key = run_graph_calls_key_of(r->call);
		struct run_graph_call *c;
		struct id node;

		if (r->message < from)
			continue;
		c = key ? find_by_id(w, key, before) : find_by_name(w, r->tool, before);
		if (c) {
			run_graph_ids_add(w, parents, c->node);
			end_call(w, c, r, s->begun_ns);
		} else if (before && key && known_find(w->known, KNOWN_CALL, trace_of(*before, key), &node)) {
			run_graph_ids_add(w, parents, node); /* another request has brought it already */
		}
	}
}

bool run_graph_claim(struct run_graph *w, uint64_t agent, struct id *node)
{
	struct run_graph_call *best = NULL;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		bool named = str_eq(c->name, STR("Task")) || str_eq(c->name, STR("Agent"));

		if (c->agent != agent || c->claimed || c->tentative)
			continue;
		if (named) {
			best = c;
			break;
		}
		best = best ? best : c;
	}
	if (!best)
		return false;
	best->claimed = true;
	*node = best->node;
	return true;
}
