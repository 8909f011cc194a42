/* Calls of tools: asked for in an answer, answered in a later request, never seen in between. */
#include "capture/graph/run_graph_begin.h"

#include "dialect/reading/tool_name.h"
#include "model/words.h"

uint64_t run_graph_call_key(struct str call)
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
	c->seen = RUN_GRAPH_SEEN_NONE;
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

static void free_call(struct run_graph_call *c)
{
	mem_free(c->texts);
	mem_free(c);
}

static void forget_call(struct run_graph *w, struct run_graph_call *c)
{
	run_graph_forget_commands(w, c);
	unlink_call(w, c);
	free_call(c);
}

/* It was answered, but perhaps the agent that it is for begins only now: it is kept for a while. */
static void keep_spawned(struct run_graph *w, struct run_graph_call *c)
{
	struct run_graph_call **at = &w->spawned;
	size_t n = 1;

	run_graph_forget_commands(w, c);
	unlink_call(w, c);
	c->next = w->spawned;
	w->spawned = c;
	while (*at && n++ <= RUN_GRAPH_SPAWNED)
		at = &(*at)->next;
	if (*at) {
		free_call(*at);
		*at = NULL;
	}
}

void run_graph_calls_free(struct run_graph *w)
{
	while (w->oldest)
		forget_call(w, w->oldest);
	while (w->spawned) {
		struct run_graph_call *c = w->spawned;

		w->spawned = c->next;
		free_call(c);
	}
}

/* ---- nodes ---- */

/*
 * Of several calls some may be typed answers. Now it shows: all are calls, or (`real` false) those that are typed are
 * none. The branch is written that the others hang on; one alone needs none.
 */
static void settle_group(struct run_graph *w, struct id owner, bool real)
{
	struct run_graph_ids nodes = { .count = 0 }, one = { .count = 0 };
	struct run_graph_call *first = NULL, *after;
	struct id parent = owner;

	for (struct run_graph_call *c = w->oldest; c; c = after) {
		after = c->after;
		if (!c->grouped || !id_eq(c->owner, owner))
			continue;
		if (!real && c->typed) {
			forget_call(w, c);
			continue;
		}
		first = first ? first : c;
		run_graph_ids_add(w, &nodes, c->node);
	}
	if (nodes.count > 1) {
		run_graph_ids_add(w, &one, owner);
		parent = run_graph_put_branch(w, "fan_out", &one, &nodes, first->asked_ns, first->agent_id,
					      first->framework);
	}
	for (struct run_graph_call *c = first; c; c = c->after) {
		if (!c->grouped || !id_eq(c->owner, owner))
			continue;
		c->grouped = c->typed = false;
		c->parent = parent;
	}
}

/* How a call ended. */
enum call_end {
	CALL_ANSWERED,
	CALL_TOLD,  /* the conversation went on, and no result has its id */
	CALL_NEVER, /* it ended when it was asked, as far as anybody knows */
};

/* What the node says, from what was seen of the call: exactly, or as the conversation shows it. */
static void fill_tool(const struct run_graph_call *c, enum call_end how, int64_t ns, struct trace_tool *tool,
		      struct trace_node *n)
{
	const struct run_graph_seen *seen = &c->seen;
	int64_t from = seen->begun_ns >= 0 ? seen->begun_ns : c->asked_ns, took;

	if (run_graph_is_exact(seen)) {
		tool->wall = run_graph_seen_wall(seen);
		tool->stall = run_graph_seen_stall(seen, tool->wall);
		tool->partial = seen->partial;
		n->from_us = run_graph_us(seen->begun_ns);
		n->to_us = run_graph_us(seen->ended_ns);
		n->inferred = false;
		return;
	}
	took = how == CALL_NEVER ? 0 : ns - from - (seen->asked_to_ns > from ? seen->asked_ns : 0);
	tool->wall = took > 0 ? (double)took / 1e9 : 0;
	tool->stall = run_graph_seen_stall(seen, tool->wall);
	tool->partial = how == CALL_NEVER;
	tool->wall_source = how == CALL_NEVER ? "unknown" : "inferred";
	n->from_us = run_graph_us(from);
	n->to_us = run_graph_us(how == CALL_NEVER ? from : ns);
	n->inferred = true;
}

/*
 * A person was asked while the call was with the agent, and nobody saw it end: it was refused, or is not over yet. What
 * was waited for until the conversation went on is no time of the tool.
 */
static bool was_refused(const struct run_graph_call *c, enum call_end how)
{
	return how != CALL_NEVER && c->seen.wait_ns >= c->seen.begun_ns && !run_graph_is_exact(&c->seen);
}

static void note_tool(struct run_graph *w, const struct run_graph_call *c, const struct trace_node *n,
		      double stall)
{
	struct run_graph_recent r = {
		.node = c->node,
		.above = c->parent,
		.is_tool = true,
		.layers = n->layers,
		.rank = run_graph_is_exact(&c->seen) ? c->seen.rank : 0,
		.from_us = n->from_us,
		.to_us = n->to_us,
		.stall = stall,
		.seen = c->seen,
		.name = str_hash(c->name),
		.input = -1,
		.output = -1,
		.tail_size = (uint8_t)(c->name.n < RUN_GRAPH_TAIL ? c->name.n : RUN_GRAPH_TAIL),
	};

	if (r.tail_size)
		memcpy(r.tail, c->name.p + c->name.n - r.tail_size, r.tail_size);
	if (c->key)
		known_set(w->known, KNOWN_TOOL, c->key, c->node);
	run_graph_note_recent(w, &r);
}

static void end_call(struct run_graph *w, struct run_graph_call *c, enum call_end how,
		     const struct observation_result *r, int64_t ns)
{
	struct trace_tool tool = {
		.name = c->name,
		.call = c->call,
		.external = c->external || (c->seen.layers & 1u << SIGHT_MCP),
	};
	struct trace_node n = {
		.kind = AT_TOOL_CALL,
		.id = c->node,
		.layers = c->seen.layers | (c->unasked && !r ? 0 : 1u << SIGHT_PROXY),
		.agent = c->agent_id,
		.framework = c->framework,
		.tool = &tool,
	};
	struct run_graph_ids parents = { .count = 0 };

	if (c->grouped)
		settle_group(w, c->owner, true);
	c->seen.mcp = c->mcp && (how == CALL_ANSWERED || run_graph_is_exact(&c->seen));
	run_graph_end_wait(w, c, was_refused(c, how) ? ns : -1);
	fill_tool(c, how, ns, &tool, &n);
	if (!c->unasked || c->has_parent)
		run_graph_ids_add(w, &parents, c->parent);
	if (c->seen.waited)
		run_graph_ids_add(w, &parents, c->seen.wait);
	n.parents = parents.ids;
	n.parent_count = parents.count;
	tool.size = r ? r->size : c->seen.size >= 0 ? FIGURE((uint64_t)c->seen.size) : tool.size;
	tool.result_kind = r ? r->kind : c->seen.result_kind;
	if (how != CALL_NEVER)
		known_set(w->known, KNOWN_CALL, trace_of(c->owner, c->key), c->node);
	if (tool.stall >= 0) {
		w->stall += tool.stall;
		w->stalls++;
	}
	if (n.inferred)
		run_graph_put(w, &n);
	else
		run_graph_put_exact(w, &n);
	note_tool(w, c, &n, tool.stall);
	if (how == CALL_ANSWERED && !c->claimed && run_graph_is_spawn(c->name))
		keep_spawned(w, c);
	else
		forget_call(w, c);
}

void run_graph_end_call(struct run_graph *w, struct run_graph_call *c, int64_t ns)
{
	end_call(w, c, CALL_TOLD, NULL, ns);
}

/* Nobody knows its result. Of a call that perhaps was never made, or is none, nothing is written. */
static void give_up(struct run_graph *w, struct run_graph_call *c)
{
	if (c->grouped)
		settle_group(w, c->owner, false);
	else if ((c->tentative || c->typed) && !c->seen.layers)
		forget_call(w, c);
	else
		end_call(w, c, CALL_NEVER, NULL, c->asked_ns);
}

void run_graph_give_up(struct run_graph *w, bool interrupted)
{
	for (struct run_graph_call *c = w->oldest; c; c = c->after)
		c->typed = c->typed && !interrupted && !c->seen.layers;
	while (w->oldest)
		give_up(w, w->oldest);
}

/* ---- asked for ---- */

uint64_t run_graph_users(const struct observation *s, size_t most, size_t *count)
{
	uint64_t digest = 1;

	*count = 0;
	for (size_t i = 0; i < s->message_count && *count < most; i++) {
		if (s->messages[i].role != OBSERVED_USER)
			continue;
		digest = run_graph_mix(digest, s->messages[i].mark);
		++*count;
	}
	return digest;
}

/* Whether the call is perhaps the answer itself: its name was the only one to choose, or is a client's for that. */
static bool is_typed(const struct observation *s, const struct observation_call *c)
{
	return (s->chosen.p && str_eq(s->chosen, c->name)) ||
	       (s->types_by_result && str_starts(c->name, STR("final_result")));
}

static bool has_typed(const struct observation *s)
{
	for (size_t i = 0; i < s->call_count; i++)
		if (is_typed(s, &s->calls[i]))
			return true;
	return false;
}

/* ---- seen by others before the answer that asks for it is over ---- */

struct run_graph_call *run_graph_add_unasked(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_call *c;
	struct id owner;
	struct str name;
	bool mcp;

	while (w->call_count >= RUN_GRAPH_CALLS)
		give_up(w, w->oldest);
	name = run_graph_see_name(w, s, &mcp);
	c = new_call(name, s->call, s->agent);
	c->key = run_graph_call_key(s->call);
	c->since_ns = c->asked_ns = s->begun_ns >= 0 ? s->begun_ns : s->ended_ns;
	c->node = run_graph_new_id(w, c->asked_ns);
	c->agent = run_graph_agent(s->session, s->agent);
	c->mcp = mcp;
	c->external = words_tool_is_external(name, mcp);
	c->framework = run_graph_framework(w, s->framework);
	c->tentative = c->unasked = true;
	c->has_parent = run_graph_find_asker(w, s, &owner);
	c->parent = c->has_parent ? owner : c->node;
	c->owner = c->parent; /* what carries its result goes on from here */
	link_call(w, c);
	return c;
}

void run_graph_end_unasked(struct run_graph *w, struct run_graph_call *c)
{
	end_call(w, c, CALL_TOLD, NULL, c->seen.ended_ns >= 0 ? c->seen.ended_ns : c->asked_ns);
}

/*
 * By its id, else the first by its name among those that have none, that began after the request: `taken` are others'.
 */
static struct run_graph_call *find_unasked(struct run_graph *w, const struct observation_call *asked, int64_t begun_ns,
					   const struct run_graph_ids *taken)
{
	uint64_t key = run_graph_call_key(asked->call);
	struct event e = { .kind = EVENT_CALL, .tool = asked->name };
	struct str name = tool_name_trace(&w->scratch, &e, NULL);
	struct run_graph_call *named = NULL;

	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		struct str bare = c->name;
		bool used = false;

		if (!c->unasked)
			continue;
		if (key && c->key == key)
			return c;
		if (c->mcp)
			str_cut(c->name, '.', &bare);
		for (size_t i = 0; i < taken->count; i++)
			used = used || id_eq(taken->ids[i], c->node);
		if (!named && !used && !c->key && c->asked_ns >= begun_ns && run_graph_is_named(name, c->name, bare))
			named = c;
	}
	return named;
}

/* The call is asked for now: what was seen of it goes over to the one that waits. */
static void take_unasked(struct run_graph *w, struct run_graph_call *c, struct id node)
{
	struct run_graph_call *early = w->oldest;

	while (early && !(early->unasked && id_eq(early->node, node)))
		early = early->after;
	if (!early)
		return;
	c->seen = early->seen;
	for (size_t i = 0; i < w->command_count; i++)
		if (w->commands[i].call == early)
			w->commands[i].call = c;
	forget_call(w, early);
}

/* What a sub-agent that begins in the call, or an agent that takes over, may be known by. */
static void mark_call(struct run_graph_call *c, const struct observation *s, const struct observation_call *asked)
{
	c->args = asked->args;
	if (asked->text_count)
		c->texts = memcpy(mem_alloc(asked->text_count * sizeof(*c->texts)), asked->texts,
				  asked->text_count * sizeof(*c->texts));
	c->text_count = asked->text_count;
	c->system = s->system;
	c->tools = s->tools;
	c->users = run_graph_users(s, SIZE_MAX, &c->user_count);
	c->trace = s->trace;
	c->span = s->span;
	c->typed = is_typed(s, asked);
}

void run_graph_ask(struct run_graph *w, const struct run_graph_open *x, const struct observation *s)
{
	struct run_graph_ids one = { .count = 0 }, nodes = { .count = 0 };
	struct id parent = x->node;
	bool grouped;

	/* before one that was seen is chosen: what is given up later would be written, and then its id again */
	while (w->call_count && w->call_count + s->call_count > RUN_GRAPH_CALLS)
		give_up(w, w->oldest);
	for (size_t i = 0; i < s->call_count; i++) {
		struct run_graph_call *early = find_unasked(w, &s->calls[i], s->begun_ns, &nodes);

		run_graph_ids_add(w, &nodes, early ? early->node : run_graph_new_id(w, s->ended_ns));
	}
	/* of tentative ones nobody knows yet how many there will be, so they hang on the model call itself */
	grouped = nodes.count > 1 && !s->partial && has_typed(s);
	if (nodes.count > 1 && !s->partial && !grouped) {
		run_graph_ids_add(w, &one, x->node);
		parent = run_graph_put_branch(w, "fan_out", &one, &nodes, s->ended_ns, x->agent_id, x->framework);
	}
	for (size_t i = 0; i < nodes.count; i++) {
		struct event e = { .kind = EVENT_CALL, .tool = s->calls[i].name };
		struct run_graph_call *c;
		struct str name;
		bool mcp;

		while (w->call_count >= RUN_GRAPH_CALLS)
			give_up(w, w->oldest);
		name = tool_name_trace(&w->scratch, &e, &mcp);
		c = new_call(name, s->calls[i].call, x->agent_id);
		take_unasked(w, c, nodes.ids[i]);
		c->node = nodes.ids[i];
		c->parent = parent;
		c->owner = x->node;
		c->key = run_graph_call_key(s->calls[i].call);
		c->agent = x->agent;
		c->since_ns = s->begun_ns;
		c->asked_ns = s->ended_ns;
		c->mcp = mcp;
		c->external = words_tool_is_external(name, mcp);
		c->framework = x->framework;
		c->tentative = s->partial;
		c->grouped = grouped;
		mark_call(c, s, &s->calls[i]);
		link_call(w, c);
		if (c->key)
			known_set(w->known, KNOWN_ASKER, c->key, x->node);
	}
	if (nodes.count)
		run_graph_claim_commands(w, x->begun_ns);
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

struct run_graph_call *run_graph_find_waiting(const struct run_graph *w, uint64_t key)
{
	return key ? find_by_id(w, key, NULL) : NULL;
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

/* By its id; one that nobody knows may have been made up on the way: then by its name, in the same conversation. */
static struct run_graph_call *find_call(struct run_graph *w, const struct observation_result *r,
					const struct id *before, struct run_graph_ids *again)
{
	uint64_t key = run_graph_call_key(r->call);
	struct run_graph_call *c = key ? find_by_id(w, key, before) : NULL;
	struct id node;

	if (c)
		return c;
	if (key && before && known_find(w->known, KNOWN_CALL, trace_of(*before, key), &node)) {
		run_graph_ids_add(w, again, node); /* another request has brought it already */
		return NULL;
	}
	return key && (!before || !r->tool.n) ? NULL : find_by_name(w, r->tool, before);
}

/* A title or a summary is made of the conversation, with other prompts and no tools: nothing ends there. */
static bool is_side_call(const struct run_graph_call *c, const struct observation *s)
{
	return c->tools && !s->tools && c->system != s->system;
}

/* What the model call asked for and has no result by now is over: the conversation went on. */
static void end_told(struct run_graph *w, const struct observation *s, struct run_graph_taken *taken,
		     struct run_graph_ids *parents)
{
	struct run_graph_call *after;

	for (struct run_graph_call *c = w->oldest; c; c = after) {
		after = c->after;
		if (!id_eq(c->owner, taken->owner) || c->tentative || c->typed || is_side_call(c, s))
			continue;
		if (!taken->any) {
			run_graph_ids_add(w, parents, c->node);
			taken->told++;
		}
		end_call(w, c, CALL_TOLD, NULL, s->begun_ns);
	}
}

struct run_graph_taken run_graph_take_results(struct run_graph *w, const struct observation *s,
					      const struct id *before, size_t from, bool retold,
					      struct run_graph_ids *parents)
{
	struct run_graph_taken taken = { .any = false };
	struct run_graph_ids again = { .count = 0 };

	for (size_t i = 0; i < s->result_count; i++) {
		const struct observation_result *r = &s->results[i];
		struct run_graph_call *c = r->message < from ? NULL : find_call(w, r, before, &again);

		if (!c)
			continue;
		if (!taken.any)
			taken.owner = c->owner;
		taken.any = true;
		run_graph_ids_add(w, parents, c->node);
		end_call(w, c, CALL_ANSWERED, r, s->begun_ns);
	}
	/* what was brought before counts only beside what was asked for with it: else it is told again */
	for (size_t i = 0; i < again.count && (!taken.any || id_eq(taken.owner, *before)); i++)
		run_graph_ids_add(w, parents, again.ids[i]);
	if (!taken.any && before)
		taken.owner = *before;
	if (taken.any || (before && retold && again.count == 0))
		end_told(w, s, &taken, parents);
	return taken;
}
