#include "cmd/report/report_sarif.h"

#include "harness/test.h"

static const struct rule rules[] = {
	{ .code = "E1", .severity = SEV_ERROR, .sentence = "it is bad", .help = "make it good", .section = "section 1" },
	{ .code = "W1", .severity = SEV_WARNING, .sentence = "it is odd", .why = "readers stumble" },
	{ .code = NULL },
};

struct fixture {
	struct arena arena;
	struct findings list;
	struct report report;
	struct report_sarif sarif;
	struct buf out;
};

static void fixture_init(struct fixture *x)
{
	*x = (struct fixture){ .report = { .width = 100, .rules = rules } };
	arena_init(&x->arena);
	findings_init(&x->list, &x->arena, 0);
	report_sarif_init(&x->sarif, &x->arena);
	buf_init(&x->out);
}

static void fixture_free(struct fixture *x)
{
	report_sarif_free(&x->sarif);
	buf_free(&x->out);
	arena_free(&x->arena);
}

/* The value of the first member of that name, as far as it is a string without escapes. */
static struct str text_after(struct str json, const char *name)
{
	struct str quoted = str_from(name), rest;
	size_t at = str_find(json, quoted);

	CHECK(at != (size_t)-1);
	json = str_of(json.p + at + quoted.n + 2, json.n - at - quoted.n - 2);
	return str_cut(str_of(json.p + 1, json.n - 1), '"', &rest);
}

TEST(a_path_becomes_a_relative_uri)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "run/a.jsonl", "run/a.jsonl" },
		{ "./run/a.jsonl", "run/a.jsonl" },
		{ "/w/run/a.jsonl", "run/a.jsonl" },
		{ "/elsewhere/a b", "file:///elsewhere/a%20b" },
		{ "a:b", "a%3Ab" },
		{ "50%#?é", "50%25%23%3F%C3%A9" },
		{ "a\nb\"", "a%0Ab%22" },
		{ "-", "stdin" },
		{ "./-", "-" },
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		report_sarif_add_uri(&b, str_from(cases[i].path), STR("/w/"));
		CHECK_STR(buf_str(&b), str_from(cases[i].want));
	}
	buf_free(&b);
}

TEST(a_finding_is_a_result_with_rule_place_and_fingerprint)
{
	static const char line[] = "{\"é\":-1}";
	struct finding error = { .code = "E1", .severity = SEV_ERROR, .message = STR("bad"), .pointer = STR("/é") };
	struct finding warning = { .code = "W1", .severity = SEV_WARNING, .message = STR("[a](b) {0}") };
	struct finding other = { .code = "N1", .severity = SEV_INFO, .message = STR("x") };
	struct fixture x;
	struct str got;

	fixture_init(&x);
	finding_point(&error, str_from(line), 6, 100, 6, 2);
	findings_add(&x.list, &error);
	findings_add(&x.list, &warning);
	findings_add(&x.list, &other);
	findings_add(&x.list, &error);
	report_sarif_add_list(&x.sarif, &x.report, STR("a b.jsonl"), &x.list);
	report_sarif_end(&x.sarif, &x.out);
	got = buf_str(&x.out);
	static const char *const parts[] = {
		"\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"trackway\",\"version\":\"",
		"\"rules\":[{\"id\":\"E1\",\"shortDescription\":{\"text\":\"it is bad\"},\"help\":{\"text\":\"make it good\"},"
		"\"defaultConfiguration\":{\"level\":\"error\"},\"properties\":{\"section\":\"section 1\"}},"
		"{\"id\":\"W1\",\"shortDescription\":{\"text\":\"it is odd\"},\"fullDescription\":{\"text\":\"readers stumble\"},"
		"\"defaultConfiguration\":{\"level\":\"warning\"}},"
		"{\"id\":\"N1\",\"shortDescription\":{\"text\":\"N1\"},\"defaultConfiguration\":{\"level\":\"note\"}}]}}",
		"\"invocations\":[{\"executionSuccessful\":true,\"toolExecutionNotifications\":[]}]",
		"\"columnKind\":\"unicodeCodePoints\"",
		"{\"ruleId\":\"E1\",\"ruleIndex\":0,\"level\":\"error\",\"message\":{\"text\":\"bad\"},\"locations\":"
		"[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a%20b.jsonl\",\"uriBaseId\":\"%SRCROOT%\"},"
		"\"region\":{\"startLine\":6,\"startColumn\":6,\"endColumn\":8}},"
		"\"logicalLocations\":[{\"fullyQualifiedName\":\"/é\",\"kind\":\"value\"}]}],",
		"{\"ruleId\":\"W1\",\"ruleIndex\":1,\"level\":\"warning\",\"message\":{\"text\":\"\\\\[a\\\\](b) {0}\"},",
		"{\"ruleId\":\"N1\",\"ruleIndex\":2,\"level\":\"note\"",
		"\"region\":{\"startLine\":1}}",
		":1\"}},", /* the first of two equal findings, and the second */
		":2\"}}]}]}\n",
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (str_find(got, str_from(parts[i])) == (size_t)-1)
			FAIL("no %s in %.*s", parts[i], STR_ARG(got));
	fixture_free(&x);
}

/* The fingerprint of a fault in `line` at number `number`. */
static struct str fingerprint_of(const char *code, const char *pointer, const char *line, uint64_t number)
{
	struct finding f = { .code = code, .severity = SEV_ERROR, .message = STR("bad"), .pointer = str_from(pointer) };
	static char kept[8][40];
	static size_t next;
	char *to = kept[next++ % 8];
	struct fixture x;
	struct str got;

	fixture_init(&x);
	finding_point(&f, str_from(line), number, number * 50, 2, 1);
	findings_add(&x.list, &f);
	report_sarif_add_list(&x.sarif, &x.report, STR("a"), &x.list);
	report_sarif_end(&x.sarif, &x.out);
	got = text_after(buf_str(&x.out), "primaryLocationLineHash");
	CHECK(got.n < 40);
	memcpy(to, got.p, got.n);
	fixture_free(&x);
	return str_of(to, got.n);
}

TEST(a_fingerprint_does_not_depend_on_the_lines_before)
{
	struct str here = fingerprint_of("E1", "/a", "{\"a\":1}\n", 3);

	CHECK_STR(fingerprint_of("E1", "/a", "{\"a\":1}\n", 4), here);
	CHECK(!str_eq(fingerprint_of("E2", "/a", "{\"a\":1}\n", 3), here));
	CHECK(!str_eq(fingerprint_of("E1", "/b", "{\"a\":1}\n", 3), here));
	CHECK(!str_eq(fingerprint_of("E1", "/a", "{\"a\":2}\n", 3), here));
}

TEST(results_above_the_limit_are_counted_in_a_notification)
{
	struct finding f = { .code = "E1", .severity = SEV_ERROR, .message = STR("bad") };
	struct fixture x;
	size_t count = 0;

	fixture_init(&x);
	for (size_t i = 0; i < REPORT_SARIF_LIMIT + 3; i++)
		findings_add(&x.list, &f);
	report_sarif_add_list(&x.sarif, &x.report, STR("a"), &x.list);
	report_sarif_add_list(&x.sarif, &x.report, STR("b"), &x.list);
	report_sarif_add_error(&x.sarif, STR("gone"), STR("gone: no"));
	report_sarif_end(&x.sarif, &x.out);
	for (struct str left = buf_str(&x.out); (count < 2 * REPORT_SARIF_LIMIT);) {
		size_t at = str_find(left, STR("\"ruleId\""));

		if (at == (size_t)-1)
			break;
		left = str_of(left.p + at + 1, left.n - at - 1);
		count++;
	}
	CHECK_INT(count, REPORT_SARIF_LIMIT);
	CHECK(str_find(buf_str(&x.out), STR("5006 more findings are not listed: services refuse a report of more than 5000")) != (size_t)-1);
	CHECK(str_find(buf_str(&x.out), STR("{\"level\":\"error\",\"message\":{\"text\":\"gone: no\"},\"locations\"")) !=
	      (size_t)-1);
	CHECK(str_find(buf_str(&x.out), STR("\"executionSuccessful\":false")) != (size_t)-1);
	fixture_free(&x);
}

TEST(files_skipped_are_counted_and_the_first_are_named)
{
	struct fixture x;

	fixture_init(&x);
	for (size_t i = 0; i < 7; i++)
		report_sarif_add_skipped(&x.sarif, STR("./d/x.json"));
	report_sarif_end(&x.sarif, &x.out);
	CHECK(str_find(buf_str(&x.out),
		       STR("\"text\":\"7 files in no format that has rules skipped: d/x.json, d/x.json, d/x.json, d/x.json, "
			   "d/x.json and more\"")) != (size_t)-1);
	fixture_free(&x);
}

TEST(warnings_that_count_as_errors_have_their_level)
{
	struct finding f = { .code = "W1", .severity = SEV_WARNING, .message = STR("odd") };
	struct fixture x;

	fixture_init(&x);
	x.sarif.promote = true;
	findings_add(&x.list, &f);
	report_sarif_add_list(&x.sarif, &x.report, STR("-"), &x.list);
	report_sarif_end(&x.sarif, &x.out);
	CHECK(str_find(buf_str(&x.out), STR("\"ruleIndex\":0,\"level\":\"error\"")) != (size_t)-1);
	CHECK(str_find(buf_str(&x.out), STR("\"uri\":\"stdin\"")) != (size_t)-1);
	fixture_free(&x);
}
