#include "bench/compare/rescore.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/run/run_dir.h"
#include "harness/test.h"

struct recorder {
	struct arena arena;
	struct buf rows;
	char dir[64];
	struct suite suite;
	struct rescore out;
	struct err err;
	int64_t added; /* rows */
};

static struct str path_of(struct recorder *d, const char *name)
{
	return arena_printf(&d->arena, "%s/%s", d->dir, name);
}

static void begin(struct recorder *d, const char *suite)
{
	struct suite_text text = { STR("suite.json"), str_from(suite) };
	struct suite_options o = { .finding_limit = 10 };

	arena_init(&d->arena);
	buf_init(&d->rows);
	snprintf(d->dir, sizeof(d->dir), "/tmp/trackway-rescore-XXXXXX");
	CHECK(mkdtemp(d->dir));
	CHECK(mkdir(path_of(d, "old").p, 0700) == 0);
	suite_parse(&d->suite, &d->arena, &text, 1, NULL, &o);
	CHECK_INT(d->suite.errors, 0);
	d->err.kind = ERR_NONE;
	d->added = 0;
}

static void empty(struct recorder *d, const char *name)
{
	struct str path = path_of(d, name);
	DIR *dir = opendir(path.p);
	struct dirent *e;

	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' || (e->d_name[1] && e->d_name[1] != '.'))
			unlink(ARENA_JOIN(&d->arena, path, STR("/"), str_from(e->d_name)).p);
	closedir(dir);
	CHECK(rmdir(path.p) == 0);
}

static void end(struct recorder *d)
{
	empty(d, "old");
	empty(d, "old-rescored");
	empty(d, "new");
	CHECK(rmdir(d->dir) == 0);
	buf_free(&d->rows);
	arena_free(&d->arena);
}

static void put(struct recorder *d, const char *name, struct str text)
{
	CHECK(file_replace(path_of(d, name), text, 0600, &d->err));
}

/* The old verdict of every row is `pass`. */
static struct result row(const char *prompt, const char *output, enum verdict_pass pass)
{
	return (struct result){
		.run_id = STR("old"), .provider = STR("mock"), .model = STR("m"), .prompt_id = str_from(prompt),
		.prompt_name = str_from(prompt), .status = PROVIDER_OK, .success = true, .started_at_ms = 1,
		.ended_at_ms = 5, .e2e_ms = 4, .ttft_ms = 2, .pass = pass, .input_tokens = 3, .output_tokens = 4,
		.violation = pass == VERDICT_FALSE ? STR("old words") : (struct str){ NULL, 0 }, .output = str_from(output),
		.attempts = 1, .repetition = 1, .scheduled_at_ms = 1, .cache_read_tokens = -1, .reasoning_tokens = -1,
		.ttfb_ms = -1, .usd = -1,
	};
}

static void add(struct recorder *d, struct result r)
{
	r.repetition = ++d->added; /* no two rows are the same */
	result_write(&d->rows, &r);
}

static bool rescore(struct recorder *d, struct rescore_options o)
{
	put(d, "old/results.jsonl", buf_str(&d->rows));
	if (!o.run.p)
		o.run = path_of(d, "old");
	o.suite = &d->suite;
	o.created_at = STR("2026-01-01T00:00:00Z");
	return rescore_run(&d->out, &d->arena, &o, &d->err);
}

/* A row of the new run. */
struct looking {
	struct arena *arena;
	size_t at, want;
	struct result row;
};

static bool look(void *own, const struct result *r, struct str line)
{
	struct looking *l = own;

	(void)line;
	if (l->at++ != l->want)
		return true;
	l->row = *r;
	l->row.run_id = arena_copy(l->arena, r->run_id);
	l->row.violation = r->violation.p ? arena_copy(l->arena, r->violation) : r->violation;
	l->row.output = arena_copy(l->arena, r->output);
	if (r->tool_count) {
		struct str *first = arena_new(l->arena, struct str);

		*first = arena_copy(l->arena, r->tools[0]);
		l->row.tools = first;
	}
	return false;
}

static struct result new_row(struct recorder *d, const char *run, size_t i)
{
	struct looking l = { .arena = &d->arena, .want = i };
	struct results_lost lost;

	CHECK(results_walk(path_of(d, run), look, &l, &lost, &d->err));
	CHECK(l.at > i);
	return l.row;
}

#define WORD "[{\"id\":\"w\",\"name\":\"W\",\"prompt\":\"say\",\"validator\":{\"type\":\"exact\",\"value\":\"yes\"}}]"

TEST(stored_answers_are_judged_by_the_new_rules_into_a_run_of_its_own)
{
	struct recorder d;
	struct str before, after;

	begin(&d, WORD);
	add(&d, row("w", "yes", VERDICT_FALSE));
	add(&d, row("w", "no", VERDICT_TRUE));
	add(&d, row("w", "yes", VERDICT_TRUE));
	put(&d, "old/inventory.json", STR("{}\n"));
	put(&d, "old/resources_mock__m__none_before.txt", STR("load1: 1\n"));
	before = arena_copy(&d.arena, buf_str(&d.rows));
	if (!rescore(&d, (struct rescore_options){ .dry = false }))
		FAIL("%s", d.err.text);
	CHECK_STR(d.out.new_id, STR("old-rescored"));
	CHECK_STR(d.out.old_id, STR("old"));
	CHECK_STR(d.out.path, path_of(&d, "old-rescored"));
	CHECK_INT(d.out.rows, 3);
	CHECK_INT(d.out.judged, 3);
	CHECK_INT(d.out.change_count, 2);
	CHECK_INT(d.out.changes[0].before, VERDICT_FALSE);
	CHECK_INT(d.out.changes[0].after, VERDICT_TRUE);
	CHECK(!d.out.changes[0].violation.p);
	CHECK_INT(d.out.changes[1].after, VERDICT_FALSE);
	CHECK_STR(d.out.changes[1].violation, STR("exact_mismatch want='yes'"));
	CHECK_STR(d.out.changes[1].target, STR("mock:m"));
	CHECK_INT(new_row(&d, "old-rescored", 0).pass, VERDICT_TRUE);
	CHECK_STR(new_row(&d, "old-rescored", 1).violation, STR("exact_mismatch want='yes'"));
	CHECK_STR(new_row(&d, "old-rescored", 1).run_id, STR("old-rescored"));
	CHECK_INT(new_row(&d, "old-rescored", 1).e2e_ms, 4);
	CHECK(file_read(&d.arena, path_of(&d, "old/results.jsonl"), 1 << 20, &after, &d.err));
	CHECK_STR(after, before); /* the old run is as it was */
	CHECK(access(path_of(&d, "old-rescored/inventory.json").p, F_OK) == 0);
	CHECK(access(path_of(&d, "old-rescored/resources_mock__m__none_before.txt").p, F_OK) == 0);
	CHECK(access(path_of(&d, "old-rescored/summary.json").p, F_OK) == 0);
	CHECK_INT(d.out.summary.groups[0].pass.k, 2);
	end(&d);
}

TEST(the_new_configuration_says_what_it_was_made_from)
{
	struct recorder d;
	struct config c;
	char hex[SHA256_HEX];

	begin(&d, WORD);
	add(&d, row("w", "yes", VERDICT_FALSE));
	put(&d, "old/config.json", STR("{\"run_id\":\"first\",\"suite_digest\":\"x\",\"repeat\":7,\"prompts\":[{\"id\":\"w\","
				       "\"prompt\":\"other\",\"validator\":{\"type\":\"noop\"}}],\"detector\":\"reference\"}"));
	CHECK(rescore(&d, (struct rescore_options){ .run_id = STR("new") }));
	CHECK(d.out.had_config);
	CHECK_INT(d.out.reworded_count, 1);
	CHECK_STR(d.out.reworded[0], STR("w"));
	CHECK_INT(d.out.detector, DETECT_REFERENCE);
	CHECK(config_read(&c, &d.arena, path_of(&d, "new/config.json"), &d.err));
	CHECK_STR(c.rescored_from, STR("first"));
	CHECK_STR(c.run_id, STR("new"));
	CHECK_INT(c.repeat, 7);
	CHECK_INT(c.prompt_count, 1);
	CHECK_STR(c.prompts[0].prompt, STR("say"));
	CHECK_INT(c.detector, DETECT_REFERENCE);
	digest_hex(hex, suite_digest(&d.suite));
	CHECK_STR(c.suite_digest, str_of(hex, sizeof(hex)));
	end(&d);
}

TEST(a_loose_file_of_results_has_the_id_of_its_rows)
{
	struct recorder d;

	begin(&d, WORD);
	add(&d, row("w", "no", VERDICT_TRUE));
	CHECK(rescore(&d, (struct rescore_options){ .dry = true, .run = path_of(&d, "old/results.jsonl") }));
	CHECK_STR(d.out.old_id, STR("old"));
	CHECK_STR(d.out.path, path_of(&d, "old-rescored"));
	buf_clear(&d.rows);
	for (int i = 0; i < 2; i++) {
		struct result r = row("w", "no", VERDICT_TRUE);

		r.run_id = STR("elsewhere");
		r.repetition = i + 1;
		add(&d, r);
	}
	CHECK(rescore(&d, (struct rescore_options){ .dry = true, .run = path_of(&d, "old/results.jsonl") }));
	CHECK_STR(d.out.old_id, STR("elsewhere"));
	end(&d);
}

TEST(a_dry_run_writes_nothing)
{
	struct recorder d;

	begin(&d, WORD);
	add(&d, row("w", "no", VERDICT_TRUE));
	CHECK(rescore(&d, (struct rescore_options){ .dry = true }));
	CHECK_INT(d.out.change_count, 1);
	CHECK(access(path_of(&d, "old-rescored").p, F_OK) != 0);
	end(&d);
}

TEST(a_second_time_nothing_is_overwritten)
{
	struct recorder d;

	begin(&d, WORD);
	add(&d, row("w", "no", VERDICT_TRUE));
	CHECK(rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK(!rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK_INT(d.err.kind, ERR_USAGE);
	end(&d);
}

TEST(a_prompt_that_the_suite_does_not_have_keeps_its_verdict)
{
	struct recorder d;

	begin(&d, WORD);
	add(&d, row("gone", "x", VERDICT_FALSE));
	add(&d, row("w", "yes", VERDICT_TRUE));
	add(&d, row("gone", "y", VERDICT_TRUE));
	CHECK(rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK_INT(d.out.kept, 2);
	CHECK_INT(d.out.kept_count, 1);
	CHECK_STR(d.out.kept_prompts[0], STR("gone"));
	CHECK_INT(d.out.change_count, 0);
	CHECK_STR(new_row(&d, "old-rescored", 0).violation, STR("old words"));
	end(&d);
}

TEST(a_suite_of_something_else_is_refused_and_leaves_nothing)
{
	struct recorder d;

	begin(&d, WORD);
	add(&d, row("gone", "x", VERDICT_FALSE));
	CHECK(!rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK_INT(d.err.kind, ERR_USAGE);
	CHECK(access(path_of(&d, "old-rescored").p, F_OK) != 0);
	end(&d);
}

TEST(a_call_that_failed_has_no_verdict_still)
{
	struct result r = row("w", "", VERDICT_NULL);
	struct recorder d;

	begin(&d, WORD);
	r.status = PROVIDER_LIMITED;
	r.success = false;
	r.failure = STR("http_429");
	add(&d, r);
	CHECK(rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK_INT(d.out.change_count, 0);
	CHECK_INT(new_row(&d, "old-rescored", 0).pass, VERDICT_NULL);
	end(&d);
}

TEST(an_answer_that_was_cut_is_judged_by_what_is_left_and_that_is_said)
{
	size_t n = RESULT_OUTPUT_MAX + 100;
	struct result r = row("w", "", VERDICT_TRUE);
	char *text = test_alloc(n);
	struct recorder d;

	memset(text, 'x', n);
	begin(&d, WORD);
	r.output = str_of(text, n);
	add(&d, r);
	CHECK(rescore(&d, (struct rescore_options){ .dry = false }));
	CHECK_INT(d.out.cut, 1);
	CHECK(d.out.changes[0].cut);
	CHECK(new_row(&d, "old-rescored", 0).truncated); /* the mark goes on with it */
	end(&d);
}

/* ---- tools ---- */

#define TOOL "[{\"id\":\"t\",\"name\":\"T\",\"prompt\":\"do\",\"validator\":{\"type\":\"tool_invocation\"," \
	     "\"expected_tools\":[\"ls\"]}}]"
#define ARGS "[{\"id\":\"t\",\"name\":\"T\",\"prompt\":\"do\",\"validator\":{\"type\":\"all_of\",\"validators\":[" \
	     "{\"type\":\"tool_args\",\"tool\":\"ls\",\"args\":{\"a\":1}}]}}]"

static struct result called(const char *output, struct str *name, enum tool_source source)
{
	struct result r = row("t", output, VERDICT_FALSE);

	r.expects = true;
	r.tools = name;
	r.tool_count = name ? 1 : 0;
	r.tool_source = source;
	return r;
}

TEST(names_of_reported_calls_stay_and_those_in_text_are_looked_for_again)
{
	struct str ls = STR("LS"), wrong = STR("cat");
	struct recorder d;

	begin(&d, TOOL);
	add(&d, called("nothing to see", &ls, TOOLS_FROM_API));
	add(&d, called("```sh\nls -l\n```", &wrong, TOOLS_FROM_TEXT));
	add(&d, called("so # ls is a word", NULL, TOOLS_FROM_TEXT));
	CHECK(rescore(&d, (struct rescore_options){ .run_id = STR("new") }));
	CHECK_INT(d.out.change_count, 2);
	CHECK(d.out.changes[0].tools_changed && d.out.changes[0].tools_after);
	CHECK_STR(new_row(&d, "new", 0).tools[0], STR("LS"));
	CHECK_INT(new_row(&d, "new", 0).tool_source, TOOLS_FROM_API);
	CHECK_STR(new_row(&d, "new", 1).tools[0], STR("ls"));
	CHECK(!new_row(&d, "new", 2).tool_success);
	CHECK(rescore(&d, (struct rescore_options){ .has_detector = true, .detector = DETECT_REFERENCE }));
	CHECK(new_row(&d, "old-rescored", 2).tool_success); /* the five patterns take it for a prompt */
	end(&d);
}

TEST(arguments_were_not_stored_so_what_is_said_of_them_is_null)
{
	struct str ls = STR("ls");
	struct recorder d;

	begin(&d, ARGS);
	add(&d, called("x", &ls, TOOLS_FROM_API));
	add(&d, called("x", NULL, TOOLS_FROM_TEXT));
	CHECK(rescore(&d, (struct rescore_options){ .run_id = STR("new") }));
	CHECK_INT(d.out.unknown, 1);
	CHECK_INT(d.out.change_count, 1);
	CHECK(d.out.changes[0].unknown);
	CHECK_INT(d.out.changes[0].after, VERDICT_NULL);
	CHECK_INT(new_row(&d, "new", 1).pass, VERDICT_FALSE); /* no call was made, and that is known */
	end(&d);
}
