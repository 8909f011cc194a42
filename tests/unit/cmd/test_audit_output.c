#include "cmd/audit_output.h"

#include "harness/test.h"

/* Answers of the program itself are in tests/cli/audit; here is what no log of a test can have. */
static struct str shown(struct arena *a, struct audit_judged j, bool json)
{
	struct audit_report r = { .path = STR("log"), .policy = STR("p.json"), .verdict = j.answer.verdict, .runs = &j, .count = 1 };
	struct term term = { .width = 80 };
	struct buf out = { 0 };

	if (json)
		audit_add_json(&out, (struct opt_maybe){ .given = true }, &r);
	else
		audit_add_text(&out, a, &term, &r);
	return arena_take(a, &out);
}

TEST(names_from_a_log_cannot_act_on_a_terminal_and_keys_are_hidden)
{
	struct audit_run run = { .complete = true, .run_id = STR("r") };
	struct audit_breach breach = { .seq = 3, .what = AUDIT_URIS, .used = 2,
				       .tool = STR("https://x/\x1b[2J?api_key=sk-ant-api03-0123456789abcdefghijkl") };
	struct audit_judged j = { .run = &run, .origin = AUDIT_BY_FILE,
				  .answer = { .verdict = AUDIT_EXCEEDED, .breaches = &breach, .breach_count = 1 } };
	struct arena a;
	struct str text;

	arena_init(&a);
	text = shown(&a, j, false);
	CHECK(!memchr(text.p, 0x1b, text.n) && !str_has(text, STR("0123456789abcdef")));
	CHECK(str_has(text, STR("log: exceeded, first at seq 3\n  run r, declared by p.json\n")));
	CHECK(str_has(text, STR("(2 times)")));
	text = shown(&a, j, true);
	CHECK(!str_has(text, STR("0123456789abcdef")) && str_has(text, STR("\"first_offending_seq\":3")));
	arena_free(&a);
}

TEST(dollars_are_shown_to_the_last_digit_that_counts)
{
	static const struct {
		double usd;
		const char *text;
	} cases[] = {
		{ 0, " $0.00 " }, { 0.5, " $0.50 " }, { 0.123456789, " $0.123456789 " }, { 12, " $12.00 " },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct audit_check check = { .what = AUDIT_COST, .allowed = cases[i].usd };
		struct audit_run run = { .complete = true };
		struct audit_judged j = { .run = &run, .origin = AUDIT_BY_META,
					  .answer = { .checks = &check, .check_count = 1 } };

		test_case("%s", cases[i].text);
		CHECK(str_has(shown(&a, j, false), str_from(cases[i].text)));
	}
	arena_free(&a);
}
