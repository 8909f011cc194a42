#include "transform/price.h"

#include <stdio.h>

#include "base/clock.h"
#include "harness/test.h"

#define NO_PRICE (-1.0)
#define N(value) { FIGURE_KNOWN, FIGURE_API, (value) } /* FIGURE, for tables */

static struct prices *open_prices(const char *over)
{
	struct arena *a = test_alloc(sizeof(*a));
	struct prices *p;
	struct err err;

	arena_init(a);
	p = prices_new(a);
	if (over && !prices_override(p, str_from(over), STR("own.tsv"), &err))
		FAIL("%s", err.text);
	return p;
}

static int64_t at(const char *day)
{
	char text[] = "0000-00-00T12:00:00Z";
	struct stamp s;
	int64_t ns;

	memcpy(text, day, 10);
	CHECK(stamp_parse(str_from(text), &s) && stamp_ns(&s, &ns));
	return ns;
}

static double cost(const struct prices *p, const char *provider, const char *model, const char *day, struct usage u)
{
	double usd = NO_PRICE;
	struct price_ask ask = { .provider = str_from(provider), .model = str_from(model), .at_ns = day ? at(day) : 0,
				 .has_time = day != NULL, .usage = &u };

	if (price_usage(p, &ask, &usd) != PRICE_FOUND)
		CHECK(usd == NO_PRICE);
	return usd;
}

/* The price is that of output and a tenth of that of input. */
static const struct usage million = { .input = N(100000), .output = N(1000000) };

TEST(every_spelling_of_a_model_has_its_price)
{
	static const struct {
		const char *provider, *model;
		double usd;
	} cases[] = {
		{ "anthropic", "claude-sonnet-4-5-20250929", 15.3 },
		{ "openrouter", "anthropic/claude-sonnet-4.5", 15.3 },
		{ "aws.bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", 15.3 },
		{ "", "claude-opus-4-1-20250805", 76.5 },
		{ "", "claude-4-opus", 76.5 },
		{ "openai", "openai/gpt-4o-mini", 0.615 },
		{ "openai", "gpt-4o-2024-05-13", 15.5 },
		{ "openai", "gpt-4o-2024-08-06", 10.25 },
		{ "google", "models/gemini-2.5-pro", 10.125 },
		{ "xai", "grok-3-mini", 0.53 },
		{ "mistral", "mistral-large-2411", 6.2 },
		{ "openai", "gpt-99", NO_PRICE },
		{ "openai", "deepseek-chat:free", NO_PRICE },
		{ "ollama", "mistral-large", NO_PRICE },
		{ "", "", NO_PRICE },
	};
	struct prices *p = open_prices(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s %s", cases[i].provider, cases[i].model);
		CHECK(cost(p, cases[i].provider, cases[i].model, NULL, million) == cases[i].usd);
	}
}

TEST(the_price_is_that_of_the_day)
{
	static const struct {
		const char *model, *day;
		double usd;
	} cases[] = {
		{ "o3", "2025-04-15", NO_PRICE }, /* before it came out: no price, not the first one */
		{ "o3", "2025-04-16", 41 },
		{ "o3", "2025-06-09", 41 },
		{ "o3", "2025-06-10", 8.2 },
		{ "o3", "2099-01-01", 8.2 },
		{ "o3", NULL, 8.2 },
		{ "gpt-4o", "2024-09-01", 15.5 },
		{ "gpt-4o", "2024-10-02", 10.25 },
		{ "o3", "1969-12-31", NO_PRICE },
	};
	struct prices *p = open_prices(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s %s", cases[i].model, cases[i].day ? cases[i].day : "no time");
		CHECK(cost(p, "openai", cases[i].model, cases[i].day, million) == cases[i].usd);
	}
}

TEST(each_tier_of_the_cache_has_its_price)
{
	static const char table[] = "v\tm\t2024-01-01\t-\t10\t20\t1\t12.5\t-\n";
	static const struct {
		struct usage u;
		double usd;
	} cases[] = {
		{ { .input = N(1000000), .output = N(0) }, 10 },
		{ { .input = N(0), .output = N(0) }, 0 },
		{ { .input = N(1000000), .output = N(1000000), .cache_read = N(400000),
		    .cache_write = N(100000) },
		  5 + 0.4 + 1.25 + 20 },
		{ { .input = N(3), .output = N(1), .cache_read = N(1), .cache_write = N(1) }, 0.0000435 },
		/* an hour's cache has no price here: with tokens in it there is none at all */
		{ { .input = N(10), .output = N(1), .cache_write = N(5), .cache_write_1h = N(0) }, 0.0001325 },
		{ { .input = N(10), .output = N(1), .cache_write = N(5), .cache_write_1h = N(1) }, NO_PRICE },
		{ { .input = N(10), .output = N(1), .cache_write_1h = N(1) }, NO_PRICE },
		/* parts larger than the whole */
		{ { .input = N(10), .output = N(1), .cache_read = N(11) }, NO_PRICE },
		{ { .input = N(10), .output = N(1), .cache_read = N(6), .cache_write = N(5) }, NO_PRICE },
		{ { .input = N(10), .output = N(1), .cache_read = N(5), .cache_write = N(UINT64_MAX) },
		  NO_PRICE },
		{ { .input = N(10), .output = N(1), .cache_write = N(1), .cache_write_1h = N(2) }, NO_PRICE },
		/* absent and null are not zero */
		{ { .output = N(1) }, NO_PRICE },
		{ { .input = N(1) }, NO_PRICE },
		{ { .input = N(1), .output = { .state = FIGURE_NULL } }, NO_PRICE },
		{ { .input = N(UINT64_MAX), .output = N(0) }, NO_PRICE },
	};
	struct prices *p = open_prices(table);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK(cost(p, "v", "m", NULL, cases[i].u) == cases[i].usd);
	}
}

TEST(a_long_request_has_its_own_price)
{
	static const char table[] = "v\tm\t2024-01-01\t-\t1\t1\t-\t-\t-\n"
				    "v\tm\t2024-01-01\t1000\t2\t2\t-\t-\t-\n"
				    "v\tm\t2025-01-01\t-\t3\t3\t-\t-\t-\n"
				    "v\tlong\t2024-01-01\t1000\t2\t2\t-\t-\t-\n";
	struct prices *p = open_prices(table);
	struct usage small = { .input = FIGURE(1000), .output = FIGURE(0) };
	struct usage large = { .input = FIGURE(1001), .output = FIGURE(0) };

	CHECK(cost(p, "v", "m", "2024-06-01", small) == 0.001);
	CHECK(cost(p, "v", "m", "2024-06-01", large) == 0.002002);
	CHECK(cost(p, "v", "m", "2025-06-01", large) == 0.003003);
	CHECK(cost(p, "v", "long", "2024-06-01", small) == NO_PRICE);
	CHECK(cost(p, "v", "long", "2024-06-01", large) == 0.002002);
}

TEST(sums_are_exact)
{
	struct prices *p = open_prices("v\tm\t2024-01-01\t-\t0.1\t0.2\t-\t-\t-\n");
	struct usage u = { .input = FIGURE(1000000), .output = FIGURE(1000000) };

	CHECK(cost(p, "v", "m", NULL, u) == 0.3);
}

TEST(a_file_of_ones_own_replaces_a_model_and_nothing_else)
{
	struct prices *plain = open_prices(NULL);
	struct prices *p = open_prices("# mine\r\nOpenAI\topenai/o3\t2030-01-01\t-\t7\t7\t-\t-\t-\ta contract\r\n\n");

	CHECK(cost(p, "openai", "o3", "2025-06-10", million) == NO_PRICE);
	CHECK(cost(p, "openai", "o3", "2030-01-01", million) == 7.7);
	CHECK(cost(p, "openai", "o4-mini", NULL, million) == cost(plain, "openai", "o4-mini", NULL, million));
}

TEST(with_several_providers_only_the_right_one_counts)
{
	struct prices *p = open_prices("azure\tgpt-4o\t2024-01-01\t-\t1\t1\t-\t-\t-\n");

	CHECK(cost(p, "azure", "gpt-4o", NULL, million) == 1.1);
	CHECK(cost(p, "openai", "gpt-4o", NULL, million) == 10.25);
	CHECK(cost(p, "", "gpt-4o", NULL, million) == NO_PRICE);
}

TEST(the_hash_is_of_the_rows_and_not_of_their_spelling)
{
	struct str plain = prices_hash(open_prices(NULL));
	struct str one = prices_hash(open_prices("v\tm\t2024-01-01\t-\t1.50\t1\t-\t-\t-\n"));
	struct str same = prices_hash(open_prices("# c\nV\tM\t2024-01-01\t0\t1.5\t1.0\t-\t-\t-\tsource\n"));
	struct str other = prices_hash(open_prices("v\tm\t2024-01-01\t-\t1.51\t1\t-\t-\t-\n"));

	CHECK_INT(plain.n, 71);
	CHECK(str_starts(plain, STR("sha256:")));
	CHECK_STR(prices_hash(open_prices(NULL)), plain);
	CHECK_STR(prices_hash(open_prices("")), plain);
	CHECK(!str_eq(one, plain));
	CHECK_STR(one, same);
	CHECK(!str_eq(one, other));
}

TEST(a_fault_in_the_file_is_named_with_line_and_column)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "v\tm\n", "own.tsv:1:4: the row ends before from; nine tab-separated fields are expected" },
		{ "\n# c\nv\tm\t2024-13-01\t-\t1\t1\t-\t-\t-\n",
		  "own.tsv:3:5: from \"2024-13-01\" should be a day, as in 2025-09-29" },
		{ "\xc3\xa9\tm\t2024-01-01\t-\t1,5\t1\t-\t-\t-\n",
		  "own.tsv:1:18: input \"1,5\" should be dollars for a million tokens, with at most six decimals, or \"-\"" },
		{ "v\tm\t2024-01-01\t-\t1\t-1\t-\t-\t-\n",
		  "own.tsv:1:20: output \"-1\" should be dollars for a million tokens, with at most six decimals, or \"-\"" },
		{ "v\tm\t2024-01-01\t\t1\t1\t-\t-\t-\n",
		  "own.tsv:1:16: over \"\" should be given; \"-\" says that it is not known" },
		{ "v\tm\t2024-01-01\t200k\t1\t1\t-\t-\t-\n",
		  "own.tsv:1:16: over \"200k\" should be a number of tokens, \"-\" for requests of any size, or a tier, as in "
		  "batch or batch:200000" },
		{ "v\tm\t2024-01-01\tbatch:x\t1\t1\t-\t-\t-\n",
		  "own.tsv:1:16: over \"batch:x\" should be a number of tokens, \"-\" for requests of any size, or a tier, as in "
		  "batch or batch:200000" },
		{ "v\tm\t2024-01-01\tflex\t1\t1\t-\t-\t-\nv\tm\t2024-01-01\tflex\t2\t1\t-\t-\t-\n",
		  "own.tsv:2:1: the same model, tier, day and size as in line 1" },
		{ "v\tm\t2024-01-01\t-\t1\t1\t-\t-\t-\nv\tM\t2024-01-01\t-\t2\t1\t-\t-\t-\n",
		  "own.tsv:2:1: the same model, tier, day and size as in line 1" },
		{ "v\topenai/\t2024-01-01\t-\t1\t1\t-\t-\t-\n",
		  "own.tsv:1:3: model \"openai/\" should be a name of at most 96 characters" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prices *p = open_prices(NULL);
		struct str before = prices_hash(p);
		struct err err;

		test_case("%zu", i);
		CHECK(!prices_override(p, str_from(cases[i].text), STR("own.tsv"), &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK_STR(str_from(err.text), str_from(cases[i].message));
		CHECK_STR(prices_hash(p), before);
	}
}

TEST(prices_are_decimals_and_nothing_else)
{
	static const struct {
		const char *price;
		double usd; /* of a million tokens */
	} cases[] = {
		{ "0", 0 },          { "0.000001", 0.000001 }, { "1000000", 1000000 }, { "0.0000001", NO_PRICE },
		{ "1000001", NO_PRICE }, { "1e3", NO_PRICE },  { "1.", NO_PRICE },     { ".5", NO_PRICE },
		{ "01", NO_PRICE },  { "$1", NO_PRICE },       { "1.5.5", NO_PRICE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct usage u = { .input = FIGURE(1000000), .output = FIGURE(0) };
		struct prices *p = open_prices(NULL);
		char row[64];
		struct err err;
		bool taken;

		test_case("%s", cases[i].price);
		snprintf(row, sizeof(row), "v\tm\t2024-01-01\t-\t%s\t1\t-\t-\t-", cases[i].price);
		taken = prices_override(p, str_from(row), STR("own.tsv"), &err);
		CHECK_INT(taken, cases[i].usd != NO_PRICE);
		CHECK(cost(p, "v", "m", NULL, u) == cases[i].usd);
	}
}

static struct event cost_event(void)
{
	struct event e = { .kind = EVENT_COST, .provider = STR("openai"), .model = STR("o3"), .scope = STR("step") };

	e.usage = million;
	e.ts = (struct moment){ STR("2025-05-01T00:00:00.000Z"), at("2025-05-01"), MOMENT_VENDOR };
	return e;
}

TEST(a_cost_without_a_figure_gets_an_estimate_with_the_hash)
{
	struct prices *p = open_prices(NULL);
	struct event e = cost_event();

	price_event(p, &e);
	CHECK_INT(e.usd.state, FIGURE_KNOWN);
	CHECK_INT(e.usd.source, FIGURE_ESTIMATED);
	CHECK(e.usd.n == 41);
	CHECK_STR(e.price_table, prices_hash(p));
	e = cost_event();
	e.ts = (struct moment){ STR("1970-01-01T00:00:00.000Z"), 0, MOMENT_NONE };
	price_event(p, &e);
	CHECK(e.usd.n == 8.2);
}

TEST(what_the_vendor_said_stays)
{
	struct prices *p = open_prices(NULL);
	struct event e = cost_event();

	e.usd = AMOUNT(0);
	price_event(p, &e);
	CHECK(amount_is_known(e.usd) && e.usd.n == 0 && e.usd.source == FIGURE_API && !e.price_table.p);
	e = cost_event();
	e.usd.state = FIGURE_NULL;
	price_event(p, &e);
	CHECK(e.usd.state == FIGURE_NULL && !e.price_table.p);
	e = cost_event();
	e.kind = EVENT_STEP;
	price_event(p, &e);
	CHECK(e.usd.state == FIGURE_ABSENT);
}

TEST(what_has_no_price_costs_null_and_not_nothing)
{
	struct prices *p = open_prices(NULL);
	struct event e = cost_event();

	e.model = STR("nobody-knows");
	price_event(p, &e);
	CHECK_INT(e.usd.state, FIGURE_NULL);
	CHECK_STR(e.price_table, prices_hash(p));
	e = cost_event();
	e.usage = (struct usage){ 0 };
	price_event(p, &e);
	CHECK(e.usd.state == FIGURE_ABSENT && !e.price_table.p);
}

TEST(a_whole_run_is_not_one_long_request)
{
	struct prices *p = open_prices("v\tm\t2024-01-01\t-\t1\t1\t-\t-\t-\nv\tm\t2024-01-01\t1000\t2\t2\t-\t-\t-\n");
	struct event e = cost_event();

	e.model = STR("m");
	e.usage = (struct usage){ .input = FIGURE(1000000), .output = FIGURE(0) };
	price_event(p, &e);
	CHECK(e.usd.n == 2);
	e.usd = (struct amount){ 0 };
	e.scope = STR("run");
	price_event(p, &e);
	CHECK(e.usd.n == 1);
}

TEST(a_tier_is_priced_by_its_rows_alone)
{
	static const struct { const char *tier, *day; uint64_t input; enum price_gap gap; double usd; } cases[] = {
		{ "", "2026-02-01", 1000000, PRICE_FOUND, 2 },
		{ "flex", "2026-02-01", 1000000, PRICE_FOUND, 1 },
		{ "flex", "2026-03-01", 1000000, PRICE_FOUND, 0.5 },
		{ "flex", "2026-03-01", 2000000, PRICE_FOUND, 4 }, /* a long one */
		{ "flex", "2026-01-15", 1000000, PRICE_NO_TIER, 0 },
		{ "batch", "2026-02-01", 1000000, PRICE_NO_TIER, 0 },
		{ "batch", "2025-02-01", 1000000, PRICE_NO_DAY, 0 },
		{ "", "2025-02-01", 1000000, PRICE_NO_DAY, 0 },
	};
	struct prices *p = open_prices("v\tm\t2026-01-01\t-\t2\t0\t-\t-\t-\n"
				       "v\tm\t2026-02-01\tflex\t1\t0\t-\t-\t-\n"
				       "v\tm\t2026-03-01\tflex\t0.5\t0\t-\t-\t-\n"
				       "v\tm\t2026-03-01\tflex:1500000\t2\t0\t-\t-\t-\n");

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct usage u = { .input = N(cases[i].input), .output = N(0) };
		struct price_ask ask = { .provider = STR("v"), .model = STR("m"), .tier = str_from(cases[i].tier),
					 .at_ns = at(cases[i].day), .has_time = true, .usage = &u };
		double usd = 0;

		test_case("%zu", i);
		CHECK_INT(price_usage(p, &ask, &usd), cases[i].gap);
		CHECK(usd == cases[i].usd);
	}
}

TEST(models_of_agents_of_this_month_have_prices)
{
	static const char *const models[] = { "claude-opus-5-5", "claude-sonnet-4-5", "gpt-6.1-sol", "gpt-5.1", "gpt-5-mini",
					      "gpt-5.4-nano", "gemini-3.8-flash", "gemini-2.5-pro", "gemini-3.5-flash-lite" };
	struct prices *p = open_prices(NULL);

	for (size_t i = 0; i < COUNT(models); i++) {
		test_case("%s", models[i]);
		CHECK(cost(p, "", models[i], "2026-11-10", million) > 0);
	}
}
