/*
 * Three processes where something is relayed: this one waits for the command and mirrors it, the command, and the relay
 * (relay.h), which lives on when the command has left programs behind. Linux: a child can be made to die with us.
 */
#include "proc/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"

enum way { WAY_UNKNOWN, WAY_RELAY, WAY_FILE, WAY_AS_OTHER };

struct output {
	enum way way;
	int read, write; /* of the relay; -1 */
	int64_t before;  /* where a file stood */
};

struct shim {
	const struct shim_options *o;
	struct output outputs[RELAY_STREAMS]; /* of descriptors 1 and 2 */
	sigset_t mask;          /* as it was */
	struct sigaction child; /* of SIGCHLD, as it was */
	int control[2];         /* ours and the relay's; -1: there is none */
	pid_t pid, relay;
	struct shim_end end;
};

/* What the relay is told. */
struct note {
	int status;
	int64_t ended_ns, cpu_ns;
};

/* ---- where the output goes ---- */

static int64_t shim_place(int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_APPEND))
		return fstat(fd, &st) == 0 ? st.st_size : -1;
	return lseek(fd, 0, SEEK_CUR);
}

/* A pipe that keeps the limits of what is written at once, so that lines of several writers are not torn. */
static bool shim_open_pipe(struct output *t, bool is_socket)
{
	int fds[2];

	if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0
		      : pipe2(fds, O_CLOEXEC | O_DIRECT) != 0)
		return false;
	t->read = fds[0];
	t->write = fds[1];
	return true;
}

static bool shim_is_stream(int fd)
{
	int type = 0;
	socklen_t n = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM;
}

/* A socket that is also the standard input speaks both ways: nothing can stand in between. */
static void shim_look(struct shim *s, int fd)
{
	struct output *t = &s->outputs[fd - 1];
	struct stat st, in, out;
	bool is_socket;

	*t = (struct output){ .read = -1, .write = -1 };
	if (fstat(fd, &st) != 0)
		return;
	is_socket = S_ISSOCK(st.st_mode);
	if (fd == 2 && fstat(1, &out) == 0 && out.st_dev == st.st_dev && out.st_ino == st.st_ino) {
		t->way = s->outputs[0].way == WAY_UNKNOWN ? WAY_UNKNOWN : WAY_AS_OTHER;
	} else if (S_ISREG(st.st_mode)) {
		t->before = shim_place(fd);
		t->way = t->before >= 0 ? WAY_FILE : WAY_UNKNOWN;
	} else if (S_ISFIFO(st.st_mode) || (is_socket && shim_is_stream(fd))) {
		if (is_socket && fstat(0, &in) == 0 && in.st_dev == st.st_dev && in.st_ino == st.st_ino)
			return;
		t->way = shim_open_pipe(t, is_socket) ? WAY_RELAY : WAY_UNKNOWN;
	}
}

/* ---- the end ---- */

static int64_t shim_written(const struct shim *s, int fd, const struct relay_tally *t)
{
	const struct output *out = &s->outputs[fd - 1];
	int64_t now;

	switch (out->way) {
	case WAY_RELAY:
		return (int64_t)t->bytes[fd - 1];
	case WAY_FILE:
		now = shim_place(fd);
		return now >= out->before ? now - out->before : -1;
	case WAY_AS_OTHER:
		return 0;
	case WAY_UNKNOWN:
		break;
	}
	return -1;
}

/* In the relay, or where there is none in the process that waits. */
static void shim_tell(void *context, struct str note, const struct relay_tally *t)
{
	struct shim *s = context;
	struct note n = { .status = SIGKILL, .ended_ns = (int64_t)clock_wall_ns(), .cpu_ns = -1 };

	if (note.n == 1)
		return; /* it never began */
	if (note.n == sizeof(n))
		memcpy(&n, note.p, sizeof(n));
	s->end.status = n.status;
	s->end.ended_ns = n.ended_ns > s->end.begun_ns ? n.ended_ns : s->end.begun_ns;
	s->end.cpu_ns = n.cpu_ns;
	s->end.written = *t;
	s->end.out = shim_written(s, 1, t);
	s->end.err = shim_written(s, 2, t);
	s->o->ended(s->o->context, &s->end);
}

static int64_t shim_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

/* What a command wrote to a file is read from there when it is to be kept: the descriptor itself can only write. */
static void shim_read_back(const struct shim *s, int fd, struct relay_tally *t, struct buf *kept,
			   struct relay_piece *pieces)
{
	const struct output *out = &s->outputs[fd - 1];
	int64_t most = (int64_t)(s->o->keep - kept->n), n = out->way == WAY_FILE ? shim_place(fd) - out->before : 0;
	ssize_t got = 0;
	int in;

	if (n <= 0 || s->o->keep == 0)
		return;
	in = open(fd == 1 ? "/proc/self/fd/1" : "/proc/self/fd/2", O_RDONLY | O_CLOEXEC);
	t->cut = t->cut || in < 0 || n > most;
	if (in < 0)
		return;
	n = n < most ? n : most;
	got = pread(in, buf_reserve(kept, (size_t)n), (size_t)n, out->before);
	close(in);
	if (got <= 0)
		return;
	kept->n += (size_t)got;
	pieces[t->piece_count++] =
		(struct relay_piece){ .stream = (unsigned)fd - 1, .end = kept->n, .ns = (int64_t)clock_wall_ns() };
}

static void shim_tell_alone(struct shim *s, const struct note *n)
{
	struct relay_piece pieces[RELAY_STREAMS];
	struct relay_tally t = { .pieces = pieces };
	struct buf kept;

	buf_init(&kept);
	shim_read_back(s, 1, &t, &kept, pieces);
	shim_read_back(s, 2, &t, &kept, pieces);
	t.kept = buf_str(&kept);
	shim_tell(s, str_of(n, sizeof(*n)), &t);
	buf_free(&kept);
}

/* The relay answers when it has read what the command wrote; then it is waited for unless others still write. */
static void shim_finish(struct shim *s, int status, const struct rusage *use)
{
	struct note n = { .status = status, .ended_ns = (int64_t)clock_wall_ns(),
			  .cpu_ns = shim_ns(use->ru_utime) + shim_ns(use->ru_stime) };
	char byte;

	if (s->control[0] < 0) {
		shim_tell_alone(s, &n);
		return;
	}
	if (send(s->control[0], &n, sizeof(n), MSG_NOSIGNAL) == (ssize_t)sizeof(n) &&
	    recv(s->control[0], &byte, 1, 0) == 1 && byte == RELAY_ENDS)
		waitpid(s->relay, NULL, 0);
	close(s->control[0]);
}

/* ---- the three processes ---- */

static void shim_run_relay(struct shim *s)
{
	struct relay_options r = { .control = s->control[1], .keep = s->o->keep, .over = shim_tell, .context = s };

	for (int i = 0; i < RELAY_STREAMS; i++) {
		r.from[i] = s->outputs[i].way == WAY_RELAY ? s->outputs[i].read : -1;
		r.to[i] = i + 1;
		/* whether the others are files can be known only in here */
		if (s->outputs[i].way == WAY_FILE)
			s->outputs[i].way = WAY_UNKNOWN;
	}
	relay_run(&r);
	_exit(0);
}

void shim_execute(const char *path, char *const *argv, char *const *env)
{
	size_t n = 0;
	char **again;

	execve(path, argv, env);
	if (errno != ENOEXEC)
		return;
	while (argv[n])
		n++;
	again = mem_alloc((n + 2) * sizeof(*again));
	again[0] = (char *)(uintptr_t) "sh";
	again[1] = (char *)(uintptr_t)path;
	for (size_t i = 1; i <= n; i++)
		again[i + 1] = argv[i];
	execve("/bin/sh", again, env);
}

/* errno goes back through `failed`, which closes by itself when all went well. */
static _Noreturn void shim_become(struct shim *s, pid_t parent, int failed)
{
	int error;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (int i = 0; i < RELAY_STREAMS; i++) {
		const struct output *t = &s->outputs[i];
		int fd = t->way == WAY_RELAY ? t->write : -1;

		if (t->way == WAY_AS_OTHER && s->outputs[0].way == WAY_RELAY)
			fd = s->outputs[0].write;
		if (fd >= 0)
			dup2(fd, i + 1);
	}
	sigaction(SIGCHLD, &s->child, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	shim_execute(s->o->path, s->o->argv, s->o->env);
	error = errno;
	while (write(failed, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Without one the command writes where it would have written, and nobody counts it. */
static void shim_start_relay(struct shim *s)
{
	s->relay = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s->control) == 0) {
		s->relay = fork();
		if (s->relay == 0)
			shim_run_relay(s);
		close(s->control[1]);
	}
	if (s->relay > 0)
		return;
	if (s->control[0] >= 0)
		close(s->control[0]);
	s->control[0] = -1;
	for (int i = 0; i < RELAY_STREAMS; i++)
		s->outputs[i].way = WAY_UNKNOWN;
}

/* 0, or why the program could not be started. */
static int shim_start(struct shim *s)
{
	pid_t self = getpid();
	int fds[2], error = 0;
	bool relays = false;
	ssize_t n;

	for (int i = 0; i < RELAY_STREAMS; i++)
		relays = relays || s->outputs[i].way == WAY_RELAY;
	if (pipe2(fds, O_CLOEXEC) != 0)
		return errno;
	s->end.begun_ns = (int64_t)clock_wall_ns();
	if (relays)
		shim_start_relay(s);
	s->pid = fork();
	if (s->pid == 0)
		shim_become(s, self, fds[1]);
	close(fds[1]);
	if (s->pid < 0)
		error = errno;
	while (s->pid > 0 && (n = read(fds[0], &error, sizeof(error))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	return error;
}

/* ---- while it runs ---- */

/* The terminal's signals reach the whole group, a hangup only the leader of the session. Its own it has already. */
static bool shim_has_it(const struct shim *s, const siginfo_t *i)
{
	if (i->si_code == SI_KERNEL)
		return i->si_signo != SIGHUP || getsid(0) != getpid();
	return i->si_code <= 0 && i->si_pid == s->pid;
}

/* The shell that waits for us must see that the job has stopped; whoever continues us continues both. */
static void shim_stop_too(const struct shim *s, int signal)
{
	sigset_t one;

	if ((signal != SIGTSTP && signal != SIGTTIN && signal != SIGTTOU) || getpgid(s->pid) != getpgrp())
		return;
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &one, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &one, NULL);
	kill(s->pid, SIGCONT);
}

static int shim_wait(struct shim *s, struct rusage *use)
{
	sigset_t all;
	siginfo_t i;
	int status;

	sigfillset(&all);
	for (;;) {
		pid_t ended = wait4(s->pid, &status, WNOHANG | WUNTRACED, use);

		if (ended == s->pid && !WIFSTOPPED(status))
			return status;
		if (ended == s->pid)
			shim_stop_too(s, WSTOPSIG(status));
		else if (ended < 0 && errno == ECHILD)
			return SIGKILL; /* somebody else took it, which nobody can */
		else if (sigwaitinfo(&all, &i) > 0 && i.si_signo != SIGCHLD && !shim_has_it(s, &i))
			kill(s->pid, i.si_signo);
	}
}

/* The relay's and the command's ends are theirs alone; a file is kept to be measured. */
static void shim_let_go(struct shim *s)
{
	bool out = s->outputs[0].way == WAY_FILE && s->control[0] < 0;
	bool err = s->outputs[1].way == WAY_FILE && s->control[0] < 0;

	close(0);
	if (!out)
		close(1);
	if (!err)
		close(2);
	if (s->control[0] < 0) {
		close_range(3, UINT_MAX, 0);
		return;
	}
	if (s->control[0] > 3)
		close_range(3, (unsigned)s->control[0] - 1, 0);
	close_range((unsigned)s->control[0] + 1, UINT_MAX, 0);
}

static void shim_give_up(struct shim *s)
{
	for (int i = 0; i < RELAY_STREAMS; i++) {
		if (s->outputs[i].read >= 0)
			close(s->outputs[i].read);
		if (s->outputs[i].write >= 0)
			close(s->outputs[i].write);
	}
	if (s->control[0] >= 0) {
		send(s->control[0], "", 1, MSG_NOSIGNAL);
		close(s->control[0]);
	}
	sigaction(SIGCHLD, &s->child, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

/* What is closed stays closed for the command, and none of our own descriptors takes its place. */
static void shim_fill_places(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", O_RDWR | O_CLOEXEC);
}

int shim_run(const struct shim_options *o)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };
	struct shim s = { .o = o, .control = { -1, -1 } };
	struct rusage use = { .ru_nswap = 0 };
	sigset_t all;
	int status, error;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &s.mask);
	sigaction(SIGCHLD, &usual, &s.child);
	shim_fill_places();
	shim_look(&s, 1);
	shim_look(&s, 2);
	error = shim_start(&s);
	if (error) {
		shim_give_up(&s);
		errno = error;
		return -1;
	}
	shim_let_go(&s);
	status = shim_wait(&s, &use);
	shim_finish(&s, status, &use);
	return status;
}

void shim_leave(int status)
{
	struct rlimit none = { 0, 0 };
	sigset_t one;
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (!number)
		_exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none); /* the command has left one if it was to */
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(128 + number);
}
