/* What a request follows from: the call before it, results, what the user said; the same request before. */
#include "capture/graph/run_graph_private.h"

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
	size_t told;
};

/*
 * The longest beginning wins. A talk without its prompts counts only where an answer follows it: two agents with other
 * prompts may ask the same.
 */
static struct before find_before(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
				 const struct prefixes *p)
{
	struct before b = { .is = false };
	struct id node;

	if (s->previous.p && known_find(w->known, KNOWN_ANSWER, str_hash(s->previous), &b.node)) {
		b.is = true;
		return b;
	}
	for (size_t i = p->count; i > 0; i--) {
		bool goes_on = i < p->count && s->messages[i].role == OBSERVED_SAID;

		if (known_find(w->known, KNOWN_REQUEST, p->whole[i], &node) ||
		    (goes_on && p->talk[i] != p->talk[0] && known_find(w->known, KNOWN_TALK, p->talk[i], &node))) {
			b = (struct before){ .node = node, .is = true, .told = i };
			return b;
		}
	}
	/* an agent that tells its conversation in new words, after a compaction */
	b.is = s->agent.p && known_find(w->known, KNOWN_AGENT, x->agent, &b.node);
	return b;
}

/* A sub-agent begins in a call of its parent's, or else right after the parent's latest call. */
static void begin_agent(struct run_graph *w, const struct observation *s, struct run_graph_ids *parents)
{
	uint64_t parent = run_graph_agent(s->session, s->parent_agent);
	struct id node;

	if (run_graph_claim(w, parent, &node) || known_find(w->known, KNOWN_AGENT, parent, &node))
		run_graph_ids_add(w, parents, node);
}

/* ---- what the user said ---- */

static size_t behind_last_said(const struct observation *s)
{
	size_t i = s->message_count;

	while (i > 0 && s->messages[i - 1].role != OBSERVED_SAID)
		i--;
	return i;
}

/*
 * One node for each message of the user's that was not there before in this place. What stands behind the last answer
 * is new even when the same words were said before; what stands further up is, when it was never said.
 */
static void add_inputs(struct run_graph *w, const struct run_graph_open *x, const struct observation *s,
		       const struct prefixes *p, const struct before *b, struct run_graph_ids *inputs)
{
	struct run_graph_ids from = { .count = 0 };
	size_t fresh = behind_last_said(s);
	struct id node;

	if (b->is)
		run_graph_ids_add(w, &from, b->node);
	for (size_t i = b->told; i < s->message_count && inputs->count < RUN_GRAPH_INPUTS; i++) {
		const struct observation_message *m = &s->messages[i];
		bool said = known_find(w->known, KNOWN_SAID, m->mark, &node);

		if (m->role != OBSERVED_USER)
			continue;
		if (known_find(w->known, KNOWN_INPUT, p->whole[i + 1], &node)) {
			run_graph_ids_add(w, inputs, node); /* another request on its way has it, too */
			continue;
		}
		if (said && i < fresh)
			continue;
		node = run_graph_put_mark(w, AT_USER_INPUT, &from, s->begun_ns, x->agent_id, x->framework);
		known_set(w->known, KNOWN_INPUT, p->whole[i + 1], node);
		known_set(w->known, KNOWN_SAID, m->mark, node);
		run_graph_ids_add(w, inputs, node);
	}
}

/* ---- the same request before, others beside it ---- */

static struct run_graph_open *find_twin(const struct run_graph *w, const struct run_graph_open *x)
{
	for (struct run_graph_open *o = w->open; o; o = o->next)
		if (o != x && o->digest == x->digest)
			return o;
	return NULL;
}

/* The latest failure of the same request within RUN_GRAPH_RETRY_NS. It is used up: one failure makes one retry. */
static bool find_failure(struct run_graph *w, const struct run_graph_open *x, struct id *node)
{
	for (size_t i = 0; i < RUN_GRAPH_FAILURES; i++) {
		size_t at = (w->next_failure + RUN_GRAPH_FAILURES - 1 - i) % RUN_GRAPH_FAILURES;

		if (w->failures[at].digest != x->digest || !x->digest ||
		    x->begun_ns > w->failures[at].ended_ns + RUN_GRAPH_RETRY_NS)
			continue;
		*node = w->failures[at].node;
		w->failures[at].digest = 0;
		return true;
	}
	return false;
}

/* The base first, then those inputs that are not in it; hang_on relies on that order. */
static void set_parents(struct run_graph_open *x, const struct run_graph_ids *base,
			const struct run_graph_ids *inputs)
{
	size_t n = base->count + inputs->count;

	mem_free(x->parents);
	x->parents = n ? mem_alloc(n * sizeof(*x->parents)) : NULL;
	if (base->count)
		memcpy(x->parents, base->ids, base->count * sizeof(*x->parents));
	x->parent_count = base->count;
	for (size_t i = 0; i < inputs->count; i++) {
		bool there = false;

		for (size_t k = 0; k < base->count; k++)
			there = there || id_eq(base->ids[k], inputs->ids[i]);
		if (!there)
			x->parents[x->parent_count++] = inputs->ids[i];
	}
	x->input_count = x->parent_count - base->count;
}

/* Puts a branch between an exchange that is on its way and the parents it had. */
static void hang_on(struct run_graph *w, struct run_graph_open *x, struct id branch)
{
	struct run_graph_ids base = { .count = 0 }, inputs = { .count = 0 };

	for (size_t i = x->parent_count - x->input_count; i < x->parent_count; i++)
		run_graph_ids_add(w, &inputs, x->parents[i]);
	run_graph_ids_add(w, &base, branch);
	set_parents(x, &base, &inputs);
	x->branch = branch;
	x->has_branch = true;
}

static struct run_graph_fan *find_fan(const struct run_graph *w, struct id id)
{
	struct run_graph_fan *f = w->fans;

	while (f && !id_eq(f->id, id))
		f = f->next;
	return f;
}

static void join_fan(struct run_graph_fan *f, struct id node)
{
	if (f->sibling_count == RUN_GRAPH_PARENTS)
		return;
	mem_grow(f->siblings, f->sibling_count, f->sibling_cap, 4);
	f->siblings[f->sibling_count++] = node;
}

/* Written later, by run_graph_end_fan; until then others may join it. */
static struct run_graph_fan *new_fan(struct run_graph *w, const struct run_graph_open *x,
				     const struct run_graph_ids *above)
{
	struct run_graph_fan *f = mem_alloc(sizeof(*f) + x->agent_id.n);

	*f = (struct run_graph_fan){ .next = w->fans, .id = run_graph_new_id(w, x->begun_ns), .ns = x->begun_ns,
				 .parent_count = above->count, .framework = x->framework };
	if (x->agent_id.p)
		f->agent = str_of(memcpy(f + 1, x->agent_id.p, x->agent_id.n), x->agent_id.n);
	if (above->count)
		f->parents = memcpy(mem_alloc(above->count * sizeof(*f->parents)), above->ids,
				    above->count * sizeof(*f->parents));
	w->fans = f;
	return f;
}

static void free_fan(struct run_graph_fan *f)
{
	mem_free(f->parents);
	mem_free(f->siblings);
	mem_free(f);
}

void run_graph_end_fan(struct run_graph *w, const struct run_graph_open *x)
{
	struct run_graph_fan *f = x->has_branch ? find_fan(w, x->branch) : NULL, **at = &w->fans;

	if (!f)
		return;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	run_graph_put_named_branch(w, f->id, "fan_out",
				   &(struct run_graph_ids){ .ids = f->parents, .count = f->parent_count },
				   &(struct run_graph_ids){ .ids = f->siblings, .count = f->sibling_count }, f->ns,
				   f->agent, f->framework);
	free_fan(f);
}

void run_graph_fans_free(struct run_graph *w)
{
	while (w->fans) {
		struct run_graph_fan *f = w->fans;

		w->fans = f->next;
		free_fan(f);
	}
}

/* Among those on their way with the same parents: one that hangs on a branch already, else the latest. */
static struct run_graph_open *find_beside(const struct run_graph *w, const struct run_graph_open *x)
{
	struct run_graph_open *best = NULL;

	for (struct run_graph_open *o = w->open; o && x->origin; o = o->next)
		if (o != x && o->origin == x->origin &&
		    (!best || o->has_branch > best->has_branch ||
		     (o->has_branch == best->has_branch && o->number > best->number)))
			best = o;
	return best;
}

/* Others with the same parents are on their way: they and this one are a fan_out. */
static void fan_out(struct run_graph *w, struct run_graph_open *x)
{
	struct run_graph_open *beside = find_beside(w, x);
	struct run_graph_ids above = { .count = 0 };
	struct run_graph_fan *f;

	if (!beside)
		return;
	f = beside->has_branch ? find_fan(w, beside->branch) : NULL;
	if (!f) {
		if (beside->has_branch)
			run_graph_ids_add(w, &above, beside->branch);
		else
			for (size_t i = 0; i < beside->parent_count - beside->input_count; i++)
				run_graph_ids_add(w, &above, beside->parents[i]);
		f = new_fan(w, x, &above);
		for (struct run_graph_open *o = w->open; o; o = o->next) {
			if (o == x || o->origin != x->origin)
				continue;
			join_fan(f, o->node);
			if (!o->has_branch)
				hang_on(w, o, f->id);
		}
	}
	join_fan(f, x->node);
	hang_on(w, x, f->id);
}

static uint64_t origin_of(const struct run_graph_ids *parents)
{
	uint64_t digest = str_hash(str_of(parents->ids, parents->count * sizeof(parents->ids[0])));

	return parents->count ? digest | 1 : 0;
}

/*
 * False when neither a twin is on its way nor a failure is known. Else the parents are set, and nothing else is looked
 * for.
 */
static bool repeat(struct run_graph *w, struct run_graph_open *x)
{
	struct run_graph_open *twin = find_twin(w, x);
	struct run_graph_ids above = { .count = 0 }, siblings = { .count = 0 }, parents = { .count = 0 };
	struct id node;

	if (twin) {
		for (size_t i = 0; i < twin->parent_count; i++)
			run_graph_ids_add(w, &above, twin->parents[i]);
		run_graph_ids_add(w, &siblings, twin->node);
		run_graph_ids_add(w, &siblings, x->node);
		node = run_graph_put_branch(w, "speculative", &above, &siblings, x->begun_ns, x->agent_id,
					    x->framework);
	} else if (find_failure(w, x, &node)) {
		run_graph_ids_add(w, &above, node);
		node = run_graph_put_mark(w, AT_RETRY, &above, x->begun_ns, x->agent_id, x->framework);
	} else {
		return false;
	}
	run_graph_ids_add(w, &parents, node);
	set_parents(x, &parents, &(struct run_graph_ids){ .count = 0 });
	return true;
}

void run_graph_place(struct run_graph *w, struct run_graph_open *x, const struct observation *s)
{
	struct run_graph_ids parents = { .count = 0 }, inputs = { .count = 0 };
	struct prefixes p = find_prefixes(w, x, s);
	struct before b;
	struct id node;

	x->request = p.whole[p.count];
	x->talk = p.talk[p.count] == p.talk[0] ? 0 : p.talk[p.count];
	if (repeat(w, x))
		return;
	b = find_before(w, x, s, &p);
	run_graph_take_results(w, s, b.is ? &b.node : NULL, b.told, &parents);
	if (parents.count == 0 && b.is)
		run_graph_ids_add(w, &parents, b.node);
	else if (parents.count == 0 && s->agent.p && !known_find(w->known, KNOWN_AGENT, x->agent, &node))
		begin_agent(w, s, &parents);
	add_inputs(w, x, s, &p, &b, &inputs);
	x->origin = origin_of(&parents);
	set_parents(x, &parents, &inputs);
	fan_out(w, x);
}

void run_graph_remember(struct run_graph *w, const struct run_graph_open *x, const struct observation *s)
{
	if (s->message_count)
		known_set(w->known, KNOWN_REQUEST, x->request, x->node);
	if (x->talk)
		known_set(w->known, KNOWN_TALK, x->talk, x->node);
	if (s->answer.p)
		known_set(w->known, KNOWN_ANSWER, str_hash(s->answer), x->node);
	known_set(w->known, KNOWN_AGENT, x->agent, x->node);
	if (!s->failed && s->how != PROXY_CLIENT_LEFT)
		return;
	w->failures[w->next_failure].digest = x->digest;
	w->failures[w->next_failure].node = x->node;
	w->failures[w->next_failure].ended_ns = s->ended_ns;
	w->next_failure = (w->next_failure + 1) % RUN_GRAPH_FAILURES;
}
