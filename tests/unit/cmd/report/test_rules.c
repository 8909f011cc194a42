#include "cmd/report/rules.h"

#include "bench/report/check_rules.h"
#include "flow/validate.h"
#include "harness/test.h"

TEST(every_table_is_a_group_once_and_that_of_validate_the_last)
{
	const struct rule *seen[64];
	struct rules_group g;
	size_t at = 0, count = 0;

	while (rules_next_group(&at, &g)) {
		CHECK(g.rules && g.rules->code && count < 64);
		for (size_t i = 0; i < count; i++)
			CHECK(seen[i] != g.rules);
		CHECK(!g.dialect == (g.rules == validate_rules));
		seen[count++] = g.rules;
	}
	CHECK(count > 1 && seen[count - 1] == validate_rules);
	CHECK(!rules_next_group(&at, &g));
	for (size_t i = 0; dialects[i]; i++) {
		size_t j = 0;

		while (j < count && seen[j] != dialects[i]->rules)
			j++;
		CHECK(j < count || !dialects[i]->rules || !dialects[i]->rules->code);
	}
}

TEST(a_rule_tells_the_formats_it_is_of)
{
	struct rules_group otutl = { .rules = dialect_find(STR("otutl"))->rules, .dialect = dialect_find(STR("otutl")) };
	struct rules_group any = { .rules = validate_rules };
	const struct rule *gap = rules_find("E_SEQ_GAP"), *syntax = rules_find("E_SYNTAX");
	struct str everything = { NULL, 0 };
	struct buf b;

	buf_init(&b);
	rules_add_group(&b, &otutl);
	CHECK_STR(buf_str(&b), STR("otutl"));
	buf_clear(&b);
	rules_add_formats(&b, &otutl, gap);
	CHECK_STR(buf_str(&b), STR("otutl"));
	buf_clear(&b);
	rules_add_formats(&b, &otutl, syntax); /* also one of those that have no rules of their own */
	CHECK_STR(buf_str(&b), STR("otutl, json, jsonl"));
	buf_clear(&b);
	rules_add_formats(&b, &any, validate_rules);
	CHECK_STR(buf_str(&b), STR("any"));
	CHECK(rules_is_of(&otutl, gap, STR("otutl")) && !rules_is_of(&otutl, gap, STR("json")));
	CHECK(rules_is_of(&otutl, syntax, STR("json")) && !rules_is_of(&otutl, syntax, STR("nothing")));
	CHECK(!rules_is_of(&any, validate_rules, STR("otutl")));
	CHECK(rules_is_of(&otutl, gap, everything) && rules_is_of(&any, validate_rules, everything));
	buf_free(&b);
}

TEST(every_rule_is_found_by_its_code_and_says_what_to_do)
{
	struct rules_group g;
	size_t at = 0;

	while (rules_next_group(&at, &g)) {
		for (const struct rule *r = g.rules; r->code; r++) {
			test_case("%s", r->code);
			CHECK(rules_find(r->code) && strcmp(rules_find(r->code)->code, r->code) == 0);
			CHECK(r->sentence && r->sentence[0] && r->help && r->help[0] && r->section && r->section[0]);
		}
	}
	CHECK(rules_find("NO_SUCH_CODE") == NULL);
}

TEST(codes_are_the_same_in_letters_of_either_case)
{
	struct rule r = { .code = "E_SEQ_GAP" };

	CHECK(rules_is_code(&r, STR("E_SEQ_GAP")));
	CHECK(rules_is_code(&r, STR("e_seq_gap")));
	CHECK(!rules_is_code(&r, STR("e_seq_ga")));
	CHECK(!rules_is_code(&r, STR("e_seq_gaq")));
	CHECK_STR(rules_cut_code(STR("error[AT041]")), STR("AT041"));
	CHECK_STR(rules_cut_code(STR("error[AT041]: no")), STR("AT041"));
	CHECK_STR(rules_cut_code(STR("AT041")), STR("AT041"));
}

TEST(a_severity_may_depend_on_the_mode)
{
	struct rule same = { .severity = SEV_WARNING };
	struct rule other = { .severity = SEV_WARNING, .in_strict = RULE_ERROR, .in_permissive = RULE_INFO };

	CHECK_STR(str_from(rules_severity(&same, MODE_STRICT)), STR("warning"));
	CHECK_STR(str_from(rules_severity(&same, MODE_PERMISSIVE)), STR("warning"));
	CHECK_STR(str_from(rules_severity(&other, MODE_DEFAULT)), STR("warning"));
	CHECK_STR(str_from(rules_severity(&other, MODE_STRICT)), STR("error"));
	CHECK_STR(str_from(rules_severity(&other, MODE_PERMISSIVE)), STR("info"));
	other.in_strict = RULE_WARNING;
	CHECK_STR(str_from(rules_severity(&other, MODE_STRICT)), STR("warning"));
}

TEST(unknown_formats_and_codes_are_answered_with_the_nearest)
{
	struct err err = { .kind = ERR_NONE };
	const struct dialect *d;

	CHECK(rules_get_format(STR("otutl"), &d, &err) && d == dialect_find(STR("otutl")));
	CHECK(rules_get_format(STR("OTUTL"), &d, &err) && d == dialect_find(STR("otutl")));
	CHECK(!rules_get_format(STR("otult"), &d, &err));
	CHECK(err.kind == ERR_USAGE && strstr(err.text, "did you mean 'otutl'?"));
	CHECK(!rules_get_format(STR("nothing at all"), &d, &err));
	CHECK(strstr(err.text, "'trackway formats' lists them"));
	CHECK(!rules_refuse_code(STR("e_seq_gep"), &err));
	CHECK(err.kind == ERR_USAGE && strstr(err.text, "did you mean 'E_SEQ_GAP'?"));
	CHECK(!rules_refuse_code(STR("E_SEQ_GA"), &err));
	CHECK(strstr(err.text, "did you mean 'E_SEQ_GAP'?"));
	CHECK(!rules_refuse_code(STR("V0011"), &err)); /* V001 and V011 would be equally near */
	CHECK(strstr(err.text, "did you mean 'V001'?"));
	CHECK(!rules_refuse_code(STR("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"), &err));
	CHECK(strstr(err.text, "'trackway explain' lists all codes"));
}

TEST(the_rules_of_a_ledger_are_a_group_although_it_is_no_file)
{
	struct rules_group ledger = { .rules = rules_ledger.rules, .dialect = &rules_ledger };
	struct err err = { .kind = ERR_NONE };
	const struct dialect *d;
	struct buf b;

	buf_init(&b);
	rules_add_group(&b, &ledger);
	CHECK_STR(buf_str(&b), STR("ledger"));
	CHECK(rules_find("LG003") == rules_ledger.rules + 2);
	CHECK(rules_is_of(&ledger, rules_ledger.rules, STR("ledger")));
	CHECK(!rules_is_of(&ledger, rules_ledger.rules, STR("otutl")));
	CHECK(rules_get_format(STR("Ledger"), &d, &err) && d == &rules_ledger);
	buf_free(&b);
}

TEST(the_rules_of_runs_and_suites_are_groups_although_they_are_no_files)
{
	struct rules_group run = { .rules = rules_bench_run.rules, .dialect = &rules_bench_run };
	struct rules_group suite = { .rules = rules_bench_suite.rules, .dialect = &rules_bench_suite };
	struct err err = { .kind = ERR_NONE };
	const struct dialect *d;
	struct buf b;

	buf_init(&b);
	rules_add_group(&b, &run);
	CHECK_STR(buf_str(&b), STR("bench-run"));
	buf_clear(&b);
	rules_add_group(&b, &suite);
	CHECK_STR(buf_str(&b), STR("bench-suite"));
	buf_free(&b);
	CHECK(rules_find("BR061") == &bench_run_rules[RUN_OTHER_ID]);
	CHECK(rules_find("BS002") == rules_bench_suite.rules + 1);
	CHECK(rules_find("LG003") == rules_ledger.rules + 2);
	CHECK(rules_find("V001") != NULL);
	CHECK(rules_is_of(&run, run.rules, STR("bench-run")) && !rules_is_of(&run, run.rules, STR("results")));
	CHECK(rules_is_of(&suite, suite.rules, STR("bench-suite")) && !rules_is_of(&suite, suite.rules, STR("ledger")));
	CHECK(rules_get_format(STR("Bench-Run"), &d, &err) && d == &rules_bench_run);
}
