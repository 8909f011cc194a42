/* The command line of a sandbox and its report, both ways. */
#include "proc/sandbox/private.h"

#include <stdio.h>

#include "base/file.h"
#include "harness/test.h"

static const char *const command[] = { "agent", "--flag", "", NULL };

TEST(what_is_asked_of_a_sandbox_is_read_as_it_was_written)
{
	struct sandbox_path paths[] = { { .outside = STR("/a b"), .inside = STR("/workspace"), .writable = true },
					{ .outside = STR("/c") } };
	struct str hidden[] = { STR("/a b/secret") };
	struct sandbox_options o = { .program = STR("/bin/trackway"), .level = SANDBOX_BWRAP, .paths = paths,
				     .path_count = 2, .hidden = hidden, .hidden_count = 1, .dir = STR("/workspace/x"),
				     .port_variable = STR("PORT"), .other_user = true, .keep = 9, .timeout_ms = 70,
				     .limits = { .memory_bytes = 1, .processes = 2, .file_bytes = 3, .cpu_seconds = 4 },
				     .report = STR("/r/report"), .argv = command };
	struct sandbox_options r;
	const char *const *argv;
	struct arena a;
	struct err err;

	arena_init(&a);
	argv = sandbox_argv(&a, &o);
	CHECK_STR(str_from(argv[0]), STR("/bin/trackway"));
	CHECK_STR(str_from(argv[1]), STR("__sandbox"));
	CHECK(sandbox_read_arguments(&a, argv + 2, &r, &err));
	CHECK_INT(r.level, SANDBOX_BWRAP);
	CHECK_INT(r.path_count, 2);
	CHECK_STR(r.paths[0].outside, STR("/a b"));
	CHECK_STR(r.paths[0].inside, STR("/workspace"));
	CHECK(r.paths[0].writable && !r.paths[1].writable && !r.paths[1].inside.p);
	CHECK_STR(r.hidden[0], STR("/a b/secret"));
	CHECK_STR(r.dir, STR("/workspace/x"));
	CHECK_STR(r.port_variable, STR("PORT"));
	CHECK(r.other_user);
	CHECK_INT(r.keep, 9);
	CHECK_INT(r.timeout_ms, 70);
	CHECK_INT(r.limits.memory_bytes + 10 * r.limits.processes + 100 * r.limits.file_bytes, 321);
	CHECK_INT(r.limits.cpu_seconds, 4);
	CHECK_STR(r.report, STR("/r/report"));
	CHECK_STR(str_from(r.argv[1]), STR("--flag"));
	CHECK(r.argv[2][0] == '\0' && !r.argv[3]);
	arena_free(&a);
}

TEST(a_path_is_seen_where_it_was_moved_to)
{
	struct sandbox_path paths[] = { { .outside = STR("/a"), .inside = STR("/workspace") }, { .outside = STR("/c") } };
	struct sandbox_options o = { .paths = paths, .path_count = 2 };
	static const struct {
		const char *outside, *inside;
	} cases[] = {
		{ "/a", "/workspace" }, { "/a/b", "/workspace/b" }, { "/ab", NULL }, { "/c/d", "/c/d" }, { "/etc/x", "/etc/x" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str got = sandbox_place(&a, &o, str_from(cases[i].outside));

		test_case("%s", cases[i].outside);
		CHECK(!got.p == !cases[i].inside);
		CHECK_STR(got, str_from(cases[i].inside));
	}
	arena_free(&a);
}

TEST(without_moved_paths_the_directory_is_where_it_is_outside)
{
	const char *argv[] = { "level=landlock", "write=/a", "in=/workspace", "dir=/workspace/b", "--", "x", NULL };
	struct sandbox_options r;
	struct arena a;
	struct err err;

	arena_init(&a);
	CHECK(sandbox_read_arguments(&a, argv, &r, &err));
	CHECK_STR(r.dir, STR("/a/b"));
	arena_free(&a);
}

TEST(wrong_arguments_are_refused)
{
	static const char *const cases[][6] = {
		{ "--", "x", NULL },
		{ "level=none", NULL },
		{ "level=none", "--", NULL },
		{ "level=some", "--", "x", NULL },
		{ "level=none", "read=a", "--", "x", NULL },
		{ "level=none", "in=/a", "--", "x", NULL },
		{ "level=none", "hide=", "--", "x", NULL },
		{ "level=none", "keep=2", "--", "x", NULL },
		{ "level=none", "timeout-ms=0", "--", "x", NULL },
		{ "level=none", "memory=-1", "--", "x", NULL },
		{ "level=none", "processes=99999999999", "--", "x", NULL },
		{ "level=none", "unknown=1", "--", "x", NULL },
		{ "level=none", "write=/a", "report=/a/report", "--", "x", NULL },
		{ "level=none", "read=/a/", "report=/a/b/report", "--", "x", NULL },
	};
	struct sandbox_options o;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { .kind = ERR_NONE };

		test_case("%zu", i);
		CHECK(!sandbox_read_arguments(&a, cases[i], &o, &err));
		CHECK_INT(err.kind, ERR_USAGE);
	}
	arena_free(&a);
}

TEST(a_report_is_read_as_it_was_written)
{
	struct sandbox_denial denials[] = { { .t_ms = 5, .call = STR("connect"), .what = STR("a b%\n\xff-"), .count = 7 },
					    { .t_ms = 6, .call = STR("bind"), .what = STR("-"), .count = 1 },
					    { .t_ms = 6, .call = STR("ptrace"), .what = STR(""), .count = 1 } };
	struct str unseen[] = { STR("paths") };
	struct sandbox_report w = { .level = SANDBOX_LANDLOCK, .kernel = STR("6.1"), .limits_by = STR(""),
				    .user = STR("65534"), .timed_out = true, .started = true, .signal = 9, .emptied = true,
				    .left_behind = 3, .denials = denials, .denial_count = 3, .unseen = unseen,
				    .unseen_count = 1, .failure = STR("no\nroom") };
	struct sandbox_report r;
	struct str path;
	struct arena a;
	struct err err;

	arena_init(&a);
	path = arena_printf(&a, "%s/report", test_dir());
	CHECK(sandbox_report_write(path, &w, &err));
	CHECK(sandbox_report_read(&a, path, &r, &err));
	CHECK_INT(r.level, SANDBOX_LANDLOCK);
	CHECK_STR(r.kernel, STR("6.1"));
	CHECK(r.limits_by.p && r.limits_by.n == 0);
	CHECK_STR(r.user, STR("65534"));
	CHECK(r.timed_out && r.started && r.emptied);
	CHECK_INT(r.signal, 9);
	CHECK_INT(r.left_behind, 3);
	CHECK_INT(r.denial_count, 3);
	for (size_t i = 0; i < 3; i++) {
		CHECK_STR(r.denials[i].call, denials[i].call);
		CHECK_STR(r.denials[i].what, denials[i].what);
		CHECK_INT(r.denials[i].count, denials[i].count);
		CHECK_INT(r.denials[i].t_ms, denials[i].t_ms);
	}
	CHECK_STR(r.unseen[0], STR("paths"));
	CHECK_STR(r.failure, STR("no\nroom"));
	arena_free(&a);
}

/* Every beginning of a report is damaged, and so is each of these. */
TEST(a_damaged_report_is_refused)
{
	static const char whole[] = "trackway-sandbox 1\nlevel none\nkernel 6\nended 1 0 0 0 1 0\nend\n";
	static const char *const cases[] = {
		"", "end\n", "trackway-sandbox 2\nlevel none\nended 1 0 0 0 1 0\nend\n",
		"trackway-sandbox 1\nlevel none\nend\n", "trackway-sandbox 1\nended 1 0 0 0 1 0\nend\n",
		"trackway-sandbox 1\nlevel none\nended 1 0 256 0 1 0\nend\n",
		"trackway-sandbox 1\nlevel none\nended 1 0 0 0 1 0\nend\nend\n",
		"trackway-sandbox 1\nlevel none\nended 1 0 0 0 1 0 0\nend\n",
		"trackway-sandbox 1\nlevel none\nuser %4\nended 1 0 0 0 1 0\nend\n",
		"trackway-sandbox 1\nlevel none\nhello\nended 1 0 0 0 1 0\nend\n",
		"trackway-sandbox 1\nlevel none\ndenied 1 1 connect\nended 1 0 0 0 1 0\nend\n",
	};
	struct sandbox_report r;
	struct str path;
	struct arena a;
	struct err err;

	arena_init(&a);
	path = arena_printf(&a, "%s/report", test_dir());
	CHECK(!sandbox_report_read(&a, path, &r, &err));
	CHECK(file_replace(path, STR(whole), 0600, &err) && sandbox_report_read(&a, path, &r, &err));
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("case %zu", i);
		CHECK(file_replace(path, str_from(cases[i]), 0600, &err));
		CHECK(!sandbox_report_read(&a, path, &r, &err));
	}
	for (size_t n = 0; n + 2 < sizeof(whole); n++) {
		test_case("the first %zu bytes", n);
		CHECK(file_replace(path, str_of(whole, n), 0600, &err));
		CHECK(!sandbox_report_read(&a, path, &r, &err));
	}
	arena_free(&a);
}

TEST(a_command_cannot_fill_the_report)
{
	struct sandbox_tally *t = test_alloc(sizeof(*t));
	char what[4096];
	struct arena a;
	uint64_t sum = 0;

	arena_init(&a);
	t->arena = &a;
	for (int i = 0; i < 100000; i++) {
		int n = snprintf(what, sizeof(what), "%d %2000d", i, i);

		sandbox_tally_add(t, i % 2 ? STR("connect") : STR("bind"), str_of(what, (size_t)n), 1);
	}
	sandbox_tally_add(t, STR("ptrace"), STR(""), 1);
	CHECK(t->count <= SANDBOX_KINDS);
	for (size_t i = 0; i < t->count; i++) {
		CHECK(t->rows[i].what.n <= SANDBOX_WHAT_MOST);
		sum += t->rows[i].count;
	}
	CHECK_INT(sum, 100001);
	CHECK_STR(t->rows[t->count - 1].call, STR("ptrace"));
	arena_free(&a);
}
