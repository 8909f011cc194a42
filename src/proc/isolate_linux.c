/*
 * A new network namespace begins empty, and its loopback is down. Without privileges a user namespace comes first, in
 * which we are who we were. Packets that find no route are counted by the kernel for each namespace.
 */
#include "proc/isolate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "proc/sandbox/linux.h"
#include "proc/user_ids.h"

static bool bring_loopback_up(void)
{
	struct ifreq r = { .ifr_flags = 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool up;

	if (fd < 0)
		return false;
	memcpy(r.ifr_name, "lo", sizeof("lo"));
	up = ioctl(fd, SIOCGIFFLAGS, &r) == 0;
	r.ifr_flags |= IFF_UP | IFF_RUNNING;
	up = up && ioctl(fd, SIOCSIFFLAGS, &r) == 0;
	close(fd);
	return up;
}

/* The whole of a small file of /proc. */
static struct str read_proc(const char *path, char *into, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 1;

	while (fd >= 0 && n < room && (got = read(fd, into + n, room - n)) > 0)
		n += (size_t)got;
	if (fd >= 0)
		close(fd);
	return str_of(into, n);
}

/* "Ip: Forwarding ... OutNoRoutes ...", and below it a line with the numbers in the same columns. */
static uint64_t count_snmp(struct str text)
{
	struct str names = str_cut(text, '\n', &text), values = str_cut(text, '\n', &text);
	uint64_t count = 0;

	while (names.n && values.n) {
		struct str name = str_cut(names, ' ', &names), value = str_cut(values, ' ', &values);

		if (str_eq(name, STR("OutNoRoutes")) && num_parse_u64(value, &count))
			return count;
	}
	return 0;
}

/* "Ip6OutNoRoutes    	3", a line for each. */
static uint64_t count_snmp6(struct str text)
{
	uint64_t count = 0;

	while (text.n) {
		struct str line = str_cut(text, '\n', &text);

		if (str_starts(line, STR("Ip6OutNoRoutes")))
			num_parse_u64(str_trim(str_skip(line, sizeof("Ip6OutNoRoutes") - 1)), &count);
	}
	return count;
}

static uint64_t count_all(void)
{
	char text[16384];

	return count_snmp(read_proc("/proc/self/net/snmp", text, sizeof(text))) +
	       count_snmp6(read_proc("/proc/self/net/snmp6", text, sizeof(text)));
}

/* What is no socket has no domain. */
static bool leads_out(int fd)
{
	int domain;
	socklen_t size = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain != AF_UNIX;
}

static void keep_sockets_from_children(void)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *e;
	uint64_t fd;

	while (all && (e = readdir(all)) != NULL)
		if (num_parse_u64(str_from(e->d_name), &fd) && fd > STDERR_FILENO && leads_out((int)fd))
			fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	if (all)
		closedir(all);
}

bool isolate_network(struct isolation *out, struct err *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNET) != 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
			return err_system(err, errno, "this system allows no network namespace");
		if (!user_ids_keep(uid, gid))
			return err_system(err, errno, "this system allows no user namespace");
	}
	if (!bring_loopback_up())
		return err_system(err, errno, "loopback cannot be used in a network namespace");
	keep_sockets_from_children();
	out->before = count_all();
	return true;
}

uint64_t isolate_attempts(const struct isolation *i)
{
	return count_all() - i->before;
}

void isolate_keep_processes(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

uint64_t isolate_end_processes(unsigned most_ms)
{
	bool emptied;

	return sandbox_tree_end(most_ms, &emptied);
}
