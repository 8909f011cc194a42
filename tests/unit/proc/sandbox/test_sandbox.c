/*
 * Commands in sandboxes of each level that works here. This program is the sandbox, too: what it is started as is
 * looked at before the harness begins.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"
#include "proc/sandbox/sandbox.h"
#include "proc/self.h"

__attribute__((constructor)) static void be_the_sandbox(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "__sandbox") == 0)
		exit(sandbox_main(argc - 2, argv + 2));
}

struct ran {
	int status; /* as waitpid gives it */
	struct str out;
	struct sandbox_report report;
	bool has_report;
};

static struct arena memory;

/* Reads to the end: whoever has the stream is over by then. */
static struct str read_all(int fd)
{
	char *text = test_alloc(1 << 16);
	size_t n = 0;
	ssize_t got;

	while (n < 1 << 16 && (got = read(fd, text + n, (1 << 16) - n)) > 0)
		n += (size_t)got;
	close(fd);
	return str_of(text, n);
}

static struct ran run(struct sandbox_options *o, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	struct str report = arena_printf(&memory, "%s/report", test_dir());
	posix_spawn_file_actions_t actions;
	struct ran r = { .has_report = false };
	const char *const *line;
	struct err err;
	int ends[2];
	pid_t pid;

	o->program = self_path(&memory);
	if (!o->argv)
		o->argv = argv;
	o->report = report;
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	line = sandbox_argv(&memory, o);
	CHECK_INT(posix_spawn(&pid, line[0], &actions, NULL, (char *const *)(uintptr_t)line, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	r.out = read_all(ends[0]);
	CHECK(waitpid(pid, &r.status, 0) == pid);
	r.has_report = sandbox_report_read(&memory, report, &r.report, &err);
	o->argv = NULL;
	return r;
}

/* Whether this level works here; each test says which it left out. */
static bool works(enum sandbox_level level)
{
	struct err err;

	test_case("%s", sandbox_level_name(level));
	if (sandbox_can(level, &err))
		return true;
	printf("left out: %s: %s\n", sandbox_level_name(level), err.text);
	return false;
}

static unsigned count_denied(const struct ran *r, const char *call)
{
	unsigned count = 0;

	for (size_t i = 0; i < r->report.denial_count; i++)
		if (str_eq(r->report.denials[i].call, str_from(call)))
			count += (unsigned)r->report.denials[i].count;
	return count;
}

#define EACH_LEVEL(level, first) \
	for (enum sandbox_level level = (first); level <= SANDBOX_BWRAP; level++) \
		if (works(level))

TEST(streams_and_status_are_the_commands)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level };
		struct ran r = run(&o, "echo hello; exit 7");

		CHECK_STR(r.out, STR("hello\n"));
		CHECK_INT(WEXITSTATUS(r.status), 7);
		CHECK(r.has_report && r.report.started && r.report.emptied && !r.report.failure.p);
		CHECK_INT(r.report.level, level);
		CHECK_INT(r.report.status, 7);
		r = run(&o, "kill -TERM $$");
		CHECK_INT(WEXITSTATUS(r.status), 128 + SIGTERM);
		CHECK_INT(r.report.signal, SIGTERM);
	}
}

TEST(a_command_that_is_not_there_was_not_started)
{
	static const char *const argv[] = { "/nowhere/at-all", NULL };

	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level, .argv = argv };
		struct ran r = run(&o, "");

		CHECK_INT(WEXITSTATUS(r.status), 127);
		CHECK(r.has_report && !r.report.started && !r.report.failure.p);
	}
}

TEST(nobody_is_left_behind)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level };
		struct ran r = run(&o, "(setsid setsid sleep 600 &) ; sleep 0.3; echo over");

		CHECK_STR(r.out, STR("over\n")); /* it was read to its end, which the daemon had open */
		CHECK_INT(r.report.left_behind, 1);
		CHECK(r.report.emptied && !r.report.timed_out);
		CHECK_INT(WEXITSTATUS(r.status), 0);
	}
}

TEST(a_command_that_takes_too_long_is_ended_with_all_it_started)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level, .timeout_ms = 700 };
		struct ran r = run(&o, "trap '' TERM HUP; (setsid sleep 600 &); echo in; sleep 600");

		CHECK_STR(r.out, STR("in\n"));
		CHECK(r.report.timed_out && r.report.started && r.report.emptied && !r.report.failure.p);
		CHECK_INT(r.report.signal, SIGKILL);
	}
}

TEST(the_answer_comes_on_descriptor_three_and_no_other_is_there)
{
	int ends[2];

	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level };
		struct ran r;
		char text[8];

		CHECK(pipe(ends) == 0); /* without close-on-exec: as it is handed on */
		o.keep = ends[1];
		r = run(&o, "echo yes >&3; ls /proc/self/fd");
		close(ends[1]);
		CHECK_INT(read(ends[0], text, sizeof(text)), 4);
		close(ends[0]);
		CHECK_STR(r.out, STR("0\n1\n2\n3\n4\n")); /* 4 is the directory that ls reads */
	}
}

/* A directory with what is to be seen and what is not; everybody may walk through it. */
static const char *make_files(void)
{
	const char *dir = test_dir();
	struct err err;

	chmod(dir, 0755);
	for (const char *const *d = (const char *const[]){ "w", "r", "r/hidden", "out", NULL }; *d; d++)
		CHECK(mkdir(arena_printf(&memory, "%s/%s", dir, *d).p, 0755) == 0);
	for (const char *const *f = (const char *const[]){ "w/old", "r/seen", "r/hidden/x", "r/one", "out/x", NULL }; *f; f++)
		CHECK(file_replace(arena_printf(&memory, "%s/%s", dir, *f), STR("text\n"), 0644, &err));
	return dir;
}

TEST(only_the_paths_that_were_named_are_seen)
{
	const char *dir;

	arena_init(&memory);
	dir = make_files();
	EACH_LEVEL(level, SANDBOX_LANDLOCK) {
		struct str w = arena_printf(&memory, "%s/w", dir), r = arena_printf(&memory, "%s/r", dir);
		struct sandbox_path paths[] = { { .outside = w, .inside = STR("/workspace"), .writable = true },
						{ .outside = r } };
		struct str hidden[] = { arena_printf(&memory, "%s/r/hidden", dir), arena_printf(&memory, "%s/r/one", dir) };
		struct sandbox_options o = { .level = level, .paths = paths, .path_count = 2, .hidden = hidden,
					     .hidden_count = 2, .dir = STR("/workspace"), .other_user = true };
		struct str script = arena_printf(&memory,
			"try() { \"$@\" >/dev/null 2>&1 && echo yes || echo no; }\n"
			"try cat old; try touch new; try cat %s/r/seen; try touch %s/r/new; try cat %s/r/hidden/x; "
			"try ls %s/r/hidden; grep -q . %s/r/one 2>/dev/null && echo yes || echo no; "
			"try cat %s/out/x; try cat /proc/self/root%s/out/x; try touch /etc/new; try ls /usr/bin/sh",
			dir, dir, dir, dir, dir, dir, dir);
		struct ran ran = run(&o, script.p);

		CHECK_STR(ran.out, STR("yes\nyes\nyes\nno\nno\nno\nno\nno\nno\nno\nyes\n"));
		CHECK(!ran.report.failure.p);
		if (geteuid() == 0)
			CHECK_STR(ran.report.user, STR("65534"));
	}
}

TEST(a_sandbox_that_cannot_be_set_up_does_not_run_the_command)
{
	arena_init(&memory);
	unsetenv("NO_PORT");
	EACH_LEVEL(level, SANDBOX_LANDLOCK) {
		struct sandbox_path paths[] = { { .outside = STR("/nowhere/at/all") } };
		struct sandbox_options o = { .level = level, .paths = paths, .path_count = 1 };
		struct ran r = run(&o, "echo ran");

		CHECK_STR(r.out, STR(""));
		CHECK_INT(WEXITSTATUS(r.status), 125);
		CHECK(r.has_report && r.report.failure.n > 0 && !r.report.started);
		o = (struct sandbox_options){ .level = level, .port_variable = STR("NO_PORT") };
		r = run(&o, "echo ran");
		CHECK_STR(r.out, STR(""));
		CHECK_INT(WEXITSTATUS(r.status), 125);
	}
}

TEST(a_level_that_is_not_there_is_refused_by_name)
{
	struct sandbox_options o = { .level = SANDBOX_OCI };
	struct err err = { .kind = ERR_NONE };
	struct ran r;

	arena_init(&memory);
	CHECK(!sandbox_can(SANDBOX_OCI, &err) && err.kind == ERR_IO);
	r = run(&o, "echo ran");
	CHECK_STR(r.out, STR(""));
	CHECK_INT(WEXITSTATUS(r.status), 125);
}

TEST(limits_hold_and_are_told)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level, .timeout_ms = 60000, .limits = { .file_bytes = 4096 } };
		struct str w = arena_printf(&memory, "%s", test_dir());
		struct sandbox_path paths[] = { { .outside = arena_printf(&memory, "%.*s/w", STR_ARG(w)), .writable = true } };
		struct ran r;

		mkdir(paths[0].outside.p, 0755);
		o.paths = paths;
		o.path_count = 1;
		o.dir = paths[0].outside;
		r = run(&o, "dd if=/dev/zero of=f bs=8192 count=1 2>/dev/null; wc -c <f");
		CHECK_STR(r.out, STR("4096\n"));
		CHECK_STR(r.report.limits_by, STR("rlimit"));
		o.limits = (struct sandbox_limits){ .processes = 20 };
		r = run(&o, "i=0; while [ $i -lt 60 ]; do sleep 30 & i=$((i+1)); done 2>/dev/null; echo through");
		CHECK(r.report.limits_by.n > 0 && r.report.emptied);
		if (!str_eq(r.report.limits_by, STR("rlimit"))) {
			CHECK(r.report.left_behind < 21);
			CHECK(count_denied(&r, "processes") > 0);
		}
	}
}

TEST(denied_attempts_are_told)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_LANDLOCK) {
		struct sandbox_options o = { .level = level };
		struct ran r = run(&o, "exec 2>/dev/null; unshare -r true; nsenter -t 1 -u true; true");

		test_case("%s: calls", sandbox_level_name(level));
		CHECK_INT(count_denied(&r, "unshare"), 1);
		CHECK(r.report.unseen_count > 0);
		CHECK_INT(r.report.status, 0);
	}
}

TEST(whoever_ends_the_sandbox_ends_the_command)
{
	arena_init(&memory);
	EACH_LEVEL(level, SANDBOX_NONE) {
		struct sandbox_options o = { .level = level };
		struct ran r = run(&o, "(sleep 600 &) ; sleep 0.2; kill -KILL -1 2>/dev/null; kill -KILL $PPID; echo alive");

		if (level == SANDBOX_NONE)
			continue; /* whoever runs as we do may end us */
		CHECK_STR(r.out, STR("alive\n"));
		CHECK(r.has_report && r.report.started && r.report.emptied);
	}
}

TEST(the_best_level_is_never_none)
{
	enum sandbox_level level = SANDBOX_NONE;
	struct err err = { .kind = ERR_NONE };

	if (sandbox_best(&level, &err))
		CHECK(level >= SANDBOX_LANDLOCK);
	else
		CHECK(err.kind == ERR_IO && str_has(str_from(err.text), STR("bwrap")));
}
