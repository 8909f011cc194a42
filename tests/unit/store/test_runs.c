#include "store/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness/test.h"

/* A directory of the test's own with a list of runs in it, and a place in memory for all of a test. */
struct scene {
	char dir[64];
	struct arena a;
	struct err err;
};

static void scene_begin(struct scene *s)
{
	const char *tmp = getenv("TMPDIR");

	*s = (struct scene){ .err = { .kind = ERR_NONE } };
	CHECK(snprintf(s->dir, sizeof(s->dir), "%s/trackway-runs-XXXXXX", tmp ? tmp : "/tmp") < (int)sizeof(s->dir));
	CHECK(mkdtemp(s->dir) && chdir(s->dir) == 0);
	arena_init(&s->a);
	setenv("TRACKWAY_HOME", arena_printf(&s->a, "%s/home", s->dir).p, 1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static void scene_end(struct scene *s)
{
	CHECK(chdir("/") == 0 && nftw(s->dir, remove_one, 20, FTW_DEPTH | FTW_PHYS) == 0);
	arena_free(&s->a);
}

/* A run that is there, in a directory of its number. */
static struct run_entry run_of(struct scene *s, const char *id, const char *name)
{
	struct run_entry e = {
		.run_id = str_from(id),
		.dir = arena_printf(&s->a, "%s/%s", s->dir, name),
		.started = STR("2026-05-06T14:03:12.250Z"),
		.kind = STR("record"),
		.program = STR("agent.py"),
	};

	CHECK(mkdir(e.dir.p, 0700) == 0 || errno == EEXIST);
	return e;
}

static void add(struct scene *s, struct run_entry e)
{
	if (!runs_add(&s->a, &e, &s->err))
		FAIL("%s", s->err.text);
}

static struct str list_text(void)
{
	return test_read("home/runs.jsonl");
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* The last component of what a name means, or the error. */
static struct str find(struct scene *s, const char *name)
{
	struct str path;

	s->err = (struct err){ .kind = ERR_NONE };
	if (runs_find(&s->a, str_from(name), &path, &s->err))
		return str_basename(path);
	CHECK(s->err.kind == ERR_USAGE || s->err.errnum == ENOENT);
	return str_cut(str_from(s->err.text), '\n', &(struct str){ NULL, 0 }); /* without the help */
}

TEST(what_is_added_comes_back_in_order)
{
	const struct run_tag tags[] = { { STR("team"), STR("a \"b\"\n") }, { STR(""), STR("") } };
	struct run_entry *list, e;
	struct scene s;
	size_t count;

	scene_begin(&s);
	CHECK(runs_list(&s.a, &list, &count, &s.err) && count == 0); /* no list yet */
	e = run_of(&s, "0190a0c0-0000-7000-8000-000000000001", "r1");
	e.tags = tags;
	e.tag_count = 2;
	add(&s, e);
	e = run_of(&s, "0190a0c0-0000-7000-8000-000000000002", "r2");
	e.program = str_of(NULL, 0);
	add(&s, e);
	CHECK(runs_list(&s.a, &list, &count, &s.err));
	CHECK_INT(count, 2);
	CHECK_STR(list[0].run_id, STR("0190a0c0-0000-7000-8000-000000000001"));
	CHECK_STR(str_basename(list[0].dir), STR("r1"));
	CHECK_STR(list[0].started, STR("2026-05-06T14:03:12.250Z"));
	CHECK_STR(list[0].kind, STR("record"));
	CHECK_STR(list[0].program, STR("agent.py"));
	CHECK_INT(list[0].tag_count, 2);
	CHECK_STR(list[0].tags[0].key, STR("team"));
	CHECK_STR(list[0].tags[0].value, STR("a \"b\"\n"));
	CHECK(list[1].program.p == NULL && list[1].tag_count == 0);
	CHECK_STR(str_basename(list[1].dir), STR("r2"));
	scene_end(&s);
}

TEST(only_the_owner_may_read_the_list)
{
	struct scene s;
	struct stat st;

	umask(0);
	scene_begin(&s);
	setenv("TRACKWAY_HOME", arena_printf(&s.a, "%s/deep/er/home", s.dir).p, 1);
	add(&s, run_of(&s, "0190a0c0-0000-7000-8000-000000000001", "r1"));
	CHECK(stat("deep/er/home/runs.jsonl", &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(stat("deep/er/home", &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(stat("deep", &st) == 0 && (st.st_mode & 0777) == 0700);
	scene_end(&s);
}

TEST(home_is_the_first_of_three_variables)
{
	static const struct {
		const char *own, *data, *home, *want;
	} cases[] = {
		{ "/own", "/data", "/h", "/own" },
		{ "own", "/data", "/h", "own" },
		{ "", "/data", "/h", "/data/trackway" },
		{ NULL, "/data", NULL, "/data/trackway" },
		{ NULL, "data", "/h", "/h/.local/share/trackway" }, /* relative: ignored */
		{ NULL, "", "/h", "/h/.local/share/trackway" },
		{ NULL, NULL, "/h", "/h/.local/share/trackway" },
		{ NULL, NULL, "", NULL },
		{ "", "", NULL, NULL },
	};
	static const char *const names[] = { "TRACKWAY_HOME", "XDG_DATA_HOME", "HOME" };
	struct err err;
	struct arena a;
	struct str home;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *const values[] = { cases[i].own, cases[i].data, cases[i].home };

		test_case("row %zu", i);
		for (size_t v = 0; v < 3; v++)
			CHECK((values[v] ? setenv(names[v], values[v], 1) : unsetenv(names[v])) == 0);
		CHECK(runs_home(&a, &home, &err) == (cases[i].want != NULL));
		if (cases[i].want)
			CHECK_STR(home, str_from(cases[i].want));
		else
			CHECK(strstr(err.text, "set TRACKWAY_HOME"));
	}
	arena_free(&a);
}

TEST(without_a_home_nothing_is_added_or_found_but_paths_are)
{
	struct run_entry *list;
	struct scene s;
	struct str path;
	size_t count;

	scene_begin(&s);
	put("a-file", "");
	unsetenv("TRACKWAY_HOME");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	CHECK(!runs_add(&s.a, &(struct run_entry){ .run_id = STR("x"), .dir = STR("/x") }, &s.err));
	CHECK(!runs_list(&s.a, &list, &count, &s.err));
	CHECK(!runs_find(&s.a, STR("@last"), &path, &s.err));
	CHECK(runs_find(&s.a, STR("a-file"), &path, &s.err));
	CHECK(runs_find(&s.a, STR("-"), &path, &s.err));
	scene_end(&s);
}

static void add_many(struct scene *s, int who, int many)
{
	for (int i = 0; i < many; i++) {
		char id[64];

		snprintf(id, sizeof(id), "0190a0c0-%04d-7000-8000-%012d", who, i);
		add(s, (struct run_entry){ .run_id = str_from(id), .dir = STR("/nowhere"), .kind = STR("record") });
	}
}

TEST(many_processes_add_at_once_and_every_line_is_whole)
{
	enum { PROCESSES = 12, EACH = 25 };
	struct run_entry *list;
	pid_t pids[PROCESSES];
	struct scene s;
	size_t count, next[PROCESSES] = { 0 };

	scene_begin(&s);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		CHECK(pids[i] >= 0);
		if (pids[i] == 0) {
			add_many(&s, i, EACH);
			_exit(0);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		CHECK(waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	CHECK(runs_list(&s.a, &list, &count, &s.err));
	CHECK_INT(count, PROCESSES * EACH);
	for (size_t i = 0; i < count; i++) { /* each one's are in the order it added them */
		size_t who = (size_t)atoi(list[i].run_id.p + 9), number = (size_t)atoi(list[i].run_id.p + 24);

		CHECK(who < PROCESSES);
		CHECK_INT(number, next[who]++);
	}
	CHECK(memchr(list_text().p, '\n', list_text().n) != NULL && str_find(list_text(), STR("\n\n")) == (size_t)-1);
	scene_end(&s);
}

TEST(a_line_that_breaks_off_costs_only_itself)
{
	struct run_entry *list;
	struct scene s;
	size_t count;

	scene_begin(&s);
	add(&s, run_of(&s, "0190a0c0-0000-7000-8000-000000000001", "r1"));
	CHECK(truncate("home/runs.jsonl", (off_t)list_text().n - 20) == 0);
	CHECK(runs_list(&s.a, &list, &count, &s.err) && count == 0);
	add(&s, run_of(&s, "0190a0c0-0000-7000-8000-000000000002", "r2"));
	add(&s, run_of(&s, "0190a0c0-0000-7000-8000-000000000003", "r3"));
	CHECK(runs_list(&s.a, &list, &count, &s.err));
	CHECK_INT(count, 2);
	CHECK_STR(find(&s, "@last"), STR("r3"));
	CHECK_STR(find(&s, "@-2"), STR("r2"));
	CHECK(truncate("home/runs.jsonl", (off_t)list_text().n - 1) == 0); /* whole but for its end */
	CHECK_STR(find(&s, "@last"), STR("r3"));
	scene_end(&s);
}

TEST(lines_that_are_no_entries_are_skipped)
{
	static const char *const lines[] = {
		"", "x", "[]", "null", "{}", "{\"run_id\":\"a\"}", "{\"run_id\":\"a\",\"dir\":\"relative\"}",
		"{\"run_id\":\"\",\"dir\":\"/tmp\"}", "{\"run_id\":7,\"dir\":\"/tmp\"}", "{\"run_id\":\"a\",\"dir\":\"/\\u0000x\"}",
		"{\"run_id\":\"a\",\"dir\":\"/tmp\",\"dir\":\"/\"}", "\xff\xfe",
		"{\"run_id\":\"aaaaaa\",\"dir\":\"/\",\"tags\":[1],\"started\":{},\"more\":[[[[]]]]}", /* one is enough */
	};
	struct run_entry *list;
	struct scene s;
	struct buf text;
	size_t count;

	scene_begin(&s);
	CHECK(mkdir("home", 0700) == 0);
	buf_init(&text);
	for (size_t i = 0; i < COUNT(lines); i++)
		buf_printf(&text, "%s\n", lines[i]);
	buf_add_byte(&text, '\0');
	put("home/runs.jsonl", text.p);
	CHECK(runs_list(&s.a, &list, &count, &s.err));
	CHECK_INT(count, 1);
	CHECK_STR(list[0].run_id, STR("aaaaaa"));
	CHECK(list[0].tag_count == 0 && list[0].started.p == NULL);
	buf_free(&text);
	scene_end(&s);
}

TEST(a_list_that_cannot_be_written_is_told_with_its_path)
{
	struct run_entry e;
	struct scene s;

	scene_begin(&s);
	e = run_of(&s, "0190a0c0-0000-7000-8000-000000000001", "r1");
	put("home", ""); /* a file where the directory should be */
	CHECK(!runs_add(&s.a, &e, &s.err));
	CHECK_INT(s.err.kind, ERR_IO);
	CHECK(strstr(s.err.text, "home"));
	CHECK(unlink("home") == 0 && mkdir("home", 0700) == 0 && mkdir("home/runs.jsonl", 0700) == 0);
	CHECK(!runs_add(&s.a, &e, &s.err));
	CHECK(strstr(s.err.text, "runs.jsonl: Is a directory"));
	CHECK(rmdir("home/runs.jsonl") == 0 && symlink("/dev/full", "home/runs.jsonl") == 0);
	CHECK(!runs_add(&s.a, &e, &s.err));
	CHECK(strstr(s.err.text, "No space left on device"));
	CHECK(strstr(s.err.text, "runs.jsonl"));
	if (geteuid() != 0) {
		CHECK(unlink("home/runs.jsonl") == 0 && chmod("home", 0500) == 0);
		CHECK(!runs_add(&s.a, &e, &s.err));
		CHECK(strstr(s.err.text, "Permission denied"));
		CHECK(chmod("home", 0700) == 0);
	}
	scene_end(&s);
}

TEST(a_lock_that_is_never_given_back_is_an_error_after_a_while)
{
	struct scene s;
	int fd;

	scene_begin(&s);
	add(&s, run_of(&s, "0190a0c0-0000-7000-8000-000000000001", "r1"));
	fd = open("home/runs.jsonl", O_RDONLY);
	CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
	CHECK(!runs_add(&s.a, &(struct run_entry){ .run_id = STR("x"), .dir = STR("/") }, &s.err));
	CHECK(strstr(s.err.text, "locked"));
	close(fd);
	scene_end(&s);
}

/* Five runs, of which one is gone and one had its directory taken over. */
static void add_five(struct scene *s)
{
	const struct run_tag first[] = { { STR("team"), STR("blue") }, { STR("nightly"), STR("") } };
	const struct run_tag second[] = { { STR("team"), STR("red") }, { STR("team2"), STR("x=y") } };
	struct run_entry e;

	e = run_of(s, "0190a0c0-1111-7000-8000-00000000beef", "r1");
	e.tags = first;
	e.tag_count = 2;
	add(s, e);
	e = run_of(s, "0190a0c0-2222-7000-8000-00000000cafe", "r2");
	e.tags = second;
	e.tag_count = 2;
	add(s, e);
	add(s, run_of(s, "0190a0c0-3333-7000-8000-000000c0ffee", "taken"));
	add(s, run_of(s, "0190b444-4444-7000-8000-00000000beef", "taken"));
	add(s, run_of(s, "0190b555-5555-7000-8000-000000005555", "gone"));
	CHECK(rmdir("gone") == 0);
}

TEST(a_run_has_many_names)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "@last", "taken" },
		{ "@-1", "taken" },
		{ "@-2", "r2" },
		{ "@-3", "r1" },
		{ "@-4", "'@-4': there are 3 runs in the list" },
		{ "@-0", "'@-0' is no run" },
		{ "@", "'@' is no run" },
		{ "@first", "'@first' is no run" },
		{ "@-99999999999999999999", "'@-99999999999999999999' is no run" },
		{ "0190a0c0-1111-7000-8000-00000000beef", "r1" },
		{ "0190A0C0-1111-7000-8000-00000000BEEF", "r1" },
		{ "0190a0c0-1", "r1" },
		{ "0190b4", "taken" },
		{ "00cafe", "r2" },
		{ "0000CAFE", "r2" },
		{ "8000-00000000cafe", "r2" },
		{ "tag:nightly", "r1" },
		{ "tag:nightly=", "r1" },
		{ "tag:team=red", "r2" },
		{ "tag:team2=x=y", "r2" },
		{ "tag:team2", "r2" },
	};
	struct scene s;

	scene_begin(&s);
	add_five(&s);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_STR(find(&s, cases[i].name), str_from(cases[i].want));
	}
	scene_end(&s);
}

TEST(what_fits_several_runs_lists_them_newest_first)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "0190a0", "'0190a0' matches 2 runs: 0190a0c0-2222-7000-8000-00000000cafe (2026-05-06T14:03:12.250Z, agent.py), "
			    "0190a0c0-1111-7000-8000-00000000beef (2026-05-06T14:03:12.250Z, agent.py)" },
		{ "00beef", "'00beef' matches 2 runs: 0190b444-4444-7000-8000-00000000beef (2026-05-06T14:03:12.250Z, agent.py), "
			    "0190a0c0-1111-7000-8000-00000000beef (2026-05-06T14:03:12.250Z, agent.py)" },
		{ "tag:team", "'tag:team' matches 2 runs: 0190a0c0-2222-7000-8000-00000000cafe (2026-05-06T14:03:12.250Z, "
			      "agent.py), 0190a0c0-1111-7000-8000-00000000beef (2026-05-06T14:03:12.250Z, agent.py)" },
	};
	struct scene s;

	scene_begin(&s);
	add_five(&s);
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_STR(find(&s, cases[i].name), str_from(cases[i].want));
	for (int i = 0; i < 9; i++)
		add(&s, run_of(&s, arena_printf(&s.a, "0190cccc-%04d", i).p, arena_printf(&s.a, "c%d", i).p));
	CHECK(str_ends(find(&s, "0190cccc"), STR(" and 4 more")));
	CHECK(strstr(s.err.text, "matches 9 runs: 0190cccc-0008 ("));
	scene_end(&s);
}

TEST(what_fits_none_names_the_newest)
{
	static const char *const names[] = { "0190b5", "beef", "00coff", "tag:team=green", "tag:", "tag:tea", "c0ffee",
					     "", "0190b555-5555-7000-8000-000000005555" };
	struct scene s;

	scene_begin(&s);
	CHECK_STR(find(&s, "@last"), STR("'@last': there are 0 runs in the list"));
	CHECK_STR(find(&s, "abcdef"), STR("'abcdef' is not a file, and the list of runs is empty"));
	add_five(&s);
	for (size_t i = 0; i < COUNT(names); i++) {
		test_case("%s", names[i]);
		find(&s, names[i]);
		CHECK(strstr(s.err.text, "is neither a file nor a run; the newest runs are 0190b444-4444-"));
		CHECK(s.err.kind == ERR_USAGE && s.err.errnum == ENOENT);
	}
	CHECK_STR(find(&s, "no/such/file"), STR("no/such/file: No such file or directory"));
	CHECK_STR(find(&s, "trace.jsonl"), STR("trace.jsonl: No such file or directory"));
	CHECK_INT(s.err.kind, ERR_IO);
	scene_end(&s);
}

TEST(a_path_wins_over_a_name)
{
	struct scene s;

	scene_begin(&s);
	add_five(&s);
	CHECK(mkdir("@last", 0700) == 0);
	put("00cafe", "");
	CHECK_STR(find(&s, "@last"), STR("@last"));
	CHECK_STR(find(&s, "00cafe"), STR("00cafe"));
	CHECK_STR(find(&s, "./r1"), STR("r1"));
	CHECK_STR(find(&s, "-"), STR("-"));
	scene_end(&s);
}

TEST(the_trace_of_a_run_is_in_its_directory)
{
	struct scene s;
	struct str path;

	scene_begin(&s);
	add_five(&s);
	CHECK(!runs_find_trace(&s.a, STR("@last"), &path, &s.err));
	CHECK_INT(s.err.kind, ERR_IO);
	CHECK(strstr(s.err.text, "/taken/agent-trace.jsonl: No such file or directory"));
	put("taken/agent-trace.jsonl", "");
	CHECK(runs_find_trace(&s.a, STR("@last"), &path, &s.err));
	CHECK(str_ends(path, STR("/taken/agent-trace.jsonl")));
	CHECK(runs_find_trace(&s.a, STR("taken"), &path, &s.err));
	CHECK_STR(path, STR("taken/agent-trace.jsonl"));
	CHECK(runs_find_trace(&s.a, STR("taken/"), &path, &s.err));
	CHECK_STR(path, STR("taken/agent-trace.jsonl"));
	CHECK(runs_find_trace(&s.a, STR("taken/agent-trace.jsonl"), &path, &s.err));
	CHECK_STR(path, STR("taken/agent-trace.jsonl"));
	CHECK(runs_find_trace(&s.a, STR("-"), &path, &s.err));
	CHECK_STR(path, STR("-"));
	CHECK(!runs_find_trace(&s.a, STR("nothing"), &path, &s.err));
	CHECK_INT(s.err.kind, ERR_USAGE);
	scene_end(&s);
}

TEST(recent_runs_are_those_that_are_there)
{
	struct run_entry *list;
	struct scene s;
	size_t count;

	scene_begin(&s);
	add_five(&s);
	CHECK(runs_list_recent(&s.a, 10, &list, &count, &s.err));
	CHECK_INT(count, 3);
	CHECK_STR(list[0].run_id, STR("0190b444-4444-7000-8000-00000000beef"));
	CHECK_STR(list[2].run_id, STR("0190a0c0-1111-7000-8000-00000000beef"));
	CHECK(runs_list_recent(&s.a, 1, &list, &count, &s.err) && count == 1);
	CHECK(runs_list_recent(&s.a, 0, &list, &count, &s.err) && count == 0);
	scene_end(&s);
}

TEST(only_some_texts_look_like_the_name_of_a_run)
{
	static const struct {
		const char *text;
		bool is_name;
	} cases[] = {
		{ "@last", true },	{ "@", true },	    { "tag:x", true },	 { "0190a0", true },
		{ "0190a0c0-1", true }, { "CAFEBABE", true }, { "", false },	 { "-", false },
		{ "cafe", false },	{ "readme", false },  { "deadbeef.json", false }, { "./cafebabe", false },
		{ "-cafebabe", false }, { "tags", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(runs_is_name(str_from(cases[i].text)), cases[i].is_name);
	}
}
