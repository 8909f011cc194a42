/* A short list, looked through for each call without a price: the models of a job are few. */
#include "transform/price_gaps.h"

#include <inttypes.h>

#include "base/mask.h"

#define GAPS_MOST 32
#define GAP_NAME_MOST 96 /* bytes of a name that are shown */

void price_gaps_init(struct price_gaps *g)
{
	*g = (struct price_gaps){ .count = 0 };
	arena_init(&g->arena);
}

void price_gaps_free(struct price_gaps *g)
{
	arena_free(&g->arena);
}

static struct price_gap_name *price_gaps_find(struct price_gaps *g, struct str model, struct str tier,
					      enum price_gap gap)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->names[i].gap == gap && str_eq(g->names[i].model, model) && str_eq(g->names[i].tier, tier))
			return &g->names[i];
	return NULL;
}

static void price_gaps_count(struct price_gaps *g, struct str model, struct str tier, enum price_gap gap,
			     uint64_t calls)
{
	struct price_gap_name *name;
	struct buf shown;

	buf_init(&shown);
	mask_line(&shown, model, NULL, 0, GAP_NAME_MOST); /* names come from strangers, who may say a key there */
	model = buf_str(&shown);
	if (gap != PRICE_NO_TIER)
		tier = STR("");
	name = price_gaps_find(g, model, tier, gap);
	g->calls += calls;
	if (name) {
		name->calls += calls;
	} else if (g->count == GAPS_MOST) {
		g->others += calls;
	} else {
		arena_grow(&g->arena, g->names, g->count, g->cap, 8);
		g->names[g->count++] = (struct price_gap_name){ arena_copy(&g->arena, model),
								arena_copy(&g->arena, tier), gap, calls };
	}
	buf_free(&shown);
}

void price_gaps_add(struct price_gaps *g, struct str model, struct str tier, enum price_gap gap)
{
	if (gap != PRICE_FOUND && gap != PRICE_NO_COUNT)
		price_gaps_count(g, model.n ? model : STR("a model without a name"), tier, gap, 1);
}

void price_gaps_join(struct price_gaps *g, const struct price_gaps *more)
{
	for (size_t i = 0; i < more->count; i++)
		price_gaps_count(g, more->names[i].model, more->names[i].tier, more->names[i].gap,
				 more->names[i].calls);
	g->calls += more->others;
	g->others += more->others;
}

void price_gap_say(struct buf *out, enum price_gap gap, struct str tier)
{
	static const char *const why[] = {
		[PRICE_LOCAL] = " on your own machine",
		[PRICE_NO_DAY] = " before the first day of its prices",
		[PRICE_NO_KIND] = " for some kinds of its tokens",
	};

	if (gap == PRICE_NO_TIER)
		buf_printf(out, " at tier %.*s", STR_ARG(tier));
	else if (gap < COUNT(why) && why[gap])
		buf_add_str(out, str_from(why[gap]));
}

void price_gaps_say(const struct price_gaps *g, struct buf *out)
{
	for (size_t i = 0; i < g->count; i++) {
		const struct price_gap_name *n = &g->names[i];

		buf_printf(out, "%s%.*s", i ? ", " : "no price for ", STR_ARG(n->model));
		price_gap_say(out, n->gap, n->tier);
		buf_printf(out, " (%" PRIu64 " %s)", n->calls, n->calls == 1 ? "call" : "calls");
	}
	if (g->others)
		buf_printf(out, " and other models (%" PRIu64 " calls)", g->others);
}
