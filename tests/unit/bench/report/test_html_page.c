#include "bench/report/html_page.h"

#include <math.h>
#include <stdio.h>

#include "bench/report/html_private.h"
#include "harness/test.h"

#define NAMES_DEEP 64

/* ---- a page that a parser would take ---- */

/* The end of a tag that begins at p: behind its '>', quotes taken into account. */
static const char *tag_end(const char *p, const char *end)
{
	char quote = 0;

	for (; p < end; p++) {
		if (quote)
			quote = *p == quote ? 0 : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '<' && p[1] != '!')
			return NULL;
		else if (*p == '>')
			return p + 1;
	}
	return NULL;
}

static bool is_entity(const char *p, const char *end)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (str_starts(str_of(p, (size_t)(end - p)), str_from(known[i])))
			return true;
	return false;
}

/* Every element is closed in its order, every & is one of ours. */
static void check_well_formed(struct str page)
{
	struct str open[NAMES_DEEP], name;
	const char *p = page.p, *end = page.p + page.n, *behind;
	size_t depth = 0, n;

	CHECK(str_starts(page, STR("<!DOCTYPE html>\n<html lang='en'>")));
	CHECK(str_ends(page, STR("</html>\n")));
	for (p += sizeof("<!DOCTYPE html>") - 1; p < end; p++) {
		if (*p == '&' && !is_entity(p, end))
			FAIL("an & that is none: %.*s", 40, p);
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			FAIL("a control character %d", *p);
		if (*p != '<')
			continue;
		behind = tag_end(p + 1, end);
		if (!behind)
			FAIL("a < that begins nothing: %.*s", 40, p);
		for (n = 1 + (p[1] == '/'); p + n < behind && !strchr(" />", p[n]); n++)
			;
		name = str_of(p + 1 + (p[1] == '/'), n - 1 - (p[1] == '/'));
		if (p[1] == '/') {
			CHECK(depth > 0);
			CHECK_STR(name, open[depth - 1]);
			depth--;
		} else if (behind[-2] != '/') {
			CHECK(depth < NAMES_DEEP);
			open[depth++] = name;
		}
		p = behind - 1;
	}
	CHECK_INT(depth, 0);
}

static bool says(struct str page, const char *what)
{
	return str_find(page, str_from(what)) != (size_t)-1;
}

static size_t count(struct str page, const char *what)
{
	struct str needle = str_from(what);
	size_t n = 0, at;

	while ((at = str_find(page, needle)) != (size_t)-1) {
		page = str_of(page.p + at + needle.n, page.n - at - needle.n);
		n++;
	}
	return n;
}

#define CHECK_SAYS(page, what) do { if (!says(page, what)) FAIL("the page does not say: %s", what); } while (0)

/* ---- summaries made by hand ---- */

static struct rate rate(uint64_t k, uint64_t n)
{
	return (struct rate){ .k = k, .n = n, .interval = stats_wilson(k, n, 0.95) };
}

static struct spread spread(double from, double step, size_t n)
{
	struct spread s = { .n = n, .sorted = test_alloc((n + 1) * sizeof(double)) };

	for (size_t i = 0; i < n; i++)
		s.sorted[i] = from + step * (double)i;
	s.p50 = from + step * (double)(n - 1) / 2;
	s.p95 = s.p99 = from + step * (double)(n - 1);
	s.mean = s.p50;
	s.p50_interval = (struct interval){ .low = from, .high = s.p95 };
	s.p95_interval = s.p99_interval = (struct interval){ .low = s.p50, .high = NAN };
	return s;
}

static struct summary_group group(const char *model, uint64_t passed, uint64_t n)
{
	struct summary_group g = {
		.provider = STR("mock"), .model = str_from(model), .tag = STR("t"), .n_total = n, .n_ok = n, .n_success = n,
		.success = rate(n, n), .pass = rate(passed, n), .pass_of_all = rate(passed, n), .latency = spread(100, 7, n),
		.ttft = spread(10, 1, n), .waited = spread(100, 9, n), .tokens_per_second = 41.26, .usd = NAN, .repeats = 1,
		.has_wall = true, .wall_ms = 65000,
	};

	return g;
}

static struct str page_of(struct summary_group *groups, size_t n, const struct config *c)
{
	struct summary s = {
		.run_id = STR("20260501_120000"), .groups = groups, .count = n, .rows = 12, .has_wall = true, .wall_ms = 1500,
	};
	struct buf b;
	struct str page;
	char *copy;

	buf_init(&b);
	report_write_html(&b, &s, c, 1777636800000000000);
	copy = test_alloc(b.n + 1);
	memcpy(copy, b.p, b.n);
	page = str_of(copy, b.n);
	buf_free(&b);
	check_well_formed(page);
	return page;
}

/* ---- tests ---- */

TEST(a_page_needs_nothing_and_forbids_everything)
{
	struct summary_group g = group("m", 3, 4);
	struct str page = page_of(&g, 1, NULL);

	CHECK_SAYS(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'");
	CHECK_SAYS(page, "page of 2026-05-01 12:00:00 UTC");
	CHECK(!says(page, "<script"));
	CHECK(!says(page, "http:"));
	CHECK(!says(page, "https:"));
	CHECK(!says(page, "url("));
	CHECK(!says(page, "@import"));
	CHECK_INT(count(page, "<th"), count(page, "scope='") + count(page, "<thead"));
}

TEST(an_empty_run_has_a_page_that_says_so)
{
	struct str page = page_of(NULL, 0, NULL);

	CHECK_SAYS(page, "The run has no rows yet.");
	CHECK_SAYS(page, "No answer was judged");
	CHECK_SAYS(page, "there are no tiers");
	CHECK_SAYS(page, "No call succeeded, so there are no times.");
	CHECK_SAYS(page, "No prompt was asked.");
	CHECK(!says(page, "<figure"));
}

TEST(one_target_has_its_rate_with_the_interval_in_words)
{
	struct summary_group g = group("solo", 15, 18);
	struct str page = page_of(&g, 1, NULL);

	CHECK_SAYS(page, "has a pass rate of <b>83.3\xE2\x80\xAF%</b> (60.8\xE2\x80\x93" "94.2\xE2\x80\xAF%)");
	CHECK_SAYS(page, "<title>mock:solo: pass rate 83.3\xE2\x80\xAF%, 95\xE2\x80\xAF% interval 60.8\xE2\x80\xAF% to "
			 "94.2\xE2\x80\xAF%, 15 of 18</title>");
	CHECK_SAYS(page, "<td>41.3</td>");
	CHECK_SAYS(page, "What the calls cost is not known");
	CHECK_SAYS(page, "<span class='dim'>not known</span>");
	CHECK_SAYS(page, "1.50\xE2\x80\xAFs");
	CHECK_INT(count(page, "<circle class='point'"), 18);
}

TEST(targets_stand_by_their_pass_rate_and_overlap_is_told)
{
	struct summary_group g[] = { group("low", 1, 20), group("best", 19, 20), group("near", 18, 20), group("none", 0, 0) };
	struct str page = page_of(g, 4, NULL);
	size_t best = str_find(page, STR("<span class='no'>1</span> <bdi>mock:best")),
	       near = str_find(page, STR("<span class='no'>2</span> <bdi>mock:near")),
	       low = str_find(page, STR("<span class='no'>3</span> <bdi>mock:low"));

	CHECK(best < near && near < low && low != (size_t)-1);
	CHECK_SAYS(page, "<span class='no'>4</span> <bdi>mock:none");
	CHECK_SAYS(page, "mock:best</bdi></b> has the highest pass rate");
	CHECK_SAYS(page, "the interval of 1 other target overlaps it, so the order is not settled");
	g[0] = group("low", 19, 20);
	CHECK_SAYS(page_of(g, 4, NULL), "and 1 other have the highest pass rate");
	for (size_t i = 0; i < 4; i++)
		g[i] = group("nil", 0, 5);
	CHECK_SAYS(page_of(g, 4, NULL), "No answer passed its validator.");
}

TEST(failed_calls_are_told_by_reason_and_count_twice)
{
	struct summary_group g = group("m", 8, 10);
	struct str page;

	g.n_total = 20;
	g.n_ok = 11;
	g.n_unavailable = 2;
	g.n_limited = 3;
	g.n_error = 4;
	g.n_auth = 1;
	g.pass_of_all = rate(8, 20);
	page = page_of(&g, 1, NULL);
	CHECK_SAYS(page, "<td class='bad'>10<small>2 unavailable</small><small>3 rate limited</small><small>1 auth</small>"
			 "<small>3 other</small><small>1 empty</small></td>");
	CHECK_SAYS(page, "<td>80.0\xE2\x80\xAF%<small>");
	CHECK_SAYS(page, "<td>40.0\xE2\x80\xAF%<small>");
	CHECK_SAYS(page, "<desc>With failed calls as failures: 40.0\xE2\x80\xAF%");
	CHECK_SAYS(page, "10 of 20 calls failed");
}

TEST(tiers_have_borders_and_say_when_n_is_too_small)
{
	struct summary_group g[] = { group("sure", 1, 1), group("unsure", 0, 1) };
	struct str page;

	g[0].tools = g[0].tools_of_all = rate(198, 200);
	g[0].tier = 1;
	g[1].tools = g[1].tools_of_all = rate(3, 5);
	g[1].tier = 2;
	g[1].tier_unsure = true;
	page = page_of(g, 2, NULL);
	CHECK_SAYS(page, "<rect class='band t2' x='50%' y='0' width='30%'");
	CHECK_SAYS(page, "<rect class='band t1' x='80%' y='0' width='20%'");
	CHECK_SAYS(page, "<title>mock:sure: tier 1, 99.0");
	CHECK_SAYS(page, "<title>mock:unsure: tier 2, n too small to separate tiers, 60.0");
	CHECK_INT(count(page, "n too small to separate tiers</small>"), 2); /* table and plot */
}

TEST(a_percentile_without_an_interval_says_that_n_is_too_small)
{
	struct summary_group g = group("m", 4, 5);
	struct str page = page_of(&g, 1, NULL);

	CHECK_SAYS(page, "<td>128\xE2\x80\xAFms<small class='unsure'>n too small</small></td>");
	CHECK_SAYS(page, "<td>114\xE2\x80\xAFms</td>");
	CHECK_SAYS(page, "<small>100\xE2\x80\xAFms \xE2\x80\x93 128\xE2\x80\xAFms</small>");
}

TEST(many_calls_are_a_histogram_and_far_values_get_a_logarithmic_axis)
{
	struct summary_group g = group("m", 40, 61);
	struct str page = page_of(&g, 1, NULL);

	CHECK(!says(page, "<circle class='point'"));
	CHECK_SAYS(page, "<path class='hill'");
	CHECK(!says(page, "logarithmic"));
	g.latency = spread(5, 400, 61);
	CHECK_SAYS(page_of(&g, 1, NULL), "latency, logarithmic");
}

TEST(cost_is_shown_against_quality_when_it_is_known)
{
	struct summary_group g[] = { group("paid", 9, 10), group("free", 5, 10) };
	struct str page;

	g[0].usd = 0.25;
	g[0].usd_rows = 10;
	g[0].usd_estimated = true;
	page = page_of(g, 2, NULL);
	CHECK_SAYS(page, "id='plot-cost'");
	CHECK_SAYS(page, "<title>mock:paid: $0.025 a call, pass rate 90.0");
	CHECK_SAYS(page, "<td>$0.250<small>estimated</small></td>");
	CHECK_SAYS(page, "<dt>cost, estimated</dt><dd>$0.250</dd>");
	CHECK_SAYS(page, "and 1 more targets");
	g[1].usd = 0;
	g[1].usd_rows = 4;
	page = page_of(g, 2, NULL);
	CHECK_SAYS(page, "<title>mock:free: $0 a call");
	CHECK_SAYS(page, "<small>of 4 calls</small>");
}

TEST(a_cell_is_told_by_its_letter)
{
	struct summary_prompt p[] = {
		{ .id = STR("a"), .name = STR("A"), .rows = 1, .passed = 1, .judged = 1 },
		{ .id = STR("b"), .name = STR("B"), .rows = 1, .judged = 1, .violation = STR("no <b>"), .violations = 1, .answer = STR("<i>") },
		{ .id = STR("c"), .name = STR("C"), .rows = 1, .failed_calls = 1 },
		{ .id = STR("d"), .name = STR("D"), .rows = 3, .passed = 2, .judged = 2, .failed_calls = 1 },
		{ .id = STR("e"), .name = STR("E"), .rows = 1 },
		{ .id = STR("f"), .name = STR("F"), .rows = 3, .judged = 3, .violation = STR("x"), .violations = 3 },
	}, other = { .id = STR("g"), .name = STR("g"), .rows = 1, .passed = 1, .judged = 1 };
	struct summary_group g[] = { group("m", 3, 4), group("n", 1, 4) };
	struct str page;

	g[0].prompts = p;
	g[0].prompt_count = 6;
	g[1].prompts = &other;
	g[1].prompt_count = 1;
	page = page_of(g, 2, NULL);
	CHECK_SAYS(page, "<td class='pass' title='1: 1 of 1 passed'>P</td>");
	CHECK_SAYS(page, "<td class='fail' title='1: 0 of 1 passed: no &lt;b&gt; got=&quot;&lt;i&gt;&quot;'>F</td>");
	CHECK_SAYS(page, "<td class='error' title='1: not judged, 1 failed call'>E</td>");
	CHECK_SAYS(page, "<td class='mixed' title='1: 2 of 2 passed, 1 failed call'>2/3</td>");
	CHECK_SAYS(page, "<td class='none' title='1: not judged'>\xC2\xB7</td>");
	CHECK_SAYS(page, "<td class='none' title='1: not asked'>\xC2\xB7</td><td class='pass' title='2: 1 of 1 passed'>P</td>");
	CHECK_SAYS(page, "<code><bdi>no &lt;b&gt;</bdi></code> <code><bdi>got=&quot;&lt;i&gt;&quot;</bdi></code></li>");
	CHECK(!says(page, "class='answer'")); /* all of it stands there already */
	CHECK_SAYS(page, "the first of 3</span>");
	CHECK_SAYS(page, "<bdi>g</bdi></th>"); /* a name that is the id is not said twice */
}

TEST(an_answer_that_is_no_short_line_stands_below_its_violation)
{
	struct summary_prompt p[] = {
		{ .id = STR("a"), .rows = 1, .judged = 1, .violation = STR("x"), .violations = 1,
		  .answer = STR("one\n<b>two\nsk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF") },
		{ .id = STR("b"), .rows = 1, .judged = 1, .violation = STR("x"), .violations = 1, .answer_cut = true },
	};
	struct summary_group g = group("m", 0, 2);
	struct str page;
	char *text = test_alloc(1900);

	memset(text, 'w', 1900);
	p[1].answer = str_of(text, 1900);
	g.prompts = p;
	g.prompt_count = 2;
	page = page_of(&g, 1, NULL);
	CHECK_SAYS(page, "got=&quot;one\\n&lt;b&gt;two\\nsk-proj-");
	CHECK_SAYS(page, "<blockquote class='answer'><bdi>one\n&lt;b&gt;two\nsk-proj-");
	CHECK(!says(page, "abcdefghijklm")); /* a key is hidden in either place */
	CHECK_SAYS(page, "www\xE2\x80\xA6</bdi></blockquote><small class='dim'>the beginning of the answer; results.jsonl has all of it</small>");
}

TEST(the_pass_rate_is_the_first_figure_of_a_target)
{
	struct summary_group g = group("m", 3, 4);

	CHECK_SAYS(page_of(&g, 1, NULL), "class='name'>target</th><th scope='col'>pass<small>failed calls left out</small></th>");
}

TEST(prompts_stand_in_the_order_of_the_suite)
{
	struct summary_prompt p[] = {
		{ .id = STR("new"), .rows = 1 }, { .id = STR("b"), .rows = 1 }, { .id = STR("a"), .rows = 1 },
	};
	struct suite_prompt asked[] = {
		{ .id = STR("a"), .name = STR("a") }, { .id = STR("never"), .name = STR("x") }, { .id = STR("b"), .name = STR("b") },
	};
	struct config c = { .prompts = asked, .prompt_count = 3 };
	struct summary_group g = group("m", 0, 1);
	struct str page;

	g.prompts = p;
	g.prompt_count = 3;
	page = page_of(&g, 1, &c);
	CHECK(str_find(page, STR("<bdi>a</bdi>")) < str_find(page, STR("<bdi>b</bdi>")));
	CHECK(str_find(page, STR("<bdi>b</bdi>")) < str_find(page, STR("<bdi>new</bdi>")));
	CHECK(!says(page, "<bdi>never</bdi>"));
	page = page_of(&g, 1, NULL);
	CHECK(str_find(page, STR("<bdi>new</bdi>")) < str_find(page, STR("<bdi>b</bdi>")));
}

TEST(texts_from_outside_are_texts)
{
	static const char hostile[] = "<img src=x onerror=alert(1)>'\"&\xE2\x80\xAE\x01\xFF";
	struct str h = STR(hostile);
	struct summary_prompt p = { .id = h, .name = h, .rows = 1, .judged = 1, .violation = h, .violations = 1 };
	struct summary_group g = group(hostile, 0, 1);
	struct suite_prompt asked = { .id = h, .name = h, .prompt = h };
	struct config_suite suite = { .path = STR("secret/place/x<y>.json"), .sha256 = h };
	struct config c = {
		.run_id = h, .created_at = h, .version = h, .command = &h, .command_count = 1, .suites = &suite,
		.suite_count = 1, .suite_digest = h, .prompts = &asked, .prompt_count = 1, .price_table = h, .temperature = -1,
	};
	struct summary s = { .run_id = h, .groups = &g, .count = 1, .skipped = 2, .bottleneck = true };
	struct buf b;

	g.provider = g.thinking = g.size = h;
	g.prompts = &p;
	g.prompt_count = 1;
	buf_init(&b);
	report_write_html(&b, &s, &c, 0);
	check_well_formed(buf_str(&b));
	CHECK(!says(buf_str(&b), "<img"));
	CHECK(!says(buf_str(&b), "\xE2\x80\xAE"));
	CHECK(!says(buf_str(&b), "secret/place"));
	CHECK_SAYS(buf_str(&b), "x&lt;y&gt;.json");
	CHECK_SAYS(buf_str(&b), "<h1><bdi>&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;[U+202E][U+0001]\xEF\xBF\xBD</bdi></h1>");
	CHECK_SAYS(buf_str(&b), "<small><bdi>&lt;img");
	CHECK_SAYS(buf_str(&b), "This machine itself was the bottleneck");
	CHECK_SAYS(buf_str(&b), "2 lines of results.jsonl were no rows");
	CHECK_SAYS(buf_str(&b), "<blockquote><bdi>&lt;img");
	buf_free(&b);
}

TEST(figures_that_are_none_break_nothing)
{
	struct interval none = { .low = NAN, .high = NAN };
	double values[] = { -INFINITY, NAN, 3, NAN, INFINITY };
	struct summary_group g = { .provider = STR("p"), .model = STR("m"), .usd = NAN, .tokens_per_second = NAN };
	struct str page;

	g.latency = g.ttft = g.waited = (struct spread){
		.n = 5, .p50 = NAN, .p95 = NAN, .p99 = INFINITY, .mean = NAN, .p50_interval = none, .p95_interval = none,
		.p99_interval = none, .sorted = values,
	};
	g.pass = g.pass_of_all = g.tools = g.tools_of_all = g.success =
		(struct rate){ .k = 1, .n = 2, .interval = none };
	g.pass_mean = (struct stats_mean){ .n = 2, .mean = NAN, .se = NAN, .interval = none };
	g.repeats = 2;
	page = page_of(&g, 1, NULL);
	CHECK(!says(page, "nan"));
	CHECK(!says(page, "inf%"));
	CHECK(!says(page, "-inf"));
	g.latency.sorted = NULL;
	g.usd = INFINITY;
	g.usd_rows = UINT64_MAX;
	page_of(&g, 1, NULL);
	g.usd = 1e300;
	g.usd_rows = 1;
	values[4] = 1e300;
	g.latency.sorted = values;
	page = page_of(&g, 1, NULL);
	CHECK(!says(page, "nan"));
	CHECK(!says(page, "inf%"));
}

TEST(repeated_prompts_have_an_interval_by_prompt)
{
	struct summary_group g = group("m", 15, 20);

	g.repeats = 4;
	g.pass_mean = (struct stats_mean){ .n = 20, .clusters = 5, .mean = 0.75, .interval = { .low = 0.42, .high = 1.08 } };
	CHECK_SAYS(page_of(&g, 1, NULL), "<small>by prompt</small><small>42.0\xE2\x80\x93" "100.0\xE2\x80\xAF%</small>");
	g.repeats = 1;
	CHECK(!says(page_of(&g, 1, NULL), "by prompt</small>"));
}

TEST(a_large_run_has_a_page_that_is_not)
{
	enum { TARGETS = 250, PROMPTS = 1000 };
	struct summary_group *g = test_alloc(TARGETS * sizeof(*g));
	struct summary_prompt *p = test_alloc(PROMPTS * sizeof(*p));
	char *names = test_alloc(PROMPTS * 8);
	static char text[2000];
	struct str page;

	memset(text, '<', sizeof(text));
	for (size_t i = 0; i < PROMPTS; i++) {
		snprintf(names + 8 * i, 8, "P%zu", i);
		p[i] = (struct summary_prompt){
			.id = str_from(names + 8 * i), .name = str_of(text, sizeof(text)), .rows = 1, .judged = 1,
			.violation = str_of(text, sizeof(text)), .violations = 1,
		};
		if (i < 500)
			p[i] = (struct summary_prompt){ .id = p[i].id, .name = p[i].id, .rows = 1, .judged = 1, .passed = 1 };
	}
	for (size_t i = 0; i < TARGETS; i++) {
		g[i] = group("m", i % 7, 7);
		g[i].prompts = p;
		g[i].prompt_count = PROMPTS;
	}
	page = page_of(g, TARGETS, NULL);
	CHECK(page.n < 1500000);
	CHECK_SAYS(page, "and 50 more targets; summary.json has them all");
	CHECK_SAYS(page, "and 210 more targets");
	CHECK_SAYS(page, "and 900 more prompts;");
	CHECK_SAYS(page, "more prompts with violations");
	CHECK(!says(page, "<bdi>P499</bdi>")); /* those that went well come last */
	CHECK_SAYS(page, "<bdi>P500</bdi>");
}

TEST(settings_of_the_run_are_on_the_page)
{
	struct str command[] = { STR("trackway"), STR("bench"), STR("run") };
	struct config_suite suites[] = { { .path = STR("a/x.json") }, { .path = STR("y.json") } };
	struct config c = {
		.created_at = STR("2026-05-01T14:00:00+02:00"), .version = STR("9.9"), .command = command, .command_count = 3,
		.suites = suites, .suite_count = 2, .suite_digest = STR("0123456789abcdef"), .repeat = 3, .timeout_ms = 120000,
		.retries = 5, .stream = true, .temperature = 0.5, .max_tokens = 64, .detector = DETECT_REFERENCE, .seed = 7,
	};
	struct summary_group g = group("m", 1, 1);
	struct str page = page_of(&g, 1, &c);

	CHECK_SAYS(page, "run of <bdi>2026-05-01 12:00:00 UTC</bdi>");
	CHECK_SAYS(page, "suites <bdi>x.json</bdi>, <bdi>y.json</bdi>, digest <code title='0123456789abcdef'>0123456789ab\xE2\x80\xA6");
	CHECK_SAYS(page, "<code><bdi>trackway bench run</bdi></code>");
	CHECK_SAYS(page, "<dt>concurrency</dt><dd><bdi>auto</bdi></dd>");
	CHECK_SAYS(page, "<dt>timeout</dt><dd>2\xE2\x80\xAFmin\xE2\x80\xAF" "00\xE2\x80\xAFs</dd>");
	CHECK_SAYS(page, "<dt>temperature</dt><dd>0.5</dd>");
	CHECK_SAYS(page, "<dt>tool detector</dt><dd><bdi>reference</bdi></dd>");
}

TEST(the_method_of_intervals_is_named)
{
	static const struct {
		enum rate_method method;
		const char *want;
	} cases[] = { { RATE_WILSON, "by Wilson" }, { RATE_EXACT, "by Clopper and Pearson" }, { RATE_JEFFREYS, "by Jeffreys" } };
	struct summary_group g = group("m", 1, 1);

	for (size_t i = 0; i < 3; i++) {
		struct summary s = { .run_id = STR("r"), .groups = &g, .count = 1, .method = cases[i].method };
		struct buf b;

		buf_init(&b);
		report_write_html(&b, &s, NULL, 0);
		CHECK_SAYS(buf_str(&b), cases[i].want);
		buf_free(&b);
	}
}

TEST(free_memory_and_disk_are_shown_when_they_were_looked_at)
{
	struct summary_group g = group("m", 1, 1);

	CHECK(!says(page_of(&g, 1, NULL), "free memory"));
	g.before = (struct resources){ .known = true, .mem_available = 1 << 30, .disk_free = -1 };
	CHECK_SAYS(page_of(&g, 1, NULL), "<td>1.0\xE2\x80\xAFGiB \xE2\x86\x92 \xE2\x80\x93</td><td>\xE2\x80\x93 \xE2\x86\x92 \xE2\x80\x93</td>");
}
