/*
 * What a log states only in total: the tokens of a run, of which its calls tell none or not all. The difference is one
 * more node for each model, so that the sums of a trace are the log's own. It is marked as no call.
 */
#include "dialect/agent_trace/write_private.h"
#include "model/assemble.h"

void at_total_init(struct at_totals *all)
{
	*all = (struct at_totals){ .first = NULL };
	arena_init(&all->arena);
	at_total_reset(all);
}

void at_total_reset(struct at_totals *all)
{
	arena_reset(&all->arena);
	all->first = NULL;
	all->last = &all->first;
	all->count = 0;
	all->stated_ms = all->told_ms = 0;
	all->is_told = false;
}

bool at_is_total(const struct event *e)
{
	return (e->flags & EVENT_TOTAL) || str_eq(e->scope, STR("run")) || str_eq(e->scope, STR("turn"));
}

/*
 * The sums of a model, made when there are none. An event without a model is of the run's. Beyond AT_MODELS the last
 * one takes the rest.
 */
static struct at_total *total_of(struct at_trace *t, struct str model)
{
	struct at_totals *all = &t->totals;
	struct at_total *m, *latest = NULL;

	if (!model.n)
		model = t->model.n ? buf_str(&t->model) : str_of(NULL, 0);
	for (m = all->first; m; latest = m, m = m->next)
		if (str_eq(m->model, model))
			return m;
	if (all->count >= AT_MODELS)
		return latest;
	m = arena_new(&all->arena, struct at_total);
	m->model = model.p ? arena_copy(&all->arena, model) : model;
	*all->last = m;
	all->last = &m->next;
	all->count++;
	return m;
}

void at_total_tell(struct at_trace *t, const struct event *step, double latency)
{
	if (usage_is_known(&step->usage)) {
		usage_add(&total_of(t, step->model)->told, &step->usage);
		t->totals.is_told = true;
	}
	t->totals.told_ms += latency * 1000;
}

void at_total_state(struct at_trace *t, const struct event *cost)
{
	struct at_total *m;

	if (!usage_is_known(&cost->usage) && !at_is_total(cost))
		return;
	m = total_of(t, cost->model);
	m->is_stated = true;
	usage_add(&m->stated, &cost->usage);
	if (!at_is_total(cost))
		return;
	at_add_usd(&m->usd, cost->usd);
	if (at_is_length(cost->latency_ms))
		t->totals.stated_ms += cost->latency_ms.n;
}

/* ---- the difference ---- */

/* Takes what is told from what is left; what could not be taken stays told. */
static void agent_trace_total_take_told(struct usage *left, struct usage *told)
{
	struct figure *from = (void *)left, *what = (void *)told; /* a usage is nothing but figures */

	for (size_t i = 0; i < sizeof(*left) / sizeof(*from); i++) {
		uint64_t n = what[i].n < from[i].n ? what[i].n : from[i].n;

		if (!figure_is_known(what[i]) || !figure_is_known(from[i]))
			continue;
		from[i].n -= n;
		what[i].n -= n;
		if (what[i].source == FIGURE_ESTIMATED)
			from[i].source = FIGURE_ESTIMATED;
	}
}

/* "claude-x" and "claude-x-20260101": a log may have both names for one. */
static bool is_alike(struct str a, struct str b)
{
	return a.n && b.n && (str_starts(a, b) || str_starts(b, a));
}

/* What calls of models tell of which nothing is stated under that name is part of what is stated under another. */
static void take_others(struct at_totals *all, struct at_total *m)
{
	for (int any = 0; any < 2; any++)
		for (struct at_total *s = all->first; s; s = s->next)
			if (s->is_stated && (any || is_alike(s->model, m->model)))
				agent_trace_total_take_told(&s->stated, &m->told);
}

static bool is_left(const struct at_total *m)
{
	const struct usage *u = &m->stated;

	return m->is_stated &&
	       ((figure_is_known(u->input) && u->input.n) || (figure_is_known(u->output) && u->output.n));
}

/* How many nodes there are to be; what is stated is then what is left of it. */
static size_t settle_totals(struct at_totals *all)
{
	size_t nodes = 0;

	for (struct at_total *m = all->first; m; m = m->next)
		if (m->is_stated)
			agent_trace_total_take_told(&m->stated, &m->told);
	for (struct at_total *m = all->first; m; m = m->next)
		if (!m->is_stated)
			take_others(all, m);
	for (const struct at_total *m = all->first; m; m = m->next)
		nodes += is_left(m);
	return nodes;
}

/* Writes the node of what a log states of a model and its calls do not tell. It stands at the end of the run. */
static void write_total(struct at_trace *t, const struct at_total *m, const struct event *end, struct at_length latency)
{
	int64_t us = at_us(end->ts.ns);
	struct id root[1] = { t->dag.root };
	struct event step = { .kind = EVENT_STEP, .ts = end->ts, .model = m->model, .usage = m->stated, .index = -1 };
	struct trace_node n = {
		.kind = AT_MODEL_CALL,
		.id = at_new_id(t, AT_MODEL_CALL, us),
		.parents = root,
		.parent_count = t->dag.has_root,
		.from_us = us, /* nobody knows when: it has no place in time but the end */
		.to_us = us,
		.inferred = true,
		.total_only = true,
	};
	struct json_writer j;

	at_begin_node(t, &j, &t->line, &n, end->ts.source != MOMENT_NONE);
	at_write_model_call(t, &j, &step, latency, false);
	/* otherwise it is the price of the calls too: the summary has it */
	if (!t->totals.is_told)
		at_write_usd(t, &j, m->usd);
	json_write_end_object(&j);
	at_end_node(t, &j, us);
	at_sum_tokens(&t->sums, &m->stated);
}

void at_total_write(struct at_trace *t, const struct event *end)
{
	struct at_totals *all = &t->totals;
	struct at_length latency = { 0, false };
	size_t nodes = settle_totals(all);

	/* the time of the service cannot be told apart by models */
	if (nodes == 1 && all->stated_ms > all->told_ms)
		latency = (struct at_length){ (all->stated_ms - all->told_ms) / 1000, true };
	for (const struct at_total *m = all->first; m; m = m->next)
		if (is_left(m))
			write_total(t, m, end, latency);
	at_total_reset(all);
}
