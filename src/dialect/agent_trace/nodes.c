/*
 * 64 tables, so that growing one copies little at a time. Edges are kept only while some parent is still to come: a
 * node whose parents all came before it can be in no cycle.
 */
#include "dialect/agent_trace/nodes.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define WANTED ((uint32_t)1 << 31)
#define NUMBER_MAX (WANTED - 2)
#define EDGE_LAST ((uint32_t)1 << 31)
#define FIRST_CAP 16

/* State: WANTED and the number of the want, or the node's number among the edges kept (0 for none). */
struct node_entry {
	uint64_t a; /* 0: free */
	uint32_t b, state;
};

struct node_key node_key_of(struct str id)
{
	struct hash h = str_hash_wide(id);

	return (struct node_key){ h.a ? h.a : 1, (uint32_t)(h.b >> 32) };
}

void nodes_init(struct nodes *n, uint64_t limit)
{
	*n = (struct nodes){ .limit = limit ? limit : NODES_MAX, .base = 1, .next = 1 };
}

void nodes_free(struct nodes *n)
{
	for (size_t i = 0; i < NODES_PARTS; i++)
		mem_free(n->parts[i].slots);
	buf_free(&n->wants);
	buf_free(&n->first);
	buf_free(&n->lines);
	buf_free(&n->edges);
}

/* ---- the table ---- */

static size_t nodes_part_of(struct node_key key)
{
	return key.a >> 58;
}

/* Multiplying spreads 32 of the remaining bits over any number of slots. */
static uint32_t slot_of(const struct node_part *p, uint64_t a)
{
	return (uint32_t)((a << 6 >> 32) * p->cap >> 32);
}

/* The entry of the key, or the free slot for it. entry_of keeps a fifth of the table free, so the walk ends. */
static struct node_entry *nodes_find_slot(const struct node_part *p, struct node_key key)
{
	uint32_t i = slot_of(p, key.a);

	while (p->slots[i].a && (p->slots[i].a != key.a || p->slots[i].b != key.b))
		i = i + 1 == p->cap ? 0 : i + 1;
	return &p->slots[i];
}

/* By half, not twofold: memory counts more here than the number of copies. */
static void nodes_grow(struct node_part *p)
{
	struct node_part bigger = { .used = p->used };

	bigger.cap = p->cap ? p->cap + p->cap / 2 : FIRST_CAP;
	bigger.slots = mem_alloc(bigger.cap * sizeof(*bigger.slots));
	memset(bigger.slots, 0, bigger.cap * sizeof(*bigger.slots));
	for (uint32_t i = 0; i < p->cap; i++)
		if (p->slots[i].a)
			*nodes_find_slot(&bigger, (struct node_key){ p->slots[i].a, p->slots[i].b }) = p->slots[i];
	mem_free(p->slots);
	*p = bigger;
}

/* The entry of an id, new and zero when there was none; NULL when there may be no more. */
static struct node_entry *entry_of(struct nodes *n, struct node_key key, bool *fresh)
{
	struct node_part *p = &n->parts[nodes_part_of(key)];
	struct node_entry *e;

	assert(key.a != 0); /* that is a free slot */
	if (p->used >= p->cap - p->cap / 5)
		nodes_grow(p);
	e = nodes_find_slot(p, key);
	*fresh = e->a == 0;
	if (!*fresh)
		return e;
	if (n->count == n->limit)
		return NULL;
	n->count++;
	p->used++;
	*e = (struct node_entry){ .a = key.a, .b = key.b };
	return e;
}

void nodes_prefetch(const struct nodes *n, struct node_key id)
{
	const struct node_part *p = &n->parts[nodes_part_of(id)];

	if (p->cap) {
		const struct node_entry *slot = &p->slots[slot_of(p, id.a)];

		__builtin_prefetch(slot);
		__builtin_prefetch(slot + 4); /* the search may go on in the next line of the cache */
	}
}

/* ---- ids that are awaited ---- */

static struct node_want *want_get(const struct nodes *n, uint32_t i)
{
	return (struct node_want *)(void *)n->wants.p + i;
}

/* A want from the free list, or a new one. Wants may move: pointers do not outlast the call. */
static uint32_t want_new(struct nodes *n)
{
	static const struct node_want none;
	uint32_t i = n->free_want;

	if (i) {
		n->free_want = want_get(n, i)->next;
		return i;
	}
	if (n->wants.n == 0)
		buf_add(&n->wants, &none, sizeof(none)); /* number 0 stands for none */
	buf_add(&n->wants, &none, sizeof(none));
	return (uint32_t)(n->wants.n / sizeof(none)) - 1;
}

/* The want of a kind in the entry's list, or 0. */
static uint32_t want_find(const struct nodes *n, const struct node_entry *e, enum node_ref kind)
{
	uint32_t i = e->state & ~WANTED;

	while (i && want_get(n, i)->kind != kind)
		i = want_get(n, i)->next;
	return i;
}

/* Puts a want at the head of the entry's list; an id may be awaited both as a parent and as a sibling. */
static struct node_want *want_add(struct nodes *n, struct node_entry *e, enum node_ref kind,
				  const struct node_parent *ref, uint64_t line, uint64_t offset)
{
	uint32_t i = want_new(n), next = e->state & WANTED ? e->state & ~WANTED : 0;
	struct node_want *w = want_get(n, i);

	*w = (struct node_want){
		.line = line,
		.offset = offset,
		.at = ref->at,
		.index = ref->index,
		.next = next,
		.kind = (uint8_t)kind,
		.open = true,
	};
	e->state = WANTED | i;
	n->open_parents += kind == NODE_PARENT;
	return w;
}

/* The id came: what awaited it is content. Gives the number it was promised among the edges, or 0. */
static uint32_t want_settle(struct nodes *n, struct node_entry *e)
{
	uint32_t i = e->state & ~WANTED, number = 0;

	while (i) {
		struct node_want *w = want_get(n, i);
		uint32_t next = w->next;

		if (w->kind == NODE_PARENT) {
			number = w->number;
			n->open_parents--;
		}
		w->open = false;
		w->next = n->free_want;
		n->free_want = i;
		i = next;
	}
	return number;
}

const struct node_want *nodes_next_want(const struct nodes *n, size_t *at)
{
	size_t count = n->wants.n / sizeof(struct node_want);

	while (*at < count) {
		const struct node_want *w = want_get(n, (uint32_t)(*at)++);

		if (w->open)
			return w;
	}
	return NULL;
}

/* ---- edges ---- */

static uint32_t number_new(struct nodes *n)
{
	static const uint32_t zero;

	buf_add(&n->first, &zero, sizeof(zero));
	buf_add(&n->lines, &zero, sizeof(zero));
	return n->next++;
}

static uint32_t *cell(const struct buf *b, uint32_t i)
{
	return (uint32_t *)(void *)b->p + i;
}

/* The number of a parent among the edges, if it matters: nodes that came before the first edge kept do not. */
static uint32_t parent_number(struct nodes *n, const struct node_parent *parent, uint64_t line, uint64_t offset)
{
	bool fresh;
	struct node_entry *e = entry_of(n, parent->key, &fresh);
	uint32_t i;

	if (!e)
		return 0;
	if (!fresh && !(e->state & WANTED))
		return e->state >= n->base ? e->state : 0;
	i = fresh ? 0 : want_find(n, e, NODE_PARENT);
	if (i)
		return want_get(n, i)->number;
	if (n->next < NUMBER_MAX) {
		struct node_want *w = want_add(n, e, NODE_PARENT, parent, line, offset);

		w->number = number_new(n);
		return w->number;
	}
	return 0;
}

/* The edges of a node lie together; the last is marked, so that no count is needed. */
static void add_edges(struct nodes *n, uint32_t number, const uint32_t *to, size_t count)
{
	if (count == 0)
		return;
	*cell(&n->first, number - n->base) = (uint32_t)(n->edges.n / sizeof(uint32_t)) + 1;
	for (size_t i = 0; i < count; i++) {
		uint32_t edge = i + 1 == count ? to[i] | EDGE_LAST : to[i];

		buf_add(&n->edges, &edge, sizeof(edge));
	}
}

static bool nodes_is_same(struct node_key a, struct node_key b)
{
	return a.a == b.a && a.b == b.b;
}

/* The edges from a node to those of its parents that may be part of a cycle. */
static void add_parents(struct nodes *n, struct node_key id, uint32_t number, uint64_t line, uint64_t offset,
		    const struct node_parent *parents, size_t count)
{
	struct buf to = { 0 };
	bool fresh;

	for (size_t i = 0; i < count; i++) {
		uint32_t parent =
			nodes_is_same(parents[i].key, id) ? 0 : parent_number(n, &parents[i], line, offset);

		if (parent)
			buf_add(&to, &parent, sizeof(parent));
	}
	if ((to.n || n->next > n->base) && n->next < NUMBER_MAX) {
		number = number ? number : number_new(n);
		*cell(&n->lines, number - n->base) = (uint32_t)(line < UINT32_MAX ? line : UINT32_MAX);
		add_edges(n, number, (const uint32_t *)(void *)to.p, to.n / sizeof(uint32_t));
		entry_of(n, id, &fresh)->state = number; /* a table may have moved */
	}
	buf_free(&to);
}

enum node_added nodes_add(struct nodes *n, struct node_key id, uint64_t line, uint64_t offset,
			  const struct node_parent *parents, size_t count, bool *own_parent)
{
	bool fresh, idle = n->next == n->base;
	struct node_entry *e = entry_of(n, id, &fresh);
	uint32_t number = 0;

	*own_parent = false;
	for (size_t i = 0; i < count && !*own_parent; i++)
		*own_parent = nodes_is_same(parents[i].key, id);
	if (!e)
		return NODE_BEYOND;
	if (!fresh && !(e->state & WANTED))
		return NODE_AGAIN;
	if (!fresh) {
		number = want_settle(n, e);
		e->state = number;
	}
	for (size_t i = 0; i < count && idle; i++) {
		const struct node_part *p = &n->parts[nodes_part_of(parents[i].key)];

		/* the usual case: every parent came before, and there is nothing to remember */
		idle = p->cap && (e = nodes_find_slot(p, parents[i].key))->a && !(e->state & WANTED);
	}
	if (!idle)
		add_parents(n, id, number, line, offset, parents, count);
	return NODE_NEW;
}

void nodes_add_reference(struct nodes *n, enum node_ref kind, const struct node_parent *to, uint64_t line,
			 uint64_t offset)
{
	bool fresh;
	struct node_entry *e;

	if (kind == NODE_PARENT) {
		parent_number(n, to, line, offset); /* other nodes may await it too, with an edge */
		return;
	}
	e = entry_of(n, to->key, &fresh);
	if (!e || (!fresh && !(e->state & WANTED)))
		return;
	if (fresh || !want_find(n, e, NODE_SIBLING))
		want_add(n, e, NODE_SIBLING, to, line, offset);
}

/* ---- cycles ---- */

enum color { WHITE, GREY, BLACK, TOLD };

struct step { /* on the way down */
	uint32_t node;
	uint32_t edge; /* the next one to follow + 1; 0 when there is none left */
};

struct search {
	struct nodes *nodes;
	struct buf colors; /* a byte for each node */
	struct buf path;   /* struct step */
	void (*cycle)(void *context, const uint32_t *lines, size_t shown, size_t length);
	void *context;
};

static struct step *step_get(const struct search *s, size_t i)
{
	return (struct step *)(void *)s->path.p + i;
}

/*
 * The way leads back to `node`: the steps from there on are a cycle. A step is walked over once; a cycle
 * that shares one with a cycle that was told is not told again.
 */
static void nodes_tell(struct search *s, uint32_t node)
{
	size_t depth = s->path.n / sizeof(struct step), from = depth;
	uint32_t lines[NODES_CYCLE_SHOWN], step;
	size_t shown;

	do {
		step = step_get(s, --from)->node;
		if (s->colors.p[step] == TOLD)
			return;
		s->colors.p[step] = TOLD;
	} while (step != node);
	shown = depth - from < NODES_CYCLE_SHOWN ? depth - from : NODES_CYCLE_SHOWN;
	for (size_t i = 0; i < shown; i++)
		lines[i] = *cell(&s->nodes->lines, step_get(s, from + i)->node);
	s->cycle(s->context, lines, shown, depth - from);
}

static void enter(struct search *s, uint32_t node)
{
	struct step step = { node, *cell(&s->nodes->first, node) };

	s->colors.p[node] = GREY;
	buf_add(&s->path, &step, sizeof(step));
}

/* Depth first with a path of its own on the heap: the depth of a trace is the input's to choose. */
static void search_from(struct search *s, uint32_t node)
{
	enter(s, node);
	while (s->path.n) {
		struct step *top = step_get(s, s->path.n / sizeof(struct step) - 1);
		uint32_t edge, to;

		if (!top->edge) {
			if (s->colors.p[top->node] == GREY)
				s->colors.p[top->node] = BLACK;
			s->path.n -= sizeof(struct step);
			continue;
		}
		edge = *cell(&s->nodes->edges, top->edge - 1);
		top->edge = edge & EDGE_LAST ? 0 : top->edge + 1;
		to = (edge & ~EDGE_LAST) - s->nodes->base;
		if (s->colors.p[to] == WHITE)
			enter(s, to);
		else if (s->colors.p[to] == GREY)
			nodes_tell(s, to);
	}
}

void nodes_find_cycles(struct nodes *n,
		       void (*cycle)(void *context, const uint32_t *lines, size_t shown, size_t length), void *context)
{
	uint32_t count = n->next - n->base;
	struct search s = { .nodes = n, .cycle = cycle, .context = context };

	if (count) {
		memset(buf_reserve(&s.colors, count), WHITE, count);
		s.colors.n = count;
	}
	for (uint32_t i = 0; i < count; i++)
		if (s.colors.p[i] == WHITE)
			search_from(&s, i);
	buf_free(&s.colors);
	buf_free(&s.path);
	n->base = n->next;
	buf_clear(&n->first);
	buf_clear(&n->lines);
	buf_clear(&n->edges);
}
