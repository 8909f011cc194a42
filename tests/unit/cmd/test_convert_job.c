/* A conversion as another command starts it: the mode of its file, and who sees the events; the rest is in tests/cli/convert. */
#include "cmd/convert_job.h"

#include <string.h>

#include "unit/cmd/said.h"
#include "unit/source/scratch.h"

#define CHAT "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"ho\"}\n"

struct job_try {
	struct arena arena;
	struct scratch dir;
	struct err err;
	struct said said;
	size_t messages, steps;
};

static void job_begin(struct job_try *t)
{
	*t = (struct job_try){ .dir = scratch_enter() };
	arena_init(&t->arena);
	scratch_write("chat.jsonl", STR(CHAT));
	scratch_write("empty.jsonl", STR(""));
	umask(0);
}

static void job_end(struct job_try *t)
{
	arena_free(&t->arena);
	scratch_leave(&t->dir);
}

static void job_see(void *context, const struct event *e)
{
	struct job_try *t = context;

	t->messages += e->kind == EVENT_MESSAGE;
	t->steps += e->kind == EVENT_STEP;
}

static int job_try(struct job_try *t, const char *file, struct convert_opts o, unsigned mode)
{
	static const struct frame quiet = { .out = { .width = 80 }, .err = { .width = 80 }, .quiet = true };
	struct str name = str_from(file);
	struct args args = { .items = &name, .count = 1, .rest = 1, .frame = &quiet };
	int status;

	o.jobs = 1;
	o.max_record = 1 << 20;
	t->err = (struct err){ .kind = ERR_NONE };
	catch(&t->said);
	status = convert_job_run(&t->arena, &o, args, mode, job_see, t, &t->err);
	caught(&t->said);
	return status;
}

TEST(a_conversion_shows_its_events_and_its_file_has_the_mode_asked_for)
{
	static const unsigned modes[] = { 0600, 0666 };
	struct convert_opts o = { .to = STR("agent-trace"), .output = STR("out.jsonl") };
	struct job_try t;
	struct stat st;

	job_begin(&t);
	for (size_t i = 0; i < COUNT(modes); i++) {
		test_case("%o", modes[i]);
		t.messages = t.steps = 0;
		CHECK_INT(job_try(&t, "chat.jsonl", o, modes[i]), EXIT_YES);
		CHECK_INT(t.messages, 1);
		CHECK_INT(t.steps, 1);
		CHECK(stat("out.jsonl", &st) == 0);
		CHECK_INT(st.st_mode & 0777, modes[i]);
		CHECK(str_has(test_read("out.jsonl"), STR("agent-trace")));
		CHECK(remove("out.jsonl") == 0);
	}
	job_end(&t);
}

TEST(a_file_is_not_replaced_by_a_conversion_without_a_run)
{
	struct convert_opts o = { .to = STR("otutl"), .output = STR("out.jsonl") };
	struct job_try t;

	job_begin(&t);
	scratch_write("out.jsonl", STR("before"));
	CHECK(job_try(&t, "empty.jsonl", o, 0600) != EXIT_YES);
	CHECK(str_has(t.said.err, STR("empty.jsonl is empty")));
	CHECK_STR(test_read("out.jsonl"), STR("before"));
	CHECK_INT(t.steps, 0);
	job_end(&t);
}

TEST(options_that_exclude_each_other_are_refused_before_anything_is_read)
{
	const struct {
		struct convert_opts o;
		const char *why;
	} cases[] = {
		{ { .to = STR("otutll"), .output = STR("o") }, "otutl" },
		{ { .to = STR("otutl"), .output = STR("o"), .start = STR("2026-01-31T12:00:00Z") }, "--start is for otlp-json" },
		{ { .to = STR("otutl"), .output = STR("o/"), .flat = true, .update = true }, "--flat and --update exclude each other" },
	};
	struct job_try t;

	job_begin(&t);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].why);
		CHECK_INT(job_try(&t, "chat.jsonl", cases[i].o, 0600), EXIT_FAIL);
		CHECK(t.err.kind == ERR_USAGE && strstr(t.err.text, cases[i].why));
		CHECK(access("o", F_OK) != 0 && t.messages == 0);
	}
	job_end(&t);
}
