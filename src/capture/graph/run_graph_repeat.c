/* The same request before: on its way, failed, or answered. */
#include "capture/graph/run_graph_begin.h"

struct run_graph_open *run_graph_find_twin(const struct run_graph *w, const struct run_graph_open *x)
{
	for (struct run_graph_open *o = w->open; o; o = o->next)
		if (o != x && o->digest == x->digest)
			return o;
	return NULL;
}

/* The latest failure of the same request within RUN_GRAPH_RETRY_NS. It is used up: one failure makes one retry. */
static bool find_failure(struct run_graph *w, struct run_graph_open *x, struct id *node)
{
	for (size_t i = 0; i < RUN_GRAPH_FAILURES; i++) {
		size_t at = (w->next_failure + RUN_GRAPH_FAILURES - 1 - i) % RUN_GRAPH_FAILURES;

		if (w->failures[at].digest != x->digest || !x->digest ||
		    x->begun_ns > w->failures[at].ended_ns + RUN_GRAPH_RETRY_NS)
			continue;
		*node = w->failures[at].node;
		x->sub = w->failures[at].sub;
		w->failures[at].digest = 0;
		return true;
	}
	return false;
}

void run_graph_note_failure(struct run_graph *w, const struct run_graph_open *x, int64_t ended_ns)
{
	w->failures[w->next_failure].digest = x->digest;
	w->failures[w->next_failure].node = x->node;
	w->failures[w->next_failure].ended_ns = ended_ns;
	w->failures[w->next_failure].sub = x->sub;
	w->next_failure = (w->next_failure + 1) % RUN_GRAPH_FAILURES;
}

bool run_graph_retry(struct run_graph *w, struct run_graph_open *x)
{
	struct run_graph_ids above = { .count = 0 }, parents = { .count = 0 };
	struct id node;

	if (!find_failure(w, x, &node))
		return false;
	run_graph_ids_add(w, &above, node);
	node = run_graph_put_mark(w, AT_RETRY, &above, x->begun_ns, x->agent_id, x->framework);
	run_graph_ids_add(w, &parents, node);
	run_graph_set_parents(x, &parents, &(struct run_graph_ids){ .count = 0 });
	return true;
}

static struct run_graph_asked *find_asked(struct run_graph *w, uint64_t digest)
{
	for (size_t i = 0; i < RUN_GRAPH_ASKED; i++)
		if (w->asked[i].digest == digest)
			return &w->asked[i];
	return NULL;
}

bool run_graph_resample(struct run_graph *w, struct run_graph_open *x)
{
	const struct run_graph_asked *a = find_asked(w, x->digest);

	if (!a)
		return false;
	x->sub = a->sub;
	run_graph_set_parents(x, &(struct run_graph_ids){ .ids = a->parents, .count = a->count },
			      &(struct run_graph_ids){ .count = 0 });
	return true;
}

void run_graph_note_asked(struct run_graph *w, const struct run_graph_open *x)
{
	struct run_graph_asked *a = &w->asked[w->next_asked];

	if (x->parent_count > RUN_GRAPH_ASKED_PARENTS || find_asked(w, x->digest))
		return;
	w->next_asked = (w->next_asked + 1) % RUN_GRAPH_ASKED;
	mem_free(a->parents);
	*a = (struct run_graph_asked){ .digest = x->digest, .count = x->parent_count, .sub = x->sub };
	if (a->count)
		a->parents = memcpy(mem_alloc(a->count * sizeof(*a->parents)), x->parents,
				    a->count * sizeof(*a->parents));
}

void run_graph_asked_free(struct run_graph *w)
{
	for (size_t i = 0; i < RUN_GRAPH_ASKED; i++)
		mem_free(w->asked[i].parents);
}
