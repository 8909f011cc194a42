/* Lines are in a map by branch; calls in an open table by the hash of their id, so that no id is kept. */
#include "dialect/agent_trace/dag.h"

#include <assert.h>

#define CALLS_MIN 64

void dag_init(struct dag *d)
{
	memset(d, 0, sizeof(*d));
	arena_init(&d->arena);
	dag_reset(d);
}

static void free_calls(struct dag *d)
{
	while (d->first) {
		struct dag_call *c = d->first;

		d->first = c->after;
		mem_free(c);
	}
	d->last = NULL;
	mem_free(d->slots);
	d->slots = NULL;
	d->count = d->cap = 0;
}

void dag_free(struct dag *d)
{
	free_calls(d);
	arena_free(&d->arena);
}

void dag_reset(struct dag *d)
{
	free_calls(d);
	arena_reset(&d->arena);
	map_init(&d->lines, &d->arena);
	d->main = arena_new(&d->arena, struct dag_line);
	d->has_root = false;
}

void dag_ids_add(struct arena *a, struct dag_ids *list, struct id id)
{
	arena_grow(a, list->ids, list->count, list->cap, 4);
	list->ids[list->count++] = id;
}

/* ---- lines ---- */

/* A line begins in the call that its first event names, else in the node of the run. It keeps what it has. */
static void agent_trace_dag_begin_line(struct dag *d, struct dag_line *l, struct str parent)
{
	struct dag_slot *call = parent.p ? dag_find_call(d, parent) : NULL;

	if (l->has_origin || (!call && !d->has_root))
		return;
	l->has_origin = true;
	l->origin = call ? call->node : d->root;
}

struct dag_line *dag_find_line(struct dag *d, struct str branch, struct str parent)
{
	struct dag_line *l = d->main;
	uint64_t *at;
	bool added;

	if (branch.p) {
		at = map_add(&d->lines, branch, &added);
		if (added) {
			l = arena_new(&d->arena, struct dag_line);
			*at = (uint64_t)(uintptr_t)l;
		}
		l = (struct dag_line *)(uintptr_t)*at;
	}
	if (!l->has_step && !l->has_input)
		agent_trace_dag_begin_line(d, l, branch.p ? parent : (struct str){ NULL, 0 });
	return l;
}

void dag_follow(const struct dag_line *l, struct dag_ids *out)
{
	out->count = 1;
	if (l->has_step)
		out->ids[0] = l->step;
	else if (l->has_input)
		out->ids[0] = l->input;
	else if (l->has_origin)
		out->ids[0] = l->origin;
	else
		out->count = 0;
}

void dag_hear(struct dag *d, struct dag_line *l, struct id input)
{
	/* before the first model call each follows from the one before, so that the last will do */
	if (!l->has_step)
		l->inputs.count = 0;
	dag_ids_add(&d->arena, &l->inputs, input);
	l->input = input;
	l->has_input = true;
}

void dag_join(struct dag *d, const struct dag_line *l, struct dag_ids *out)
{
	if (l->carried.count && l->inputs.count) {
		*out = (struct dag_ids){ 0 };
		for (size_t i = 0; i < l->carried.count; i++)
			dag_ids_add(&d->arena, out, l->carried.ids[i]);
		for (size_t i = 0; i < l->inputs.count; i++)
			dag_ids_add(&d->arena, out, l->inputs.ids[i]);
	} else if (l->carried.count) {
		*out = l->carried;
	} else if (l->inputs.count) {
		*out = l->inputs;
	} else {
		dag_follow(l, out);
	}
}

/* ---- calls ---- */

/* Where the key is, or where it would go. */
static size_t agent_trace_dag_find_slot(const struct dag *d, struct hash key)
{
	size_t at = key.a & (d->cap - 1);

	assert(d->cap > 0 && (d->cap & (d->cap - 1)) == 0 && d->count < d->cap); /* so the walk ends */
	while (d->slots[at].used && (d->slots[at].key.a != key.a || d->slots[at].key.b != key.b))
		at = (at + 1) & (d->cap - 1);
	return at;
}

struct dag_slot *dag_find_call(struct dag *d, struct str id)
{
	struct dag_slot *s;

	if (!d->cap || !id.p)
		return NULL;
	s = &d->slots[agent_trace_dag_find_slot(d, str_hash_wide(id))];
	return s->used ? s : NULL;
}

/* Pointers to slots do not survive this. About a third of the table stays free, so every walk ends. */
static void agent_trace_dag_grow(struct dag *d)
{
	struct dag_slot *old = d->slots;
	size_t n = d->cap;

	d->cap = n ? n * 2 : CALLS_MIN;
	d->slots = mem_alloc(d->cap * sizeof(*d->slots));
	memset(d->slots, 0, d->cap * sizeof(*d->slots));
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			d->slots[agent_trace_dag_find_slot(d, old[i].key)] = old[i];
	mem_free(old);
}

struct dag_call *dag_new_call(struct str name, struct str call, struct str agent)
{
	struct dag_call *c = mem_alloc(sizeof(*c) + name.n + call.n + agent.n);
	const struct str from[] = { name, call, agent };
	struct str *to[] = { &c->name, &c->call, &c->agent };
	char *text = (char *)(c + 1);

	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < 3; i++) {
		if (!from[i].p)
			continue;
		if (from[i].n)
			memcpy(text, from[i].p, from[i].n);
		*to[i] = str_of(text, from[i].n);
		text += from[i].n;
	}
	return c;
}

/* Takes an open call out of the list and frees it. */
static void agent_trace_dag_forget(struct dag *d, struct dag_call *c)
{
	*(c->before ? &c->before->after : &d->first) = c->after;
	*(c->after ? &c->after->before : &d->last) = c->before;
	mem_free(c);
}

void dag_add_call(struct dag *d, struct dag_call *call)
{
	struct hash key = str_hash_wide(call->call);
	struct dag_slot *s;

	if (d->count + d->count / 2 >= d->cap)
		agent_trace_dag_grow(d);
	s = &d->slots[agent_trace_dag_find_slot(d, key)];
	d->count += !s->used;
	if (s->open)
		agent_trace_dag_forget(d, s->open);
	*s = (struct dag_slot){ .key = key, .node = call->node, .open = call, .used = true };
	call->before = d->last;
	*(d->last ? &d->last->after : &d->first) = call;
	d->last = call;
}

void dag_close_call(struct dag *d, struct dag_slot *slot)
{
	assert(slot->open);
	agent_trace_dag_forget(d, slot->open);
	slot->open = NULL;
}
