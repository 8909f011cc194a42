#include "proc/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define PIECE ((size_t)64 << 10)
#define TICK_MS 100   /* a signal that comes just before a wait is seen so late */
#define LOOK_MS 2     /* between two looks whether it has ended: it has closed its streams, so that is soon */
#define GRACE_MS 2000 /* to end when asked to */
#define HURRY_MS 300  /* the same, of one that has used up its time */

void answer_init(struct answer *a)
{
	*a = (struct answer){ .status = 0 };
	buf_init(&a->out);
	buf_init(&a->complaint);
}

void answer_free(struct answer *a)
{
	buf_free(&a->out);
	buf_free(&a->complaint);
}

/* ---- starting ---- */

struct pipes {
	int out[2], err[2]; /* to read, to write */
};

static bool open_pipes(struct pipes *p, struct err *err)
{
	if (pipe2(p->out, O_CLOEXEC) != 0)
		return err_system(err, errno, "cannot make a pipe");
	if (pipe2(p->err, O_CLOEXEC) != 0) {
		err_system(err, errno, "cannot make a pipe");
		close(p->out[0]);
		close(p->out[1]);
		return false;
	}
	return true;
}

/* An errno, 0 when it runs. Our pipes are closed in it by O_CLOEXEC, but for the two it writes to. */
static int answer_spawn(pid_t *pid, const char *const *argv, const struct pipes *p, bool own_group)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	if (own_group) /* a group of its own number is what it gets by itself */
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, p->out[1], 1);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, p->err[1], 2);
	if (!error) /* what argv points to is not written to: the type is older than const */
		error = posix_spawnp(pid, argv[0], &actions, &attr, (char *const *)(uintptr_t)argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* ---- listening ---- */

/* Until when it may take; 0 for as long as it likes. */
static bool is_late(uint64_t until_ns)
{
	return until_ns && clock_mono_ns() >= until_ns;
}

static bool too_late(const char *name, struct err *err)
{
	err_set(err, ERR_LIMIT, "%s: no answer in time", name);
	err->errnum = ETIMEDOUT;
	return false;
}

struct stream {
	int fd; /* -1: it has ended */
	struct buf *to;
	size_t keep; /* bytes; what is beyond is read and forgotten */
	bool overflown;
};

/* False when the descriptor cannot be read any more. */
static bool take(struct stream *s, struct err *err)
{
	char piece[PIECE];
	ssize_t n = read(s->fd, piece, sizeof(piece));
	size_t room = s->keep - s->to->n;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN || err_system(err, errno, "cannot read what a program writes");
	if (n == 0) {
		close(s->fd);
		s->fd = -1;
	}
	s->overflown = s->overflown || (size_t)n > room;
	buf_add(s->to, piece, (size_t)n < room ? (size_t)n : room);
	return true;
}

/* Reads both streams to their ends. False leaves the program running: the caller ends it. */
static bool answer_listen_to(struct stream *out, struct stream *complaint, uint64_t until_ns, const char *name,
			     struct err *err)
{
	struct stream *both[2] = { out, complaint };

	while (out->fd >= 0 || complaint->fd >= 0) {
		struct pollfd fds[2] = {
			{ .fd = out->fd, .events = POLLIN },
			{ .fd = complaint->fd, .events = POLLIN },
		};

		if (stop_signal())
			return err_set(err, ERR_IO, "%s: stopped", name);
		if (is_late(until_ns))
			return too_late(name, err);
		if (poll(fds, 2, TICK_MS) < 0 && errno != EINTR)
			return err_system(err, errno, "cannot wait for %s", name);
		for (size_t i = 0; i < 2; i++)
			if (fds[i].fd >= 0 && fds[i].revents && !take(both[i], err))
				return false;
		if (out->overflown)
			return err_set(err, ERR_LIMIT, "%s: its answer is longer than %zu MiB", name, out->keep >> 20);
	}
	return true;
}

/* False when it is still there: after `ms`, or (below 0) when we are to stop or it is late. */
static bool reap(struct answer *a, pid_t pid, int ms, uint64_t until_ns)
{
	int status = 0;

	for (int waited = 0; waitpid(pid, &status, WNOHANG) == 0; waited += LOOK_MS) {
		if (ms < 0 ? stop_signal() != 0 || is_late(until_ns) : waited >= ms)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
	a->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	a->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return true;
}

/* Asks it to end; whoever does not listen is not asked again. */
static void answer_make_end(struct answer *a, pid_t pid)
{
	kill(pid, SIGTERM);
	if (reap(a, pid, GRACE_MS, 0))
		return;
	kill(pid, SIGKILL);
	reap(a, pid, GRACE_MS, 0);
}

/* The same for a group. It is reaped last: until then its number cannot be anybody else's. */
static void make_group_end(struct answer *a, pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	kill(-pid, SIGTERM);
	for (int waited = 0; waited < HURRY_MS && info.si_pid == 0; waited += LOOK_MS) {
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			break;
		poll(NULL, 0, LOOK_MS);
	}
	kill(-pid, SIGKILL);
	reap(a, pid, GRACE_MS, 0);
}

/* With an end of its time (not 0) the program gets a group of its own, so that all it started can be ended. */
static bool get(struct answer *a, const char *const *argv, size_t limit, uint64_t until_ns, struct err *err)
{
	struct stream out = { .to = &a->out, .keep = limit };
	struct stream complaint = { .to = &a->complaint, .keep = ANSWER_COMPLAINT };
	bool own_group = until_ns != 0;
	struct pipes p;
	bool done;
	pid_t pid;
	int error;

	buf_clear(&a->out);
	buf_clear(&a->complaint);
	if (!open_pipes(&p, err))
		return false;
	error = answer_spawn(&pid, argv, &p, own_group);
	close(p.out[1]);
	close(p.err[1]);
	out.fd = p.out[0];
	complaint.fd = p.err[0];
	if (error)
		done = err_system(err, error, "cannot run %s", argv[0]);
	else
		done = answer_listen_to(&out, &complaint, until_ns, argv[0], err);
	if (out.fd >= 0)
		close(out.fd);
	if (complaint.fd >= 0)
		close(complaint.fd);
	if (error)
		return false;
	if (done && !reap(a, pid, -1, until_ns))
		done = is_late(until_ns) ? too_late(argv[0], err) : err_set(err, ERR_IO, "%s: stopped", argv[0]);
	else if (done)
		return true;
	if (own_group)
		make_group_end(a, pid);
	else
		answer_make_end(a, pid);
	return false;
}

bool answer_get(struct answer *a, const char *const *argv, size_t limit, struct err *err)
{
	return get(a, argv, limit, 0, err);
}

bool answer_get_within(struct answer *a, const char *const *argv, size_t limit, unsigned ms, struct err *err)
{
	return get(a, argv, limit, clock_mono_ns() + (uint64_t)ms * 1000000, err);
}
