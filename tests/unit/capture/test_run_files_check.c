#include "capture/run_files_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/run_files.h"
#include "harness/test.h"

#define RUN_ID "0193b3a1-7c00-7abc-8def-0123456789ab"
#define SUMMARY_OF(id, status) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"" id "\",\"total_seconds\":1.0," \
	"\"exit_status\":\"" status "\"}"

struct setting {
	struct arena arena;
	struct run_files run;
	struct err err;
};

static void write_file(struct setting *s, const char *name, const char *text)
{
	CHECK(file_replace(run_files_file(&s->arena, &s->run, name), str_from(text), 0600, &s->err));
}

/* A run that came to its end, as the recorder writes it. */
static void open_run(struct setting *s, int status)
{
	struct run_files_end end = { .ended_ns = 1700000001000000000, .status = status };

	*s = (struct setting){ .run = { .run_id = STR(RUN_ID), .program = STR("agent"), .begun_ns = 1700000000000000000 } };
	arena_init(&s->arena);
	s->run.path = arena_printf(&s->arena, "/tmp/trackway-rundir-check-%ld", (long)getpid());
	CHECK(run_files_make(&s->arena, &s->run, &s->err));
	write_file(s, "agent-trace.jsonl", "{\"a\":1}\n" SUMMARY_OF(RUN_ID, "success") "\n");
	CHECK(run_files_write_summary(&s->run, STR(SUMMARY_OF(RUN_ID, "success")), &s->err));
	run_files_wrote(&s->run, "agent-trace.jsonl");
	run_files_wrote(&s->run, "summary.json");
	CHECK(run_files_write_meta(&s->arena, &s->run, &end, &s->err));
}

static void close_run(struct setting *s)
{
	if (system(arena_printf(&s->arena, "rm -rf %s", s->run.path.p).p) != 0)
		FAIL("cannot clean up");
	arena_free(&s->arena);
}

/* The codes found, in order. */
static struct str codes(struct setting *s)
{
	struct findings findings;
	struct run_files_check c = { .path = s->run.path, .arena = &s->arena, .findings = &findings };
	struct str out = STR("");

	findings_init(&findings, &s->arena, 0);
	CHECK(run_files_check_is_one(s->run.path));
	CHECK(run_files_check(&c, &s->err));
	for (size_t i = 0; i < findings.kept_count; i++)
		out = arena_printf(&s->arena, "%.*s%s%s", STR_ARG(out), i ? " " : "", findings.kept[i].code);
	return out;
}

TEST(a_run_as_it_was_written_has_no_finding)
{
	struct setting s;

	open_run(&s, 0);
	CHECK_STR(codes(&s), STR(""));
	CHECK(!run_files_check_is_one(STR("/tmp")));
	close_run(&s);
}

TEST(a_changed_file_and_a_missing_one_are_told)
{
	struct setting s;

	open_run(&s, 0);
	write_file(&s, "summary.json", SUMMARY_OF(RUN_ID, "error"));
	CHECK_STR(codes(&s), STR("RN003 RN006"));
	CHECK(unlink(run_files_file(&s.arena, &s.run, "summary.json").p) == 0);
	CHECK_STR(codes(&s), STR("RN002"));
	CHECK(symlink("agent-trace.jsonl", run_files_file(&s.arena, &s.run, "summary.json").p) == 0);
	CHECK_STR(codes(&s), STR("RN004"));
	CHECK(unlink(run_files_file(&s.arena, &s.run, "summary.json").p) == 0);
	CHECK(mkfifo(run_files_file(&s.arena, &s.run, "summary.json").p, 0600) == 0);
	CHECK_STR(codes(&s), STR("RN004")); /* and nobody waits for a writer */
	close_run(&s);
}

TEST(what_the_files_say_must_agree_also_when_their_digests_do)
{
	struct run_files_end end = { .ended_ns = 1700000001000000000, .status = 3 };
	struct setting s;

	open_run(&s, 3);
	CHECK_STR(codes(&s), STR("RN007"));
	write_file(&s, "agent-trace.jsonl", SUMMARY_OF("0193b3a1-7c00-7abc-8def-0123456789ac", "error") "\n");
	CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
	CHECK_STR(codes(&s), STR("RN006 RN005"));
	close_run(&s);
}

TEST(a_cassette_is_that_of_the_run_and_meta_names_it)
{
	struct run_files_end end = { .ended_ns = 1700000001000000000, .status = 0 };
	struct setting s;

	open_run(&s, 0);
	write_file(&s, "cassette.jsonl", "{\"v\":\"cassette/v1\",\"run_id\":\"" RUN_ID "\"}\n");
	CHECK_STR(codes(&s), STR("RN011"));
	run_files_wrote(&s.run, "cassette.jsonl");
	CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
	CHECK_STR(codes(&s), STR(""));
	write_file(&s, "cassette.jsonl",
		   "{\"v\":\"cassette/v1\",\"run_id\":\"0193b3a1-7c00-7abc-8def-0123456789ac\"}\n");
	CHECK_STR(codes(&s), STR("RN003 RN005"));
	CHECK(run_files_write_meta(&s.arena, &s.run, NULL, &s.err)); /* while it goes on */
	CHECK_STR(codes(&s), STR("RN008 RN005"));
	close_run(&s);
}

TEST(a_run_without_an_end_has_nothing_to_compare)
{
	struct setting s;

	open_run(&s, 0);
	CHECK(run_files_write_meta(&s.arena, &s.run, NULL, &s.err));
	write_file(&s, "agent-trace.jsonl", "{\"a\":1}\n");
	CHECK_STR(codes(&s), STR("RN008"));
	close_run(&s);
}

TEST(a_hostile_meta_leads_nowhere)
{
	static const struct {
		const char *meta, *expected;
	} cases[] = {
		{ "{\"schema\":\"trackway.run/1\"", "RN001" },
		{ "{\"schema\":\"trackway.run/1\"}", "RN001" },
		{ "{\"schema\":\"trackway.run/1\",\"run_id\":\"" RUN_ID "\",\"files\":{}}", "RN001" },
		{ "{\"schema\":\"trackway.run/1\",\"run_id\":\"" RUN_ID "\",\"ended\":\"x\"}", "RN001" },
		{ "{\"schema\":\"trackway.run/1\",\"run_id\":\"" RUN_ID "\",\"files\":[1,{\"name\":\"a\"}]}", "RN001 RN001" },
		{ "{\"schema\":\"trackway.run/1\",\"run_id\":\"" RUN_ID "\",\"files\":[{\"name\":\"../x\",\"sha256\":"
		  "\"0000000000000000000000000000000000000000000000000000000000000000\"}]}", "RN004" },
		{ "{\"schema\":\"trackway.run/1\",\"run_id\":\"" RUN_ID "\",\"files\":[{\"name\":\"..\",\"sha256\":"
		  "\"0000000000000000000000000000000000000000000000000000000000000000\"}]}", "RN004" },
	};
	struct setting s;

	open_run(&s, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].meta);
		write_file(&s, "meta.json", cases[i].meta);
		CHECK_STR(codes(&s), str_from(cases[i].expected));
	}
	close_run(&s);
}

TEST(the_run_that_it_goes_on_from_is_checked)
{
#define HASH "otutl-v1:sha256:0000000000000000000000000000000000000000000000000000000000000000"
	static const struct {
		const char *from, *expected;
	} cases[] = {
		{ "{\"run_hash\":\"" HASH "\",\"seq\":3}", "" },
		{ "{\"run_hash\":\"" HASH "\",\"seq\":-1}", "RN010" },
		{ "{\"run_hash\":\"" HASH "\"}", "RN010" },
		{ "{\"run_hash\":\"otutl-v1:sha256:00\",\"seq\":3}", "RN010" },
		{ "null", "RN010" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_files_end end = { .ended_ns = 1700000001000000000 };
		struct setting s;

		test_case("%s", cases[i].from);
		open_run(&s, 0);
		s.run.forked_from = str_from(cases[i].from);
		CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
		CHECK_STR(codes(&s), str_from(cases[i].expected));
		close_run(&s);
	}
}

TEST(what_is_declared_for_a_run_is_checked)
{
	static const struct {
		const char *budget, *set, *expected;
	} cases[] = {
		{ "{\"max_calls\":3}", "[\"sha256:0000000000000000000000000000000000000000000000000000000000000000\"]", "" },
		{ "{\"max_call\":3}", "[]", "RN009" },
		{ "{\"max_calls\":-3}", "{}", "RN009 RN009" },
		{ "null", "[]", "RN009" },
		{ "{}", "[\"https://example.org/\"]", "RN009" }, /* in the clear it would be content */
		{ "{}", "[\"sha256:1\"]", "RN009" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct run_files_end end = { .ended_ns = 1700000001000000000 };
		struct setting s;

		test_case("%s %s", cases[i].budget, cases[i].set);
		open_run(&s, 0);
		s.run.budget = str_from(cases[i].budget);
		s.run.retrieval_set = str_from(cases[i].set);
		CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
		CHECK_STR(codes(&s), str_from(cases[i].expected));
		close_run(&s);
	}
}

TEST(every_rule_of_a_run_has_its_words_and_its_row)
{
	struct str page = test_read("doc/formats/run.md"), rest = page;
	size_t rows = 0;

	for (size_t i = 0; run_files_rules[i].code; i++) {
		const struct rule *r = &run_files_rules[i];
		char code[16], row[300];

		snprintf(code, sizeof(code), "RN%03zu", i + 1);
		test_case("%s", code);
		CHECK_STR(str_from(r->code), str_from(code));
		CHECK(r->sentence && r->help && r->section && r->why && r->example);
		snprintf(row, sizeof(row), "\n| %s | %s | %s | file |\n", code, severity_name(r->severity), r->sentence);
		if (str_find(page, str_from(row)) == (size_t)-1)
			FAIL("doc/formats/run.md has no row %s", row);
	}
	while (rest.n)
		rows += str_starts(str_cut(rest, '\n', &rest), STR("| RN"));
	CHECK_INT(rows, RUN_FILES_RULES);
	CHECK(str_find(test_read("doc/formats/README.md"), STR(" | RN001 to RN011 |\n")) != (size_t)-1);
}
