/*
 * Parents are found by id, depths by walking up once; then one pass from the root down says what stands around each
 * span, and one from the leaves up which spans about a model are steps.
 */
#include "dialect/otlp/tree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "dialect/otlp/read.h"

enum state { STATE_NEW, STATE_OPEN, STATE_DONE };

struct event *otlp_tree_payload(const struct otlp_node *n, enum event_kind kind)
{
	for (uint32_t i = 0; i < n->payload_count; i++)
		if (n->payload[i]->kind == kind && !(n->payload[i]->flags & EVENT_HISTORY))
			return n->payload[i];
	return NULL;
}

/* ---- parents ---- */

/* A span told twice is there once: of the second only the record is kept. */
static void note_repeated(struct otlp_node *first, struct otlp_node *n)
{
	const struct extra *a = first->carrier->extras, *b = n->carrier->extras;

	if (a && b && str_eq(a->json, b->json))
		n->note = true;
}

/* Sets the parent of each node by its id. Of spans that share an id the first is the parent. */
static void otlp_tree_find_parents(struct otlp_node **nodes, uint32_t count)
{
	struct arena arena;
	struct map ids;

	arena_init(&arena);
	map_init(&ids, &arena);
	for (uint32_t i = 0; i < count; i++) {
		struct str id = otlp_hint_of(nodes[i]->carrier)->id;
		uint64_t *slot;
		bool added;

		if (!id.n)
			continue;
		slot = map_add(&ids, id, &added);
		if (added)
			*slot = i;
		else
			note_repeated(nodes[*slot], nodes[i]);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct otlp_hint *h = otlp_hint_of(nodes[i]->carrier);
		const uint64_t *slot = h->parent.n && !str_eq(h->parent, h->id) ? map_find(&ids, h->parent) : NULL;

		nodes[i]->parent = slot ? (uint32_t)*slot : OTLP_NOBODY;
	}
	arena_free(&arena);
}

/* Up to the first node whose depth is known, or to the top; then down again. A circle is cut where it closes. */
static void measure(struct otlp_node **nodes, uint32_t from, uint32_t *path)
{
	uint32_t n = 0, at = from, depth = 0;

	while (at != OTLP_NOBODY && nodes[at]->state == STATE_NEW) {
		nodes[at]->state = STATE_OPEN;
		path[n++] = at;
		at = nodes[at]->parent;
	}
	if (at != OTLP_NOBODY && nodes[at]->state == STATE_OPEN)
		nodes[path[n - 1]]->parent = OTLP_NOBODY;
	else if (at != OTLP_NOBODY)
		depth = nodes[at]->depth + 1;
	while (n) {
		nodes[path[--n]]->depth = depth++;
		nodes[path[n]]->state = STATE_DONE;
	}
}

/* Places in the order of depth; the caller frees it. */
static uint32_t *order_by_depth(struct otlp_node **nodes, uint32_t count)
{
	uint32_t *order = mem_alloc((size_t)count * sizeof(*order) + 1);
	uint32_t *start = mem_alloc(((size_t)count + 1) * sizeof(*start));

	memset(start, 0, ((size_t)count + 1) * sizeof(*start));
	for (uint32_t i = 0; i < count; i++) {
		assert(nodes[i]->state == STATE_DONE && nodes[i]->depth < count); /* circles were cut */
		start[nodes[i]->depth + 1]++;
	}
	for (uint32_t i = 0; i < count; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < count; i++)
		order[start[nodes[i]->depth]++] = i;
	mem_free(start);
	return order;
}

/* ---- what is around ---- */

/* note_repeated and is_inner_layer turn a call into a note: it is none then. */
static bool otlp_tree_is_call(const struct otlp_node *n)
{
	return !n->note && (n->role == OTLP_TOOL || n->role == OTLP_RETRIEVER);
}

/*
 * What a node takes from its parent, which must be done already. A tool ends the way down from a model, and no span
 * begins before its parent.
 */
static void inherit(struct otlp_node **nodes, struct otlp_node *n)
{
	const struct otlp_node *p = n->parent == OTLP_NOBODY ? NULL : nodes[n->parent];

	n->tool = n->model = n->actor = n->agent = n->branch = OTLP_NOBODY;
	if (!p)
		return;
	n->tool = otlp_tree_is_call(p) ? n->parent : p->tool;
	n->model = p->role == OTLP_MODEL && !p->note ? n->parent : otlp_tree_is_call(p) ? OTLP_NOBODY : p->model;
	n->actor = p->role != OTLP_OTHER ? n->parent : p->actor;
	n->agent = p->agent;
	n->branch = p->branch;
	if (n->at < p->at)
		n->at = p->at;
}

/* The same call told by a layer below. */
static bool is_inner_layer(struct otlp_node **nodes, const struct otlp_node *n)
{
	const struct event *outer, *call;

	if (!otlp_tree_is_call(n) || n->tool == OTLP_NOBODY || n->actor != n->tool)
		return false;
	outer = otlp_tree_payload(nodes[n->tool], EVENT_CALL);
	call = otlp_tree_payload(n, EVENT_CALL);
	return outer && call && str_eq(outer->tool, call->tool) && (!call->call.n || str_eq(outer->call, call->call));
}

/* An agent inside a tool, or inside an agent of another name, has a branch of its own. */
static void enter_agent(struct otlp_node **nodes, struct otlp_node *n, uint32_t self)
{
	struct str own = otlp_hint_of(n->carrier)->agent, outer = { NULL, 0 };

	if (n->agent != OTLP_NOBODY)
		outer = otlp_hint_of(nodes[n->agent]->carrier)->agent;
	if (n->tool != OTLP_NOBODY || (outer.n && own.n && !str_eq(outer, own)))
		n->branch = self;
	n->agent = self;
}

/* From the root down, so that a parent is done before its children. Agents and spans without a role are notes. */
static void look_around(struct otlp_node **nodes, const uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct otlp_node *n = nodes[order[i]];
		int64_t end = otlp_hint_of(n->carrier)->end;

		n->at = n->carrier->ts.ns;
		inherit(nodes, n);
		n->until = end > n->at ? end : n->at;
		n->first = INT64_MAX;
		n->only = OTLP_NOBODY;
		if (is_inner_layer(nodes, n))
			n->note = true;
		if (n->role == OTLP_AGENT_SPAN)
			enter_agent(nodes, n, order[i]);
		if (n->role == OTLP_OTHER || n->role == OTLP_AGENT_SPAN)
			n->note = true;
	}
}

/* ---- which spans are steps ---- */

/* Whether the span itself tells tokens, as a step or as a cost. */
static bool has_usage(const struct otlp_node *n)
{
	const struct event *step = otlp_tree_payload(n, EVENT_STEP);

	return step ? usage_is_known(&step->usage) : otlp_tree_payload(n, EVENT_COST) != NULL;
}

/*
 * From the leaves up, so that what is inside a model span is known when its turn comes: one with steps inside is no
 * step.
 */
static void find_steps(struct otlp_node **nodes, const uint32_t *order, uint32_t count)
{
	for (uint32_t i = count; i-- > 0;) {
		struct otlp_node *n = nodes[order[i]], *around = n->model == OTLP_NOBODY ? NULL : nodes[n->model];

		if (n->parent != OTLP_NOBODY)
			nodes[n->parent]->usage_inside |= n->usage_inside || has_usage(n);
		if (n->note)
			continue;
		if (around && n->at < around->first)
			around->first = n->at;
		if (n->role != OTLP_MODEL)
			continue;
		if (around) {
			around->inner += n->inner ? n->inner : 1;
			around->only = n->inner ? n->only : order[i];
			around->inner_usage |= n->inner_usage || has_usage(n);
		}
		n->note = n->inner > 0;
	}
}

void otlp_tree_build(struct otlp_node **nodes, uint32_t count)
{
	uint32_t *order, *path = mem_alloc((size_t)count * sizeof(*path) + 1);

	otlp_tree_find_parents(nodes, count);
	for (uint32_t i = 0; i < count; i++)
		measure(nodes, i, path);
	order = order_by_depth(nodes, count);
	look_around(nodes, order, count);
	find_steps(nodes, order, count);
	mem_free(order);
	mem_free(path);
}
