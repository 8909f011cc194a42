#include "dialect/claude_code_cost.h"

#include "model/assemble.h"

void claude_code_cost_init(struct claude_code_cost *c, struct arena *arena)
{
	*c = (struct claude_code_cost){ .arena = arena };
	map_init(&c->steps, arena);
	buf_init(&c->key);
}

void claude_code_cost_free(struct claude_code_cost *c)
{
	buf_free(&c->key);
}

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

void claude_code_cost_add_total(struct claude_code_cost *c, const struct event *cost)
{
	if (cost->ts.text.p) {
		c->ts = cost->ts;
		c->ts.text = arena_copy(c->arena, cost->ts.text);
	}
	if (str_eq(cost->scope, STR("models"))) {
		take_total(&c->models, &cost->usage);
		c->model = arena_copy(c->arena, cost->model);
		return;
	}
	take_total(&c->usage, &cost->usage);
	if (amount_is_known(cost->usd) && amount_is_known(c->usd) && cost->usd.n < c->usd.n)
		c->usd.n += cost->usd.n;
	else if (cost->usd.state >= c->usd.state)
		c->usd = cost->usd;
}

static struct usage sum_steps(const struct claude_code_cost *c)
{
	struct usage sum = c->loose;

	for (size_t i = 0; i < c->steps.cap; i++)
		if (c->steps.slots[i].key.p)
			usage_add(&sum, (const struct usage *)(uintptr_t)c->steps.slots[i].value);
	return sum;
}

bool claude_code_cost_get(const struct claude_code_cost *c, struct event *cost)
{
	bool by_model = usage_is_known(&c->models) && (c->nested || !usage_is_known(&c->usage));

	*cost = (struct event){ .kind = EVENT_COST, .scope = STR("run"), .usd = c->usd, .ts = c->ts, .index = -1 };
	cost->usage = by_model ? c->models : c->usage;
	if (c->model.n)
		cost->model = c->model;
	if (!usage_is_known(&cost->usage)) {
		cost->usage = sum_steps(c);
		cost->flags |= EVENT_INFERRED;
	}
	return usage_is_known(&cost->usage) || amount_is_known(cost->usd);
}
