#include "proc/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"

#define PIECE ((size_t)64 << 10)
#define TICK_MS 100   /* a signal that comes just before a wait is seen so late */
#define LOOK_MS 2     /* between two looks whether it has ended: it has closed its streams, so that is soon */
#define GRACE_MS 2000 /* to end when asked to */

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

static int spawn(pid_t *pid, const char *const *argv, const struct pipes *p)
{
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, p->out[1], 1);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, p->err[1], 2);
	if (!error) /* what argv points to is not written to: the type is older than const */
		error = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* ---- listening ---- */

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

static bool listen_to(struct stream *out, struct stream *complaint, const char *name, struct err *err)
{
	struct stream *both[2] = { out, complaint };

	while (out->fd >= 0 || complaint->fd >= 0) {
		struct pollfd fds[2] = {
			{ .fd = out->fd, .events = POLLIN },
			{ .fd = complaint->fd, .events = POLLIN },
		};

		if (stop_signal())
			return err_set(err, ERR_IO, "%s: stopped", name);
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

/* False when it is still there: after `ms`, or (below 0) when we are to stop. */
static bool reap(struct answer *a, pid_t pid, int ms)
{
	int status = 0;

	for (int waited = 0; waitpid(pid, &status, WNOHANG) == 0; waited += LOOK_MS) {
		if (ms < 0 ? stop_signal() != 0 : waited >= ms)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
	a->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	a->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return true;
}

/* Asks it to end; whoever does not listen is not asked again. */
static void make_end(struct answer *a, pid_t pid)
{
	kill(pid, SIGTERM);
	if (reap(a, pid, GRACE_MS))
		return;
	kill(pid, SIGKILL);
	reap(a, pid, GRACE_MS);
}

bool answer_get(struct answer *a, const char *const *argv, size_t limit, struct err *err)
{
	struct stream out = { .to = &a->out, .keep = limit };
	struct stream complaint = { .to = &a->complaint, .keep = ANSWER_COMPLAINT };
	struct pipes p;
	bool done;
	pid_t pid;
	int error;

	buf_clear(&a->out);
	buf_clear(&a->complaint);
	if (!open_pipes(&p, err))
		return false;
	error = spawn(&pid, argv, &p);
	close(p.out[1]);
	close(p.err[1]);
	out.fd = p.out[0];
	complaint.fd = p.err[0];
	if (error)
		done = err_system(err, error, "cannot run %s", argv[0]);
	else
		done = listen_to(&out, &complaint, argv[0], err);
	if (out.fd >= 0)
		close(out.fd);
	if (complaint.fd >= 0)
		close(complaint.fd);
	if (error)
		return false;
	if (done && !reap(a, pid, -1))
		done = err_set(err, ERR_IO, "%s: stopped", argv[0]);
	else if (done)
		return true;
	make_end(a, pid);
	return false;
}
