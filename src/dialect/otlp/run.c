/*
 * Every node has up to two moments, its begin and its end; these are sorted by time, and told one by one. A trace of
 * ours says the place of each event, so it is sorted by that.
 */
#include "dialect/otlp/run.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "dialect/otlp/read.h"
#include "model/history.h"


struct otlp_run {
	struct history *history;
	struct item *items;
	size_t item_count, item_cap;
	uint32_t *context_numbers;
	size_t context_cap;
	uint32_t contexts_told;
	/* of the trace at hand */
	const struct otlp_trace *t;
	struct map ids; /* of steps ("s..."), calls ("c..."), calls asked for ("a...": the node, above it the place) */
	uint32_t asked;
	bool own; /* we made it: every span has its place */
	struct assemble *as;
};

/* When one of a node's two moments is told. */
struct item {
	int64_t time;
	uint8_t rank; /* 0: what ends, 1: what begins (or takes no time), 2: results of calls that take no time */
	bool end;
	uint32_t node;
	uint32_t payload; /* of a trace of ours: a cost or an error; OTLP_NOBODY for none */
};

struct otlp_run *otlp_run_open(void)
{
	struct otlp_run *r = mem_alloc(sizeof(*r));

	*r = (struct otlp_run){ .history = history_open() };
	return r;
}

void otlp_run_close(struct otlp_run *r)
{
	history_close(r->history);
	mem_free(r->items);
	mem_free(r->context_numbers);
	mem_free(r);
}

/* ---- ids ---- */

/* The first of: its own, the span's, one of ours; whichever nobody had before. */
static struct str choose_id(struct otlp_run *r, const struct otlp_node *n, struct str kind, struct str own)
{
	struct str ours = arena_printf(r->t->arena, "span-%u", n->order + 1);
	struct str choices[] = { own, otlp_hint_of(n->carrier)->id, ours };

	for (size_t i = 0; i < 3; i++) {
		bool added = false;

		if (choices[i].n)
			map_add(&r->ids, ARENA_JOIN(r->t->arena, kind, choices[i]), &added);
		if (added)
			return choices[i];
	}
	return ours;
}

/*
 * Gives the node its step and call id, and notes which calls its step asked for: of two that ask for one id the
 * first has it.
 */
static void give_ids(struct otlp_run *r, struct otlp_node *n, uint32_t place)
{
	struct event *step = otlp_tree_payload(n, EVENT_STEP), *call = otlp_tree_payload(n, EVENT_CALL);

	if (n->note)
		return;
	if (step)
		n->step_id = choose_id(r, n, STR("s"), step->step);
	if (call)
		n->call_id = choose_id(r, n, STR("c"), call->call);
	for (uint32_t i = 0; i < n->payload_count; i++) {
		const struct event *e = n->payload[i];
		uint64_t *slot;
		bool added;

		if (e->kind != EVENT_CALL || !(e->flags & EVENT_HISTORY))
			continue;
		slot = map_add(&r->ids, ARENA_JOIN(r->t->arena, STR("a"), e->call), &added);
		if (added)
			*slot = (uint64_t)r->asked++ << 32 | place;
	}
}

/* Finds the step that asked for this call. All nodes must have their ids. */
static void find_asker(struct otlp_run *r, struct otlp_node *n)
{
	const uint64_t *slot = n->call_id.n ? map_find(&r->ids, ARENA_JOIN(r->t->arena, STR("a"), n->call_id)) : NULL;

	n->asker = slot ? (uint32_t)*slot : OTLP_NOBODY;
	n->asked = slot ? (uint32_t)(*slot >> 32) : OTLP_NOBODY;
}

/* ---- order ---- */

static struct item *add_item(struct otlp_run *r)
{
	mem_grow(r->items, r->item_count, r->item_cap, 64);
	return &r->items[r->item_count++];
}

/*
 * A step is told at its end, but not later than the first thing inside it begins; a call at its start and its result
 * at its end. A record that is no span and has no time comes last.
 */
static void add_items(struct otlp_run *r, const struct otlp_node *n, uint32_t place)
{
	bool span = otlp_hint_of(n->carrier)->span, step = !n->note && n->role == OTLP_MODEL;
	bool result = !n->note && otlp_tree_payload(n, EVENT_RESULT);
	int64_t end = step && n->first < n->until ? n->first : n->until;

	if (end < n->at)
		end = n->at;
	*add_item(r) = (struct item){ .time = span || n->carrier->ts.text.p ? n->at : INT64_MAX,
				      .rank = 1,
				      .node = place,
				      .payload = OTLP_NOBODY };
	if (step || result)
		*add_item(r) = (struct item){ .time = end,
					      .rank = end > n->at ? 0 : step ? 1 : 2,
					      .end = true,
					      .node = place,
					      .payload = OTLP_NOBODY };
}

static uint32_t otlp_run_place_of(const struct event *e)
{
	return otlp_hint_of(e)->place;
}

/* By their places in the run, whatever the clock said. What has none comes last. */
static void add_own_items(struct otlp_run *r, const struct otlp_node *n, uint32_t place)
{
	const struct event *result = n->note ? NULL : otlp_tree_payload(n, EVENT_RESULT);
	struct item it = { .rank = 1, .node = place, .payload = OTLP_NOBODY };

	it.time = otlp_run_place_of(n->carrier) ? otlp_run_place_of(n->carrier) : INT64_MAX - 1;
	*add_item(r) = it;
	it.end = true;
	if (result)
		it.time = otlp_run_place_of(result);
	else if (n->role == OTLP_AGENT_SPAN)
		it.time = INT64_MAX;
	if (result || n->role == OTLP_AGENT_SPAN || (n->role == OTLP_MODEL && !n->note))
		*add_item(r) = it;
	for (uint32_t i = 0; i < n->payload_count; i++) {
		const struct event *e = n->payload[i];

		if (!otlp_run_place_of(e) || (e->kind != EVENT_COST && e->kind != EVENT_ERROR))
			continue;
		it.time = otlp_run_place_of(e);
		it.payload = i;
		*add_item(r) = it;
	}
}

/*
 * By time, then what ends before what begins. At one moment a parent begins before its children and ends after them;
 * calls come in the order they were asked for, all else in that of the file.
 */
static int compare(const void *a, const void *b, void *context)
{
	const struct item *x = a, *y = b;
	struct otlp_node **nodes = context;
	const struct otlp_node *m = nodes[x->node], *n = nodes[y->node];

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (m->depth != n->depth)
		return (m->depth < n->depth) == (x->rank == 1) ? -1 : 1;
	if (m->asked != n->asked)
		return m->asked < n->asked ? -1 : 1;
	if (m->order != n->order)
		return m->order < n->order ? -1 : 1;
	return x->end - y->end;
}

/* ---- telling ---- */

/* A time of a span, with as many digits (3, 6 or 9) as it needs. */
static struct moment moment_of(struct arena *a, int64_t ns)
{
	struct moment m = { .ns = ns, .source = MOMENT_VENDOR };

	m.text = stamp_new_ns(a, ns, ns % 1000 ? 9 : ns % 1000000 ? 6 : 3);
	return m;
}

/*
 * Gives an event to the assembler with its place in the tree. The hint is of the reading alone and goes no further.
 */
static bool otlp_run_tell(struct otlp_run *r, const struct otlp_node *n, struct event *e, struct err *err)
{
	if (n->tool != OTLP_NOBODY)
		e->parent = r->t->nodes[n->tool]->call_id;
	if (n->branch != OTLP_NOBODY) {
		const struct otlp_hint *agent = otlp_hint_of(r->t->nodes[n->branch]->carrier);

		e->branch = ARENA_JOIN(r->t->arena, agent->agent.n ? agent->agent : STR("agent"), STR("/"), agent->id);
	}
	e->hint = NULL;
	return assemble_add(r->as, e, err);
}

/* The context is told once, before the first span of it. Its number in the run, counted from 1. */
static bool tell_context(struct otlp_run *r, uint32_t context, uint32_t *number, struct err *err)
{
	struct event e;

	*number = r->context_numbers[context];
	if (*number)
		return true;
	*number = r->context_numbers[context] = ++r->contexts_told;
	e = *r->t->contexts[context];
	e.content = arena_printf(r->t->arena, "%u", *number);
	return assemble_add(r->as, &e, err);
}

/* The event that stands for the span takes its record along. */
static bool carry(struct otlp_run *r, const struct otlp_node *n, struct event *e, struct err *err)
{
	const struct extra *whole = n->carrier->extras;
	struct extra *x = arena_new(r->t->arena, struct extra);
	uint32_t number;

	if (!whole)
		return true;
	*x = (struct extra){ .next = e->extras, .key = whole->key, .json = whole->json };
	if (n->context != OTLP_NOBODY) {
		if (!tell_context(r, n->context, &number, err))
			return false;
		x->json = ARENA_JOIN(r->t->arena, arena_printf(r->t->arena, "{\"at\":%u,", number),
				     str_of(whole->json.p + 1, whole->json.n - 1));
	}
	e->extras = x;
	if (!e->bignums) {
		e->bignums = n->carrier->bignums;
	} else {
		struct bignum *last = e->bignums;

		while (last->next)
			last = last->next;
		last->next = n->carrier->bignums;
	}
	return true;
}

/*
 * A span that is neither step nor call is a note with its record. Other events that were held in its place, such as
 * parse errors, pass as they are.
 */
static bool tell_note(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	struct event e = *n->carrier;
	bool own = e.kind == EVENT_NOTE && (otlp_hint_of(&e)->span || str_starts(e.role, STR("otlp.")));

	if (own)
		e = (struct event){ .kind = EVENT_NOTE, .index = -1, .line = e.line, .ts = e.ts, .role = e.role,
				    .content = e.content.p ? e.content : STR("null") };
	if (own && !carry(r, n, &e, err))
		return false;
	return otlp_run_tell(r, n, &e, err);
}

/* Gives the payloads of one kind, with the ids that were chosen for the node. */
static bool tell_payloads(struct otlp_run *r, const struct otlp_node *n, enum event_kind kind, struct err *err)
{
	for (uint32_t i = 0; i < n->payload_count; i++) {
		struct event *e = n->payload[i];

		if (e->kind != kind || (e->flags & EVENT_HISTORY))
			continue;
		if (!n->note)
			e->step = n->step_id;
		e->call = n->call_id;
		if (!otlp_run_tell(r, n, e, err))
			return false;
	}
	return true;
}

/* Usage of a span around several steps that say nothing of their own. */
static bool tell_outer_usage(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	const struct event *step = otlp_tree_payload(n, EVENT_STEP);
	struct event e = { .kind = EVENT_COST, .index = -1, .scope = STR("turn"), .flags = EVENT_TOTAL };

	if (n->role != OTLP_MODEL || n->inner < 2 || n->inner_usage || !step || !usage_is_known(&step->usage))
		return true;
	e.ts = step->ts;
	e.model = step->model;
	e.provider = step->provider;
	e.usage = step->usage;
	e.usd = step->usd;
	return otlp_run_tell(r, n, &e, err);
}

/* What is new of the request. */
static bool tell_messages(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	bool begun = false;

	for (uint32_t i = 0; i < n->payload_count; i++) {
		struct event *e = n->payload[i];
		enum history_repeated repeated;

		if (e->kind != EVENT_MESSAGE)
			continue;
		if (!begun && !r->own)
			history_begin(r->history);
		begun = !r->own; /* what we wrote tells nothing twice */
		repeated = begun ? history_next(r->history, e->digest, str_eq(e->role, STR("assistant"))) : HISTORY_NEW;
		if (repeated != HISTORY_NEW || (begun && !e->content.p))
			continue;
		e->flags = 0;
		e->digest = e->position = 0;
		if (!e->ts.text.p)
			e->ts = n->carrier->ts;
		if (!otlp_run_tell(r, n, e, err))
			return false;
	}
	if (begun)
		history_answer(r->history);
	return true;
}

static bool tell_step(struct otlp_run *r, struct otlp_node *n, struct err *err)
{
	struct event *e = otlp_tree_payload(n, EVENT_STEP);

	e->step = n->step_id;
	return carry(r, n, e, err) && otlp_run_tell(r, n, e, err) && tell_payloads(r, n, EVENT_ERROR, err);
}

static bool tell_call(struct otlp_run *r, struct otlp_node *n, struct err *err)
{
	struct event *e = otlp_tree_payload(n, EVENT_CALL);

	e->call = n->call_id;
	if (n->asker != OTLP_NOBODY && !e->step.p)
		e->step = r->t->nodes[n->asker]->step_id;
	return carry(r, n, e, err) && otlp_run_tell(r, n, e, err);
}

/* Tokens of an agent count only where nothing inside it has any. */
static bool tell_agent(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	return (n->usage_inside || tell_payloads(r, n, EVENT_COST, err)) && tell_payloads(r, n, EVENT_ERROR, err);
}

/* Of a trace of ours: the root, and what was no span. */
static bool tell_own_item(struct otlp_run *r, const struct item *it, struct err *err)
{
	struct otlp_node *n = r->t->nodes[it->node];
	struct event *e;

	if (it->payload == OTLP_NOBODY)
		return it->end ? tell_messages(r, n, err) : tell_note(r, n, err);
	e = n->payload[it->payload];
	if (n->role == OTLP_MODEL)
		e->step = n->step_id;
	return otlp_run_tell(r, n, e, err);
}

/* A result has no branch of its own in a span of ours: it is that of its call. */
static bool tell_own_result(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	struct event *e = otlp_tree_payload(n, EVENT_RESULT);

	e->call = n->call_id;
	e->branch = otlp_tree_payload(n, EVENT_CALL)->branch;
	return otlp_run_tell(r, n, e, err);
}

/* One moment of a node: what is told depends on the role, and on whether it begins or ends. */
static bool tell_item(struct otlp_run *r, const struct item *it, struct err *err)
{
	struct otlp_node *n = r->t->nodes[it->node];

	if (r->own && (it->payload != OTLP_NOBODY || n->role == OTLP_AGENT_SPAN))
		return tell_own_item(r, it, err);
	if (n->note || n->role == OTLP_OTHER)
		return tell_note(r, n, err) && tell_outer_usage(r, n, err) &&
		       (n->role != OTLP_AGENT_SPAN || tell_agent(r, n, err));
	if (n->role == OTLP_MODEL)
		return it->end ? tell_step(r, n, err) : tell_messages(r, n, err);
	if (!it->end)
		return tell_call(r, n, err);
	if (r->own)
		return tell_own_result(r, n, err);
	return tell_payloads(r, n, EVENT_RESULT, err) && tell_payloads(r, n, EVENT_COST, err);
}

/* ---- the run as a whole ---- */

/* Nearer to the root, or, at the same depth, earlier. */
static bool is_outer(const struct otlp_node *n, const struct otlp_node *other)
{
	return n->depth < other->depth || (n->depth == other->depth && n->at < other->at);
}

/* What the root of a trace of ours says of the run: NULL for other traces. */
static const struct event *find_own(const struct otlp_run *r, enum event_kind kind)
{
	for (uint32_t i = 0; r->own && i < r->t->count; i++) {
		const struct event *e = otlp_tree_payload(r->t->nodes[i], kind);

		if (e && !otlp_hint_of(r->t->nodes[i]->carrier)->parent.n)
			return e;
	}
	return NULL;
}

/* The start with what the format adds: its framework, or (OTLP) that it was a trace. */
static bool tell_made_start(struct otlp_run *r, struct event *e, struct err *err)
{
	const struct otlp_trace *t = r->t;

	if (t->vendor.p)
		e->framework = t->framework;
	else
		event_add_extra(e, t->arena, STR(OTLP_KEY),
				t->name.p ? STR("{\"trace\":true}") : STR("{\"trace\":false}"));
	return assemble_add(r->as, e, err);
}

/* Tells the start of the run: as our own root has it, else with the earliest time and the outermost agent and tools. */
static bool tell_start(struct otlp_run *r, struct err *err)
{
	const struct otlp_trace *t = r->t;
	struct event e = { .kind = EVENT_RUN_START, .index = -1, .run = t->name };
	const struct otlp_node *first = NULL, *agent = NULL, *tools = NULL;
	const struct event *own = find_own(r, EVENT_RUN_START);

	for (uint32_t i = 0; i < t->count; i++) {
		const struct otlp_node *n = t->nodes[i];

		if (n->carrier->ts.text.p && (!first || n->carrier->ts.ns < first->carrier->ts.ns))
			first = n;
		if (otlp_hint_of(n->carrier)->agent.n && (!agent || is_outer(n, agent)))
			agent = n;
		if (otlp_hint_of(n->carrier)->tools.p && (!tools || is_outer(n, tools)))
			tools = n;
	}
	if (own)
		e = *own;
	if (own && t->part)
		e.run = t->name;
	if (tools)
		e.tools = otlp_hint_of(tools->carrier)->tools;
	if (first && !own)
		e.ts = first->carrier->ts;
	if (agent) {
		e.agent = otlp_hint_of(agent->carrier)->agent;
		e.agent_version = otlp_hint_of(agent->carrier)->agent_version;
	}
	return tell_made_start(r, &e, err);
}

/* Why a root failed that is neither step nor call, told where the run ends: what is inside it comes before. */
static bool tell_failure(struct otlp_run *r, const struct otlp_node *n, struct err *err)
{
	struct event *e = r->t->vendor.p && n->role == OTLP_OTHER ? otlp_tree_payload(n, EVENT_ERROR) : NULL;

	return !e || otlp_run_tell(r, n, e, err);
}

/*
 * Tells the end of the run: as our own root has it, else by the latest end and by how the spans
 * without a parent ended.
 */
static bool tell_end(struct otlp_run *r, struct err *err)
{
	const struct otlp_trace *t = r->t;
	struct event e = { .kind = EVENT_RUN_END, .index = -1 };
	bool root = false, failed = false, open = false;
	const struct event *own = find_own(r, EVENT_RUN_END);
	int64_t last = 0;

	if (own) {
		e = *own;
		return assemble_add(r->as, &e, err) && (t->part || assemble_end(r->as, false, err));
	}

	for (uint32_t i = 0; i < t->count; i++) {
		const struct otlp_node *n = t->nodes[i];
		const struct otlp_hint *h = otlp_hint_of(n->carrier);

		if (!h->span)
			continue;
		if (n->until > last)
			last = n->until;
		if (h->parent.n)
			continue;
		root = true;
		failed |= h->failed;
		open |= h->end == 0;
		if (!tell_failure(r, n, err))
			return false;
	}
	if (last > 0)
		e.ts = moment_of(t->arena, last);
	if (root)
		e.status = failed ? STATUS_ERROR : open ? STATUS_INTERRUPTED : STATUS_SUCCESS;
	return assemble_add(r->as, &e, err);
}

/* What only the span around a step knows of its tokens is the step's. */
static void share_usage(const struct otlp_trace *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct otlp_node *n = t->nodes[i];
		const struct event *outer = otlp_tree_payload(n, EVENT_STEP);
		struct event *inner;

		if (n->role != OTLP_MODEL || n->inner != 1 || n->inner_usage || !outer || n->only == OTLP_NOBODY)
			continue;
		inner = otlp_tree_payload(t->nodes[n->only], EVENT_STEP);
		if (inner && !usage_is_known(&inner->usage))
			inner->usage = outer->usage;
		if (inner && !amount_is_known(inner->usd))
			inner->usd = outer->usd;
	}
}

/* Whether every span has its place: one foreign span among ours, and times decide the order again. */
static bool otlp_run_is_own(const struct otlp_trace *t)
{
	bool own = false;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct event *carrier = t->nodes[i]->carrier;

		if (otlp_hint_of(carrier)->span && !otlp_run_place_of(carrier))
			return false;
		own |= otlp_run_place_of(carrier) > 0;
	}
	return own;
}

/* Empties the working memory for a trace. r->own must be set. Numbers of contexts are counted anew in each run. */
static void otlp_run_begin(struct otlp_run *r, const struct otlp_trace *t, struct assemble *as)
{
	/* Traces of ours say what was billed. */
	assemble_use(as, (struct assemble_options){ .flags = r->own ? 0 : ASSEMBLE_STEP_COSTS,
						    .vendor = t->vendor.p ? t->vendor : STR("otlp-json") });
	r->t = t;
	r->as = as;
	r->item_count = 0;
	r->contexts_told = r->asked = 0;
	if (r->context_cap < t->context_count) {
		r->context_cap = 2 * (size_t)t->context_count;
		r->context_numbers = mem_resize(r->context_numbers, r->context_cap * sizeof(*r->context_numbers));
	}
	if (t->context_count)
		memset(r->context_numbers, 0, t->context_count * sizeof(*r->context_numbers));
	map_init(&r->ids, t->arena);
	history_reset(r->history);
}

bool otlp_run_put(struct otlp_run *r, const struct otlp_trace *t, struct assemble *as, struct err *err)
{
	r->own = otlp_run_is_own(t);
	/* A run of ours may have the id of the one before; and the one before ends by its own rules. */
	if (r->own && !t->part && !assemble_end(as, false, err))
		return false;
	otlp_run_begin(r, t, as);
	otlp_tree_build(t->nodes, t->count);
	share_usage(t);
	for (uint32_t i = 0; i < t->count; i++)
		give_ids(r, t->nodes[i], i);
	for (uint32_t i = 0; i < t->count; i++) {
		find_asker(r, t->nodes[i]);
		if (r->own)
			add_own_items(r, t->nodes[i], i);
		else
			add_items(r, t->nodes[i], i);
	}
	qsort_r(r->items, r->item_count, sizeof(*r->items), compare, t->nodes);
	if (!tell_start(r, err))
		return false;
	for (size_t i = 0; i < r->item_count; i++)
		if (!tell_item(r, &r->items[i], err))
			return false;
	return tell_end(r, err);
}
