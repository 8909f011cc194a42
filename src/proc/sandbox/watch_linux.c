/*
 * Answers what the filter asks. What the command has in its memory is copied once and may have changed since: so a
 * call goes on in the kernel only where something else keeps it in (the network is its own, Landlock), and elsewhere is
 * done here with our copy of the address, or refused. doc/decisions/021-sandbox.md has the argument.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "proc/sandbox/filter.h"

#define WATCH_LOW_PORT 1024
#define WATCH_NAMES_MOST ((size_t)8 << 20) /* of /proc/PID/net/unix */

union watch_address {
	sa_family_t family;
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
	struct sockaddr_storage room;
};

bool sandbox_watch_is_open(const struct sandbox_watch *w, const struct seccomp_notif *n)
{
	return ioctl(w->fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->id) == 0;
}

void sandbox_refuse(struct sandbox_watch *w, const char *call, struct str what, int error, struct sandbox_answer *out)
{
	sandbox_tally_add(w->tally, str_from(call), what, 1);
	out->error = error;
}

/* ---- addresses ---- */

/* The address that an argument points to; its size, or 0 with the answer. */
static unsigned watch_copy_address(struct sandbox_watch *w, const struct seccomp_notif *n, unsigned arg,
				   union watch_address *out, struct sandbox_answer *answer)
{
	uint64_t size = (uint32_t)n->data.args[arg + 1];
	struct iovec ours = { .iov_base = out, .iov_len = size };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)n->data.args[arg], .iov_len = size };

	memset(out, 0, sizeof(*out));
	if (size < sizeof(sa_family_t) || size > sizeof(*out)) {
		answer->error = EINVAL;
		return 0;
	}
	if (process_vm_readv((pid_t)n->pid, &ours, 1, &theirs, 1, 0) != (ssize_t)size || !sandbox_watch_is_open(w, n)) {
		answer->error = EFAULT;
		return 0;
	}
	return (unsigned)size;
}

/* The address of the Internet that it stands for, IPv4 within IPv6 too; the port. False for other families. */
static bool watch_read_inet(const union watch_address *a, unsigned size, struct in6_addr *out, uint16_t *port)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (a->family == AF_INET && size >= sizeof(a->v4)) {
		memcpy(out->s6_addr, mapped, sizeof(mapped));
		memcpy(out->s6_addr + 12, &a->v4.sin_addr, 4);
		*port = ntohs(a->v4.sin_port);
		return true;
	}
	if (a->family != AF_INET6 || size < offsetof(struct sockaddr_in6, sin6_scope_id))
		return false;
	*out = a->v6.sin6_addr;
	*port = ntohs(a->v6.sin6_port);
	return true;
}

static bool watch_is_loopback(const struct in6_addr *a)
{
	return IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127);
}

/* No address at all; to connect to it means loopback. */
static bool watch_is_any(const struct in6_addr *a)
{
	static const unsigned char none[4];

	return IN6_IS_ADDR_UNSPECIFIED(a) || (IN6_IS_ADDR_V4MAPPED(a) && memcmp(a->s6_addr + 12, none, 4) == 0);
}

struct watch_text {
	char text[SANDBOX_WHAT_MOST];
};

static struct str watch_name_inet(struct watch_text *t, const struct in6_addr *a, uint16_t port)
{
	char address[INET6_ADDRSTRLEN];

	if (IN6_IS_ADDR_V4MAPPED(a)) {
		inet_ntop(AF_INET, a->s6_addr + 12, address, sizeof(address));
		snprintf(t->text, sizeof(t->text), "%s:%u", address, port);
	} else {
		inet_ntop(AF_INET6, a, address, sizeof(address));
		snprintf(t->text, sizeof(t->text), "[%s]:%u", address, port);
	}
	return str_from(t->text);
}

/* The path, or "@" and the name of what has no path. */
static struct str watch_name_local(struct watch_text *t, const union watch_address *a, unsigned size)
{
	size_t n = size - offsetof(struct sockaddr_un, sun_path);
	bool abstract = n > 0 && a->local.sun_path[0] == '\0';

	if (!abstract)
		n = strnlen(a->local.sun_path, n);
	memcpy(t->text, a->local.sun_path, n);
	if (abstract)
		t->text[0] = '@';
	return str_of(t->text, n);
}

static struct str watch_name_family(struct watch_text *t, unsigned family)
{
	snprintf(t->text, sizeof(t->text), "family %u", family);
	return str_from(t->text);
}

/* ---- socket ---- */

static bool watch_may_have_socket(bool strict, unsigned family, unsigned type, unsigned protocol)
{
	switch (family) {
	case AF_UNIX: /* a datagram goes to any path, and neither we nor Landlock see it */
		return !strict || type == SOCK_STREAM || type == SOCK_SEQPACKET;
	case AF_INET:
	case AF_INET6:
		if (type == SOCK_STREAM)
			return !strict || protocol == 0 || protocol == IPPROTO_TCP;
		return !strict && type == SOCK_DGRAM;
	case AF_NETLINK:
		return protocol == 0; /* addresses and routes, to be read */
	default:
		return false;
	}
}

void sandbox_look_at_socket(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out)
{
	static const char *const types[] = { [SOCK_STREAM] = "stream", [SOCK_DGRAM] = "datagram", [SOCK_RAW] = "raw",
					     [SOCK_SEQPACKET] = "seqpacket" };
	unsigned family = (unsigned)n->data.args[0], type = (unsigned)n->data.args[1] & 0xf;
	const char *kind = type < COUNT(types) && types[type] ? types[type] : "other";
	struct watch_text t = { .text = "" };

	if (watch_may_have_socket(w->strict, family, type, (unsigned)n->data.args[2])) {
		out->go_on = true;
		return;
	}
	if (family == AF_UNIX || family == AF_INET || family == AF_INET6)
		snprintf(t.text, sizeof(t.text), "%s %s",
			 family == AF_UNIX ? "local" : family == AF_INET ? "IPv4" : "IPv6", kind);
	else
		watch_name_family(&t, family);
	sandbox_refuse(w, "socket", str_from(t.text), EACCES, out);
}

/* ---- connect, sendto ---- */

/*
 * Whether a socket of this name is bound in the network namespace of the process. "Num RefCount Protocol Flags Type St
 * Inode Path": the name is the last word.
 */
static bool watch_has_name(const struct seccomp_notif *n, struct str name)
{
	struct str path, text = STR("");
	struct arena a;
	struct err err;
	bool has = false;

	arena_init(&a);
	path = arena_printf(&a, "/proc/%u/net/unix", n->pid);
	file_read(&a, path, WATCH_NAMES_MOST, &text, &err);
	while (text.n && !has) {
		struct str line = str_cut(text, '\n', &text);

		has = line.n > name.n && str_ends(line, name) && line.p[line.n - name.n - 1] == ' ';
	}
	arena_free(&a);
	return has;
}

/* The network is its own: whatever is in memory by now, nothing but this network can be reached. */
static void watch_connect_loose(struct sandbox_watch *w, const struct seccomp_notif *n, const char *call,
				const union watch_address *a, unsigned size, struct sandbox_answer *out)
{
	struct watch_text t = { .text = "" };
	struct in6_addr to;
	struct str name;
	uint16_t port;

	out->go_on = true;
	if (watch_read_inet(a, size, &to, &port)) {
		if (watch_is_loopback(&to) || watch_is_any(&to))
			return;
		out->go_on = false;
		sandbox_refuse(w, call, watch_name_inet(&t, &to, port), ENETUNREACH, out);
	} else if (a->family == AF_UNIX) {
		name = watch_name_local(&t, a, size);
		if (name.n == 0 || name.p[0] != '@' || watch_has_name(n, name))
			return;
		out->go_on = false;
		sandbox_refuse(w, call, name, ECONNREFUSED, out);
	}
}

/* The network is the system's: nothing goes on, and what is allowed is done here. */
static void watch_connect_strict(struct sandbox_watch *w, const struct seccomp_notif *n,
				 const union watch_address *a, unsigned size, struct sandbox_answer *out)
{
	struct sockaddr_in one = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				   .sin_port = htons(w->port) };
	struct watch_text t = { .text = "" };
	struct in6_addr to;
	struct str name;
	uint16_t port;

	if (watch_read_inet(a, size, &to, &port)) {
		bool here = watch_is_loopback(&to) || watch_is_any(&to);

		if (!here || port != w->port || port == 0)
			sandbox_refuse(w, "connect", watch_name_inet(&t, &to, port),
				       here ? ECONNREFUSED : ENETUNREACH, out);
		else if (a->family == AF_INET)
			sandbox_perform_connect(w, n, &one, sizeof(one), out);
		else if (IN6_IS_ADDR_V4MAPPED(&to))
			sandbox_perform_connect(w, n, a, sizeof(a->v6), out);
		else
			out->error = ECONNREFUSED; /* the port is one of IPv4, and clients try that next */
	} else if (a->family == AF_UNIX) {
		name = watch_name_local(&t, a, size);
		if (name.n && name.p[0] != '@')
			sandbox_perform_path(w, n, name, out);
		else
			sandbox_refuse(w, "connect", name, ECONNREFUSED, out);
	} else if (a->family == AF_UNSPEC) {
		out->error = EAFNOSUPPORT;
	} else {
		sandbox_refuse(w, "connect", watch_name_family(&t, a->family), EACCES, out);
	}
}

void sandbox_look_at_connect(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out)
{
	union watch_address a;
	unsigned size = watch_copy_address(w, n, 1, &a, out);

	if (size && w->strict)
		watch_connect_strict(w, n, &a, size, out);
	else if (size)
		watch_connect_loose(w, n, "connect", &a, size, out);
}

void sandbox_look_at_sendto(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out)
{
	union watch_address a;
	unsigned size = watch_copy_address(w, n, 4, &a, out);

	if (size)
		watch_connect_loose(w, n, "sendto", &a, size, out);
}

/* ---- bind, listen ---- */

/* A name without a path, a path and a netlink address are Landlock's and the kernel's affair at any level. */
void sandbox_look_at_bind(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out)
{
	union watch_address a;
	unsigned size = watch_copy_address(w, n, 1, &a, out);
	struct watch_text t = { .text = "" };
	struct in6_addr at;
	uint16_t port;

	if (size == 0)
		return;
	if (a.family == AF_UNSPEC && size >= sizeof(a.v4))
		a.family = AF_INET; /* as the kernel reads it */
	if (!watch_read_inet(&a, size, &at, &port)) {
		out->go_on = true;
	} else if (!watch_is_loopback(&at) && (w->strict || !watch_is_any(&at))) {
		sandbox_refuse(w, "bind", watch_name_inet(&t, &at, port), w->strict ? EACCES : EADDRNOTAVAIL, out);
	} else if (w->strict && port > 0 && port < WATCH_LOW_PORT) {
		sandbox_refuse(w, "bind", watch_name_inet(&t, &at, port), EACCES, out);
	} else if (w->strict) {
		sandbox_perform_bind(w, n, &a, size, out);
	} else {
		out->go_on = true;
	}
}

/* A socket that is not bound would listen on all addresses. */
void sandbox_look_at_listen(struct sandbox_watch *w, const struct seccomp_notif *n, struct sandbox_answer *out)
{
	int fd = sandbox_perform_take(n, (int)n->data.args[0]);
	union watch_address a = { .family = AF_UNSPEC };
	socklen_t size = sizeof(a);
	struct watch_text t = { .text = "" };
	struct in6_addr at;
	uint16_t port;

	if (fd < 0 || getsockname(fd, &a.any, &size) != 0) {
		out->error = errno;
	} else if (watch_read_inet(&a, size, &at, &port) && (port == 0 || !watch_is_loopback(&at))) {
		sandbox_refuse(w, "listen", watch_name_inet(&t, &at, port), EACCES, out);
	} else if (listen(fd, (int)n->data.args[1]) != 0) {
		out->error = errno;
	}
	if (fd >= 0)
		close(fd);
}

/* ---- the questions ---- */

static bool watch_say(struct sandbox_watch *w, uint64_t id, const struct sandbox_answer *a)
{
	struct seccomp_notif_resp r = { .id = id, .error = a->go_on ? 0 : -a->error,
					.flags = a->go_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0 };

	return ioctl(w->fd, SECCOMP_IOCTL_NOTIF_SEND, &r) == 0 || errno == ENOENT; /* ENOENT: it has ended meanwhile */
}

bool sandbox_watch_answer(struct sandbox_watch *w)
{
	struct sandbox_answer a = { .error = 0 };
	struct seccomp_notif n = { .id = 0 };
	const struct sandbox_call *c;

	if (ioctl(w->fd, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0)
		return errno == EINTR || errno == ENOENT;
	c = sandbox_filter_find(&n.data, w->strict);
	if (c->look)
		c->look(w, &n, &a);
	else
		sandbox_refuse(w, c->call, str_of(NULL, 0), EPERM, &a);
	return a.later || watch_say(w, n.id, &a);
}

bool sandbox_watch_connected(struct sandbox_watch *w, int fd)
{
	for (size_t i = 0; i < SANDBOX_PENDING; i++) {
		struct sandbox_answer a = { .error = 0 };
		socklen_t size = sizeof(a.error);

		if (w->pending[i].fd != fd)
			continue;
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &a.error, &size);
		epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL); /* closing is not enough: the command has it too */
		close(fd);
		w->pending[i].fd = -1;
		watch_say(w, w->pending[i].id, &a);
		return true;
	}
	return false;
}
