/*
 * Looks a model up by its folded name in rows that are sorted by model, provider, day and size, and adds up tokens
 * times prices as integers: sums are exact until the last division. An overflow counts as not known.
 */
#include "transform/price.h"

#include <assert.h>

#include "transform/price_name.h"
#include "transform/price_table.h"

#define DAY_NS INT64_C(86400000000000)
#define PICOS 1e12 /* a token at a millionth of a dollar for a million of them */

struct prices {
	struct arena *arena;
	struct price_rows rows;
	struct str hash;
};

struct prices *prices_new(struct arena *a)
{
	struct prices *p = arena_new(a, struct prices);
	struct err err;
	bool read;

	p->arena = a;
	read = price_table_parse(a, str_of(price_table_text, price_table_size), STR("prices.tsv"), &p->rows, &err);
	assert(read);
	(void)read;
	p->hash = price_table_digest(a, &p->rows);
	return p;
}

/* The first row that does not come before this model (and provider, if it has one). */
static size_t find_row(const struct price_rows *rows, struct str model, struct str provider)
{
	struct price_row wanted = { .model = model, .provider = provider, .from = INT64_MIN };
	size_t low = 0, high = rows->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (price_table_compare(&rows->row[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_about(const struct price_row *r, struct str model, struct str provider)
{
	return str_eq(r->model, model) && str_eq(r->provider, provider);
}

/* Whether `rows` say anything about this row's model: then the row is replaced. */
static bool names(const struct price_rows *rows, const struct price_row *r)
{
	size_t i = find_row(rows, r->model, r->provider);

	return i < rows->count && is_about(&rows->row[i], r->model, r->provider);
}

/* Both tables are sorted, so they are merged; the old rows stay in the arena. */
bool prices_override(struct prices *p, struct str text, struct str name, struct err *err)
{
	struct price_rows over, all = { 0 };
	size_t k = 0;

	if (!price_table_parse(p->arena, text, name, &over, err))
		return false;
	all.row = arena_array(p->arena, struct price_row, p->rows.count + over.count);
	for (size_t i = 0; i < p->rows.count; i++) {
		const struct price_row *r = &p->rows.row[i];

		if (names(&over, r))
			continue;
		while (k < over.count && price_table_compare(&over.row[k], r) < 0)
			all.row[all.count++] = over.row[k++];
		all.row[all.count++] = *r;
	}
	while (k < over.count)
		all.row[all.count++] = over.row[k++];
	p->rows = all;
	p->hash = price_table_digest(p->arena, &p->rows);
	return true;
}

struct str prices_hash(const struct prices *p)
{
	return p->hash;
}

/* ---- finding a row ---- */

/* All rows about one model of one provider. */
struct span {
	const struct price_row *first, *end;
};

static struct span span_at(const struct price_rows *rows, size_t first)
{
	size_t end = first;

	while (end < rows->count && is_about(&rows->row[end], rows->row[first].model, rows->row[first].provider))
		end++;
	return (struct span){ rows->row + first, rows->row + end };
}

/*
 * Whoever served it, a model has the price of the one provider that the table knows for it. Where it knows several,
 * only the right one will do.
 */
static struct span find_model(const struct price_rows *rows, struct str model, struct str provider)
{
	const struct price_row *end = rows->row + rows->count;
	size_t i = find_row(rows, model, provider);
	struct span only;

	if (i < rows->count && is_about(&rows->row[i], model, provider))
		return span_at(rows, i);
	i = find_row(rows, model, STR(""));
	if (i == rows->count || !str_eq(rows->row[i].model, model))
		return (struct span){ end, end };
	only = span_at(rows, i);
	if (only.end < end && str_eq(only.end->model, model))
		return (struct span){ end, end };
	return only;
}

/* Days since 1970, rounded down before it too. */
static int64_t day_of(int64_t ns)
{
	return ns / DAY_NS - (ns % DAY_NS < 0);
}

/* The rows of one tier among them: they stand together. */
static struct span span_of_tier(struct span s, struct str tier)
{
	while (s.first < s.end && !str_eq(s.first->tier, tier))
		s.first++;
	for (const struct price_row *r = s.first; r < s.end; r++)
		if (!str_eq(r->tier, tier))
			s.end = r;
	return s;
}

/* The newest day that has come, and in it the row for requests of this size. Rows are in that order. */
static const struct price_row *find_valid(struct span s, int64_t day, uint64_t input)
{
	const struct price_row *found = NULL;

	for (const struct price_row *r = s.first; r < s.end && r->from <= day; r++)
		if (r->over == 0 || r->over < input)
			found = r;
		else if (found && found->from < r->from)
			found = NULL;
	return found;
}

/* The row that the request is priced by. An old request is not a matter of tiers: its day is the reason then. */
static enum price_gap find_price(struct span s, const struct price_ask *ask, const struct price_row **row)
{
	int64_t day = ask->has_time ? day_of(ask->at_ns) : INT64_MAX;
	uint64_t size = ask->is_sum ? 0 : ask->usage->input.n;

	if (s.first == s.end)
		return PRICE_NO_MODEL;
	*row = find_valid(span_of_tier(s, ask->tier), day, size);
	if (*row)
		return PRICE_FOUND;
	return ask->tier.n && find_valid(span_of_tier(s, STR("")), day, size) ? PRICE_NO_TIER : PRICE_NO_DAY;
}

/* ---- what it costs ---- */

static uint64_t known_or_zero(struct figure f)
{
	return figure_is_known(f) ? f.n : 0;
}

/* False when the figures cannot be: parts larger than the whole. */
static bool split(const struct usage *u, uint64_t tokens[PRICE_KINDS])
{
	uint64_t input = u->input.n, read = known_or_zero(u->cache_read), written = known_or_zero(u->cache_write);
	uint64_t hour = known_or_zero(u->cache_write_1h);

	if (!figure_is_known(u->input) || !figure_is_known(u->output))
		return false;
	if (!figure_is_known(u->cache_write))
		written = hour;
	if (read > input || written > input - read || hour > written)
		return false;
	tokens[PRICE_INPUT] = input - read - written;
	tokens[PRICE_OUTPUT] = u->output.n;
	tokens[PRICE_CACHE_READ] = read;
	tokens[PRICE_CACHE_5M] = written - hour;
	tokens[PRICE_CACHE_1H] = hour;
	return true;
}

/* Tokens times prices; false when one is not known, or the sum is too large. */
static bool add_up(const struct price_row *row, const uint64_t tokens[PRICE_KINDS], double *usd)
{
	uint64_t sum = 0, part;

	for (size_t k = 0; k < PRICE_KINDS; k++) {
		if (tokens[k] == 0)
			continue;
		if (row->micros[k] == PRICE_UNKNOWN || __builtin_mul_overflow(tokens[k], row->micros[k], &part) ||
		    __builtin_add_overflow(sum, part, &sum))
			return false;
	}
	*usd = (double)sum / PICOS;
	return true;
}

enum price_gap price_usage(const struct prices *p, const struct price_ask *ask, double *usd)
{
	char model_text[PRICE_NAME_MAX], provider_text[PRICE_NAME_MAX];
	struct str name = price_name_fold(model_text, ask->model);
	struct str owner = price_name_provider(provider_text, ask->provider);
	const struct price_row *row = NULL;
	uint64_t tokens[PRICE_KINDS];
	enum price_gap gap;
	struct span span;

	if (!split(ask->usage, tokens))
		return PRICE_NO_COUNT;
	if (price_name_is_local(owner))
		return PRICE_LOCAL;
	if (name.n == 0)
		return PRICE_NO_MODEL;
	span = find_model(&p->rows, name, owner);
	if (span.first == span.end)
		span = find_model(&p->rows, price_name_undated(name), owner);
	gap = find_price(span, ask, &row);
	if (gap != PRICE_FOUND)
		return gap;
	return add_up(row, tokens, usd) ? PRICE_FOUND : PRICE_NO_KIND;
}

enum price_gap price_event(const struct prices *p, struct event *cost)
{
	struct price_ask ask = {
		.provider = cost->provider,
		.model = cost->model,
		.tier = cost->tier,
		.at_ns = cost->ts.ns,
		.has_time = cost->ts.text.p && cost->ts.source != MOMENT_NONE,
		.is_sum = cost->scope.p && !str_eq(cost->scope, STR("step")),
		.usage = &cost->usage,
	};
	struct amount usd = { FIGURE_NULL, FIGURE_ESTIMATED, 0 };
	enum price_gap gap;

	if (cost->kind != EVENT_COST || cost->usd.state != FIGURE_ABSENT || !usage_is_known(&cost->usage))
		return PRICE_FOUND;
	gap = price_usage(p, &ask, &usd.n);
	if (gap == PRICE_FOUND)
		usd.state = FIGURE_KNOWN;
	cost->usd = usd;
	cost->price_table = p->hash;
	return gap;
}
