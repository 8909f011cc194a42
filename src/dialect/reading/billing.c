/*
 * Dollars and tiers of an answer. A figure that is no amount of money (negative, too large, no number) is none; so is
 * one that is known to be a part only.
 */
#include "dialect/reading/billing.h"

#include "base/ascii.h"
#include "base/num.h"
#include "dialect/record/field.h"

#define TICKS_PER_DOLLAR 1e10
#define DOLLARS_MOST 1e9 /* of one answer: more is a slip */
#define TIER_MOST 48     /* bytes of a vendor's word */

/* False when it is no amount. */
static bool billing_take(double n, double *usd)
{
	*usd = n;
	return n >= 0 && n <= DOLLARS_MOST;
}

static bool billing_parse(struct val v, double scale, double *usd)
{
	double n;

	return val_double(v, &n) && billing_take(n / scale, usd);
}

/*
 * With the user's own key the router bills its fee and the vendor the rest. Answers of before the flag show it by a
 * vendor's bill that is larger than the router's: who pays the router pays it at least that much.
 */
static struct amount billing_add_upstream(struct val usage, double usd)
{
	struct val own = val_get(usage, STR("is_byok"));
	bool is_own = val_is(own, JSON_TRUE), has_upstream;
	double upstream;

	has_upstream = billing_parse(val_get(val_get(usage, STR("cost_details")), STR("upstream_inference_cost")), 1,
				     &upstream);
	if (is_own && !has_upstream)
		return (struct amount){ .state = FIGURE_ABSENT }; /* the fee alone */
	if (has_upstream && (is_own || (!val_is(own, JSON_FALSE) && upstream > usd)))
		usd += upstream;
	return AMOUNT(usd);
}

struct amount billing_stated(struct val usage)
{
	struct val cost = val_get(usage, STR("cost"));
	double usd;

	if (billing_parse(cost, 1, &usd))
		return billing_add_upstream(usage, usd);
	if (billing_parse(val_get(cost, STR("total_cost")), 1, &usd) ||
	    billing_parse(val_get(usage, STR("cost_in_usd_ticks")), TICKS_PER_DOLLAR, &usd) ||
	    billing_parse(val_get(usage, STR("estimated_cost")), 1, &usd))
		return AMOUNT(usd);
	return (struct amount){ .state = FIGURE_ABSENT };
}

struct amount billing_header(struct str name, struct str value)
{
	double n, usd;

	if (!str_eq_nocase(name, STR("x-litellm-response-cost")) || num_parse_double(str_trim(value), &n) != NUM_OK ||
	    !billing_take(n, &usd))
		return (struct amount){ .state = FIGURE_ABSENT };
	return AMOUNT(usd);
}

/* ---- tiers ---- */

/* A member whose words say how a request is billed. */
struct billing_member {
	struct str name;
	bool of_body;            /* it stands beside the usage */
	struct str ordinary[5];  /* words that say nothing special; the rest is empty */
};

static const struct billing_member billing_members[] = {
	{ WORD("service_tier"), true, { WORD("default"), WORD("standard"), WORD("on_demand") } },
	{ WORD("service_tier"), false, { WORD("default"), WORD("standard"), WORD("on_demand") } },
	{ WORD("serviceTier"), false, { WORD("standard"), WORD("service_tier_unspecified"), WORD("unspecified") } },
	{ WORD("trafficType"), false, { WORD("on_demand"), WORD("traffic_type_unspecified") } },
	{ WORD("traffic_type"), false, { WORD("on_demand"), WORD("traffic_type_unspecified") } },
	{ WORD("speed"), false, { WORD("standard") } },
	{ WORD("inference_geo"), false, { WORD("global"), WORD("not_available") } },
};

/* What vendors call the same thing. */
static const struct {
	struct str from, to;
} billing_words[] = {
	{ WORD("on_demand_priority"), WORD("priority") },
	{ WORD("on_demand_flex"), WORD("flex") },
	{ WORD("batches"), WORD("batch") },
};

/* The word of a member in lower case, as it may stand in a message; p NULL when there is none. */
static struct str billing_word(struct val v, struct arena *a)
{
	struct str word = val_text_or_none(v, a);
	char *out;

	if (!word.p || word.n > TIER_MOST)
		return str_of(NULL, 0);
	out = arena_alloc(a, word.n + 1, 1);
	for (size_t i = 0; i < word.n; i++)
		out[i] = ascii_is_alnum(word.p[i]) ? ascii_lower(word.p[i]) : word.p[i] == '-' ? '-' : '_';
	word = str_of(out, word.n);
	for (size_t i = 0; i < COUNT(billing_words); i++)
		if (str_eq(word, billing_words[i].from))
			return billing_words[i].to;
	return word;
}

static bool billing_is_ordinary(const struct billing_member *m, struct str word)
{
	for (size_t i = 0; i < COUNT(m->ordinary) && m->ordinary[i].n; i++)
		if (str_eq(word, m->ordinary[i]))
			return true;
	return false;
}

struct str billing_tier(struct reading *r, struct val body, struct val usage)
{
	struct str tier = { NULL, 0 };

	for (size_t i = 0; i < COUNT(billing_members); i++) {
		const struct billing_member *m = &billing_members[i];
		struct str word = billing_word(val_get(m->of_body ? body : usage, m->name), r->arena);

		if (!word.n || str_eq(word, STR("auto"))) /* what was asked for, not what was given */
			continue;
		if (!tier.p)
			tier = STR("");
		if (billing_is_ordinary(m, word) || str_eq(tier, word))
			continue;
		tier = tier.n ? arena_printf(r->arena, "%.*s+%.*s", STR_ARG(tier), STR_ARG(word)) : word;
	}
	return tier;
}

void billing_read(struct reading *r, struct event *step, struct val body, struct val usage)
{
	struct amount usd = billing_stated(usage);

	if (amount_is_known(usd))
		step->usd = usd;
	step->tier = billing_tier(r, body, usage);
}
