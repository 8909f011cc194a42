/* Groups the nodes of a run by agent, in one pass: a run may have as many agents as nodes. */
#include "sink/export/private.h"

static size_t agents_add(struct arena *a, struct export_agents *g, struct str name)
{
	arena_grow(a, g->names, g->count, g->cap, 8);
	arena_grow(a, g->first, g->count, g->first_cap, 8);
	arena_grow(a, g->last, g->count, g->last_cap, 8);
	g->names[g->count] = name;
	g->first[g->count] = g->last[g->count] = 0;
	return g->count++;
}

void export_agents_of(struct arena *a, const struct trace *t, struct export_agents *out)
{
	struct map seen;

	*out = (struct export_agents){ .next = arena_array(a, uint32_t, t->count + 1) };
	map_init(&seen, a);
	agents_add(a, out, STR(""));
	for (uint32_t i = 0; i < t->count; i++) {
		struct str name = t->nodes[i].row.agent;
		bool added = false;
		uint64_t *at = name.n ? map_add(&seen, name, &added) : NULL;
		size_t of;

		if (added)
			*at = agents_add(a, out, name);
		of = at ? *at : 0;
		if (out->last[of])
			out->next[out->last[of] - 1] = i + 1;
		else
			out->first[of] = i + 1;
		out->last[of] = i + 1;
	}
}
