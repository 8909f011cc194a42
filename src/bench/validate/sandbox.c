/*
 * Makes the command line, the environment and the limits before the fork, since the child of a process with threads may
 * call next to nothing; waits by a pidfd, so that no signal handler is needed; kills the process group in any case.
 */
#include "bench/validate/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "bench/validate/sandbox_memory.h"

#define STATUS_FD 3 /* where bwrap writes how the program ended */
#define PROBE_MS 5000
#define LOOK_MS 10    /* between two looks at its memory, */
#define LOOK_SHARE 20 /* and so many times as long as a look takes */
#define PLACES "/usr/local/bin:/usr/bin:/bin" /* when there is no PATH */

/* Everything that the child needs, made before the fork: it may only call what a signal handler may. */
struct start {
	const char *program;
	const char **argv, **env;
	int input, output, status, failed;
	struct rlimit memory, processor, file, processes, core;
};

/* ---- what is run ---- */

static const char *path_list(void)
{
	const char *list = getenv("PATH");

	return list && *list ? list : PLACES;
}

/* The program of that name by PATH; a name with a slash is a path already. NULL when there is none. */
static const char *find_program(struct arena *a, const char *name)
{
	struct str rest = str_from(path_list()), dir;

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? name : NULL;
	while (rest.n) {
		const char *path;

		dir = str_cut(rest, ':', &rest);
		path = arena_printf(a, "%.*s/%s", STR_ARG(dir), name).p;
		if (dir.n && access(path, X_OK) == 0)
			return path;
	}
	return NULL;
}

/* Three variables and no more: API keys and tokens of the user are in the rest. */
static void make_environment(struct arena *a, struct start *s)
{
	const char *lang = getenv("LANG");

	s->env = (const char **)arena_alloc_array(a, 4, sizeof(*s->env), _Alignof(const char *));
	s->env[0] = arena_printf(a, "PATH=%s", path_list()).p;
	s->env[1] = arena_printf(a, "LANG=%s", lang && *lang ? lang : "C.UTF-8").p;
	s->env[2] = "HOME=/tmp";
	s->env[3] = NULL;
}

struct line {
	struct arena *arena;
	const char **argv;
	size_t count;
};

/* lock_in has made room for 64 words beside the program's own. */
static void add(struct line *l, const char *word)
{
	l->argv[l->count++] = word;
}

/* A path below /tmp is hidden by the program's own /tmp: it is shown again, read-only. */
static void add_hidden(struct line *l, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(path, real) || !str_starts(str_from(real), STR("/tmp/")))
		return;
	add(l, "--ro-bind");
	add(l, arena_copy(l->arena, str_from(real)).p);
	add(l, l->argv[l->count - 1]);
}

/* The command line of bwrap with the program's own behind it. */
static const char **lock_in(struct arena *a, const char *program, const char *const *argv)
{
	static const char *const fixed[] = { "bwrap", "--unshare-user", "--unshare-all", "--cap-drop", "ALL",
					     "--die-with-parent", "--new-session", "--json-status-fd", "3",
					     "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc" };
	struct line l = { .arena = a };
	size_t count = 0;

	while (argv[count])
		count++;
	l.argv = (const char **)arena_alloc_array(a, count + 64, sizeof(*l.argv), _Alignof(const char *));
	for (size_t i = 0; i < COUNT(fixed); i++)
		add(&l, fixed[i]);
	add(&l, "--size");
	add(&l, arena_printf(a, "%llu", (unsigned long long)SANDBOX_FILE).p);
	add(&l, "--tmpfs");
	add(&l, "/tmp");
	add(&l, "--size"); /* what is in it is memory, as is what is in /dev, where nothing more may be put */
	add(&l, arena_printf(a, "%llu", (unsigned long long)SANDBOX_FILE).p);
	add(&l, "--tmpfs");
	add(&l, "/dev/shm");
	add(&l, "--remount-ro");
	add(&l, "/dev");
	if (access("/run", F_OK) == 0) {
		add(&l, "--tmpfs");
		add(&l, "/run");
	}
	add_hidden(&l, ".");
	add_hidden(&l, program);
	add(&l, "--");
	add(&l, program);
	for (size_t i = 1; i <= count; i++) /* its NULL too */
		add(&l, argv[i]);
	return l.argv;
}

/* ---- limits ---- */

static struct rlimit both(uint64_t n)
{
	return (struct rlimit){ .rlim_cur = n, .rlim_max = n };
}

/* The tasks of the whole machine, which are not less than the user's: "0.1 0.2 0.3 2/345 6789". */
static uint64_t count_tasks(struct arena *a)
{
	struct err err = { .kind = ERR_NONE };
	struct str text, rest, number;
	int64_t n = 0;

	if (!file_read(a, STR("/proc/loadavg"), 4096, &text, &err))
		return 4096;
	str_cut(text, '/', &rest);
	number = str_cut(rest, ' ', &rest);
	return num_parse_i64(number, &n) && n > 0 ? (uint64_t)n : 4096;
}

/*
 * Processor time has two seconds more than the wall clock, which is to end it first. The number of processes is the
 * kernel's count for the user, so what runs now is added.
 */
static void set_limits(struct start *s, struct arena *a, int64_t limit_ms)
{
	s->memory = both(SANDBOX_MEMORY);
	s->processor = both((uint64_t)limit_ms / 1000 + 2);
	s->file = both(SANDBOX_FILE);
	s->processes = both(count_tasks(a) + SANDBOX_PROCESSES);
	s->core = both(0);
}

/* A limit that is lower already stays. */
static bool limit(__rlimit_resource_t which, struct rlimit want)
{
	struct rlimit now;

	if (getrlimit(which, &now) != 0)
		return false;
	if (now.rlim_max < want.rlim_max)
		want = (struct rlimit){ .rlim_cur = now.rlim_max, .rlim_max = now.rlim_max };
	return setrlimit(which, &want) == 0;
}

/* ---- the child ---- */

/* What our threads block or ignore is our affair. */
static void reset_signals(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t none;

	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &usual, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * The child. Only calls what may be called after fork in a process with threads. Failure is told by errno through the
 * pipe, which exec closes.
 */
static _Noreturn void become(const struct start *s)
{
	int error, failed = s->failed;

	reset_signals();
	if (setpgid(0, 0) == 0 && limit(RLIMIT_AS, s->memory) && limit(RLIMIT_CPU, s->processor) &&
	    limit(RLIMIT_FSIZE, s->file) && limit(RLIMIT_NPROC, s->processes) && limit(RLIMIT_CORE, s->core) &&
	    dup2(s->input, 0) >= 0 && dup2(s->output, 1) >= 0 && dup2(s->output, 2) >= 0 &&
	    (s->status < 0 || dup2(s->status, STATUS_FD) >= 0) &&
	    close_range(s->status < 0 ? STATUS_FD : STATUS_FD + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0)
		/* what these point to is not written to: the types are older than const */
		execve(s->program, (char *const *)(uintptr_t)s->argv, (char *const *)(uintptr_t)s->env);
	error = errno;
	while (write(failed, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* The child's id; -1 with errno when the program could not be started. */
static pid_t sandbox_start(struct start *s)
{
	int pipe_ends[2], error = 0;
	ssize_t got;
	pid_t pid;

	if (pipe2(pipe_ends, O_CLOEXEC) != 0)
		return -1;
	s->failed = fcntl(pipe_ends[1], F_DUPFD_CLOEXEC, 10); /* out of the way of what the child puts in place */
	close(pipe_ends[1]);
	pid = s->failed < 0 ? -1 : fork();
	if (pid == 0)
		become(s);
	close(s->failed);
	while ((got = read(pipe_ends[0], &error, sizeof(error))) < 0 && errno == EINTR)
		;
	close(pipe_ends[0]);
	if (pid > 0 && got == sizeof(error)) {
		waitpid(pid, NULL, 0);
		errno = error;
		return -1;
	}
	return pid;
}

/* ---- waiting ---- */

enum waited { WAIT_ENDED, WAIT_TIMEOUT, WAIT_MEMORY };

/* How long until the next look at its memory: looking through all processes must not cost more than it is worth. */
static int64_t look_after_ms(uint64_t look_ns)
{
	uint64_t ms = look_ns * LOOK_SHARE / 1000000u;

	return ms < LOOK_MS ? LOOK_MS : (int64_t)ms;
}

/* Until it ends, its time is over, or all its processes together have more memory than they may. */
static enum waited wait_for(pid_t pid, const struct sandbox_job *job)
{
	struct pollfd fd = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	uint64_t end = clock_mono_ns() + (uint64_t)job->limit_ms * 1000000u, now;
	uint64_t most = job->memory ? job->memory : sandbox_memory_share();
	enum waited how = WAIT_TIMEOUT;
	int64_t pause = LOOK_MS;

	while (fd.fd >= 0 && how == WAIT_TIMEOUT && (now = clock_mono_ns()) < end) {
		int64_t left = (int64_t)((end - now) / 1000000u) + 1;
		int got = poll(&fd, 1, (int)(left < pause ? left : pause));

		if (got < 0 && errno != EINTR)
			break;
		if (got > 0) {
			how = WAIT_ENDED;
			break;
		}
		now = clock_mono_ns();
		if (sandbox_memory_of(pid) > most)
			how = WAIT_MEMORY;
		pause = look_after_ms(clock_mono_ns() - now);
	}
	if (fd.fd >= 0)
		close(fd.fd);
	return how;
}

/* Whether bwrap says that the program itself ended: its own failures have a status, too. */
static bool has_ended(int status_fd)
{
	char text[2048];
	ssize_t n = pread(status_fd, text, sizeof(text), 0);

	return n > 0 && str_has(str_of(text, (size_t)n), STR("\"exit-code\""));
}

/* The exit status, or -1 and *why. A program that a signal ended has no status, with bwrap around it or without. */
static int judge(const struct sandbox_job *job, enum waited how, int status, int status_fd, const char **why)
{
	static const char *const words[] = { "command_error: ended by a signal", "command_timeout",
					     "command_error: too much memory" };
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	*why = words[how];
	if (how != WAIT_ENDED || code < 0)
		return -1;
	if (job->locked && !has_ended(status_fd)) {
		*why = "command_error: cannot be started";
		return -1;
	}
	/* as a shell, bwrap gives 128 and the number of the signal */
	return job->locked && code > 128 && code < 128 + NSIG ? -1 : code;
}

/* A descriptor with the bytes to read, above those that the child puts in place; or -1. */
static int file_of(struct str bytes)
{
	struct err err = { .kind = ERR_NONE };
	int fd = memfd_create("answer", MFD_CLOEXEC), moved = -1;

	if (fd >= 0 && file_write_all(fd, bytes, &err) && lseek(fd, 0, SEEK_SET) == 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	if (fd >= 0)
		close(fd);
	return moved;
}

/* Descriptors of ours; in the child exec has closed its copies. */
static void close_all(const struct start *s)
{
	const int all[] = { s->input, s->output, s->status };

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i] >= 0)
			close(all[i]);
}

/*
 * Runs it to its end, whatever that is, and leaves no process of the group behind. The program's output goes nowhere.
 */
static int run_started(struct start *s, const struct sandbox_job *job, const char **why)
{
	int status = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	enum waited how;
	pid_t pid;

	s->output = null < 0 ? -1 : fcntl(null, F_DUPFD_CLOEXEC, 10);
	if (null >= 0)
		close(null);
	*why = "command_error: cannot hold the answer in memory";
	if (s->input < 0 || s->output < 0 || (job->locked && s->status < 0))
		return -1;
	pid = sandbox_start(s);
	*why = "command_error: cannot be started";
	if (pid < 0)
		return -1;
	how = wait_for(pid, job);
	kill(-pid, SIGKILL); /* also what it left behind */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return judge(job, how, status, s->status, why);
}

int sandbox_run(const struct sandbox_job *job, const char **why)
{
	struct start s = { .input = -1, .output = -1, .status = -1 };
	const char *program;
	struct arena a;
	int status = -1;

	arena_init(&a);
	program = find_program(&a, job->argv[0]);
	s.program = job->locked ? find_program(&a, "bwrap") : program;
	*why = "command_error: no such program";
	if (program && s.program) {
		s.argv = job->locked ? lock_in(&a, program, job->argv) : (const char **)(uintptr_t)job->argv;
		make_environment(&a, &s);
		set_limits(&s, &a, job->limit_ms);
		s.input = file_of(job->input);
		s.status = job->locked ? file_of(STR("")) : -1;
		status = run_started(&s, job, why);
		close_all(&s);
	}
	arena_free(&a);
	return status;
}

bool sandbox_works(void)
{
	static const char *const argv[] = { "true", NULL };
	struct sandbox_job job = { .argv = argv, .input = STR(""), .limit_ms = PROBE_MS, .locked = true };
	const char *why;

	return sandbox_run(&job, &why) == 0;
}
