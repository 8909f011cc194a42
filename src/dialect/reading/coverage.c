/*
 * Paths are a tree of nodes, found by a hash of parent and name. A record is one walk over its tape with a stack of
 * open containers; limits keep the tree small whatever the names are.
 */
#include "dialect/reading/coverage.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "dialect/reading/reading.h"

#define NODES_MAX (4 * COVERAGE_FIELDS) /* inner places of paths, too */
#define NAME_MAX_BYTES 128              /* of a name; equal beginnings make one field */
#define SHARE UINT64_C(1000000000)      /* shares in such parts: integers, whose sums do not depend on their order */
#define ROOT 0
#define OTHER 1 /* whatever is beyond the limits */

/* A place on a path, below another. */
struct node {
	uint32_t parent;
	bool element; /* of an array: it has no name */
	bool is_field;
	uint32_t members; /* names below it so far */
	struct str name;
	struct coverage_counts leaves;
};

/* A container that is being walked through. */
struct level {
	uint32_t end;     /* the token after it */
	uint32_t node;
	uint32_t element; /* node of its elements, for an array */
	bool is_array;
	uint8_t mark;
};

struct coverage {
	struct arena names, scratch;
	struct node *nodes;
	uint32_t count, cap;
	uint32_t *slots; /* hash table of nodes + 1, by parent and name */
	uint32_t slot_cap;
	uint32_t fields;
	bool limited;
	uint64_t records;
	uint64_t lost; /* sum of lost shares, and of their squares */
	__extension__ unsigned __int128 squares;
	struct level *levels;
	size_t level_cap;
};

static uint64_t node_hash(uint32_t parent, bool element, struct str name)
{
	return (str_hash(name) ^ ((uint64_t)parent << 1 | element)) * UINT64_C(0x9E3779B97F4A7C15);
}

/* The slot of this name below the parent, or the free one where it would go. */
static uint32_t *coverage_find_slot(const struct coverage *c, uint32_t parent, bool element, struct str name)
{
	uint32_t mask = c->slot_cap - 1;
	uint32_t at = (uint32_t)(node_hash(parent, element, name) >> 32) & mask;

	assert(c->count < c->slot_cap); /* a free slot ends the walk */
	for (; c->slots[at]; at = (at + 1) & mask) {
		const struct node *n = &c->nodes[c->slots[at] - 1];

		if (n->parent == parent && n->element == element && str_eq(n->name, name))
			break;
	}
	return &c->slots[at];
}

static uint32_t coverage_add_node(struct coverage *c, uint32_t parent, bool element, struct str name)
{
	assert(c->count < NODES_MAX);
	mem_grow(c->nodes, c->count, c->cap, 256);
	c->nodes[c->count] = (struct node){ .parent = parent, .element = element, .name = arena_copy(&c->names, name) };
	return c->count++;
}

/* The first two nodes are ROOT and OTHER, which have no parent. */
struct coverage *coverage_open(void)
{
	struct coverage *c = mem_alloc(sizeof(*c));

	*c = (struct coverage){ .slot_cap = 2 * NODES_MAX };
	arena_init(&c->names);
	arena_init(&c->scratch);
	c->slots = mem_alloc(c->slot_cap * sizeof(*c->slots));
	memset(c->slots, 0, c->slot_cap * sizeof(*c->slots));
	coverage_add_node(c, UINT32_MAX, false, STR("(value)"));
	coverage_add_node(c, UINT32_MAX, false, STR("(other)"));
	return c;
}

void coverage_close(struct coverage *c)
{
	if (!c)
		return;
	arena_free(&c->names);
	arena_free(&c->scratch);
	mem_free(c->nodes);
	mem_free(c->slots);
	mem_free(c->levels);
	mem_free(c);
}

/*
 * The node of a name below another, made when there is none. Beyond the limits, names become "*" and nodes "(other)".
 */
static uint32_t find_child(struct coverage *c, uint32_t parent, bool element, struct str name)
{
	uint32_t *slot;

	if (parent == OTHER)
		return OTHER;
	if (name.n > NAME_MAX_BYTES)
		name.n = NAME_MAX_BYTES;
	slot = coverage_find_slot(c, parent, element, name);
	if (*slot)
		return *slot - 1;
	if (!element && c->nodes[parent].members >= COVERAGE_MEMBERS) {
		name = STR("*");
		c->limited = true;
		slot = coverage_find_slot(c, parent, element, name);
		if (*slot)
			return *slot - 1;
	}
	if (c->count == NODES_MAX) {
		c->limited = true;
		return OTHER;
	}
	c->nodes[parent].members += !element;
	*slot = c->count + 1;
	return coverage_add_node(c, parent, element, name);
}

/* The counts of a field. One field too many counts as "(other)". */
static struct coverage_counts *leaves_of(struct coverage *c, uint32_t node)
{
	if (!c->nodes[node].is_field) {
		if (node != OTHER && c->fields >= COVERAGE_FIELDS) {
			c->limited = true;
			node = OTHER;
		}
		c->fields += !c->nodes[node].is_field && node != OTHER;
		c->nodes[node].is_field = true;
	}
	return &c->nodes[node].leaves;
}

/* Nulls are counted where they are lost, since losing a null says nothing. */
static void count_leaf(struct coverage_counts *n, uint8_t mark, bool is_null)
{
	switch (mark) {
	case READING_TAKEN:
		n->taken++;
		return;
	case READING_KEPT:
		n->kept++;
		return;
	case READING_DROPPED:
		n->dropped++;
		break;
	default:
		n->left++;
	}
	n->nulls += is_null;
}

static void push(struct coverage *c, size_t depth, struct level l)
{
	mem_grow(c->levels, depth, c->level_cap, 64);
	c->levels[depth] = l;
}

/* The elements of an array share one node, which is looked for once for all of them. */
static struct level level_of(struct coverage *c, struct val v, uint32_t node, uint8_t mark)
{
	bool is_array = val_is(v, JSON_ARRAY);
	uint32_t element = is_array ? find_child(c, node, true, STR("")) : OTHER;

	return (struct level){
		.end = val_end(v), .node = node, .element = element, .is_array = is_array, .mark = mark,
	};
}

static void add_share(struct coverage *c, const struct coverage_counts *n)
{
	uint64_t lost = n->dropped + n->left, all = n->taken + n->kept + lost;
	uint64_t share = lost * SHARE / all; /* a tape has fewer than 2^32 tokens */

	assert(share <= SHARE);
	c->records++;
	c->lost += share;
	c->squares += share * share;
}

/* A mark of a container counts for what is inside, unless that has its own. */
void coverage_add(struct coverage *c, struct val root, const uint8_t *marks)
{
	struct coverage_counts record = { 0 };
	struct val v = root;
	struct str name = STR("");
	size_t depth = 0;

	for (uint32_t end = val_end(root); v.at < end; v.at++) {
		const struct json_tok *t = val_tok(v);
		uint8_t mark = marks[v.at];
		uint32_t node = ROOT;

		if (t->type == JSON_KEY) {
			name = val_text(v, &c->scratch);
			continue;
		}
		while (depth > 0 && c->levels[depth - 1].end <= v.at)
			depth--;
		if (depth > 0) {
			const struct level *l = &c->levels[depth - 1];

			node = l->is_array ? l->element : find_child(c, l->node, false, name);
			mark = mark ? mark : l->mark;
		}
		if (val_end(v) > v.at + 1) {
			push(c, depth++, level_of(c, v, node, mark));
			continue;
		}
		count_leaf(&record, mark, t->type == JSON_NULL);
		count_leaf(leaves_of(c, node), mark, t->type == JSON_NULL);
	}
	arena_reset(&c->scratch);
	add_share(c, &record);
}

static void add_counts(struct coverage_counts *into, const struct coverage_counts *n)
{
	into->taken += n->taken;
	into->kept += n->kept;
	into->dropped += n->dropped;
	into->left += n->left;
	into->nulls += n->nulls;
}

/* Nodes are matched by their paths; limits apply to what comes out. */
void coverage_merge(struct coverage *into, const struct coverage *from)
{
	uint32_t *same = mem_alloc(from->count * sizeof(*same));

	for (uint32_t i = 0; i < from->count; i++) {
		const struct node *n = &from->nodes[i];

		/* parents come before what is below them */
		same[i] = i <= OTHER ? i : find_child(into, same[n->parent], n->element, n->name);
		if (n->is_field)
			add_counts(leaves_of(into, same[i]), &n->leaves);
	}
	mem_free(same);
	into->limited |= from->limited;
	into->records += from->records;
	into->lost += from->lost;
	into->squares += from->squares;
}

/* ---- results ---- */

static bool coverage_is_plain(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] <= ' ' || strchr(".[]\"\\", name.p[i]) || name.p[i] == 0x7f)
			return false;
	return name.n > 0;
}

/* Names with signs of our own in them are quoted: a["b.c"]. */
static void coverage_add_name(struct buf *b, const struct node *n)
{
	if (n->element) {
		buf_add_str(b, STR("[]"));
	} else if (coverage_is_plain(n->name)) {
		if (b->n > 0)
			buf_add_byte(b, '.');
		buf_add_str(b, n->name);
	} else {
		buf_add_str(b, STR("[\""));
		for (size_t i = 0; i < n->name.n; i++) {
			if (n->name.p[i] == '"' || n->name.p[i] == '\\')
				buf_add_byte(b, '\\');
			buf_add_byte(b, n->name.p[i]);
		}
		buf_add_str(b, STR("\"]"));
	}
}

/* From the leaf to the root, and then turned round. `b` and `way` are the caller's memory, used again for each. */
static struct str coverage_path_of(const struct coverage *c, uint32_t node, struct arena *a, struct buf *b,
				   struct buf *way)
{
	uint32_t at;

	if (node <= OTHER)
		return arena_copy(a, c->nodes[node].name);
	buf_clear(b);
	buf_clear(way);
	for (at = node; at > OTHER; at = c->nodes[at].parent)
		buf_add(way, &at, sizeof(at));
	while (way->n > 0) {
		way->n -= sizeof(at);
		memcpy(&at, way->p + way->n, sizeof(at));
		coverage_add_name(b, &c->nodes[at]);
	}
	return arena_copy(a, buf_str(b));
}

size_t coverage_list(const struct coverage *c, struct arena *a, const struct coverage_field **out)
{
	struct coverage_field *list = arena_array(a, struct coverage_field, c->count);
	struct buf b = { 0 }, way = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < c->count; i++)
		if (c->nodes[i].is_field)
			list[n++] =
				(struct coverage_field){ coverage_path_of(c, i, a, &b, &way), c->nodes[i].leaves };
	buf_free(&b);
	buf_free(&way);
	qsort(list, n, sizeof(list[0]), str_cmp_first);
	*out = list;
	return n;
}

/* The mean share and its 95 % interval, from sums of integers. */
static void add_interval(const struct coverage *c, struct coverage_summary *s)
{
	double n = (double)c->records, lost, variance, half;

	if (c->records == 0)
		return;
	lost = (double)c->lost / n;
	s->mean = 1 - lost / (double)SHARE;
	s->has_interval = c->records > 1;
	if (!s->has_interval)
		return;
	variance = ((double)c->squares - n * lost * lost) / (n - 1);
	half = variance > 0 ? 1.959964 * sqrt(variance / n) / (double)SHARE : 0;
	s->low = s->mean - half > 0 ? s->mean - half : 0;
	s->high = s->mean + half < 1 ? s->mean + half : 1;
}

/* What a field is counted as goes by the best that ever happened to it. */
struct coverage_summary coverage_sum(const struct coverage *c)
{
	struct coverage_summary s = { .records = c->records, .limited = c->limited, .mean = 1, .low = 1, .high = 1 };
	uint64_t through, all;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct node *n = &c->nodes[i];

		if (!n->is_field)
			continue;
		add_counts(&s.leaves, &n->leaves);
		s.fields++;
		if (n->leaves.taken)
			s.core++;
		else if (n->leaves.kept)
			s.ext++;
		else
			s.lost++;
	}
	through = s.leaves.taken + s.leaves.kept;
	all = through + s.leaves.dropped + s.leaves.left;
	s.overall = all ? (double)through / (double)all : 1;
	add_interval(c, &s);
	return s;
}
