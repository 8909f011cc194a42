/* What a request follows from: the call before it, results, what the user said. */
#include "capture/graph/run_graph_begin.h"

uint64_t run_graph_mix(uint64_t digest, uint64_t more)
{
	digest = (digest ^ more) * UINT64_C(0x9E3779B97F4A7C15);
	digest ^= digest >> 29;
	digest *= UINT64_C(0xBF58476D1CE4E5B9);
	return digest ^ digest >> 32;
}

uint64_t run_graph_agent(struct str session, struct str agent)
{
	if (!agent.p)
		return session.p ? str_hash(session) : 0;
	return run_graph_mix(session.p ? str_hash(session) : 0, str_hash(agent));
}

void run_graph_ids_add(struct run_graph *w, struct run_graph_ids *list, struct id id)
{
	for (size_t i = 0; i < list->count; i++)
		if (id_eq(list->ids[i], id))
			return;
	if (list->count == RUN_GRAPH_PARENTS)
		return;
	arena_grow(&w->scratch, list->ids, list->count, list->cap, 4);
	list->ids[list->count++] = id;
}

/* ---- messages ---- */

static uint64_t digest_node(struct id node)
{
	return str_hash(str_of(node.b, sizeof(node.b)));
}

/* Digests of the beginnings of a request: [i] is that of the messages before the i-th. */
struct prefixes {
	uint64_t *whole, *talk; /* talk: without prompts of the system */
	size_t count;
};

static struct prefixes find_prefixes(struct run_graph *w, const struct run_graph_open *x,
				     const struct observation *s)
{
	struct prefixes p = { .count = s->message_count };
	uint64_t begin = run_graph_mix(x->agent, s->previous.p ? str_hash(s->previous) : 0);

	p.whole = arena_array(&w->scratch, uint64_t, p.count + 1);
	p.talk = arena_array(&w->scratch, uint64_t, p.count + 1);
	p.whole[0] = p.talk[0] = begin;
	for (size_t i = 0; i < p.count; i++) {
		const struct observation_message *m = &s->messages[i];

		p.whole[i + 1] = run_graph_mix(p.whole[i], m->mark);
		p.talk[i + 1] = m->role == OBSERVED_SYSTEM ? p.talk[i] : run_graph_mix(p.talk[i], m->mark);
	}
	return p;
}

/* The call before, and how many messages of the request were its own. */
struct before {
	struct id node;
	bool is;
	bool retold; /* its answer is told again */
	size_t told;
};

/*
 * Of the calls of a conversation the one whose answer is told again behind a known beginning: it may be another than
 * that which the beginning is known by, one of several samples, or a sub-agent whose talk was left out.
 */
static void find_reply(const struct run_graph *w, const struct prefixes *p, size_t at, uint64_t words, struct id *node)
{
	struct id root;

	if (!words || known_find(w->known, KNOWN_REPLY_AT, run_graph_mix(p->whole[at], words), node) ||
	    known_find(w->known, KNOWN_REPLY_AT, run_graph_mix(p->talk[at], words), node))
		return;
	if (known_find(w->known, KNOWN_ROOT, digest_node(*node), &root))
		known_find(w->known, KNOWN_REPLY_IN, run_graph_mix(digest_node(root), words), node);
}

/*
 * The longest beginning wins; a request that says nothing more than another does not go on from it. A talk without its
 * prompts counts only where an answer follows it: two agents with other prompts may ask the same.
 */
static struct before find_before(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
				 const struct prefixes *p)
{
	struct before b = { .is = false };
	struct id node;

	if (s->previous.p && known_find(w->known, KNOWN_ANSWER, str_hash(s->previous), &b.node)) {
		b.is = b.retold = true;
		return b;
	}
	for (size_t i = p->count; i-- > 1;) {
		bool goes_on = s->messages[i].role == OBSERVED_SAID;

		if (known_find(w->known, KNOWN_REQUEST, p->whole[i], &node) ||
		    (goes_on && p->talk[i] != p->talk[0] && known_find(w->known, KNOWN_TALK, p->talk[i], &node))) {
			if (goes_on)
				find_reply(w, p, i, s->messages[i].words, &node);
			b = (struct before){ .node = node, .is = true, .retold = goes_on, .told = i };
			return b;
		}
	}
	/* an agent that tells its conversation in new words, after a compaction */
	b.is = s->agent.p && known_find(w->known, KNOWN_AGENT, x->agent, &b.node);
	return b;
}

/* ---- what the user said ---- */

static size_t behind_last_said(const struct observation *s)
{
	size_t i = s->message_count;

	while (i > 0 && s->messages[i - 1].role != OBSERVED_SAID)
		i--;
	return i;
}

/* The node of a message that a person said in another place, with these words, under other prompts or tools. */
static bool find_said(const struct run_graph *w, const struct run_graph_open *x, uint64_t text, struct id *node)
{
	struct id here;

	return text && known_find(w->known, KNOWN_TEXT, text, node) &&
	       !known_find(w->known, KNOWN_TEXT_HERE, run_graph_mix(text, x->setting), &here);
}

/* A hook may have told when it was said, and since when it was waited for. */
static struct id run_graph_put_input(struct run_graph *w, const struct run_graph_ids *from,
				     const struct run_graph_open *x)
{
	struct trace_node n = {
		.kind = AT_USER_INPUT,
		.parents = from->ids,
		.parent_count = from->count,
		.from_us = run_graph_us(x->begun_ns),
		.to_us = run_graph_us(x->begun_ns),
		.inferred = true,
		.layers = 1u << SIGHT_PROXY,
		.agent = x->agent_id,
		.framework = x->framework,
	};
	struct run_graph_said said;

	n.id = run_graph_new_id(w, x->begun_ns);
	if (run_graph_take_said(w, &said)) {
		n.from_us = run_graph_us(said.from_ns);
		n.to_us = run_graph_us(said.ns);
		n.inferred = false;
		n.layers |= 1u << said.layer;
		run_graph_put_exact(w, &n);
	} else {
		run_graph_put(w, &n);
	}
	return n.id;
}

static struct id put_input(struct run_graph *w, const struct run_graph_open *x, const struct observation_message *m,
			   const struct run_graph_ids *from)
{
	struct id node = run_graph_put_input(w, from, x);

	known_set(w->known, KNOWN_SAID, m->mark, node);
	if (m->text)
		known_set(w->known, KNOWN_TEXT, m->text, node);
	return node;
}

/*
 * One node for each message of a person's that was not there before in this place. What stands behind the last answer
 * is new even when the same words were said before, unless they were said under another prompt: a router tells them
 * again, or a title is made of them. What stands further up is history: new only where it goes on from a call that is
 * known, and was never said. The first `passed` are results, told in words.
 */
static void add_inputs(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
		       const struct prefixes *p, const struct before *b, size_t passed, struct run_graph_ids *inputs)
{
	struct run_graph_ids from = { .count = 0 };
	size_t fresh = behind_last_said(s);
	struct id node;
	bool again = known_find(w->known, KNOWN_ASKED, x->digest, &node);

	if (b->is)
		run_graph_ids_add(w, &from, b->node);
	for (size_t i = b->told; i < s->message_count && inputs->count < RUN_GRAPH_INPUTS; i++) {
		const struct observation_message *m = &s->messages[i];

		if (m->role != OBSERVED_USER)
			continue;
		if (i >= fresh && passed > 0) {
			passed--;
		} else if (m->text && known_find(w->known, KNOWN_REPLY, m->words, &node)) {
			continue; /* another agent's answer */
		} else if (!again && known_find(w->known, KNOWN_INPUT, p->whole[i + 1], &node)) {
			run_graph_ids_add(w, inputs, node); /* another request has it, too */
		} else if (i < fresh && (!b->is || known_find(w->known, KNOWN_SAID, m->mark, &node))) {
			continue;
		} else {
			if (b->is || !find_said(w, x, m->text, &node))
				node = put_input(w, x, m, &from);
			known_set(w->known, KNOWN_INPUT, p->whole[i + 1], node);
			if (m->text)
				known_set(w->known, KNOWN_TEXT_HERE, run_graph_mix(m->text, x->setting), node);
			run_graph_ids_add(w, inputs, node);
		}
	}
}

/* ---- all of it ---- */

static uint64_t origin_of(const struct run_graph_ids *parents)
{
	uint64_t digest = str_hash(str_of(parents->ids, parents->count * sizeof(parents->ids[0])));

	return parents->count ? digest | 1 : 0;
}

static bool was_talked(const struct observation *s)
{
	for (size_t i = 0; i < s->message_count; i++)
		if (s->messages[i].role == OBSERVED_SAID || s->messages[i].role == OBSERVED_RESULT)
			return true;
	return s->previous.p != NULL;
}

/* What it is known by: the same for the same prompts, messages and tools, whatever the model and its parameters. */
static void set_digests(struct run_graph_open *x, const struct observation *s, const struct prefixes *p)
{
	x->request = p->whole[p->count];
	x->talk = p->talk[p->count] == p->talk[0] ? 0 : p->talk[p->count];
	x->setting = run_graph_mix(s->system, s->tools);
	if (p->count)
		x->digest = run_graph_mix(x->request, s->tools);
}

/* A hook inside the framework says in which call it is asked: a sub-agent's, and no guess. */
static bool begin_inside(struct run_graph *w, struct run_graph_open *x, const struct observation *s,
			 struct run_graph_ids *parents)
{
	uint64_t key = run_graph_call_key(s->inside_call);
	struct run_graph_call *c = run_graph_find_waiting(w, key);
	struct id node;

	if (c) {
		c->claimed = true;
		c->typed = false;
		node = c->node;
	} else if (!key || !known_find(w->known, KNOWN_TOOL, key, &node)) {
		return false;
	}
	x->sub = true;
	run_graph_ids_add(w, parents, node);
	return true;
}

/*
 * Where a conversation begins: false when it is the twin of one that is on its way, and has its parents. *passed: the
 * messages of the user's that nobody says now, all of them when it was handed over.
 */
static bool begin(struct run_graph *w, struct run_graph_open *x, const struct observation *s,
		  struct run_graph_open *twin, struct run_graph_ids *parents, size_t *passed)
{
	struct id node;

	if (begin_inside(w, x, s, parents))
		return true;
	if (s->agent.p) {
		if (!known_find(w->known, KNOWN_AGENT, x->agent, &node))
			run_graph_begin_agent(w, s, parents);
	} else if (run_graph_adopt(w, x, s, false, parents)) {
		return true;
	} else if (twin) {
		run_graph_speculate(w, twin, x);
		return false;
	} else if (!run_graph_adopt(w, x, s, true, parents) && run_graph_hand_off(w, x, s, parents)) {
		*passed = SIZE_MAX;
	}
	return true;
}

void run_graph_place(struct run_graph *w, struct run_graph_open *x, const struct observation *s)
{
	struct run_graph_ids parents = { .count = 0 }, inputs = { .count = 0 };
	struct prefixes p = find_prefixes(w, x, s);
	struct run_graph_taken taken = { .told = 0 };
	bool talked = was_talked(s);
	struct run_graph_open *twin;
	struct before b;
	struct id node;

	set_digests(x, s, &p);
	x->sub = s->agent.p != NULL;
	twin = run_graph_find_twin(w, x);
	if (run_graph_retry(w, x))
		return;
	if (twin && (talked || s->agent.p)) {
		run_graph_speculate(w, twin, x);
		return;
	}
	if (talked && run_graph_resample(w, x))
		return;
	b = find_before(w, x, s, &p);
	taken = run_graph_take_results(w, s, b.is ? &b.node : NULL, b.told, b.retold, &parents);
	if (taken.any)
		b = (struct before){ .node = taken.owner, .is = true, .told = b.told };
	if (parents.count == 0 && b.is)
		run_graph_ids_add(w, &parents, b.node);
	else if (parents.count == 0 && !begin(w, x, s, twin, &parents, &taken.told))
		return;
	if (!b.is || !known_find(w->known, KNOWN_ROOT, digest_node(b.node), &x->root))
		x->root = x->node;
	x->sub = x->sub || (b.is && known_find(w->known, KNOWN_SUB, digest_node(b.node), &node));
	if (!x->sub)
		add_inputs(w, x, s, &p, &b, taken.told, &inputs);
	x->origin = origin_of(&parents);
	run_graph_set_parents(x, &parents, &inputs);
	if (talked)
		run_graph_note_asked(w, x);
	run_graph_fan_out(w, x);
}

void run_graph_remember(struct run_graph *w, const struct run_graph_open *x, const struct observation *s)
{
	if (s->message_count)
		known_set(w->known, KNOWN_REQUEST, x->request, x->node);
	if (x->talk)
		known_set(w->known, KNOWN_TALK, x->talk, x->node);
	if (s->answer.p)
		known_set(w->known, KNOWN_ANSWER, str_hash(s->answer), x->node);
	if (s->request_id.p) /* some telemetry has that in its place */
		known_set(w->known, KNOWN_ANSWER, str_hash(s->request_id), x->node);
	known_set(w->known, KNOWN_ASKED, x->digest, x->node);
	known_set(w->known, KNOWN_AGENT, x->agent, x->node);
	if (x->sub)
		known_set(w->known, KNOWN_SUB, digest_node(x->node), x->node);
	known_set(w->known, KNOWN_ROOT, digest_node(x->node), x->root);
	if (s->words) {
		known_set(w->known, KNOWN_REPLY_AT, run_graph_mix(x->request, s->words), x->node);
		known_set(w->known, KNOWN_REPLY_AT, run_graph_mix(x->talk, s->words), x->node);
		known_set(w->known, KNOWN_REPLY_IN, run_graph_mix(digest_node(x->root), s->words), x->node);
		known_set(w->known, KNOWN_REPLY, s->words, x->node);
	}
	if (s->failed || s->partial || s->how == PROXY_CLIENT_LEFT)
		run_graph_note_failure(w, x, s->ended_ns);
}
