/*
 * What other layers saw, joined with what passed the proxy. A call that waits keeps what was seen of it until its node
 * is written; what comes after that is an amendment (amendments.h). A call that nobody asked for becomes a node when it
 * is over: but while an answer is on its way, that may still ask for it.
 */
#include "capture/graph/run_graph_private.h"

#include "dialect/reading/tool_name.h"

#define RECENT_US INT64_C(2000000) /* by which nodes may be out of the order of their ends */
#define HOOK_NS INT64_C(25000000) /* to start a hook, at most */
#define SEE_MOST (INT64_C(1) << 53) /* nanoseconds, a hundred days; or bytes */
#define SEE_USD 1e9 /* for one call */
#define SEE_LATEST_NS (INT64_MAX / 2) /* in 2116 */
#define SLACK_NS INT64_C(5000000) /* by which clocks of processes on one machine, and their messages, may differ */

/* The most exact has the largest. */
static const unsigned see_ranks[SIGHT_LAYERS] = {
	[SIGHT_PROXY] = 1, [SIGHT_OTLP] = 2, [SIGHT_HOOK] = 3, [SIGHT_SHELL] = 4, [SIGHT_MCP] = 5,
};

/* ---- what is known of a call ---- */

bool run_graph_is_exact(const struct run_graph_seen *seen)
{
	return seen->begun_ns >= 0 && seen->ended_ns >= seen->begun_ns;
}

double run_graph_seen_wall(const struct run_graph_seen *seen)
{
	int64_t ns = seen->wall_ns >= 0 ? seen->wall_ns : seen->ended_ns - seen->begun_ns;

	if (seen->asked_to_ns > seen->begun_ns && /* an agent counts what its tool waits for */
	    (seen->wall_ns < 0 || seen->rank == see_ranks[SIGHT_HOOK]))
		ns -= seen->asked_ns;
	return ns > 0 ? (double)ns / 1e9 : 0;
}

double run_graph_seen_stall(const struct run_graph_seen *seen, double wall)
{
	double cpu = (double)seen->cpu_ns / 1e9;

	if (seen->mcp || (seen->layers & 1u << SIGHT_MCP))
		return wall;
	if (seen->cpu_ns < 0)
		return -1;
	return cpu < wall ? wall - cpu : 0; /* several cores may work for it at once */
}

struct str run_graph_see_name(struct run_graph *w, const struct sighting *s, bool *mcp)
{
	struct event e = { .kind = EVENT_CALL, .tool = s->name.p ? s->name : STR(""), .server = s->server };

	return tool_name_trace(&w->scratch, &e, mcp);
}

static const char *see_result_kind(struct str word)
{
	static const char *const words[] = { "text", "json", "image", "binary" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (str_eq(word, str_from(words[i])))
			return words[i];
	return NULL;
}

/*
 * When the tool began, by its end and by the time it took. What came before that was no work: a person was asked. The
 * hook behind a tool is a process that is started then, so the tool's end was a moment before: two thirds of what is
 * left between the hooks, since to start a process takes longer than to see that one has ended, and HOOK_NS at most.
 */
static int64_t see_begun(const struct run_graph_seen *seen, const struct sighting *s)
{
	int64_t latest = s->ended_ns - s->wall_ns, first = seen->begun_by[s->layer], late;

	if (s->layer != SIGHT_HOOK || first < 0)
		return latest;
	first = seen->wait_ns > first ? seen->wait_ns : first;
	late = latest > first ? (latest - first) / 3 * 2 : 0;
	return latest - (late < HOOK_NS ? late : HOOK_NS);
}

/* A layer that knows begin and end of the call: all its times count, and nothing else. */
static void see_take_whole(struct run_graph_seen *seen, const struct sighting *s)
{
	seen->rank = see_ranks[s->layer];
	seen->wall_ns = s->wall_ns;
	seen->begun_ns = s->wall_ns >= 0 ? see_begun(seen, s) : seen->begun_by[s->layer];
	seen->ended_ns = s->wall_ns >= 0 ? seen->begun_ns + s->wall_ns : s->ended_ns;
}

/*
 * The most exact layer that knows begin and end gives the times; while none does, those of several are put together.
 * Of the same layer the first begin and the latest end count: a call may be told of twice.
 */
static void see_take(struct run_graph_seen *seen, const struct sighting *s)
{
	bool first = seen->begun_by[s->layer] < 0 || s->ended_ns >= 0, whole, exact = run_graph_is_exact(seen);

	seen->layers |= 1u << s->layer;
	seen->ended |= (unsigned)(s->ended_ns >= 0) << s->layer;
	if (s->begun_ns >= 0 && first)
		seen->begun_by[s->layer] = s->begun_ns;
	whole = s->ended_ns >= 0 && (s->wall_ns >= 0 || seen->begun_by[s->layer] >= 0);
	if (whole && (!exact || see_ranks[s->layer] >= seen->rank)) {
		see_take_whole(seen, s);
	} else if (!exact && see_ranks[s->layer] >= seen->rank) {
		seen->rank = see_ranks[s->layer];
		seen->begun_ns = s->begun_ns >= 0 && first ? s->begun_ns : seen->begun_ns;
		seen->ended_ns = s->ended_ns >= 0 ? s->ended_ns : seen->ended_ns;
	}
	seen->cpu_ns = s->cpu_ns >= 0 ? s->cpu_ns : seen->cpu_ns;
	seen->size = s->size >= 0 ? s->size : seen->size;
	seen->result_kind = s->result_kind.p ? see_result_kind(s->result_kind) : seen->result_kind;
	seen->partial = seen->partial || s->partial;
}

/* ---- nodes that were written ---- */

void run_graph_note_recent(struct run_graph *w, const struct run_graph_recent *r)
{
	if (!w->o.amend)
		return; /* nothing could come of it */
	if (w->recent_count < RUN_GRAPH_RECENT) {
		mem_grow(w->recent, w->recent_count, w->recent_cap, 16);
		w->recent[w->recent_count++] = *r;
		return;
	}
	w->recent[w->recent_next] = *r;
	w->recent_next = (w->recent_next + 1) % RUN_GRAPH_RECENT;
}

struct run_graph_recent *run_graph_recent_at(struct run_graph *w, size_t i)
{
	return &w->recent[(w->recent_next + w->recent_count - 1 - i) % w->recent_count];
}

bool run_graph_is_past(const struct run_graph_recent *r, int64_t ns)
{
	return r->to_us < run_graph_us(ns) - RECENT_US;
}

struct run_graph_recent *run_graph_find_recent(struct run_graph *w, struct id node)
{
	for (size_t i = 0; i < w->recent_count; i++)
		if (id_eq(run_graph_recent_at(w, i)->node, node))
			return run_graph_recent_at(w, i);
	return NULL;
}

void run_graph_add_layer(struct run_graph *w, struct run_graph_recent *r, enum sight_layer layer)
{
	struct amendment *m;

	if (r->layers & 1u << layer)
		return;
	r->layers |= 1u << layer;
	m = amendments_get(&w->amendments, r->node);
	if (!m)
		return;
	m->layers = r->layers;
	m->is_tool = r->is_tool;
}

/* The run's sum knows of it either way. */
static void see_set_stall(struct run_graph *w, struct run_graph_recent *r, double stall)
{
	if (r->stall >= 0) {
		w->stall -= r->stall;
		w->stalls--;
	}
	if (stall >= 0) {
		w->stall += stall;
		w->stalls++;
	}
	r->stall = stall;
}

/* A tool call that was written is seen again: by a more exact layer, its times are that one's. */
static void see_amend(struct run_graph *w, struct run_graph_recent *r, const struct sighting *s)
{
	unsigned rank = run_graph_is_exact(&r->seen) ? r->seen.rank : 0;
	struct amendment *m;

	run_graph_add_layer(w, r, s->layer);
	see_take(&r->seen, s);
	if (!run_graph_is_exact(&r->seen) || r->seen.rank <= rank)
		return; /* twice told, or less exact */
	m = amendments_get(&w->amendments, r->node);
	if (!m)
		return;
	r->rank = r->seen.rank;
	m->exact = true;
	m->from_us = r->from_us = run_graph_us(r->seen.begun_ns);
	m->to_us = r->to_us = run_graph_us(r->seen.ended_ns);
	m->wall = run_graph_seen_wall(&r->seen);
	m->stall = run_graph_seen_stall(&r->seen, m->wall);
	m->layers = r->layers;
	m->is_tool = true;
	see_set_stall(w, r, m->stall);
	if (r->from_us < w->first_us)
		w->first_us = r->from_us;
	if (r->to_us > w->amended_us)
		w->amended_us = r->to_us;
}

/* ---- which call it is ---- */

bool run_graph_is_named(struct str asked, struct str name, struct str bare)
{
	if (str_eq(asked, name) || str_eq(asked, bare))
		return true;
	return bare.n && asked.n > bare.n && str_ends(asked, bare) && strchr("._-/:", asked.p[asked.n - bare.n - 1]);
}

/* Whether it is the end of what this layer saw begin; two that begin at once are told apart by that one has ended. */
static bool see_began(const struct run_graph_seen *seen, const struct sighting *s)
{
	return !(seen->ended & 1u << s->layer) && s->begun_ns >= 0 && seen->begun_by[s->layer] == s->begun_ns;
}

/* One that this layer saw begin, else the first that it has not seen. Calls that were seen by others come later. */
static struct run_graph_call *see_find_named(struct run_graph *w, const struct sighting *s)
{
	struct str name = run_graph_see_name(w, s, NULL), bare = s->name;
	struct run_graph_call *first = NULL;

	if (!s->name.n || s->layer == SIGHT_SHELL)
		return NULL;
	for (struct run_graph_call *c = w->oldest; c; c = c->after) {
		if (!run_graph_is_named(c->name, name, bare))
			continue;
		if (see_began(&c->seen, s))
			return c;
		if (first || (c->seen.layers & 1u << s->layer))
			continue;
		if (s->begun_ns < 0 || c->since_ns <= s->begun_ns + SLACK_NS)
			first = c;
	}
	return first;
}

static struct run_graph_call *see_find(struct run_graph *w, const struct sighting *s)
{
	uint64_t key = run_graph_call_key(s->call);

	return key ? run_graph_find_waiting(w, key) : see_find_named(w, s);
}

/* Whether a node that was written has the name and the times of what is seen now. */
static bool see_fits(const struct run_graph_recent *r, const struct sighting *s, struct str name, uint64_t digest)
{
	int64_t to = s->ended_ns >= 0 ? s->ended_ns - SLACK_NS : s->begun_ns;
	bool by_it = r->layers & 1u << s->layer; /* only its begin, so far */

	if (!r->is_tool || (by_it && !see_began(&r->seen, s)) ||
	    (r->name != digest && !run_graph_is_named(str_of(r->tail, r->tail_size), name, s->name)))
		return false;
	if (by_it)
		return true;
	return r->from_us <= run_graph_us(s->begun_ns + SLACK_NS) && run_graph_us(to) <= r->to_us &&
	       (!s->call.n || r->rank == 0);
}

/* One that was written: by its id; without one by its name, where its times hold those that were seen. */
static struct run_graph_recent *see_find_written(struct run_graph *w, const struct sighting *s)
{
	uint64_t key = run_graph_call_key(s->call), digest;
	struct run_graph_recent *found = NULL;
	struct str name;
	struct id node;

	if (run_graph_find_told(w, s, &node) || (key && known_find(w->known, KNOWN_TOOL, key, &node)))
		return run_graph_find_recent(w, node);
	if (s->begun_ns < 0)
		return NULL;
	name = run_graph_see_name(w, s, NULL);
	digest = str_hash(name);
	for (size_t i = 0; i < w->recent_count; i++) {
		struct run_graph_recent *r = run_graph_recent_at(w, i);

		if (run_graph_is_past(r, s->begun_ns))
			break;
		if (!see_fits(r, s, name, digest))
			continue;
		found = r; /* the oldest is taken, */
		if (r->layers & 1u << s->layer)
			break; /* but for one that this layer saw begin */
	}
	return found;
}

/* ---- tools ---- */

/* What was told late is of a call that was written, and not of one of its name that was asked for after it. */
static void see_choose(struct run_graph *w, const struct sighting *s, struct run_graph_call **c,
		       struct run_graph_recent **r)
{
	bool after;

	*c = see_find(w, s);
	after = *c && !s->call.n && (*c)->since_ns > s->begun_ns && s->begun_ns >= 0;
	*r = !*c || after ? see_find_written(w, s) : NULL;
}

static void see_tool_begin(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_recent *r;
	struct run_graph_call *c;
	struct id node;

	see_choose(w, s, &c, &r);
	if (r)
		see_amend(w, r, s);
	else if (c || !s->call.n || !known_find(w->known, KNOWN_TOOL, run_graph_call_key(s->call), &node))
		see_take(&(c ? c : run_graph_add_unasked(w, s))->seen, s);
}

static void see_tool_end(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_recent *r;
	struct run_graph_call *c;
	struct id node;

	see_choose(w, s, &c, &r);
	if (r) {
		node = r->node;
		see_amend(w, r, s);
		if (s->call.n)
			known_set(w->known, KNOWN_TOOL, run_graph_call_key(s->call), node);
	} else {
		c = c ? c : run_graph_add_unasked(w, s);
		node = c->node;
		run_graph_fit_shell(w, c, s);
		see_take(&c->seen, s);
		if (c->unasked && !w->open)
			run_graph_end_unasked(w, c);
	}
	run_graph_note_tool_span(w, s, node);
}

void run_graph_end_early(struct run_graph *w)
{
	struct run_graph_call *after;

	if (w->open)
		return;
	for (struct run_graph_call *c = w->oldest; c; c = after) {
		after = c->after;
		if (c->unasked && run_graph_is_exact(&c->seen))
			run_graph_end_unasked(w, c);
	}
}

/* ---- people ---- */

static struct id see_put_wait(struct run_graph *w, int64_t from_ns, int64_t to_ns, const struct run_graph_ids *parents,
			      unsigned layers, struct str agent)
{
	struct trace_node n = {
		.kind = AT_USER_INPUT,
		.id = run_graph_new_id(w, to_ns),
		.from_us = run_graph_us(from_ns),
		.to_us = run_graph_us(to_ns),
		.layers = layers,
		.agent = agent,
		.framework = w->framework,
	};

	if (parents) {
		n.parents = parents->ids;
		n.parent_count = parents->count;
	}
	run_graph_put_exact(w, &n);
	return n.id;
}

static void see_add_asked(struct run_graph_seen *seen, int64_t from_ns, int64_t to_ns)
{
	int64_t ns = to_ns - from_ns;

	seen->asked_ns = ns < SEE_LATEST_NS - seen->asked_ns ? seen->asked_ns + ns : SEE_LATEST_NS;
	seen->asked_to_ns = to_ns > seen->asked_to_ns ? to_ns : seen->asked_to_ns;
}

void run_graph_end_wait(struct run_graph *w, struct run_graph_call *c, int64_t ns)
{
	struct run_graph_ids parents = { .count = 0 };
	struct run_graph_seen *seen = &c->seen;

	if (seen->wait_ns < 0)
		return;
	if (ns > seen->wait_ns)
		see_add_asked(seen, seen->wait_ns, ns);
	if (ns < 0)
		ns = seen->begun_ns;
	if (ns > seen->wait_ns) {
		if (!c->unasked || c->has_parent)
			run_graph_ids_add(w, &parents, c->parent);
		seen->wait = see_put_wait(w, seen->wait_ns, ns, &parents, seen->layers & ~(1u << SIGHT_PROXY),
					  c->agent_id);
		seen->waited = true;
	}
	seen->wait_ns = -1;
}

/*
 * The call that a person is asked for: by its id, else by its name the first that this layer saw begin and nobody saw
 * end; one of an MCP server's that asks while it works, by the server. NULL: none.
 */
static struct run_graph_call *see_find_asking(struct run_graph *w, const struct sighting *s)
{
	struct str name = run_graph_see_name(w, s, NULL), server = s->name.n ? STR("") : s->server;

	if (s->call.n)
		return see_find(w, s);
	for (struct run_graph_call *c = w->oldest; c && (s->name.n || server.n); c = c->after) {
		bool named = server.n ? c->mcp && str_starts(c->name, server)
				      : run_graph_is_named(c->name, name, s->name);

		if (named && c->seen.begun_by[s->layer] >= 0 && c->seen.ended_ns < 0 &&
		    (c->seen.wait_ns < 0 || s->kind == SIGHT_WAIT_END))
			return c;
	}
	return NULL;
}

static void see_wait_begin(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_call *c = see_find_asking(w, s);

	if (s->call.n && !c)
		c = run_graph_add_unasked(w, s);
	if (!c) {
		if (!s->name.n && !s->server.n)
			w->idle_ns = s->begun_ns;
		return;
	}
	c->seen.layers |= 1u << s->layer;
	if (c->seen.wait_ns < 0) /* else it is told again */
		c->seen.wait_ns = s->begun_ns;
}

/* The call was written already: it follows from the wait, which is of no other time than that between the two. */
static void see_waited(struct run_graph *w, struct run_graph_recent *r, const struct sighting *s)
{
	struct run_graph_ids parents = { .count = 0 };
	struct amendment *m;

	if (!r || r->seen.waited || s->ended_ns <= s->begun_ns)
		return;
	r->seen.waited = true;
	see_add_asked(&r->seen, s->begun_ns, s->ended_ns);
	if (!id_eq(r->above, r->node))
		run_graph_ids_add(w, &parents, r->above);
	r->seen.wait = see_put_wait(w, s->begun_ns, s->ended_ns, &parents, 1u << s->layer, s->agent);
	run_graph_ids_add(w, &parents, r->seen.wait);
	m = amendments_get(&w->amendments, r->node);
	if (!m)
		return;
	m->parents = arena_array(&w->amendments.arena, struct id, parents.count);
	memcpy(m->parents, parents.ids, parents.count * sizeof(*m->parents));
	m->parent_count = m->parent_room = parents.count;
}

/* Of a layer that tells of it when it is over, it may be the first that is heard of the call. */
static void see_wait_end(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_call *c = see_find_asking(w, s);
	struct id node;

	if (!c && s->call.n && s->begun_ns >= 0) {
		if (known_find(w->known, KNOWN_TOOL, run_graph_call_key(s->call), &node)) {
			see_waited(w, run_graph_find_recent(w, node), s);
			return;
		}
		c = run_graph_add_unasked(w, s);
	}
	if (!c || (s->begun_ns >= 0 && s->begun_ns < c->seen.asked_to_ns))
		return; /* it was told before */
	if (s->begun_ns >= 0)
		c->seen.wait_ns = s->begun_ns;
	c->seen.layers |= 1u << s->layer;
	run_graph_end_wait(w, c, s->ended_ns);
}

/* The request that carries it makes the node; this says when it was said, and since when it was waited for. */
static void see_input(struct run_graph *w, const struct sighting *s)
{
	struct run_graph_said said = { .from_ns = s->begun_ns, .ns = s->begun_ns, .layer = s->layer };
	uint64_t key = run_graph_call_key(s->call);

	if (s->layer != SIGHT_HOOK && (w->hooked || w->proxied))
		return; /* it comes later than that, and takes what programs say to each other for a person's word */
	if (key && key == w->said_key)
		return; /* two hooks tell of it */
	w->hooked = w->hooked || s->layer == SIGHT_HOOK;
	w->said_key = key;
	if (w->idle_ns >= 0 && w->idle_ns < s->begun_ns)
		said.from_ns = w->idle_ns;
	w->idle_ns = -1;
	if (w->said_count == RUN_GRAPH_SAID)
		memmove(w->said, w->said + 1, --w->said_count * sizeof(*w->said));
	w->said[w->said_count++] = said;
}

bool run_graph_take_said(struct run_graph *w, struct run_graph_said *said)
{
	if (w->said_count == 0)
		return false;
	*said = w->said[0];
	memmove(w->said, w->said + 1, --w->said_count * sizeof(*w->said));
	return true;
}

void run_graph_put_said(struct run_graph *w, struct run_graph_ids *parents)
{
	struct run_graph_said said;

	while (run_graph_take_said(w, &said)) {
		struct id node = see_put_wait(w, said.from_ns, said.ns, NULL, 1u << said.layer, str_of(NULL, 0));

		if (parents)
			run_graph_ids_add(w, parents, node);
	}
}

/* ---- all of it ---- */

static void see_nothing(struct run_graph *w, const struct sighting *s)
{
	(void)w;
	(void)s;
}

/* Times that are added to others: what is longer or larger than any call is nobody's measure. */
static struct sighting see_bounded(const struct sighting *s)
{
	struct sighting own = *s;
	int64_t *const numbers[] = { &own.wall_ns, &own.cpu_ns, &own.ttft_ns, &own.size };

	for (size_t i = 0; i < COUNT(numbers); i++)
		*numbers[i] = *numbers[i] <= SEE_MOST ? *numbers[i] : -1;
	if (own.begun_ns > SEE_LATEST_NS)
		own.begun_ns = SEE_LATEST_NS;
	if (own.ended_ns > SEE_LATEST_NS)
		own.ended_ns = SEE_LATEST_NS;
	if (own.ended_ns >= 0 && own.begun_ns >= 0 && own.ended_ns - own.begun_ns > SEE_MOST)
		own.begun_ns = -1;
	if (!(own.usd < SEE_USD))
		own.usd = -1;
	return own;
}

void run_graph_see(struct run_graph *w, const struct sighting *s)
{
	static const struct see_way {
		void (*see)(struct run_graph *w, const struct sighting *s);
	} ways[SIGHT_KINDS] = {
		[SIGHT_TOOL_BEGIN] = { see_tool_begin },
		[SIGHT_TOOL_END] = { see_tool_end },
		[SIGHT_MODEL] = { run_graph_see_model },
		[SIGHT_WAIT_BEGIN] = { see_wait_begin },
		[SIGHT_WAIT_END] = { see_wait_end },
		[SIGHT_INPUT] = { see_input },
		[SIGHT_AGENT_BEGIN] = { see_nothing },
		[SIGHT_AGENT_END] = { run_graph_see_span },
		[SIGHT_SPAN] = { run_graph_see_span },
		[SIGHT_COMMAND_BEGIN] = { run_graph_see_command },
		[SIGHT_COMMAND_END] = { run_graph_see_command },
		[SIGHT_TAPE] = { see_nothing },
	};

	struct sighting own = see_bounded(s);

	arena_reset(&w->scratch);
	if (s->kind < SIGHT_KINDS && s->layer < SIGHT_LAYERS)
		ways[s->kind].see(w, &own);
}
