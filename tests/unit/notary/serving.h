/* A witness's server in a process of its own, and plain sockets to talk to it. */
#ifndef UNIT_NOTARY_SERVING_H
#define UNIT_NOTARY_SERVING_H

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "notary/witness_server.h"
#include "unit/notary/notary_sample.h"

struct serving {
	pid_t child;
	uint16_t port;
};

static inline void serving_told(void *context, int status, struct str body, struct str trouble)
{
	(void)context;
	CHECK(status >= 200 && status < 600 && body.n > 0);
	CHECK((status == 500) == (trouble.p != NULL));
}

/* The witness of the sample is used by the child only from here on. */
static inline struct serving serving_begin_with(struct sample *s, unsigned patience_ms)
{
	struct serving v = { .child = 0 };
	int ends[2];

	CHECK(pipe(ends) == 0);
	v.child = fork();
	if (v.child == 0) {
		struct witness_server_options o = { .witness = s->w, .told = serving_told, .patience_ms = patience_ms };
		struct witness_server *server;
		uint16_t port;
		uv_loop_t loop;

		CHECK(uv_loop_init(&loop) == 0);
		server = witness_server_open(&loop, &o, &s->err);
		CHECK(server != NULL);
		port = witness_server_port(server);
		CHECK(write(ends[1], &port, sizeof(port)) == sizeof(port));
		uv_run(&loop, UV_RUN_DEFAULT);
		_exit(0);
	}
	CHECK(read(ends[0], &v.port, sizeof(v.port)) == sizeof(v.port));
	close(ends[0]);
	close(ends[1]);
	return v;
}

static inline struct serving serving_begin(struct sample *s)
{
	return serving_begin_with(s, 0);
}

static inline void serving_end(struct serving *v)
{
	kill(v->child, SIGKILL);
	waitpid(v->child, NULL, 0);
}

/* Sends bytes and reads all that comes, until the other side closes. */
static inline struct str serving_send(struct sample *s, const struct serving *v, struct str bytes)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(v->port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char *got = arena_alloc(&s->a, 65536, 1);
	size_t n = 0;
	ssize_t more;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	for (size_t sent = 0; sent < bytes.n;) {
		ssize_t wrote = send(fd, bytes.p + sent, bytes.n - sent, MSG_NOSIGNAL);

		if (wrote < 0)
			break; /* it has answered already, and does not read on */
		sent += (size_t)wrote;
	}
	while (n < 65536 && (more = read(fd, got + n, 65536 - n)) > 0)
		n += (size_t)more;
	close(fd);
	return str_of(got, n);
}

static inline struct str serving_post(struct sample *s, const struct serving *v, const char *line, struct str body)
{
	return serving_send(s, v, ARENA_JOIN(&s->a, arena_printf(&s->a, "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
								 "Content-Length: %zu\r\n\r\n", line, body.n), body));
}

#endif
