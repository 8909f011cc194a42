/*
 * Calls done for the command on its own sockets, of which we take a copy (pidfd_getfd). What the command does to its
 * memory or to its table of descriptors meanwhile changes nothing: the address and the socket are ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"
#include "proc/sandbox/filter.h"

#define PERFORM_THREAD O_EXCL /* PIDFD_THREAD: of a thread, which may have descriptors of its own */

/* The id of the process that a thread belongs to. */
static int perform_process_of(unsigned thread)
{
	char path[64], text[4096];
	struct str rest;
	uint64_t id = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
	if (fd >= 0)
		close(fd);
	for (rest = str_of(text, n > 0 ? (size_t)n : 0); rest.n;) {
		struct str line = str_cut(rest, '\n', &rest);

		if (str_starts(line, STR("Tgid:")))
			num_parse_u64(str_trim(str_skip(line, 5)), &id);
	}
	return (int)id;
}

int sandbox_perform_take(const struct seccomp_notif *n, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, n->pid, PERFORM_THREAD), taken, errnum;

	if (process < 0 && errno == EINVAL) /* an older kernel: its threads are taken to share their descriptors */
		process = (int)syscall(SYS_pidfd_open, perform_process_of(n->pid), 0);
	if (process < 0)
		return -1;
	taken = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	errnum = errno;
	close(process);
	errno = errnum;
	return taken;
}

/* The command waits for its answer, we do not: the socket is asked again when it has one. */
static bool perform_later(struct sandbox_watch *w, const struct seccomp_notif *n, int fd)
{
	struct epoll_event e = { .events = EPOLLOUT | EPOLLONESHOT, .data = { .fd = fd } };

	for (size_t i = 0; i < SANDBOX_PENDING; i++) {
		if (w->pending[i].fd >= 0)
			continue;
		if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, fd, &e) != 0)
			return false;
		w->pending[i] = (struct sandbox_pending){ .id = n->id, .fd = fd };
		return true;
	}
	errno = EAGAIN;
	return false;
}

/* Whatever the socket is set to, we must not wait. Nobody else uses it before it is connected. */
static int perform_connect_now(int fd, const void *address, unsigned size, bool *waits)
{
	int flags = fcntl(fd, F_GETFL), done, errnum;

	*waits = !(flags & O_NONBLOCK);
	if (*waits)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	done = connect(fd, address, size);
	errnum = errno;
	if (*waits)
		fcntl(fd, F_SETFL, flags);
	return done == 0 ? 0 : errnum;
}

void sandbox_perform_connect(struct sandbox_watch *w, const struct seccomp_notif *n, const void *address,
			     unsigned size, struct sandbox_answer *out)
{
	int fd = sandbox_perform_take(n, (int)n->data.args[0]);
	bool waits;

	out->error = EACCES;
	if (fd < 0 || !sandbox_watch_is_open(w, n))
		goto done;
	out->error = perform_connect_now(fd, address, size, &waits);
	if (out->error == EINPROGRESS && waits) {
		if (perform_later(w, n, fd)) {
			out->later = true;
			return;
		}
		out->error = errno;
	}
done:
	if (fd >= 0)
		close(fd);
}

void sandbox_perform_bind(struct sandbox_watch *w, const struct seccomp_notif *n, const void *address,
			  unsigned size, struct sandbox_answer *out)
{
	int fd = sandbox_perform_take(n, (int)n->data.args[0]);

	out->error = fd >= 0 && sandbox_watch_is_open(w, n) && bind(fd, address, size) == 0 ? 0 : errno;
	if (fd >= 0)
		close(fd);
}

/* ---- sockets that have a path ---- */

/* The socket's file as the process sees it, opened without using it; -1 with errno. */
static int perform_open_path(const struct seccomp_notif *n, struct str path)
{
	char base[64], name[PATH_MAX];
	int dir, fd;

	snprintf(base, sizeof(base), "/proc/%u/%s", n->pid, path.p[0] == '/' ? "root" : "cwd");
	snprintf(name, sizeof(name), "./%.*s", STR_ARG(path));
	dir = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = openat(dir, name, O_PATH | O_CLOEXEC);
	close(dir);
	return fd;
}

/* Where it really is must be below a path that the command may write. */
static bool perform_is_visible(const struct sandbox_watch *w, int fd)
{
	char link[64], real[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real));
	for (size_t i = 0; n > 0 && n < (ssize_t)sizeof(real) && i < w->path_count; i++) {
		struct str dir = w->paths[i].outside;

		if (w->paths[i].writable && str_is_at_or_below(str_of(real, (size_t)n), dir))
			return true;
	}
	return false;
}

static bool perform_as(unsigned uid, unsigned gid)
{
	return setegid(gid) == 0 && seteuid(uid) == 0;
}

static bool perform_as_before(void)
{
	return seteuid(0) == 0 && setegid(0) == 0;
}

/* As the user that the command is: neither the file nor the other side takes it for us. */
void sandbox_perform_path(struct sandbox_watch *w, const struct seccomp_notif *n, struct str path,
			  struct sandbox_answer *out)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int socket = sandbox_perform_take(n, (int)n->data.args[0]), file = perform_open_path(n, path);
	int errnum = errno;
	bool waits;

	if (file < 0) {
		out->error = errnum;
	} else if (!perform_is_visible(w, file)) {
		sandbox_refuse(w, "connect", path, EACCES, out);
	} else if (socket < 0 || !sandbox_watch_is_open(w, n)) {
		out->error = EACCES;
	} else {
		snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", file);
		out->error = EACCES;
		if (!w->becomes || perform_as(w->uid, w->gid))
			out->error = perform_connect_now(socket, &to, sizeof(to), &waits);
		if (w->becomes && !perform_as_before())
			_exit(SANDBOX_FAILED); /* never happens: we were root */
	}
	if (socket >= 0)
		close(socket);
	if (file >= 0)
		close(file);
}
