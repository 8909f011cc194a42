/* The list of what was learnt late, by node. */
#include "capture/graph/amendments.h"

void amendments_init(struct amendments *a)
{
	*a = (struct amendments){ .count = 0 };
	arena_init_small(&a->arena);
	map_init(&a->index, &a->arena);
}

void amendments_free(struct amendments *a)
{
	arena_free(&a->arena);
	mem_free(a->list);
}

struct amendment *amendments_find(const struct amendments *a, struct id node)
{
	uint64_t *at = a->count ? map_find(&a->index, str_of(node.b, sizeof(node.b))) : NULL;

	return at ? a->list[*at] : NULL;
}

struct amendment *amendments_get(struct amendments *a, struct id node)
{
	struct amendment *m = amendments_find(a, node);
	bool added;

	if (m)
		return m;
	if (a->count == AMENDMENTS_MOST) {
		a->full = true;
		return NULL;
	}
	m = arena_new(&a->arena, struct amendment);
	m->node = node;
	mem_grow(a->list, a->count, a->cap, 16);
	*map_add(&a->index, str_of(m->node.b, sizeof(m->node.b)), &added) = a->count;
	a->list[a->count++] = m;
	return m;
}
