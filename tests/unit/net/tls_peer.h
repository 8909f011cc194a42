/* One connection of the server: reading, writing, and answers that need more than a text. */
#ifndef UNIT_NET_TLS_PEER_H
#define UNIT_NET_TLS_PEER_H

#include <openssl/ssl.h>

#include "unit/net/tls_identity.h"

struct peer {
	SSL *ssl;
	int number; /* of the connection */
	char in[70000]; /* what came and was not used */
	size_t n;
};

static inline void put_text(struct peer *p, const char *text, size_t n)
{
	for (int wrote; n; text += wrote, n -= (size_t)wrote)
		if ((wrote = SSL_write(p->ssl, text, n < 100000 ? (int)n : 100000)) <= 0)
			_exit(1);
}

static inline void put_line(struct peer *p, const char *text)
{
	put_text(p, text, strlen(text));
}

static inline bool more(struct peer *p)
{
	int got = p->n < sizeof(p->in) ? SSL_read(p->ssl, p->in + p->n, (int)(sizeof(p->in) - p->n)) : 0;

	p->n += got > 0 ? (size_t)got : 0;
	return got > 0;
}

static inline void use(struct peer *p, size_t n)
{
	memmove(p->in, p->in + n, p->n - n);
	p->n -= n;
}

static inline size_t line_end(struct peer *p)
{
	size_t at;

	while ((at = str_find(str_of(p->in, p->n), STR("\r\n"))) == (size_t)-1)
		if (!more(p))
			_exit(2);
	return at + 2;
}

/* Reads n bytes of a body and gives a sum that depends on their order. */
static inline void sum_bytes(struct peer *p, size_t n, uint64_t *sum)
{
	while (n) {
		size_t part = p->n < n ? p->n : n;

		for (size_t i = 0; i < part; i++)
			*sum = *sum * 31 + (unsigned char)p->in[i];
		use(p, part);
		n -= part;
		if (n && !more(p))
			_exit(3);
	}
}

static inline void answer_with_sum(struct peer *p, const char *head)
{
	const char *length = strstr(head, "Content-Length: ");
	uint64_t sum = 0;
	size_t total = 0, n;
	char text[100], answer[200];

	if (length) {
		total = strtoul(length + 16, NULL, 10);
		sum_bytes(p, total, &sum);
	} else {
		do {
			size_t end = line_end(p);

			n = strtoul(p->in, NULL, 16);
			use(p, end);
			sum_bytes(p, n, &sum);
			total += n;
			use(p, line_end(p));
		} while (n);
	}
	snprintf(text, sizeof(text), "%zu %llu", total, (unsigned long long)sum);
	snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(text), text);
	put_line(p, answer);
}

static inline void answer_whole(struct peer *p, const char *body)
{
	char head[100];

	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nX-Connection: %d\r\nContent-Length: %zu\r\n\r\n", p->number,
		 strlen(body));
	put_line(p, head);
	put_line(p, body);
}

static inline void answer_large(struct peer *p, size_t n)
{
	char *bytes = malloc(n), head[100];

	if (!bytes)
		_exit(4);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)('a' + i % 23);
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
	put_line(p, head);
	put_text(p, bytes, n);
	free(bytes);
}

/* Another protocol: greets, then says again whatever it is told, up to a "." */
static inline void answer_with_socket(struct peer *p)
{
	put_line(p, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: parrot\r\n\r\ngreetings;");
	for (;;) {
		bool over = memchr(p->in, '.', p->n) != NULL;

		put_text(p, p->in, p->n);
		use(p, p->n);
		if (over || !more(p))
			_exit(0);
	}
}

#endif
