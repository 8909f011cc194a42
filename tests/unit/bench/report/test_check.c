#include "bench/report/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "harness/test.h"

static const char *const files[] = {
	"config.json",
	"inventory.json",
	"results.jsonl",
	"events.jsonl",
	"summary.json",
	"summary.md",
	"agent-trace.jsonl",
	"resources_mock__m1__none_before.txt",
	"resources_mock__m1__none_after.txt",
	"resources_mock__m2__none_before.txt",
	"resources_mock__m2__none_after.txt",
};

struct copy {
	struct arena arena;
	struct findings findings;
	struct str dir;
	uint64_t rows;
};

static struct str path_of(struct copy *c, const char *name)
{
	return arena_printf(&c->arena, "%.*s/%s", STR_ARG(c->dir), name);
}

static void put(struct copy *c, const char *name, struct str text)
{
	struct err err = { .kind = ERR_NONE };

	if (!file_replace(path_of(c, name), text, 0644, &err))
		FAIL("%s", err.text);
}

/* The run of tests/data/bench/run in a directory of its own. */
static void open_copy(struct copy *c)
{
	char dir[] = "/tmp/trackway-check-XXXXXX", path[200];

	arena_init(&c->arena);
	CHECK(mkdtemp(dir) != NULL);
	c->dir = arena_copy(&c->arena, str_from(dir));
	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof(path), "bench/run/%s", files[i]);
		put(c, files[i], test_data(path));
	}
	put(c, "summary.md", STR("A page of my own.\n")); /* test_check_pages.c has those that are checked */
}

static void close_copy(struct copy *c)
{
	for (size_t i = 0; i < COUNT(files); i++)
		unlink(path_of(c, files[i]).p);
	CHECK(rmdir(c->dir.p) == 0);
	arena_free(&c->arena);
}

/* Every `was` in a file becomes `is`; there must be one. */
static void change(struct copy *c, const char *name, const char *was, const char *is)
{
	struct str rest = test_read(path_of(c, name).p), old = str_from(was);
	struct buf out;
	size_t at;

	buf_init(&out);
	if (str_find(rest, old) == (size_t)-1)
		FAIL("%s has no %s", name, was);
	while ((at = str_find(rest, old)) != (size_t)-1) {
		buf_add(&out, rest.p, at);
		buf_add_str(&out, str_from(is));
		rest = str_of(rest.p + at + old.n, rest.n - at - old.n);
	}
	buf_add_str(&out, rest);
	put(c, name, buf_str(&out));
	buf_free(&out);
}

/* A file without its last line. */
static void cut_line(struct copy *c, const char *name)
{
	struct str text = test_read(path_of(c, name).p);

	while (text.n > 1 && text.p[text.n - 2] != '\n')
		text.n--;
	text.n--;
	put(c, name, text);
}

/* "BR060 BR064": the codes, each once. */
static struct str check(struct copy *c)
{
	struct run_check run = { .path = c->dir, .arena = &c->arena, .findings = &c->findings };
	struct err err = { .kind = ERR_NONE };
	struct str out = STR("");

	findings_init(&c->findings, &c->arena, 0);
	if (!run_check(&run, &err))
		FAIL("%s", err.text);
	c->rows = run.rows;
	for (size_t i = 0; i < c->findings.counts_count; i++) {
		const char *code = c->findings.counts[i].code;

		if (strcmp(code, "BR072") != 0)
			out = arena_printf(&c->arena, "%.*s%s%s", STR_ARG(out), out.n ? " " : "", code);
	}
	return out;
}

static void expect(struct copy *c, const char *codes, const char *message)
{
	CHECK_STR(check(c), str_from(codes));
	for (size_t i = 0; message && i < c->findings.kept_count; i++)
		if (str_find(c->findings.kept[i].message, str_from(message)) != (size_t)-1)
			return;
	if (message)
		FAIL("no finding says: %s", message);
}

TEST(a_whole_run_has_no_finding)
{
	struct copy c;

	open_copy(&c);
	CHECK(run_check_is_one(c.dir));
	expect(&c, "", NULL);
	CHECK_INT(c.rows, 8);
	close_copy(&c);
}

TEST(each_file_that_must_be_there_is_missed)
{
	static const char *const needed[] = { "config.json", "inventory.json", "results.jsonl", "summary.json", "summary.md" };

	for (size_t i = 0; i < COUNT(needed); i++) {
		struct copy c;

		open_copy(&c);
		CHECK(unlink(path_of(&c, needed[i]).p) == 0);
		test_case("%s", needed[i]);
		expect(&c, "BR060", needed[i]);
		CHECK_INT(c.findings.errors, 1);
		close_copy(&c);
	}
}

TEST(files_of_different_runs_are_told)
{
	static const char *const names[] = { "config.json", "results.jsonl", "summary.json" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct copy c;

		open_copy(&c);
		change(&c, names[i], i == 1 ? "\"run_id\":\"small\"" : "\"run_id\": \"small\"", "\"run_id\": \"other\"");
		test_case("%s", names[i]);
		expect(&c, "BR061", "small");
		close_copy(&c);
	}
}

TEST(results_of_another_target_are_told)
{
	struct copy c;

	open_copy(&c);
	change(&c, "config.json", "\"model\": \"m2\"", "\"model\": \"m3\"");
	change(&c, "config.json", "mock__m2__none", "mock__m3__none");
	expect(&c, "BR062 BR064", "row 5: mock:m2 is not a target of config.json");
	CHECK_INT(c.findings.errors, 4);
	close_copy(&c);
}

TEST(results_of_another_prompt_are_told)
{
	struct copy c;

	open_copy(&c);
	change(&c, "config.json", "\"id\":\"P1\"", "\"id\":\"P9\"");
	expect(&c, "BR063 BR064", "P1 is not a prompt of config.json");
	CHECK_INT(c.findings.errors, 4);
	close_copy(&c);
}

TEST(missing_results_are_a_warning_unless_the_run_was_stopped)
{
	struct copy c;

	open_copy(&c);
	change(&c, "config.json", "\"repeat\": 2", "\"repeat\": 3");
	expect(&c, "BR064", "8 of 12 results are there");
	CHECK_INT(c.findings.warnings, 1);
	change(&c, "events.jsonl", "\"end\":\"complete\"", "\"end\":\"stopped\"");
	expect(&c, "BR065", "8 of 12 results are there; events.jsonl says: stopped");
	CHECK_INT(c.findings.infos, 2); /* the page is one of them */
	cut_line(&c, "events.jsonl"); /* killed: it began and says nothing about its end */
	expect(&c, "BR064", NULL);
	unlink(path_of(&c, "events.jsonl").p);
	expect(&c, "BR064", NULL);
	close_copy(&c);
}

TEST(an_end_before_the_run_went_on_counts_no_more)
{
	struct copy c;
	struct str text;

	open_copy(&c);
	change(&c, "config.json", "\"repeat\": 2", "\"repeat\": 3");
	change(&c, "events.jsonl", "\"end\":\"complete\"", "\"end\":\"stopped\"");
	text = test_read(path_of(&c, "events.jsonl").p);
	put(&c, "events.jsonl", arena_printf(&c.arena, "%.*s{\"event\":\"run_begin\"}\n{\"event\":\"run_", STR_ARG(text)));
	expect(&c, "BR064", NULL);
	close_copy(&c);
}

TEST(a_row_that_is_there_twice_does_not_stand_for_another)
{
	struct copy c;

	open_copy(&c);
	change(&c, "results.jsonl", "\"repetition\":2", "\"repetition\":1");
	expect(&c, "BR064 BR067 BR069", "4 of 8 results are there"); /* nor does the summary count it */
	close_copy(&c);
}

TEST(a_repetition_beyond_repeat_is_told)
{
	struct copy c;

	open_copy(&c);
	change(&c, "results.jsonl", "\"repetition\":2", "\"repetition\":3");
	expect(&c, "BR066 BR064", "repetition 3 of 2");
	close_copy(&c);
}

TEST(a_summary_that_does_not_follow_is_told_by_its_figure)
{
	static const struct {
		const char *was, *is, *message;
	} cases[] = {
		{ "\"n_total\": 4", "\"n_total\": 5", "mock:m1: n_total is 5, but the results give 4" },
		{ "\"n_ok\": 4", "\"n_ok\": 3", "n_ok is 3" },
		{ "\"n_success\": 4", "\"n_success\": 3", "n_success is 3" },
		{ "\"n_skipped_unavailable\": 0", "\"n_skipped_unavailable\": 1", "n_skipped_unavailable is 1" },
		{ "\"n_rate_limited\": 0", "\"n_rate_limited\": 1", "n_rate_limited is 1" },
		{ "\"n_error\": 0", "\"n_error\": 1", "n_error is 1" },
		{ "\"n_auth_error\": 0", "\"n_auth_error\": 1", "n_auth_error is 1" },
		{ "\"success_rate_ok\": 1", "\"success_rate_ok\": 0.99", "success_rate_ok is 0.99" },
		{ "\"objective_pass_rate\": 0,", "\"objective_pass_rate\": 0.1,", "mock:m2: objective_pass_rate is 0.1" },
		{ "\"objective_pass_rate\": 1,", "\"objective_pass_rate\": null,",
		  "objective_pass_rate is null, but the results give 1" },
		{ "\"wall_clock_ms\": ", "\"wall_clock_ms\": 9", "wall_clock_ms is 9" },
		{ "\"run_wall_clock_ms\": ", "\"run_wall_clock_ms\": 9", "the run: run_wall_clock_ms is 9" },
		{ "\"p95\": ", "\"p95\": 9", "latency_ms.p95 is 9" },
		{ "\"p99\": ", "\"p99\": 9", "ttft_ms.p99 is 9" },
		{ "\"p50\": ", "\"p50\": 9", "latency_ms.p50 is 9" },
		{ "\"mean\": ", "\"mean\": 9", "latency_ms.mean is 9" },
		{ "\"tool_use_success_rate\": 1", "\"tool_use_success_rate\": 0.5", "tool_use_success_rate is 0.5" },
		{ "\"tool_tier\": 3", "\"tool_tier\": 2", "tool_tier is 2" },
		{ "\"model\": \"m2\"", "\"model\": \"m7\"", "mock:m7: the results do not have this target" },
		{ "\"model\": \"m2\"", "\"model\": \"m7\"", "summary.json has no entry of mock:m2" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct copy c;

		open_copy(&c);
		change(&c, "summary.json", cases[i].was, cases[i].is);
		test_case("%s", cases[i].is);
		expect(&c, "BR067", cases[i].message);
		close_copy(&c);
	}
}

TEST(what_a_summary_does_not_have_is_not_missed)
{
	struct copy c;

	open_copy(&c);
	change(&c, "summary.json", "\"tool_tier\"", "\"other\"");
	change(&c, "summary.json", "\"n_auth_error\"", "\"another\"");
	change(&c, "summary.json", "\"ttft_ms\"", "\"ttft\"");
	expect(&c, "", NULL);
	close_copy(&c);
}

TEST(a_target_without_its_resources_is_a_warning)
{
	struct copy c;

	open_copy(&c);
	CHECK(unlink(path_of(&c, "resources_mock__m2__none_after.txt").p) == 0);
	expect(&c, "BR068", "there is no resources_mock__m2__none_after.txt");
	CHECK_INT(c.findings.warnings, 1);
	close_copy(&c);
}

TEST(a_trace_of_other_calls_is_a_warning_and_one_that_is_not_there_is_none)
{
	struct copy c;

	open_copy(&c);
	change(&c, "agent-trace.jsonl", "\"node_counts\":{\"model_call\":8}", "\"node_counts\":{\"model_call\":7}");
	expect(&c, "BR069", "agent-trace.jsonl has 7 calls, results.jsonl and events.jsonl have 8");
	put(&c, "agent-trace.jsonl", STR("{\"torn"));
	expect(&c, "", NULL);
	unlink(path_of(&c, "agent-trace.jsonl").p);
	expect(&c, "", NULL);
	close_copy(&c);
}

/* What another harness leaves: its own config.json, fewer fields, whole milliseconds, no trace and no events. */
TEST(a_run_of_another_harness_is_not_refused)
{
	struct copy c;

	open_copy(&c);
	put(&c, "config.json", STR("{\"providers\":[\"mock\"],\"prompts_file\":\"prompts.json\"}\n"));
	unlink(path_of(&c, "agent-trace.jsonl").p);
	unlink(path_of(&c, "events.jsonl").p);
	unlink(path_of(&c, "resources_mock__m2__none_after.txt").p);
	change(&c, "results.jsonl", "\"repetition\":", "\"other\":");
	change(&c, "results.jsonl", "\"attempts\":", "\"another\":");
	CHECK(run_check_is_one(c.dir));
	expect(&c, "BR070", "config.json is not of trackway");
	CHECK_INT(c.findings.errors + c.findings.warnings, 0);
	close_copy(&c);
}

TEST(damaged_files_are_left_to_their_formats)
{
	static const char *const names[] = { "config.json", "summary.json", "results.jsonl", "events.jsonl" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct copy c;
		struct str text;

		open_copy(&c);
		text = test_read(path_of(&c, names[i]).p);
		put(&c, names[i], str_of(text.p, text.n / 2));
		test_case("%s", names[i]);
		check(&c);
		put(&c, names[i], STR("\xff\xfe[[[[{{{{"));
		check(&c);
		put(&c, names[i], STR(""));
		check(&c);
		close_copy(&c);
	}
}

TEST(other_directories_are_no_runs)
{
	struct copy c;

	open_copy(&c);
	put(&c, "config.json", STR("{\"architectures\":[]}"));
	put(&c, "results.jsonl", STR("{\"score\":1}\n"));
	CHECK(!run_check_is_one(c.dir));
	unlink(path_of(&c, "results.jsonl").p);
	CHECK(!run_check_is_one(c.dir));
	put(&c, "config.json", STR("{\"schema\": \"trackway.bench-config/1\"}"));
	CHECK(run_check_is_one(c.dir)); /* although much is missing */
	close_copy(&c);
	CHECK(!run_check_is_one(STR("/nonexistent")));
	CHECK(!run_check_is_one(STR("tests/data/bench/run/config.json")));
}

TEST(every_rule_can_be_explained)
{
	CHECK_STR(str_from(bench_run_rules[RUN_MISSING].code), STR("BR060"));
	for (size_t i = 0; i < RUN_RULES; i++) {
		char code[8];

		snprintf(code, sizeof(code), "BR%03zu", i + 60);
		CHECK_STR(str_from(bench_run_rules[i].code), str_from(code));
		CHECK(bench_run_rules[i].why && bench_run_rules[i].example && bench_run_rules[i].help);
	}
}
