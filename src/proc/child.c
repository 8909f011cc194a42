/* Finds the program as a shell would, spawns it, and passes on the signals that a signalfd brings. */
#include "proc/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin" /* when the child's environment has none */

#define STOPPED_MS 50

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH };

/*
 * Signals come through a descriptor and not through a handler, because only so we learn, on the loop, who sent them.
 * libuv's own spawn would make signals that we ignore (nohup, jobs in the background) deadly to the child; posix_spawn
 * leaves them as they are.
 */
struct child {
	struct child_options options;
	pid_t pid;
	int asked;
	bool over, unwanted; /* unwanted: it could not be started, and is freed by the loop */
	sigset_t taken;  /* of passed_on, those that are not ignored */
	sigset_t before; /* our mask as it was: the child's, and ours again when it is over */
	int signals;     /* descriptor */
	uv_poll_t poll;
	uv_timer_t stopped; /* runs while the child has just been stopped */
	uv_signal_t changed;
	unsigned handles;   /* of the loop: poll, stopped, changed */
};

/* Those that ask for an end, and not those of a timer or a window. */
static void note_asked(struct child *c, int signal)
{
	if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT)
		c->asked = signal;
}

/* ---- finding the program ---- */

enum found { FOUND, FOUND_NOTHING, FOUND_DIRECTORY, FOUND_NO_PROGRAM };

static enum found look_at(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == EACCES ? FOUND_NO_PROGRAM : FOUND_NOTHING;
	if (S_ISDIR(st.st_mode))
		return FOUND_DIRECTORY;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? FOUND : FOUND_NO_PROGRAM;
}

static struct str path_of(const char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "PATH=", 5) == 0)
			return str_from(*env + 5);
	return STR(USUAL_PATH);
}

/* Leaves the program's path, terminated, in *path; the first near miss when there is none. */
static enum found find_program(struct buf *path, struct str name, const char *const *env)
{
	struct str rest = path_of(env);
	enum found best = FOUND_NOTHING;
	struct buf near;
	bool last;

	if (memchr(name.p, '/', name.n)) {
		buf_add(path, name.p, name.n + 1);
		return look_at(path->p);
	}
	buf_init(&near);
	do {
		struct str dir;
		enum found f;

		last = !memchr(rest.p, ':', rest.n);
		dir = str_cut(rest, ':', &rest);
		buf_clear(path);
		buf_add_str(path, dir.n ? dir : STR(".")); /* an empty entry is the directory we are in */
		buf_add_byte(path, '/');
		buf_add(path, name.p, name.n + 1);
		f = look_at(path->p);
		if (f == FOUND) {
			best = f;
			break;
		}
		if (f == FOUND_NO_PROGRAM && best == FOUND_NOTHING) {
			best = f;
			buf_add_str(&near, buf_str(path));
		}
	} while (!last);
	if (best == FOUND_NO_PROGRAM) {
		buf_clear(path);
		buf_add_str(path, buf_str(&near));
	}
	buf_free(&near);
	return best;
}

static bool explain(enum found f, const char *name, const char *path, struct err *err)
{
	if (f == FOUND_DIRECTORY)
		return err_set(err, ERR_IO, "cannot start '%s': it is a directory; name a program", name);
	if (f == FOUND_NO_PROGRAM)
		return err_set(err, ERR_IO, "cannot start '%s': %s may not be executed; try 'chmod +x %s'", name, path,
			       path);
	if (strpbrk(name, " \t"))
		return err_set(err, ERR_IO, "cannot start '%s': no program has this name; give a command and its "
			       "arguments as separate words, without quotes around them all", name);
	if (strchr(name, '/'))
		return err_set(err, ERR_IO, "cannot start '%s': there is no such file; check the path", name);
	return err_set(err, ERR_IO, "cannot start '%s': no directory of PATH has it; check the spelling, install it, "
		       "or give its path", name);
}

/* ---- starting it ---- */

/* An errno. What it reads and writes, where that is not ours. */
static int child_streams(const struct child *c, posix_spawn_file_actions_t *streams)
{
	int errnum = posix_spawn_file_actions_init(streams);

	if (errnum != 0)
		return errnum;
	if (c->options.in)
		errnum = posix_spawn_file_actions_adddup2(streams, c->options.in, 0);
	if (c->options.out && errnum == 0)
		errnum = posix_spawn_file_actions_adddup2(streams, c->options.out, 1);
	if (errnum != 0)
		posix_spawn_file_actions_destroy(streams);
	return errnum;
}

/* In a process of its own: becomes the program, or says why not. It ends at once when we are gone already. */
static _Noreturn void child_become(const struct child *c, pid_t parent, const char *path, char *const *argv, int failed)
{
	int errnum;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	if (c->options.in)
		dup2(c->options.in, 0);
	if (c->options.out)
		dup2(c->options.out, 1);
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < COUNT(passed_on); i++)
		if (sigismember(&c->taken, passed_on[i]) == 1)
			signal(passed_on[i], SIG_DFL); /* no handler of ours runs in here */
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	execve(path, argv, (char *const *)(uintptr_t)c->options.env);
	errnum = errno;
	while (write(failed, &errnum, sizeof(errnum)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* As posix_spawn does it, which cannot be asked for a death with ours: the errno comes through a pipe. */
static int child_fork(struct child *c, const char *path, char *const *argv)
{
	int fds[2], errnum = 0;
	pid_t self = getpid();
	ssize_t n = 0;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return errno;
	c->pid = fork();
	if (c->pid == 0)
		child_become(c, self, path, argv, fds[1]);
	close(fds[1]);
	if (c->pid < 0)
		errnum = errno;
	else
		while ((n = read(fds[0], &errnum, sizeof(errnum))) < 0 && errno == EINTR)
			;
	close(fds[0]);
	if (n > 0)
		waitpid(c->pid, NULL, 0);
	return errnum;
}

/* An errno, 0 when it runs. It gets the signal mask that we had before we took ours. */
static int child_spawn(struct child *c, const char *path, char *const *argv)
{
	char *const *env = (char *const *)(uintptr_t)c->options.env;
	posix_spawn_file_actions_t streams;
	posix_spawnattr_t attr;
	sigset_t as_usual;
	int errnum;

	if (c->options.dies_with_us)
		return child_fork(c, path, argv);
	errnum = posix_spawnattr_init(&attr);
	if (errnum != 0)
		return errnum;
	errnum = child_streams(c, &streams);
	if (errnum != 0) {
		posix_spawnattr_destroy(&attr);
		return errnum;
	}
	sigemptyset(&as_usual);
	sigaddset(&as_usual, SIGPIPE); /* that we do not want to die of it is our affair */
	posix_spawnattr_setsigdefault(&attr, &as_usual);
	posix_spawnattr_setsigmask(&attr, &c->before);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	errnum = posix_spawn(&c->pid, path, &streams, &attr, argv, env);
	posix_spawn_file_actions_destroy(&streams);
	posix_spawnattr_destroy(&attr);
	return errnum;
}

/* A script without "#!" is the shell's, as it is for every shell. */
static int spawn_script(struct child *c, const char *path)
{
	const char *const *old = c->options.argv;
	const char **argv;
	size_t n = 0;
	int errnum;

	while (old[n])
		n++;
	argv = mem_alloc((n + 2) * sizeof(*argv));
	argv[0] = "sh";
	argv[1] = path;
	for (size_t i = 1; i <= n; i++)
		argv[i + 1] = old[i];
	errnum = child_spawn(c, "/bin/sh", (char *const *)(uintptr_t)argv);
	mem_free(argv);
	return errnum;
}

/* Finds the program as a shell would and runs it; *err says what to do when that fails. */
static bool start_program(struct child *c, struct err *err)
{
	const char *name = c->options.argv[0];
	struct buf path;
	enum found f;
	int errnum = 0;

	buf_init(&path);
	f = find_program(&path, str_from(c->options.path ? c->options.path : name), c->options.env);
	if (f == FOUND) {
		errnum = child_spawn(c, path.p, (char *const *)(uintptr_t)c->options.argv);
		if (errnum == ENOEXEC)
			errnum = spawn_script(c, path.p);
		if (errnum == ENOENT)
			err_set(err, ERR_IO, "cannot start '%s': %s exists, but not the interpreter or loader that "
				"it asks for; look at its first line", name, path.p);
		else if (errnum == E2BIG)
			err_set(err, ERR_IO, "cannot start '%s': its arguments and environment are too long", name);
		else if (errnum != 0)
			err_system(err, errnum, "cannot start '%s' (%s)", name, path.p);
	} else {
		explain(f, name, path.n ? path.p : name, err);
	}
	buf_free(&path);
	return f == FOUND && errnum == 0;
}

/* ---- while it runs ---- */

/*
 * What the terminal sends goes to the whole foreground group, and so to the child, too. Only a hangup goes to the
 * leader of the session alone, who has to tell the others.
 */
static bool child_has_it(const struct signalfd_siginfo *s)
{
	if (s->ssi_code != SI_KERNEL)
		return false;
	return s->ssi_signo != SIGHUP || getsid(0) != getpid();
}

static void pass_on(uv_poll_t *poll, int status, int events)
{
	struct child *c = poll->data;
	struct signalfd_siginfo s;

	(void)status;
	(void)events;
	while (read(c->signals, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		note_asked(c, (int)s.ssi_signo);
		if (!child_has_it(&s))
			child_kill(c, (int)s.ssi_signo);
	}
}

static bool is_stopped(const struct child *c)
{
	siginfo_t info = { .si_pid = 0 };

	return !c->over && waitid(P_PID, (id_t)c->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == c->pid;
}

static bool has_terminal(const struct child *c)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	bool ours = tty >= 0 && tcgetpgrp(tty) == getpgrp() && getpgid(c->pid) == getpgrp();

	if (tty >= 0)
		close(tty);
	return ours;
}

/*
 * A program that reads keys itself stops itself at Ctrl-Z. The shell waits for us, so we stop, too, or the terminal
 * would be lost. Where no shell could continue us the system ignores the signal.
 */
static void stop_too(uv_timer_t *stopped)
{
	struct child *c = stopped->data;

	if (!is_stopped(c) || !has_terminal(c))
		return;
	raise(SIGTSTP);
	if (is_stopped(c))
		child_kill(c, SIGCONT); /* whoever continued us meant us alone */
}

static void look_for_change(uv_signal_t *changed, int signal)
{
	struct child *c = changed->data;
	int status;

	(void)signal;
	if (!c->over && waitpid(c->pid, &status, WNOHANG) == c->pid) {
		c->over = true;
		c->options.ended(c->options.context, WIFEXITED(status) ? WEXITSTATUS(status) : 0,
				 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	} else if (is_stopped(c)) {
		/* not at once: after a Ctrl-Z for us both, the child may be about to be continued */
		uv_timer_start(&c->stopped, stop_too, STOPPED_MS, 0);
	}
}

/* From here on they wait in the descriptor, and nobody dies of them. */
static bool take_signals(struct child *c, struct err *err)
{
	sigset_t chld;

	sigemptyset(&c->taken);
	for (size_t i = 0; i < COUNT(passed_on); i++) {
		struct sigaction now;

		if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&c->taken, passed_on[i]);
	}
	c->signals = signalfd(-1, &c->taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (c->signals < 0)
		return err_system(err, errno, "cannot wait for signals");
	pthread_sigmask(SIG_BLOCK, &c->taken, &c->before);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD); /* whoever started us may have left it blocked */
	pthread_sigmask(SIG_UNBLOCK, &chld, NULL);
	return true;
}

static void give_back_signals(struct child *c)
{
	struct signalfd_siginfo s;

	/* the Ctrl-C that ended the child was not meant for what we do after it */
	while (read(c->signals, &s, sizeof(s)) == (ssize_t)sizeof(s))
		note_asked(c, (int)s.ssi_signo);
	pthread_sigmask(SIG_SETMASK, &c->before, NULL);
	close(c->signals);
	c->signals = -1;
}

static void child_handle_closed(uv_handle_t *h)
{
	struct child *c = h->data;

	assert(c->handles > 0);
	if (--c->handles == 0 && c->unwanted)
		mem_free(c);
}

/* c->handles counts what has to be closed, also when only some of it could be made. */
static bool child_watch(struct child *c, uv_loop_t *loop, struct err *err)
{
	int failed = uv_poll_init(loop, &c->poll, c->signals);

	c->poll.data = c;
	if (failed == 0) {
		uv_timer_init(loop, &c->stopped);
		c->stopped.data = c;
		c->handles = 2;
		failed = uv_signal_init(loop, &c->changed);
	}
	if (failed == 0) {
		c->changed.data = c;
		c->handles++;
		failed = uv_signal_start(&c->changed, look_for_change, SIGCHLD);
	}
	if (failed == 0)
		failed = uv_poll_start(&c->poll, UV_READABLE, pass_on);
	return failed == 0 || err_system(err, -failed, "cannot wait for a child process");
}

struct child *child_start(uv_loop_t *loop, const struct child_options *o, struct err *err)
{
	struct child *c = mem_alloc(sizeof(*c));

	*c = (struct child){ .options = *o };
	if (!take_signals(c, err)) {
		mem_free(c);
		return NULL;
	}
	if (child_watch(c, loop, err) && start_program(c, err)) /* watched before it starts: it may end at once */
		return c;
	c->over = c->unwanted = true;
	if (c->handles) {
		child_close(c); /* the loop lets go of it */
	} else {
		give_back_signals(c);
		mem_free(c);
	}
	return NULL;
}

int child_pid(const struct child *c)
{
	return c->pid;
}

int child_asked(const struct child *c)
{
	return c->asked;
}

bool child_kill(struct child *c, int signal)
{
	return !c->over && kill(c->pid, signal) == 0;
}

void child_close(struct child *c)
{
	uv_close((uv_handle_t *)&c->poll, child_handle_closed);
	uv_close((uv_handle_t *)&c->stopped, child_handle_closed);
	if (c->handles == 3)
		uv_close((uv_handle_t *)&c->changed, child_handle_closed);
	give_back_signals(c);
}

void child_free(struct child *c)
{
	mem_free(c);
}
