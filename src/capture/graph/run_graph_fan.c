/* Requests side by side: the branches they hang on, which are written when the first of them is over. */
#include "capture/graph/run_graph_begin.h"

/* The base first, then those inputs that are not in it; hang_on relies on that order. */
void run_graph_set_parents(struct run_graph_open *x, const struct run_graph_ids *base,
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
	run_graph_set_parents(x, &base, &inputs);
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
static struct run_graph_fan *new_fan(struct run_graph *w, const char *kind, const struct run_graph_open *x,
				     const struct run_graph_ids *above)
{
	struct run_graph_fan *f = mem_alloc(sizeof(*f) + x->agent_id.n);

	*f = (struct run_graph_fan){
		.next = w->fans,
		.kind = kind,
		.id = run_graph_new_id(w, x->begun_ns),
		.ns = x->begun_ns,
		.parent_count = above->count,
		.framework = x->framework,
	};
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
	run_graph_put_named_branch(w, f->id, f->kind,
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

void run_graph_fan_out(struct run_graph *w, struct run_graph_open *x)
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
		f = new_fan(w, "fan_out", x, &above);
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

/* The first twin is on its way, so that it can still be hung on the branch; a third one finds it there. */
void run_graph_speculate(struct run_graph *w, struct run_graph_open *twin, struct run_graph_open *x)
{
	struct run_graph_fan *f = twin->has_branch ? find_fan(w, twin->branch) : NULL;
	struct run_graph_ids above = { .count = 0 }, below = { .count = 0 }, none = { .count = 0 };

	if (!f || strcmp(f->kind, "speculative") != 0) {
		run_graph_end_fan(w, twin);
		for (size_t i = 0; i < twin->parent_count; i++)
			run_graph_ids_add(w, &above, twin->parents[i]);
		f = new_fan(w, "speculative", x, &above);
		join_fan(f, twin->node);
		run_graph_ids_add(w, &below, f->id);
		run_graph_set_parents(twin, &below, &none);
		twin->branch = f->id;
		twin->has_branch = true;
		twin->origin = 0;
	}
	join_fan(f, x->node);
	run_graph_ids_add(w, &below, f->id);
	run_graph_set_parents(x, &below, &none);
	x->branch = f->id;
	x->has_branch = true;
	x->sub = twin->sub;
	x->inferred = twin->inferred;
}
