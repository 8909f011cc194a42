/* Unix sockets. Linux is asked who is at the other end (SO_PEERCRED); the rest is plain POSIX. */
#include "net/local.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define LOCAL_BACKLOG 1024
#define MS UINT64_C(1000000)

/* Ours alone: a directory, no link to one, of our user, that nobody else may enter. */
static bool local_check_dir(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return err_system(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "%s is not a directory", path);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_IO, "%s belongs to another user", path);
	if (st.st_mode & 077)
		return err_set(err, ERR_IO, "%s can be entered by others: set its mode to 700", path);
	return true;
}

static bool local_use_dir(struct arena *a, struct str path, bool make, struct str *dir, struct err *err)
{
	path = arena_copy(a, path); /* terminated */
	if (make && mkdir(path.p, 0700) != 0 && errno != EEXIST)
		return err_system(err, errno, "cannot make %s", path.p);
	if (!local_check_dir(path.p, err))
		return false;
	*dir = path;
	return true;
}

bool local_dir(struct arena *a, const char *runtime, bool make, struct str *dir, struct err *err)
{
	struct str shared = arena_printf(a, "/tmp/trackway-%lu", (unsigned long)geteuid());

	if (runtime && runtime[0] == '/' &&
	    local_use_dir(a, ARENA_JOIN(a, str_from(runtime), STR("/trackway")), make, dir, err))
		return true;
	return local_use_dir(a, shared, make, dir, err);
}

static bool local_address(struct str path, struct sockaddr_un *out)
{
	*out = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path.n == 0 || path.n >= sizeof(out->sun_path))
		return false;
	memcpy(out->sun_path, path.p, path.n);
	return true;
}

/* A socket that is connected to the path, or -1 with errno. */
static int local_connect_at(const struct sockaddr_un *at)
{
	int error, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Takes away what is left of a listener that is no more. False: somebody listens. */
static bool local_clear(const struct sockaddr_un *at)
{
	int fd = local_connect_at(at);
	struct stat st;

	if (fd >= 0 || errno == EAGAIN) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (errno == ECONNREFUSED && lstat(at->sun_path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(at->sun_path);
	return true;
}

int local_listen(struct str path, struct err *err)
{
	struct sockaddr_un at;
	int fd, error;

	if (!local_address(path, &at)) {
		err_set(err, ERR_IO, "%.*s: a socket's path may have %zu bytes", STR_ARG(path),
			sizeof(at.sun_path) - 1);
		return -1;
	}
	if (!local_clear(&at)) {
		err_set(err, ERR_IO, "%.*s: another process listens there", STR_ARG(path));
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, LOCAL_BACKLOG) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	err_system(err, error, "cannot listen on %.*s", STR_ARG(path));
	return -1;
}

/* Whether there is time left, after a moment's rest or when the socket can be written to. */
static bool local_wait(int fd, uint64_t until)
{
	uint64_t now = clock_mono_ns();
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	struct timespec rest = { .tv_nsec = 2 * (long)MS };

	if (now >= until)
		return false;
	if (fd < 0)
		nanosleep(&rest, NULL);
	else
		poll(&p, 1, (int)((until - now) / MS) + 1);
	return true;
}

int local_connect(struct str path)
{
	struct sockaddr_un at;

	return local_address(path, &at) ? local_connect_at(&at) : -1;
}

bool local_send(struct str path, struct str bytes, unsigned most_ms)
{
	uint64_t until = clock_mono_ns() + most_ms * MS;
	struct sockaddr_un at;
	int fd;

	if (!local_address(path, &at))
		return false;
	while ((fd = local_connect_at(&at)) < 0) /* EAGAIN: too many wait, and no event tells when there are fewer */
		if ((errno != EAGAIN && errno != EINTR) || !local_wait(-1, until))
			return false;
	while (bytes.n) {
		ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);

		if (n > 0)
			bytes = str_skip(bytes, (size_t)n);
		else if ((errno != EAGAIN && errno != EINTR) || !local_wait(fd, until))
			break;
	}
	close(fd);
	return bytes.n == 0;
}

bool local_is_ours(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && (who.uid == geteuid() || who.uid == 0);
}
