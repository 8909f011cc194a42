/*
 * Three counts are kept side by side (main line, models, steps); which of them is told is decided at the end, when all
 * are known.
 */
#include "dialect/claude_code/cost.h"

#include <math.h>

#define MODELS 64 /* told apart */

void claude_code_cost_init(struct claude_code_cost *c, struct arena *arena)
{
	*c = (struct claude_code_cost){ .arena = arena };
	c->last_model = &c->models;
	map_init(&c->steps, arena);
}

void claude_code_cost_free(struct claude_code_cost *c)
{
	buf_free(&c->key);
}

/*
 * Steps are told apart by branch and id, since sub-agents may have the same ids. Those without an id cannot be told
 * apart, and are added up.
 */
void claude_code_cost_add_step(struct claude_code_cost *c, const struct event *step)
{
	uint64_t *place;
	bool added;

	if (step->kind != EVENT_STEP || !usage_is_known(&step->usage))
		return;
	if (!step->step.p) {
		usage_add(&c->loose, &step->usage);
		return;
	}
	buf_clear(&c->key);
	buf_add_str(&c->key, step->branch);
	buf_add_byte(&c->key, 0);
	buf_add_str(&c->key, step->step);
	place = map_add(&c->steps, buf_str(&c->key), &added);
	if (added)
		*place = (uint64_t)(uintptr_t)arena_new(c->arena, struct usage);
	usage_merge((struct usage *)(uintptr_t)*place, &step->usage);
}

/* Totals of a stream of several turns grow; where they do not, they are each turn's own. */
static void take_total(struct usage *into, const struct usage *more)
{
	if (more->input.n >= into->input.n && more->output.n >= into->output.n)
		*into = *more;
	else
		usage_add(into, more);
}

/* The same of what it cost and how long it took. */
static void take_amount(struct amount *into, struct amount more)
{
	if (amount_is_known(more) && amount_is_known(*into) && more.n < into->n)
		into->n += more.n;
	else if (more.state >= into->state)
		*into = more;
}

/* With MODELS of them the last one stands for all that are new. */
static struct claude_code_model *find_model(struct claude_code_cost *c, struct str name)
{
	struct claude_code_model *m;

	for (m = c->models; m; m = m->next)
		if (str_eq(m->name, name) || (c->model_count == MODELS && !m->next))
			return m;
	m = arena_new(c->arena, struct claude_code_model);
	m->name = arena_copy(c->arena, name);
	*c->last_model = m;
	c->last_model = &m->next;
	c->model_count++;
	return m;
}

void claude_code_cost_add_total(struct claude_code_cost *c, const struct event *cost, bool by_model)
{
	if (cost->ts.text.p) {
		c->ts = cost->ts;
		c->ts.text = arena_copy(c->arena, cost->ts.text);
	}
	if (by_model) {
		struct claude_code_model *m = find_model(c, cost->model);

		take_total(&m->usage, &cost->usage);
		take_amount(&m->usd, cost->usd);
		return;
	}
	take_total(&c->usage, &cost->usage);
	take_amount(&c->usd, cost->usd);
	take_amount(&c->api_ms, cost->latency_ms);
}

/* A walk over the slots of the map itself: the order does not matter for a sum. */
static struct usage sum_steps(const struct claude_code_cost *c)
{
	struct usage sum = c->loose;

	for (size_t i = 0; i < c->steps.cap; i++)
		if (c->steps.slots[i].key.p)
			usage_add(&sum, (const struct usage *)(uintptr_t)c->steps.slots[i].value);
	return sum;
}

static struct usage sum_models(const struct claude_code_cost *c)
{
	struct usage sum = { 0 };

	for (const struct claude_code_model *m = c->models; m; m = m->next)
		usage_add(&sum, &m->usage);
	return sum;
}

/* Whether the models tell more than the main line does, which has the finer figures. */
static bool is_by_model(const struct claude_code_cost *c)
{
	struct usage sum = sum_models(c);

	if (!c->models || !usage_is_known(&c->usage))
		return c->models != NULL;
	if (sum.input.n < c->usage.input.n || sum.output.n < c->usage.output.n)
		return c->nested;
	return c->model_count > 1 || sum.input.n > c->usage.input.n || sum.output.n > c->usage.output.n;
}

/* Whether the prices of the models are that of the run, or all that is known of it. */
static bool has_prices(const struct claude_code_cost *c)
{
	double sum = 0;

	if (!amount_is_known(c->usd))
		return true;
	for (const struct claude_code_model *m = c->models; m; m = m->next) {
		if (!amount_is_known(m->usd))
			return false;
		sum += m->usd.n;
	}
	return fabs(sum - c->usd.n) <= 1e-9 * (1 + c->usd.n);
}

static bool put_models(const struct claude_code_cost *c, struct event cost, struct assemble *as, struct err *err)
{
	for (const struct claude_code_model *m = c->models; m; m = m->next) {
		cost.model = m->name;
		cost.usage = m->usage;
		cost.usd = m->usd;
		if (!assemble_add(as, &cost, err))
			return false;
		cost.latency_ms = (struct amount){ .state = FIGURE_ABSENT }; /* of all together, said with the first */
	}
	return true;
}

bool claude_code_cost_put(const struct claude_code_cost *c, struct assemble *as, struct err *err)
{
	struct event cost = {
		.kind = EVENT_COST,
		.flags = EVENT_TOTAL,
		.scope = STR("run"),
		.usd = c->usd,
		.latency_ms = c->api_ms,
		.ts = c->ts,
		.index = -1,
	};

	/* prices that are not those of the run cannot stand beside its price: then all is one */
	if (is_by_model(c) && has_prices(c))
		return put_models(c, cost, as, err);
	cost.usage = is_by_model(c) ? sum_models(c) : c->usage;
	if (c->model_count == 1)
		cost.model = c->models->name;
	if (!usage_is_known(&cost.usage)) {
		cost.usage = sum_steps(c);
		cost.flags |= EVENT_INFERRED;
	}
	return (!usage_is_known(&cost.usage) && !amount_is_known(cost.usd)) || assemble_add(as, &cost, err);
}
