/*
 * The verifier: starts when no process of the agent is left, answers on a pipe that did not exist while the agent
 * lived, or in a directory that did not either. Nothing that the agent chose decides where the verdict is looked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "proc/piped.h"
#include "trial/run/private.h"

#define VERIFIER_LOG_MAX ((size_t)1 << 20)
#define VERIFIER_LOOK_MS 200 /* how often it is asked whether to stop */
#define VERIFIER_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct verifying {
	struct arena *arena;
	const struct verifier_ask *ask;
	struct trial_facts *facts;
	uv_loop_t loop;
	uv_pipe_t pipe;
	uv_timer_t look;
	struct piped *child;
	struct buf fd, log;
	char piece[4096];
	bool fd_is_long, log_is_long, stopped;
	struct str report, logs, home;
	const struct piped_end *end;
};

/* ---- a fresh directory ---- */

/* Whatever has the name is set aside, beside the workspace, and told. */
static bool set_aside(struct verifying *v, int dir, const char *name, const char *as, struct err *err)
{
	struct str to = ARENA_JOIN(v->arena, v->ask->dirs.trial, STR("/"), str_from(as));

	tree_remove(to);
	unlink(to.p);
	if (renameat(dir, name, AT_FDCWD, to.p) != 0)
		return err_system(err, errno, "%s in the workspace cannot be moved away", name);
	record_add_finding(v->arena, v->facts, "reward_place_taken",
			   arena_printf(v->arena, "the workspace had something at %s before the verifier began; it was "
					"moved away, and not read",
					strcmp(name, "logs") == 0 ? "logs" : "logs/verifier"));
	return true;
}

/* Opens `name` in the directory as a directory, making one where there is none. Links are not followed. */
static int enter_fresh(struct verifying *v, int dir, const char *name, const char *aside, bool must_be_new,
		       struct err *err)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (must_be_new || !S_ISDIR(st.st_mode)) &&
	    !set_aside(v, dir, name, aside, err))
		return -1;
	if (mkdirat(dir, name, 0755) != 0 && (must_be_new || errno != EEXIST))
		return err_system(err, errno, "cannot make %s in the workspace", name) - 1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_system(err, errno, "cannot open %s in the workspace", name) - 1;
	fchmod(fd, 0755);
	return fd;
}

static bool make_logs(struct verifying *v, struct err *err)
{
	int workspace = open(v->ask->dirs.workspace.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), logs = -1,
	    own = -1;

	if (workspace < 0)
		return err_system(err, errno, "%.*s", STR_ARG(v->ask->dirs.workspace));
	fchmod(workspace, 0700); /* a program of the agent's that the verifier runs may leave others worse ones */
	logs = enter_fresh(v, workspace, "logs", "set-aside-logs", false, err);
	if (logs >= 0)
		own = enter_fresh(v, logs, "verifier", "set-aside-verifier", true, err);
	v->logs = ARENA_JOIN(v->arena, v->ask->dirs.workspace, STR("/logs/verifier"));
	close(workspace);
	if (logs >= 0)
		close(logs);
	if (own >= 0)
		close(own);
	return own >= 0;
}

/* What the agent left in the workspace must not be settings of the verifier's programs: Python reads code from HOME. */
static bool make_home(struct verifying *v, struct err *err)
{
	v->home = ARENA_JOIN(v->arena, v->ask->dirs.trial, STR("/verifier-home"));
	tree_remove(v->home);
	return mkdir(v->home.p, 0700) == 0 || err_system(err, errno, "%.*s", STR_ARG(v->home));
}

/* ---- starting ---- */

/* With its own first line where that can be used, else by the shell that the line names. */
static void choose_shell(struct verifying *v, struct str script, struct str seen, const char **argv)
{
	struct str head = tree_read_file(v->arena, v->ask->task->dir, STR("tests/test.sh"), (size_t)16 << 20), rest;
	struct str line = str_cut(head, '\n', &rest);

	if (str_starts(line, STR("#!")) && access(script.p, X_OK) == 0) {
		argv[0] = seen.p;
		return;
	}
	argv[0] = str_has(line, STR("bash")) && access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
	argv[1] = seen.p;
}

static bool can_move(enum sandbox_level level)
{
	return level >= SANDBOX_BWRAP;
}

static const char *const *verifier_argv(struct verifying *v, int keep)
{
	const struct verifier_ask *ask = v->ask;
	struct sandbox_path *paths = arena_array(v->arena, struct sandbox_path, 4);
	const char **argv = arena_array(v->arena, const char *, 3);
	struct str tests = ARENA_JOIN(v->arena, ask->task->dir, STR("/tests"));
	struct str seen = can_move(ask->level) ? STR("/tests") : tests;
	struct sandbox_options o = {
		.program = ask->program,
		.level = ask->level,
		.paths = paths,
		.dir = ask->dirs.workspace_seen,
		.keep = keep,
		.timeout_ms = (unsigned)fmin(fmax(ask->task->verifier_timeout_s * 1000, 1), 4e9),
		.limits = { .memory_bytes = ask->task->memory_bytes },
		.report = v->report,
		.argv = argv,
	};

	paths[o.path_count++] = (struct sandbox_path){ ask->dirs.workspace, ask->dirs.workspace_seen, true };
	paths[o.path_count++] = (struct sandbox_path){ .outside = v->home, .writable = true };
	paths[o.path_count++] = (struct sandbox_path){ .outside = tests, .inside = can_move(ask->level) ? seen :
						       str_of(NULL, 0) };
	if (can_move(ask->level))
		paths[o.path_count++] = (struct sandbox_path){ v->logs, STR("/logs/verifier"), true };
	choose_shell(v, ARENA_JOIN(v->arena, tests, STR("/test.sh")), ARENA_JOIN(v->arena, seen, STR("/test.sh")),
		     argv);
	return sandbox_argv(v->arena, &o);
}

/* Nothing of the user's: no keys, no settings of interpreters, the system's programs only. */
static const char *const *verifier_env(struct verifying *v)
{
	const struct verifier_ask *ask = v->ask;
	const char **env = arena_array(v->arena, const char *, 9);
	struct str tests = can_move(ask->level) ? STR("/tests") : ARENA_JOIN(v->arena, ask->task->dir, STR("/tests"));
	size_t n = 0;

	env[n++] = "PATH=" VERIFIER_PATH;
	env[n++] = "LANG=C.UTF-8";
	env[n++] = ARENA_JOIN(v->arena, STR("HOME="), v->home).p;
	env[n++] = ARENA_JOIN(v->arena, STR("TMPDIR="), trial_tmp(ask->level, v->home)).p;
	env[n++] = ARENA_JOIN(v->arena, STR("WORKSPACE="), ask->dirs.workspace_seen).p;
	env[n++] = ARENA_JOIN(v->arena, STR("TESTS="), tests).p;
	env[n++] = "TRACKWAY_REWARD_FD=3";
	env[n++] = "PYTHONDONTWRITEBYTECODE=1";
	return env;
}

/* ---- while it runs ---- */

static void verifier_lend(uv_handle_t *h, size_t suggested, uv_buf_t *out)
{
	struct verifying *v = h->data;

	(void)suggested;
	*out = uv_buf_init(v->piece, sizeof(v->piece));
}

static void take_fd(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct verifying *v = s->data;

	if (n < 0) {
		uv_read_stop(s);
		return;
	}
	v->fd_is_long = v->fd_is_long || v->fd.n + (size_t)n > VERDICT_MAX;
	if (!v->fd_is_long)
		buf_add(&v->fd, b->base, (size_t)n);
}

static void take_output(void *own, struct str bytes)
{
	struct verifying *v = own;
	size_t room = VERIFIER_LOG_MAX - v->log.n;

	v->log_is_long = v->log_is_long || bytes.n > room;
	buf_add(&v->log, bytes.p, bytes.n < room ? bytes.n : room);
}

static void verifier_ended(void *own, const struct piped_end *end)
{
	struct verifying *v = own;
	ssize_t n;
	int fd;

	take_output(v, end->complaint);
	v->child = NULL;
	uv_close((uv_handle_t *)&v->look, NULL);
	/* what is in the pipe is read: nobody is left to write more */
	if (uv_fileno((uv_handle_t *)&v->pipe, &fd) == 0)
		while ((n = read(fd, v->piece, sizeof(v->piece))) > 0) {
			uv_buf_t b = uv_buf_init(v->piece, sizeof(v->piece));

			take_fd((uv_stream_t *)&v->pipe, n, &b);
		}
	uv_close((uv_handle_t *)&v->pipe, NULL);
}

static void look_at_parent(uv_timer_t *timer)
{
	struct verifying *v = timer->data;

	if (!v->child || !trial_is_orphan(v->ask->parent))
		return;
	v->stopped = true;
	piped_stop(v->child);
}

static bool verifier_start(struct verifying *v, struct err *err)
{
	struct piped_options o = { .env = verifier_env(v), .data = take_output, .ended = verifier_ended, .own = v };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_system(err, errno, "cannot make a pipe");
	fcntl(ends[1], F_SETFD, 0); /* the sandbox hands it on */
	o.argv = verifier_argv(v, ends[1]);
	uv_pipe_init(&v->loop, &v->pipe, 0);
	uv_timer_init(&v->loop, &v->look);
	v->pipe.data = v->look.data = v;
	uv_pipe_open(&v->pipe, ends[0]);
	uv_read_start((uv_stream_t *)&v->pipe, verifier_lend, take_fd);
	v->child = piped_start(&v->loop, &o, err);
	close(ends[1]);
	if (!v->child) {
		uv_close((uv_handle_t *)&v->pipe, NULL);
		uv_close((uv_handle_t *)&v->look, NULL);
		return false;
	}
	uv_timer_start(&v->look, look_at_parent, VERIFIER_LOOK_MS, VERIFIER_LOOK_MS);
	return true;
}

/* ---- what it said ---- */

/* What is there and cannot be read, or is too long, is a place with nothing in it, which decides as any other does. */
static struct str read_log(struct verifying *v, const char *name)
{
	struct str path = ARENA_JOIN(v->arena, STR("logs/verifier/"), str_from(name));
	struct str text = tree_read_file(v->arena, v->ask->dirs.workspace, path, VERDICT_MAX);
	struct stat st;

	if (!text.p && lstat(ARENA_JOIN(v->arena, v->logs, STR("/"), str_from(name)).p, &st) == 0)
		return STR("");
	return text;
}

/* Why nothing that it said counts; p NULL: it ended by itself. */
static struct str verifier_fault(const struct verifying *v)
{
	const struct sandbox_report *r = &v->facts->verifier.report;

	if (r->timed_out)
		return arena_printf(v->arena, "the verifier did not end in %.0f s", v->ask->task->verifier_timeout_s);
	if (!r->started)
		return STR("the verifier could not be started; verifier.log says why");
	if (r->signal)
		return arena_printf(v->arena, "the verifier was ended by signal %d", r->signal);
	return v->fd_is_long ? STR("the verifier wrote more than 1 MiB to descriptor 3") : str_of(NULL, 0);
}

static void verifier_judge(struct verifying *v)
{
	struct trial_facts *f = v->facts;
	struct verdict_given given = {
		.fd = buf_str(&v->fd), .json = read_log(v, "reward.json"), .text = read_log(v, "reward.txt"),
		.details = read_log(v, "details.json"),
	};
	struct str fault = verifier_fault(v);

	verdict_read(v->arena, &given, &f->verdict);
	if (fault.p) {
		if (f->verdict.channel == VERDICT_NOWHERE && !v->fd_is_long)
			record_add_error(v->arena, f, STR(VERDICT_MISSING));
		f->verdict = (struct verdict){ .error = fault };
	}
	if (!f->verdict.completed && f->class < CLASS_VERIFIER_FAILED)
		f->class = CLASS_VERIFIER_FAILED;
}

/* Tests that changed while the agent lived would judge by its own rules. */
static bool check_tests(struct verifying *v, bool *same, struct err *err)
{
	struct trial_task now;

	if (!task_read(v->arena, v->ask->task->dir, &now, err))
		return err_context(err, "the task, read again before the verifier");
	*same = digest_eq(now.verifier, v->ask->task->verifier);
	if (*same)
		return true;
	v->facts->verdict = (struct verdict){
		.error = STR("the tests changed while the agent ran; they were not run"),
	};
	record_add_finding(v->arena, v->facts, "tests_changed", v->facts->verdict.error);
	v->facts->class = CLASS_VERIFIER_FAILED;
	return true;
}

static bool verifier_finish(struct verifying *v, struct err *err)
{
	struct sandbox_report *r = &v->facts->verifier.report;
	struct str path = ARENA_JOIN(v->arena, v->ask->dirs.artifacts, STR("/verifier.log"));

	unlink(path.p); /* of a verifier before this one, whose trial is judged again */
	if (v->stopped)
		return err_set(err, ERR_IO, "the trial was stopped");
	if (!sandbox_report_read(v->arena, v->report, r, err))
		return err_context(err, "the verifier's sandbox");
	if (r->failure.p)
		return err_set(err, ERR_IO, "the verifier's sandbox: %.*s", STR_ARG(r->failure));
	v->facts->verifier.ran = true;
	verifier_judge(v);
	if (v->log_is_long)
		record_add_finding(v->arena, v->facts, "verifier_log_cut", STR("verifier.log is longer than 1 MiB; "
				   "what is beyond was not kept"));
	return !v->log.n || file_replace(path, buf_str(&v->log), 0600, err);
}

bool verifier_run(struct arena *a, const struct verifier_ask *ask, struct trial_facts *f, struct err *err)
{
	struct verifying v = { .arena = a, .ask = ask, .facts = f };
	uint64_t begun = clock_mono_ns();
	bool done, same = true;

	if (!check_tests(&v, &same, err) || !same)
		return same == false;
	v.report = ARENA_JOIN(a, ask->dirs.trial, STR("/verifier.report"));
	buf_init(&v.fd);
	buf_init(&v.log);
	uv_loop_init(&v.loop);
	done = make_logs(&v, err) && make_home(&v, err) && verifier_start(&v, err);
	uv_run(&v.loop, UV_RUN_DEFAULT);
	uv_loop_close(&v.loop);
	f->verifier_s = (double)(clock_mono_ns() - begun) / 1e9;
	tree_remove(v.home);
	done = done && verifier_finish(&v, err);
	buf_free(&v.log);
	buf_free(&v.fd);
	return done;
}
