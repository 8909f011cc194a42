/* The ferry between two addresses of loopback, which stand for the two networks. */
#include "proc/sandbox/ferry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

#define BYTES ((size_t)3000000)

static int open_at(const char *address, uint16_t *port, int type)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(*port) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | type, 0);

	inet_pton(AF_INET, address, &at.sin_addr);
	CHECK(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 64) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	*port = ntohs(at.sin_port);
	return fd;
}

/* Reads to the end, then says how much it was, a digit for each byte: it answers after the other side has ended. */
static void serve(int listener)
{
	char piece[65536];
	size_t sum = 0;
	ssize_t n;
	int fd = accept(listener, NULL, NULL);

	while ((n = read(fd, piece, sizeof(piece))) > 0)
		sum += (size_t)n;
	while (sum > 0) {
		n = write(fd, piece, sum < sizeof(piece) ? sum : sizeof(piece));
		if (n <= 0)
			_exit(1);
		sum -= (size_t)n;
	}
	_exit(0);
}

static void ask(uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	static char piece[65536];
	size_t sum = 0;
	ssize_t n;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, "127.0.0.2", &to.sin_addr);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		_exit(2);
	while (sum < BYTES && (n = write(fd, piece, BYTES - sum < sizeof(piece) ? BYTES - sum : sizeof(piece))) > 0)
		sum += (size_t)n;
	shutdown(fd, SHUT_WR);
	usleep(100000); /* what comes back must wait */
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		sum -= (size_t)n;
	_exit(sum == 0 && n == 0 ? 0 : 3);
}

TEST(bytes_pass_both_ways_and_each_way_ends_by_itself)
{
	uint16_t port = 0;
	int server = open_at("127.0.0.1", &port, 0), listener = open_at("127.0.0.2", &port, SOCK_NONBLOCK);
	int epoll = epoll_create1(0), status = -1;
	struct sandbox_ferry *f;
	struct epoll_event e;
	pid_t serving = fork(), asking;

	if (serving == 0)
		serve(server);
	asking = fork();
	if (asking == 0)
		ask(port);
	f = sandbox_ferry_open(epoll, listener, port);
	CHECK(f != NULL);
	while (waitpid(asking, &status, WNOHANG) == 0)
		if (epoll_wait(epoll, &e, 1, 50) == 1)
			CHECK(sandbox_ferry_take(f, e.data.fd));
	CHECK_INT(status, 0);
	CHECK(waitpid(serving, &status, 0) == serving);
	CHECK_INT(status, 0);
	CHECK(!sandbox_ferry_take(f, server));
	sandbox_ferry_close(f);
	close(epoll);
	close(server);
}

TEST(where_nobody_listens_outside_the_connection_ends)
{
	uint16_t port = 0;
	int server = open_at("127.0.0.1", &port, 0), listener = open_at("127.0.0.2", &port, SOCK_NONBLOCK);
	int epoll = epoll_create1(0), status = -1;
	struct sandbox_ferry *f;
	struct epoll_event e;
	pid_t asking;

	close(server);
	signal(SIGPIPE, SIG_IGN);
	asking = fork();
	if (asking == 0)
		ask(port);
	f = sandbox_ferry_open(epoll, listener, port);
	while (waitpid(asking, &status, WNOHANG) == 0)
		if (epoll_wait(epoll, &e, 1, 50) == 1)
			sandbox_ferry_take(f, e.data.fd);
	CHECK_INT(WEXITSTATUS(status), 3);
	sandbox_ferry_close(f);
	close(epoll);
}
