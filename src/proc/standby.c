/*
 * The other end of the control pipe is ours alone, so its end without a word says that we are gone. Both descriptors
 * share their flags with ours, which may not wait: each is asked for by poll.
 */
#include "proc/standby.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define STANDBY_PIECE 4096

/* Waits until the descriptor is ready. False when its other end has gone. */
static bool standby_await(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	return (p.revents & events) != 0;
}

static bool standby_write(int to, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t written = standby_await(to, POLLOUT) ? write(to, bytes, n) : -1;

		if (written < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		bytes += written > 0 ? written : 0;
		n -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

static void standby_pass(int from, int to)
{
	char bytes[STANDBY_PIECE];

	while (standby_await(from, POLLIN)) {
		ssize_t n = read(from, bytes, sizeof(bytes));

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (n > 0 && !standby_write(to, bytes, (size_t)n))
			return;
	}
}

/* Nothing of ours but the three descriptors is kept open: a port must not outlive us. */
static void standby_close_others(int control, int from, int to)
{
	int last = -1;

	for (int round = 0; round < 4; round++) {
		int next = INT_MAX;

		if (control > last && control < next)
			next = control;
		if (from > last && from < next)
			next = from;
		if (to > last && to < next)
			next = to;
		if (next > last + 1)
			close_range((unsigned)(last + 1), next == INT_MAX ? UINT_MAX : (unsigned)next - 1, 0);
		if (next == INT_MAX)
			return;
		last = next;
	}
}

/* Only calls that are safe in the copy of a process with threads. */
static void standby_live(int control, int from, int to)
{
	sigset_t all;
	char word;
	ssize_t n;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	standby_close_others(control, from, to);
	do
		n = read(control, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		standby_pass(from, to);
	_exit(0);
}

bool standby_open(struct standby *s, int from, int to)
{
	int ends[2];

	*s = (struct standby){ .control = -1 };
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	s->pid = fork();
	if (s->pid == 0)
		standby_live(ends[0], from, to);
	close(ends[0]);
	if (s->pid < 0) {
		close(ends[1]);
		return false;
	}
	s->control = ends[1];
	return true;
}

void standby_close(struct standby *s)
{
	int status;

	if (s->control < 0)
		return;
	while (write(s->control, "", 1) < 0 && errno == EINTR)
		;
	close(s->control);
	s->control = -1;
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
}
