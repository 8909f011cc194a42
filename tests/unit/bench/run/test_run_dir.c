#include "bench/run/run_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

#define NONE str_of(NULL, 0)

/* A directory for one test. */
static struct str place(void)
{
	return str_from(test_dir());
}

/* The name was made by us and has nothing that a shell could act upon. */
static void gone(struct str dir)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r -- %s", dir.p);
	CHECK(system(command) == 0);
}

static struct str at(struct str dir, const char *name)
{
	char *p = test_alloc(dir.n + strlen(name) + 2);

	snprintf(p, dir.n + strlen(name) + 2, "%.*s/%s", STR_ARG(dir), name);
	return str_from(p);
}

static struct result row(const char *prompt, int64_t repetition)
{
	return (struct result){
		.run_id = STR("r1"), .provider = STR("mock"), .model = STR("m1"), .prompt_id = str_from(prompt),
		.prompt_name = STR("n"), .success = true, .started_at_ms = 1, .ended_at_ms = 2, .e2e_ms = 1, .ttft_ms = -1,
		.input_tokens = -1, .output_tokens = -1, .output = STR("gr\xc3\xbc\xc3\x9f"), .attempts = 1,
		.repetition = repetition, .scheduled_at_ms = -1, .cache_read_tokens = -1, .reasoning_tokens = -1,
		.ttfb_ms = -1, .usd = -1,
	};
}

static struct run_dir *make(struct str parent, const char *id)
{
	struct err err;
	struct run_dir *d = run_dir_make(parent, str_from(id), &err);

	if (!d)
		FAIL("%s", err.text);
	return d;
}

static struct run_dir *resume(struct str path)
{
	struct err err;
	struct run_dir *d = run_dir_resume(path, &err);

	if (!d)
		FAIL("%s", err.text);
	return d;
}

static void add(struct run_dir *d, const char *prompt, int64_t repetition)
{
	struct result r = row(prompt, repetition);
	struct err err;

	if (!run_dir_add_result(d, &r, &err))
		FAIL("%s", err.text);
}

static bool has(const struct run_dir *d, const char *prompt, int64_t repetition)
{
	struct arena a;
	bool found;

	arena_init(&a);
	found = map_find(run_dir_rows(d), result_key(&a, STR("mock"), STR("m1"), NONE, str_from(prompt), repetition));
	arena_free(&a);
	return found;
}

struct seen {
	size_t rows;
	char prompts[64];
};

static bool see(void *own, const struct result *r, struct str line)
{
	struct seen *s = own;

	CHECK(line.n && line.p[0] == '{' && line.p[line.n - 1] == '}');
	s->rows++;
	strncat(s->prompts, r->prompt_id.p, r->prompt_id.n);
	return s->rows < 4;
}

static struct seen walk(struct str path, struct results_lost *lost)
{
	struct seen s = { .rows = 0 };
	struct err err;

	if (!results_walk(path, see, &s, lost, &err))
		FAIL("%s", err.text);
	return s;
}

TEST(a_run_is_made_with_the_directories_above_it)
{
	struct str top = place(), parent = at(top, "a/b/");
	struct run_dir *d = make(parent, "20260214_000000");
	struct stat st;
	mode_t mask = umask(0);

	umask(mask);
	CHECK_STR(run_dir_id(d), STR("20260214_000000"));
	CHECK_STR(run_dir_path(d), at(top, "a/b/20260214_000000"));
	CHECK(stat(run_dir_path(d).p, &st) == 0 && S_ISDIR(st.st_mode));
	CHECK_INT(st.st_mode & 0777, 0777 & ~mask);
	add(d, "P1", 1);
	CHECK(!has(d, "P1", 1)); /* known are those that were there */
	run_dir_close(d);
	gone(top);
}

TEST(ids_that_could_lead_elsewhere_are_refused)
{
	static const char *const bad[] = { "", ".", "..", ".x", "a/b", "a..b", "a b", "\xc3\xbc", "a\n", "a:b" };
	static const char *const good[] = { "a", "A-1_b.c", "20260214_000000" };
	struct str top = place();
	struct err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		test_case("%s", bad[i]);
		CHECK(!run_dir_make(top, str_from(bad[i]), &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(strstr(err.text, "= help: "));
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		run_dir_close(make(top, good[i]));
	gone(top);
}

TEST(a_run_with_results_is_not_begun_again)
{
	struct str top = place();
	struct run_dir *d = make(top, "r1");
	struct err err;

	run_dir_close(d);
	d = make(top, "r1"); /* nothing is lost: there was no row */
	add(d, "P1", 1);
	run_dir_close(d);
	CHECK(!run_dir_make(top, STR("r1"), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(strstr(err.text, "has results already") && err.advice == ADVICE_RESUME);
	gone(top);
}

TEST(only_one_process_has_a_run_open)
{
	struct str top = place();
	struct run_dir *d = make(top, "r1");
	struct err err;

	add(d, "P1", 1);
	CHECK(!run_dir_resume(at(top, "r1"), &err));
	CHECK(strstr(err.text, "another trackway has this run open"));
	CHECK(!run_dir_make(top, STR("r1"), &err));
	CHECK(strstr(err.text, "another trackway has this run open"));
	run_dir_close(d);
	run_dir_close(resume(at(top, "r1")));
	gone(top);
}

TEST(a_run_that_is_not_there_cannot_be_resumed)
{
	struct str top = place();
	struct err err;

	CHECK(!run_dir_resume(at(top, "none"), &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK(!run_dir_resume(STR(""), &err));
	CHECK(!run_dir_resume(top, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	CHECK(file_replace(at(top, "file"), STR("x"), 0666, &err));
	CHECK(!run_dir_resume(at(top, "file"), &err));
	CHECK(!run_dir_make(top, STR("file"), &err));
	gone(top);
}

/* Of two lines every byte is once the last that came to the disk. */
TEST(a_run_cut_at_any_byte_goes_on_and_loses_no_row_but_the_torn_one)
{
	struct str top = place(), path = at(top, "r1"), results = at(top, "r1/results.jsonl");
	struct run_dir *d = make(top, "r1");
	struct str whole, head;
	struct arena a;
	struct err err;
	size_t one;
	struct results_lost lost;

	arena_init(&a);
	add(d, "A", 1);
	add(d, "B", 1);
	add(d, "C", 1);
	run_dir_close(d);
	CHECK(file_read(&a, results, 1 << 20, &whole, &err));
	one = whole.n / 3;
	CHECK_INT(one * 3, whole.n);
	for (size_t cut = one; cut <= whole.n; cut++) {
		size_t lines = cut / one, rest = cut % one;
		bool complete = rest == one - 1; /* nothing but its line end is missing */

		test_case("cut at byte %zu of %zu", cut, whole.n);
		CHECK(file_replace(results, str_of(whole.p, cut), 0666, &err));
		unlink(at(top, "r1/events.jsonl").p);
		d = resume(path);
		CHECK_STR(run_dir_id(d), STR("r1"));
		CHECK_INT(run_dir_torn(d), rest && !complete ? rest : 0);
		CHECK(has(d, "A", 1));
		CHECK_INT(has(d, "B", 1), lines + complete >= 2);
		CHECK_INT(has(d, "C", 1), lines + complete >= 3);
		for (int i = 0; i < 3; i++)
			if (!has(d, (const char *[]){ "A", "B", "C" }[i], 1))
				add(d, (const char *[]){ "A", "B", "C" }[i], 1);
		run_dir_close(d);
		CHECK(file_read(&a, results, 1 << 20, &head, &err));
		CHECK_STR(head, whole);
		CHECK(file_read(&a, at(top, "r1/events.jsonl"), 1 << 20, &head, &err));
		CHECK_INT(str_find(head, STR("\"event\":\"torn_line_removed\",\"file\":\"results.jsonl\"")) != (size_t)-1,
			  rest && !complete);
		CHECK_INT(walk(path, &lost).rows, 3);
		CHECK_INT(lost.skipped, 0);
		arena_reset(&a);
		CHECK(file_read(&a, results, 1 << 20, &whole, &err));
	}
	arena_free(&a);
	gone(top);
}

TEST(a_torn_event_is_cut_off_too)
{
	struct str top = place(), events = at(top, "r1/events.jsonl"), text;
	struct run_dir *d = make(top, "r1");
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(run_dir_add_event(d, "begun", STR("\"rows\":3"), &err));
	CHECK(run_dir_add_event(d, "plain", STR(""), &err));
	run_dir_close(d);
	CHECK(file_read(&a, events, 1 << 20, &text, &err));
	CHECK(str_starts(text, STR("{\"record_type\":\"event\",\"run_id\":\"r1\",\"at_ms\":")));
	CHECK(str_find(text, STR(",\"event\":\"begun\",\"rows\":3}\n")) != (size_t)-1);
	CHECK(str_ends(text, STR(",\"event\":\"plain\"}\n")));
	CHECK(file_replace(events, str_of(text.p, text.n - 4), 0666, &err));
	run_dir_close(resume(at(top, "r1")));
	CHECK(file_read(&a, events, 1 << 20, &text, &err));
	CHECK(str_find(text, STR("plain")) == (size_t)-1);
	CHECK(str_find(text, STR("\"event\":\"torn_line_removed\",\"file\":\"events.jsonl\",\"bytes\":")) != (size_t)-1);
	arena_free(&a);
	gone(top);
}

/* A disk that is full, as far as a process without rights can have one. */
TEST(on_a_full_disk_the_file_ends_with_a_whole_line)
{
	struct str top = place(), text;
	struct run_dir *d = make(top, "r1");
	struct rlimit limit = { .rlim_cur = 1000, .rlim_max = RLIM_INFINITY };
	struct result r = row("B", 1);
	struct arena a;
	struct err err = { .kind = ERR_NONE };

	arena_init(&a);
	signal(SIGXFSZ, SIG_IGN);
	add(d, "A", 1);
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(file_read(&a, at(top, "r1/results.jsonl"), 1 << 20, &text, &err));
	limit.rlim_cur = text.n + text.n / 2;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(!run_dir_add_result(d, &r, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK(strstr(err.text, "cannot write to ") && strstr(err.text, "results.jsonl"));
	CHECK(!has(d, "B", 1));
	limit.rlim_cur = limit.rlim_max;
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(file_read(&a, at(top, "r1/results.jsonl"), 1 << 20, &text, &err));
	CHECK(str_ends(text, STR("}\n")));
	/* there is room again */
	CHECK(run_dir_add_result(d, &r, &err));
	run_dir_close(d);
	d = resume(at(top, "r1"));
	CHECK(has(d, "A", 1) && has(d, "B", 1));
	CHECK_INT(run_dir_torn(d), 0);
	run_dir_close(d);
	arena_free(&a);
	gone(top);
}

TEST(a_process_that_is_killed_leaves_whole_lines)
{
	size_t rows = 0;

	for (int round = 0; round < 20 || (rows == 0 && round < 500); round++) { /* a busy machine begins late */
		struct str top = place();
		struct run_dir *d;
		struct results_lost lost;
		pid_t child = fork();
		int status;

		CHECK(child >= 0);
		if (child == 0) {
			d = make(top, "r1");
			for (int64_t i = 1;; i++)
				add(d, "P", i);
		}
		usleep(1000 + (useconds_t)round * 700);
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child);
		CHECK(WIFSIGNALED(status));
		if (access(at(top, "r1/results.jsonl").p, F_OK) == 0) {
			d = resume(at(top, "r1"));
			rows += run_dir_rows(d)->count;
			run_dir_close(d);
			walk(at(top, "r1"), &lost);
			CHECK_INT(lost.skipped, 0);
		}
		gone(top);
	}
	CHECK(rows > 0);
}

TEST(files_are_replaced_whole)
{
	struct str top = place(), text;
	struct run_dir *d = make(top, "r1");
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(run_dir_write(d, "summary.md", STR("one"), &err));
	CHECK(run_dir_write(d, "summary.md", STR("two"), &err));
	CHECK(file_read(&a, at(top, "r1/summary.md"), 100, &text, &err));
	CHECK_STR(text, STR("two"));
	run_dir_close(d);
	arena_free(&a);
	gone(top);
}

TEST(a_link_to_a_run_is_as_good_as_the_run)
{
	struct str top = place();
	struct run_dir *d = make(top, "r1");
	struct results_lost lost;

	add(d, "A", 1);
	run_dir_close(d);
	CHECK(symlink(at(top, "r1").p, at(top, "link").p) == 0);
	d = resume(at(top, "link"));
	CHECK(has(d, "A", 1));
	CHECK_STR(run_dir_id(d), STR("r1"));
	run_dir_close(d);
	CHECK_INT(walk(at(top, "link"), &lost).rows, 1);
	gone(top);
}

TEST(a_run_without_rows_has_the_name_of_its_directory)
{
	struct str top = place();
	struct run_dir *d = make(top, "empty");

	run_dir_close(d);
	d = resume(at(top, "empty/"));
	CHECK_STR(run_dir_id(d), STR("empty"));
	CHECK_INT(run_dir_rows(d)->count, 0);
	run_dir_close(d);
	gone(top);
}

TEST(rows_are_walked_in_order_and_what_is_none_is_counted)
{
	struct str top = place(), path = at(top, "results.jsonl");
	struct seen s;
	struct err err;
	struct results_lost lost;

	CHECK(file_replace(path, STR("{\"model\":\"m\",\"prompt_id\":\"A\",\"success\":true}\n\n{\"x\":1}\nnonsense\n"
				     "{\"model\":\"m\",\"prompt_id\":\"B\",\"success\":\"\\ud800\"}\n{\"model\":\"m\",\"prompt_id\":\"C\"}\n"
				     "{\"model\":\"m\",\"prom"), 0666, &err));
	s = walk(top, &lost);
	CHECK_INT(s.rows, 3);
	CHECK_STR(str_from(s.prompts), STR("ABC"));
	CHECK_INT(lost.skipped, 3);
	CHECK_INT(walk(path, &lost).rows, 3);
	CHECK(!results_walk(at(top, "none"), see, &s, &lost, &err));
	CHECK_INT(err.kind, ERR_IO);
	gone(top);
}

TEST(a_row_that_is_there_twice_is_given_once_and_counted)
{
	struct str top = place();
	struct run_dir *d = make(top, "r1");
	struct results_lost lost;
	struct err err;

	add(d, "A", 1);
	add(d, "A", 2);
	add(d, "A", 1);
	add(d, "B", 1);
	add(d, "A", 1);
	run_dir_close(d);
	CHECK_STR(str_from(walk(at(top, "r1"), &lost).prompts), STR("AAB"));
	CHECK_INT(lost.repeated, 2);
	CHECK_INT(lost.skipped, 0);
	d = run_dir_resume(at(top, "r1"), &err);
	CHECK(d);
	CHECK_INT(run_dir_rows(d)->count, 3);
	CHECK_INT(run_dir_lost(d).repeated, 2);
	run_dir_close(d);
	gone(top);
}

TEST(a_walk_stops_when_it_is_told_to)
{
	struct str top = place();
	struct run_dir *d = make(top, "r1");
	struct results_lost lost;

	for (int64_t i = 1; i < 10; i++)
		add(d, "P", i);
	run_dir_close(d);
	CHECK_INT(walk(at(top, "r1"), &lost).rows, 4);
	gone(top);
}
