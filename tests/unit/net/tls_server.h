/* A TLS server. It runs in processes of its own, one for each connection, and plays what the path asks for. */
#ifndef UNIT_NET_TLS_SERVER_H
#define UNIT_NET_TLS_SERVER_H

#include <netinet/tcp.h>
#include <signal.h>
#include <sys/wait.h>

#include "unit/net/tls_peer.h"

/* Answers that are always the same; some end the connection, without a word. */
static const struct fixed_answer {
	const char *path, *text;
	bool ends;
} fixed_answers[] = {
	{ "/cut", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789", true },
	{ "/cut-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n", true },
	{ "/cut-end", "HTTP/1.1 200 OK\r\n\r\nuntil the", true },
	{ "/nothing", "", true },
	{ "/early", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
		    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate", false },
	{ "/bad", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n12345", false },
	{ "/gzip", "HTTP/1.1 302 Found\r\nLocation: /hello\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b\r\n"
		   "Content-Length: 4\r\n\r\nraw!", false },
	{ "/head", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", false },
	{ "/silent", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst", false },
};

static inline bool play_fixed(struct peer *p, const char *path)
{
	for (size_t i = 0; i < sizeof(fixed_answers) / sizeof(fixed_answers[0]); i++) {
		if (strcmp(path, fixed_answers[i].path) != 0)
			continue;
		put_line(p, fixed_answers[i].text);
		if (fixed_answers[i].ends)
			_exit(0);
		return true;
	}
	return false;
}

static inline void play(struct peer *p, const char *path, const char *head)
{
	if (play_fixed(p, path))
		return;
	if (strcmp(path, "/echo") == 0) {
		answer_whole(p, head);
	} else if (strcmp(path, "/stream") == 0) {
		put_line(p, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
		wait_ms(100);
		put_line(p, "3\r\ntwo\r\n");
		wait_ms(100);
		put_line(p, "5\r\nthree\r\n0\r\nX-Trailer: yes\r\n\r\n");
	} else if (strcmp(path, "/once") == 0) {
		answer_whole(p, "once");
		_exit(0);
	} else if (strcmp(path, "/to-end") == 0) {
		put_line(p, "HTTP/1.1 200 OK\r\n\r\nuntil the end");
		SSL_shutdown(p->ssl);
		_exit(0);
	} else if (strcmp(path, "/refuse") == 0) {
		put_line(p, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo much");
		for (p->n = 0; more(p);)
			p->n = 0;
		_exit(0);
	} else if (strcmp(path, "/large") == 0) {
		answer_large(p, 8000000);
	} else if (strcmp(path, "/socket") == 0) {
		answer_with_socket(p);
	} else if (strcmp(path, "/sum") == 0) {
		answer_with_sum(p, head);
	} else {
		answer_whole(p, "hello");
	}
}

static inline void serve(SSL_CTX *ctx, int fd, int number)
{
	static struct peer p;
	SSL *ssl = SSL_new(ctx);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)); /* pieces are sent when they are written */
	p = (struct peer){ .ssl = ssl, .number = number };
	SSL_set_fd(ssl, fd);
	if (SSL_accept(ssl) != 1)
		_exit(5);
	for (;;) {
		char head[20000], path[100];
		size_t end;

		while ((end = str_find(str_of(p.in, p.n), STR("\r\n\r\n"))) == (size_t)-1)
			if (!more(&p))
				_exit(0);
		end += 4;
		if (end >= sizeof(head))
			_exit(6);
		memcpy(head, p.in, end);
		head[end] = '\0';
		use(&p, end);
		if (sscanf(head, "%*s %99s", path) != 1)
			_exit(7);
		play(&p, path, head);
	}
}

static inline SSL_CTX *server_context(const struct identity *id)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	if (!ctx || SSL_CTX_use_certificate(ctx, id->cert) != 1 || SSL_CTX_use_PrivateKey(ctx, id->key) != 1)
		_exit(8);
	return ctx;
}

/* Its processes are a group, which ends with stop_group. */
static inline pid_t start_tls(const struct identity *id, bool v6, uint16_t *port)
{
	int fd = listen_loopback(v6, port);
	pid_t pid;

	if (fd < 0)
		SKIP("cannot listen on %s", v6 ? "::1" : "127.0.0.1");
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		SSL_CTX *ctx = server_context(id);

		setpgid(0, 0);
		signal(SIGCHLD, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		alarm(60);
		for (int number = 1;; number++) {
			int client = accept(fd, NULL, NULL);

			if (client >= 0 && fork() == 0) {
				close(fd);
				alarm(60);
				serve(ctx, client, number);
			}
			close(client);
		}
	}
	setpgid(pid, pid);
	close(fd);
	return pid;
}

static inline void stop_group(pid_t pid)
{
	int status;

	kill(-pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid);
}

#endif
