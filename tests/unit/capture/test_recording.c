#include "capture/recording.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

struct setting {
	struct arena arena;
	struct str root;
	struct routes routes;
	struct recording_options o;
	struct recording_outcome out;
	struct err err;
};

static const char *no_variable(const char *name)
{
	(void)name;
	return NULL;
}

/* A directory of its own, with the list of runs in it. */
static void open_setting(struct setting *s)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };

	*s = (struct setting){ .err = { .kind = ERR_NONE } };
	arena_init(&s->arena);
	s->root = arena_printf(&s->arena, "/tmp/trackway-record-%ld", (long)getpid());
	CHECK_INT(mkdir(s->root.p, 0700), 0);
	CHECK_INT(setenv("TRACKWAY_HOME", arena_printf(&s->arena, "%s/home", s->root.p).p, 1), 0);
	CHECK(routes_init(&s->routes, &s->arena, no_variable, &s->err));
	s->o = (struct recording_options){ .env = env,
					   .routes = &s->routes,
					   .dir = arena_printf(&s->arena, "%s/up/run", s->root.p) };
}

static void free_setting(struct setting *s)
{
	if (system(arena_printf(&s->arena, "rm -rf %s", s->root.p).p) != 0)
		FAIL("cannot clean up");
	arena_free(&s->arena);
}

static bool run(struct setting *s, const char *script)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };

	s->o.argv = argv;
	return recording_run(&s->arena, &s->o, &s->out, &s->err);
}

static struct str file_of(struct setting *s, const char *name)
{
	return test_read(arena_printf(&s->arena, "%s/up/run/%s", s->root.p, name).p);
}

static bool exists(struct setting *s, const char *name)
{
	return access(arena_printf(&s->arena, "%s/%s", s->root.p, name).p, F_OK) == 0;
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

TEST(a_child_without_requests_leaves_a_summary_and_a_place_in_the_list)
{
	struct setting s;
	struct str list;

	open_setting(&s);
	CHECK(run(&s, "true"));
	CHECK_INT(s.out.end.status, 0);
	CHECK_INT(s.out.end.signal, 0);
	CHECK_INT(s.out.exchanges, 0);
	CHECK_INT(s.out.trace_lines, 1);
	CHECK(s.out.troubles == NULL);
	CHECK(s.out.listed);
	CHECK(has(file_of(&s, "agent-trace.jsonl"), "\"event_type\":\"summary\""));
	CHECK(has(file_of(&s, "agent-trace.jsonl"), "\"exit_status\":\"success\""));
	CHECK_INT(s.out.trace_bytes, file_of(&s, "agent-trace.jsonl").n);
	CHECK(has(file_of(&s, "meta.json"), s.out.trace_sha256.p));
	CHECK(!exists(&s, "up/run/cassette.jsonl"));
	CHECK(!exists(&s, "up/run/agent-trace.dot"));
	list = test_read(arena_printf(&s.arena, "%s/home/runs.jsonl", s.root.p).p);
	CHECK(has(list, s.out.run.run_id.p));
	CHECK(has(list, "\"program\":\"sh\""));
	free_setting(&s);
}

TEST(a_child_that_fails_or_is_killed_is_told_as_it_ended)
{
	struct setting s;

	open_setting(&s);
	CHECK(run(&s, "exit 3"));
	CHECK_INT(s.out.end.status, 3);
	CHECK(has(file_of(&s, "agent-trace.jsonl"), "\"exit_status\":\"error\",\"error_message\":\"child exited 3\""));
	CHECK(has(file_of(&s, "meta.json"), "\"code\": 3"));
	free_setting(&s);
	open_setting(&s);
	CHECK(run(&s, "kill -KILL $$"));
	CHECK_INT(s.out.end.signal, SIGKILL);
	CHECK(has(file_of(&s, "agent-trace.jsonl"), "\"exit_status\":\"interrupted\",\"error_message\":\"child ended by signal 9\""));
	free_setting(&s);
}

TEST(a_program_that_does_not_exist_leaves_nothing_behind)
{
	static const char *const argv[] = { "/nonexistent/agent", NULL };
	struct setting s;

	open_setting(&s);
	s.o.argv = argv;
	s.o.content = true;
	CHECK(!recording_run(&s.arena, &s.o, &s.out, &s.err));
	CHECK_INT(s.err.kind, ERR_IO);
	CHECK(strstr(s.err.text, "/nonexistent/agent"));
	CHECK(!exists(&s, "up"));
	CHECK(!exists(&s, "home"));
	free_setting(&s);
}

TEST(an_address_that_is_none_leaves_nothing_behind)
{
	struct setting s;

	open_setting(&s);
	s.o.engine_metrics = STR("nowhere");
	CHECK(!run(&s, "true"));
	CHECK_INT(s.err.kind, ERR_USAGE);
	CHECK(strstr(s.err.text, "the engine's metrics"));
	CHECK(!exists(&s, "up"));
	free_setting(&s);
}

TEST(a_run_that_is_there_is_refused_and_stays)
{
	struct setting s;
	struct str before;

	open_setting(&s);
	CHECK(run(&s, "exit 1"));
	before = file_of(&s, "meta.json");
	CHECK(!run(&s, "true"));
	CHECK_INT(s.err.kind, ERR_USAGE);
	CHECK(strstr(s.err.text, "holds a run already"));
	CHECK_STR(file_of(&s, "meta.json"), before);
	free_setting(&s);
}

TEST(a_directory_of_the_users_is_used_and_never_removed)
{
	struct setting s;

	open_setting(&s);
	CHECK_INT(mkdir(arena_printf(&s.arena, "%s/up", s.root.p).p, 0700), 0);
	CHECK_INT(mkdir(s.o.dir.p, 0700), 0);
	s.o.engine_metrics = STR("nowhere");
	CHECK(!run(&s, "true"));
	CHECK(exists(&s, "up/run"));
	CHECK(!exists(&s, "up/run/meta.json"));
	s.o.engine_metrics = str_of(NULL, 0);
	CHECK(run(&s, "true"));
	CHECK(exists(&s, "up/run/meta.json"));
	free_setting(&s);
}

TEST(tags_program_and_the_number_of_arguments_are_in_meta_and_no_argument)
{
	static const struct run_tag tags[] = { { { "task", 4 }, { "refund", 6 } }, { { "empty", 5 }, { "", 0 } } };
	struct setting s;
	struct str meta;

	open_setting(&s);
	s.o.tags = tags;
	s.o.tag_count = 2;
	CHECK(run(&s, ": a-canary"));
	meta = file_of(&s, "meta.json");
	CHECK(has(meta, "\"task\": \"refund\""));
	CHECK(has(meta, "\"empty\": \"\""));
	CHECK(has(meta, "\"program\": \"sh\""));
	CHECK(has(meta, "\"argument_count\": 2"));
	CHECK(has(meta, "\"name\": \"agent-trace.jsonl\""));
	CHECK(has(meta, "\"name\": \"summary.json\""));
	CHECK(!has(meta, "canary"));
	CHECK(!has(meta, s.root.p));
	free_setting(&s);
}

TEST(the_child_learns_the_run_and_where_the_recorder_is)
{
	struct setting s;
	struct str env;

	open_setting(&s);
	CHECK(run(&s, "env >\"$TRACKWAY_RUN_DIR/env\""));
	env = file_of(&s, "env");
	CHECK(has(env, arena_printf(&s.arena, "TRACKWAY_RUN_ID=%s\n", s.out.run.run_id.p).p));
	CHECK(has(env, "OPENAI_BASE_URL=http://127.0.0.1:"));
	free_setting(&s);
}

TEST(content_and_drawing_are_written_when_asked_for)
{
	struct setting s;
	struct stat st;

	open_setting(&s);
	s.o.content = true;
	s.o.dot = true;
	CHECK(run(&s, "true"));
	CHECK_INT(stat(s.out.run.path.p, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	CHECK_INT(stat(arena_printf(&s.arena, "%s/cassette.jsonl", s.out.run.path.p).p, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK(has(file_of(&s, "meta.json"), "\"content_saved\": true"));
	CHECK(has(file_of(&s, "agent-trace.dot"), "digraph"));
	CHECK(!exists(&s, "up/run/run.otutl.jsonl")); /* there was nothing to make it of */
	CHECK(s.out.troubles == NULL);
	free_setting(&s);
}

TEST(a_list_that_cannot_be_written_is_a_trouble_and_no_more)
{
	struct setting s;

	open_setting(&s);
	CHECK(file_replace(arena_printf(&s.arena, "%s/home", s.root.p), STR("a file"), 0600, &s.err));
	CHECK(run(&s, "true"));
	CHECK(!s.out.listed);
	CHECK(s.out.troubles && has(s.out.troubles->text, "@last"));
	CHECK(!s.out.troubles->next);
	CHECK(exists(&s, "up/run/meta.json"));
	free_setting(&s);
}

TEST(engine_metrics_that_cannot_be_read_are_told)
{
	struct setting s;

	open_setting(&s);
	s.o.engine_metrics = STR("http://127.0.0.1:1");
	CHECK(run(&s, "sleep 0.5"));
	CHECK(has(s.out.engine_metrics_trouble, "could not be read"));
	CHECK(has(file_of(&s, "meta.json"), "\"scrapes\":0"));
	free_setting(&s);
}
