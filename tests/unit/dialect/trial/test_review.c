/* One review per rule: full.json holds every field, each row below an edit of it that breaks one rule, or none. */
#include "base/buf.h"
#include "dialect/trial/review_rules.h"
#include "unit/dialect/check_feed.h"

#define LEAF "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"

static struct str edit(const char *from, const char *to)
{
	struct str whole = test_data("review/full.json"), in = str_from(from), out = str_from(to);
	size_t at = str_find(whole, in);
	char *text;

	if (at == (size_t)-1)
		FAIL("full.json does not hold %s", from);
	text = test_alloc(whole.n + out.n);
	memcpy(text, whole.p, at);
	memcpy(text + at, out.p, out.n);
	memcpy(text + at + out.n, whole.p + at + in.n, whole.n - at - in.n);
	return str_of(text, whole.n - in.n + out.n);
}

/* One finding with this code at this place, or none for "-". */
static void expect_one(struct str text, size_t lines, const char *code, const char *pointer)
{
	struct check_feed f;

	check_feed(&f, &review_dialect, text, lines);
	if (strcmp(code, "-") == 0) {
		CHECK_STR(check_feed_list(&f), STR(""));
	} else {
		CHECK_STR(check_feed_list(&f), arena_printf(&f.arena, "1:%s", code));
		CHECK_STR(f.findings.kept[0].pointer, str_from(pointer));
		CHECK(f.findings.kept[0].message.n > 0);
	}
	CHECK_INT(f.tally.records, 1);
	arena_free(&f.arena);
}

TEST(each_edit_of_a_full_review_gives_exactly_its_code)
{
	static const struct {
		const char *code, *pointer, *from, *to;
	} cases[] = {
		{ "-", "", "\"kind\"", "\"kind\"" },
		{ "-", "", "\"annotation\"", "\"adjudication\"" },
		{ "-", "", "\"annotation\"", "\"feedback\"" },
		{ "-", "", "\"pass\"", "\"fail\"" },
		{ "-", "", "\"pass\"", "\"defer\"" },
		{ "-", "", "\"experiment_id\":\"e-1\",", "" },
		{ "-", "", "\"experiment_id\":\"e-1\"", "\"experiment_id\":null" },
		{ "-", "", "\"reviewer_discipline\":\"structural\",", "" },
		{ "-", "", "\"structural\"", "null" },
		{ "-", "", ",\"notes\":\"fine\"", "" },
		{ "-", "", "\"fine\"", "null" },
		{ "-", "", "\"fine\"", "\"\"" },
		{ "-", "", "\"categories\":[\"units\",\"clear\"],", "" },
		{ "-", "", "[\"units\",\"clear\"]", "[]" },
		{ "-", "", "\"index\":7", "\"index\":0" },
		{ "-", "", "\"index\":7", "\"index\":7.0" },
		{ "RV005", "/extra", "\"index\":7", "\"index\":7,\"extra\":null" },
		{ "RV006", "", "\"kind\":\"annotation\",", "" },
		{ "RV006", "", "\"trial_id\":\"t-1\",", "" },
		{ "RV006", "", "\"index\":7,", "" },
		{ "RV006", "", "\"leaf\":\"" LEAF "\",", "" },
		{ "RV006", "", "\"reviewer_id\":\"ana\",", "" },
		{ "RV006", "", "\"timestamp\":\"2026-03-14T08:30:00+01:00\",", "" },
		{ "RV006", "", "\"judgment\":\"pass\",", "" },
		{ "RV007", "/index", "\"index\":7", "\"index\":\"7\"" },
		{ "RV007", "/index", "\"index\":7", "\"index\":7.5" },
		{ "RV007", "/leaf", "\"" LEAF "\"", "7" },
		{ "RV007", "/categories", "[\"units\",\"clear\"]", "null" },
		{ "RV007", "/categories/0", "[\"units\",\"clear\"]", "[1]" },
		{ "RV007", "/notes", "\"fine\"", "[]" },
		{ "RV008", "/reviewer_id", "\"ana\"", "\" \"" },
		{ "RV008", "/trial_id", "\"t-1\"", "\"\"" },
		{ "RV008", "/experiment_id", "\"e-1\"", "\"\\t\"" },
		{ "RV008", "/reviewer_discipline", "\"structural\"", "\"\"" },
		{ "RV009", "/kind", "\"annotation\"", "\"comment\"" },
		{ "RV010", "/index", "\"index\":7", "\"index\":-1" },
		{ "RV011", "/leaf", LEAF, "0a0a" },
		{ "RV011", "/leaf", "\"0a0a", "\"0A0a" },
		{ "RV011", "/leaf", "\"0a0a", "\"0a0g" },
		{ "RV011", "/leaf", "\"0a0a", "\"000a0a" },
		{ "RV012", "/timestamp", "2026-03-14T08:30:00+01:00", "2026-03-14 08:30" },
		{ "RV013", "/judgment", "\"pass\"", "\"ok\"" },
	};
	bool seen[REVIEW_RULES] = { false };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = edit(cases[i].from, cases[i].to);

		test_case("%s: %s", cases[i].code, cases[i].to);
		expect_one(text, CHECK_DOCUMENT, cases[i].code, cases[i].pointer);
		expect_one(text, 0, cases[i].code, cases[i].pointer);
		for (size_t r = 0; r < REVIEW_RULES; r++)
			seen[r] = seen[r] || strcmp(cases[i].code, review_rules[r].code) == 0;
	}
	for (size_t r = REVIEW_UNKNOWN; r <= REVIEW_JUDGMENT; r++) {
		test_case("%s", review_rules[r].code);
		CHECK(seen[r]);
	}
}

static struct str twice(struct str second)
{
	struct str first = test_data("review/full.json");
	char *text = test_alloc(first.n + second.n);

	memcpy(text, first.p, first.n);
	memcpy(text + first.n, second.p, second.n);
	return str_of(text, first.n + second.n);
}

static void expect_list(struct str text, size_t lines, struct str want)
{
	struct check_feed f;

	check_feed(&f, &review_dialect, text, lines);
	CHECK_STR(check_feed_list(&f), want);
	arena_free(&f.arena);
}

TEST(what_is_wrong_with_a_file_is_told)
{
	expect_list(edit("fine", "fi\xff" "ne"), 0, STR("1:RV001"));
	expect_list(edit("fine", "fi\xff" "ne"), CHECK_DOCUMENT, STR("1:RV001"));
	expect_list(edit("\"index\":7", "\"index\":"), 0, STR("1:RV002"));
	expect_list(edit("\"index\":7", "\"index\":7,\"index\":7"), 0, STR("1:RV003"));
	expect_list(STR("[]"), CHECK_DOCUMENT, STR("1:RV004"));
	expect_list(STR(""), 0, STR("0:RV015"));
	expect_list(twice(test_data("review/full.json")), 0, STR("2:RV014"));
	expect_list(twice(test_data("review/full.json")), 1, STR("2:RV014"));
	expect_list(twice(edit("000001", "000002")), 0, STR(""));
}

TEST(ids_beyond_a_million_are_not_compared_and_that_is_told)
{
	struct check_options options = { .finding_limit = 1 };
	struct check_feed f;
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < (1 << 20) + 2; i++)
		buf_printf(&text, "{\"review_id\":\"%d\"}\n", i);
	buf_printf(&text, "{\"review_id\":\"7\"}\n");
	check_feed_with(&f, &review_dialect, &options, buf_str(&text), 0);
	CHECK_INT(check_feed_count(&f, "RV016"), 1);
	CHECK_INT(check_feed_count(&f, "RV014"), 0);
	arena_free(&f.arena);
	buf_free(&text);
}

static const char *format_of(struct str text)
{
	struct json_parser *p = dialect_detect_open();
	const struct dialect *d = dialect_detect(p, text, false, DIALECT_TO_CHECK, NULL);

	json_parser_close(p);
	return d ? d->name : "none";
}

TEST(a_review_is_known_by_its_content_and_not_taken_for_a_trial)
{
	static const char some[] = "{\"review_id\":\"r\",\"trial_id\":\"t\",\"judgment\":\"ok\"}";
	static const char torn[] = "{\"review_id\":\"r\",\"tri";
	char padded[200] = { 0 };

	CHECK_STR(str_from(format_of(test_data("review/full.json"))), STR("review"));
	CHECK_STR(str_from(format_of(test_data("trial/full.json"))), STR("trial"));
	memcpy(padded, some, sizeof(some));
	CHECK_STR(str_from(format_of(str_of(padded, sizeof(some) - 1))), STR("review"));
	memset(padded, 0, sizeof(padded));
	memcpy(padded, torn, sizeof(torn));
	CHECK_STR(str_from(format_of(str_of(padded, sizeof(torn) - 1))), STR("review"));
}
