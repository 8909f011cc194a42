/* Runs of a recorder that was killed. */
#include "unit/capture/listen_stage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static void no_trouble(void *context, struct str text)
{
	(void)context;
	FAIL("%.*s", STR_ARG(text));
}

/* A child records a conversation of two calls and one of one, and is killed; a line of the first is torn. */
static void leave_open(const char *dir, bool content)
{
	pid_t child = fork();
	struct stage s;
	int status;

	if (child == 0) {
		stage_open(&s, dir, content);
		stage_talk(&s, "", "one", "first", BEGUN + SECOND, NULL);
		stage_talk(&s, "{\"role\":\"user\",\"content\":\"one\"},{\"role\":\"assistant\",\"content\":\"first\"},", "two",
			   "second", BEGUN + 3 * SECOND, NULL);
		stage_talk(&s, "", "other", "x", BEGUN + 4 * SECOND, NULL);
		stage_turn(&s, BEGUN + 5 * SECOND, 0);
		raise(SIGKILL);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
}

static size_t lines_with(struct str text, const char *part)
{
	size_t n = 0;

	while (text.n)
		n += str_has(str_cut(text, '\n', &text), str_from(part));
	return n;
}

static void tear(struct str path)
{
	DIR *d = opendir(path.p);
	struct dirent *e;
	char name[600];

	while ((e = readdir(d))) {
		FILE *f;

		snprintf(name, sizeof(name), "%s/%s/agent-trace.jsonl", path.p, e->d_name);
		f = e->d_name[0] == '.' ? NULL : fopen(name, "a");
		if (!f)
			continue;
		fputs("{\"torn_line\":\"x", f);
		fclose(f);
		strcat(name, ".new"); /* killed when it wrote what was learnt late */
		f = fopen(name, "w");
		CHECK(f && fclose(f) == 0);
	}
	closedir(d);
}

/* A directory that was made so many seconds ago. */
static void make_empty(struct str path, time_t age)
{
	struct timespec at[2] = { { .tv_sec = time(NULL) - age }, { .tv_sec = time(NULL) - age } };

	CHECK(mkdir(path.p, 0700) == 0 && utimensat(AT_FDCWD, path.p, at, 0) == 0);
}

static void check_completed(struct str path, bool content, size_t *nodes)
{
	DIR *d = opendir(path.p);
	struct dirent *e;
	char name[600];

	while ((e = readdir(d))) {
		struct str trace, meta, summary;

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s/agent-trace.jsonl", path.p, e->d_name);
		trace = test_read(name);
		strcat(name, ".new");
		CHECK(access(name, F_OK) != 0);
		snprintf(name, sizeof(name), "%s/%s/meta.json", path.p, e->d_name);
		meta = test_read(name);
		snprintf(name, sizeof(name), "%s/%s/summary.json", path.p, e->d_name);
		summary = test_read(name);
		*nodes += lines_with(trace, "\"kind\":\"model_call\"");
		CHECK_INT(lines_with(trace, "\"event_type\":\"summary\""), 1);
		CHECK_INT(lines_with(trace, "\"exit_status\":\"interrupted\""), 1);
		CHECK(str_has(trace, STR("the recorder was killed")) && str_ends(trace, STR("}\n")));
		CHECK(str_has(meta, STR("\"signal\": 9")) && str_has(meta, STR("\"ended\"")));
		CHECK(str_has(summary, STR("\"total_tokens\"")) && !str_has(trace, STR("torn_line")));
		if (content) {
			snprintf(name, sizeof(name), "%s/%s/trajectory.jsonl", path.p, e->d_name);
			CHECK(test_read(name).n > 0);
		}
	}
	closedir(d);
}

TEST(runs_that_were_left_open_are_completed_and_lose_no_node)
{
	for (int content = 0; content < 2; content++) {
		struct listen_dir_options o = { .now = NULL, .recover = { .trouble = no_trouble } };
		const char *dir = test_dir();
		struct listen_dir_found found;
		struct listen_dir *d;
		struct arena a;
		struct err err;
		size_t nodes = 0;

		arena_init(&a);
		o.path = arena_printf(&a, "%s/runs", dir);
		leave_open(dir, content);
		tear(o.path);
		make_empty(arena_printf(&a, "%s/0193b3a1-7c00-7abc-8def-0123456789ab", o.path.p), 7200);
		make_empty(arena_printf(&a, "%s/0193b3a1-7c00-7abc-8def-0123456789ac", o.path.p), 0);
		d = listen_dir_open(&o, &found, &err);
		CHECK(d != NULL);
		CHECK_INT(found.completed, 2);
		CHECK_INT(found.nodes, 6); /* three calls, three messages of a person's */
		listen_dir_close(d);
		CHECK_INT(stage_count(o.path.p), 3);
		CHECK(rmdir(arena_printf(&a, "%s/0193b3a1-7c00-7abc-8def-0123456789ac", o.path.p).p) == 0);
		check_completed(o.path, content, &nodes);
		CHECK_INT(nodes, 3);
		d = listen_dir_open(&o, &found, &err);
		CHECK_INT(found.completed, 0);
		CHECK_INT(found.closed, 2);
		listen_dir_close(d);
		arena_free(&a);
	}
}

/* A run that ended, in the state in which its trace has the summary, and nothing else of the end was written. */
static void leave_half_ended(struct arena *a, const char *dir, int status, char id[64])
{
	struct str asks = STR("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]}"), before;
	const char *early = "";
	struct stage s;
	struct dirent *e;
	DIR *d;
	FILE *f;

	stage_open(&s, dir, true);
	stage_answer(stage_ask(&s, asks, BEGUN + SECOND, NULL), status, STR("{\"choices\":[]}"), BEGUN + 2 * SECOND);
	stage_turn(&s, BEGUN + 3 * SECOND, 0);
	d = opendir(s.o.dir.p);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			early = arena_printf(a, "%s", e->d_name).p;
	closedir(d);
	before = arena_copy(a, stage_read(&s, early, "meta.json"));
	stage_turn(&s, BEGUN + 1000 * SECOND, 0);
	CHECK_INT(s.closed, 1);
	strcpy(id, s.last);
	f = fopen(arena_printf(a, "%s/runs/%s/meta.json", dir, id).p, "w");
	fwrite(before.p, 1, before.n, f);
	fclose(f);
	unlink(arena_printf(a, "%s/runs/%s/summary.json", dir, id).p);
	stage_close(&s);
}

TEST(an_end_that_was_written_in_part_is_completed_as_it_was)
{
	static const struct { int http; const char *exit, *status; } cases[] = {
		{ 200, "\"code\": 0,", "\"success\"" },
		{ 500, "\"code\": 1,", "\"error\"" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct listen_dir_options o = { .now = NULL, .recover = { .trouble = no_trouble } };
		const char *dir = test_dir();
		struct listen_dir_found found;
		struct listen_dir *d;
		struct str cassette, run;
		struct arena a;
		struct err err;
		char id[64];

		test_case("%d", cases[i].http);
		arena_init(&a);
		leave_half_ended(&a, dir, cases[i].http, id);
		o.path = arena_printf(&a, "%s/runs", dir);
		d = listen_dir_open(&o, &found, &err);
		CHECK(d != NULL);
		CHECK_INT(found.completed, 1);
		listen_dir_close(d);
		run = arena_printf(&a, "%s/%s", o.path.p, id);
		CHECK(str_has(test_read(arena_printf(&a, "%s/meta.json", run.p).p), str_from(cases[i].exit)));
		CHECK(str_has(test_read(arena_printf(&a, "%s/summary.json", run.p).p), str_from(cases[i].status)));
		cassette = test_read(arena_printf(&a, "%s/cassette.jsonl", run.p).p);
		CHECK_INT(lines_with(cassette, "{\"ended\":"), 1);
		arena_free(&a);
	}
}

TEST(what_does_not_say_that_it_is_ours_is_none)
{
	static const char *const cases[] = {
		"", "{}", "[1]", "{\"listened\":true}",
		"{\"schema\":\"trackway.run/1\",\"listened\":true,\"run_id\":\"other\",\"started\":\"2026-01-01T00:00:00Z\"}",
		"{\"schema\":\"trackway.run/1\",\"listened\":false,\"run_id\":\"0193b3a1-7c00-7abc-8def-0123456789ab\"}",
		"{\"schema\":\"trackway.run/1\",\"listened\":true,\"run_id\":\"0193b3a1-7c00-7abc-8def-0123456789ab\"}",
	};
	struct listen_meta m;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *dir = test_dir();
		FILE *f = fopen(arena_printf(&a, "%s/meta.json", dir).p, "w");
		int fd = open(dir, O_RDONLY | O_DIRECTORY);

		test_case("%s", cases[i]);
		fputs(cases[i], f);
		fclose(f);
		CHECK(!listen_meta_read(&a, fd, STR("/x/0193b3a1-7c00-7abc-8def-0123456789ab"), &m));
		close(fd);
	}
	arena_free(&a);
}
