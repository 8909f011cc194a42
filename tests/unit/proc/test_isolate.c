#include "proc/isolate.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

static int talk_to(int family, int type, const char *address, uint16_t port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const struct sockaddr *to = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
	socklen_t size = family == AF_INET ? sizeof(v4) : sizeof(v6);
	int fd = socket(family, type, 0), done;

	inet_pton(family, address, family == AF_INET ? (void *)&v4.sin_addr : (void *)&v6.sin6_addr);
	done = type == SOCK_STREAM ? connect(fd, to, size) : (int)sendto(fd, "x", 1, 0, to, size);
	close(fd);
	return done;
}

/* The addresses are of documentation (RFC 5737, RFC 3849), and nothing can reach them from here. */
TEST(nobody_leaves_and_every_attempt_is_counted)
{
	struct isolation i;
	struct err err;
	int fd, other;
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(here);

	if (!isolate_network(&i, &err))
		SKIP("%s", err.text);
	CHECK_INT(isolate_attempts(&i), 0);
	CHECK(talk_to(AF_INET, SOCK_STREAM, "192.0.2.1", 443) < 0);
	CHECK_INT(isolate_attempts(&i), 1);
	CHECK(talk_to(AF_INET, SOCK_DGRAM, "192.0.2.1", 53) < 0);
	CHECK_INT(isolate_attempts(&i), 2);
	CHECK(talk_to(AF_INET6, SOCK_STREAM, "2001:db8::1", 443) < 0);
	CHECK(isolate_attempts(&i) >= 2); /* a kernel without IPv6 refuses before it looks for a route */

	fd = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(fd, (struct sockaddr *)&here, sizeof(here)) == 0 && listen(fd, 1) == 0);
	getsockname(fd, (struct sockaddr *)&here, &size);
	other = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(connect(other, (struct sockaddr *)&here, sizeof(here)) == 0);
	close(other);
	close(fd);
}

TEST(a_socket_of_the_network_outside_is_not_handed_to_children)
{
	struct isolation i;
	struct err err;
	int outside = socket(AF_INET, SOCK_STREAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0), file = open("/", O_RDONLY);

	if (!isolate_network(&i, &err))
		SKIP("%s", err.text);
	CHECK(fcntl(outside, F_GETFD) & FD_CLOEXEC);
	CHECK(!(fcntl(local, F_GETFD) & FD_CLOEXEC));
	CHECK(!(fcntl(file, F_GETFD) & FD_CLOEXEC));
	close(outside);
	close(local);
	close(file);
}

/* The middle one ends at once, and its child makes a session of its own. */
TEST(processes_that_were_left_behind_are_ended)
{
	int ends[2];
	pid_t middle;
	char byte;

	isolate_keep_processes();
	CHECK(pipe(ends) == 0);
	middle = fork();
	if (middle == 0) {
		if (fork() == 0) {
			setsid();
			CHECK(write(ends[1], "x", 1) == 1);
			pause();
		}
		_exit(0);
	}
	close(ends[1]);
	CHECK(waitpid(middle, NULL, 0) == middle);
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK_INT(isolate_end_processes(2000), 1);
	CHECK(read(ends[0], &byte, 1) == 0); /* nobody has the other end */
	close(ends[0]);
}
