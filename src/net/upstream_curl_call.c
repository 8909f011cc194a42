/* A call and curl: what is set when it begins, and what curl asks for while it goes on. */
#include "net/upstream_curl.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define QUEUED_LOW ((size_t)64 << 10) /* a writer who waits may go on */
#define REWIND_MAX ((size_t)1 << 20)  /* sent bytes kept, for a kept connection that turns out to be closed */
#define BUFFER_SIZE (64L << 10)       /* curl's, each way */

/* ---- what curl asks for ---- */

/* A line of a head, with its end; lines that come after the body are trailers, and not passed on. */
static size_t take_header(char *p, size_t size, size_t n, void *context)
{
	struct curl_call *c = context;
	struct str line = str_of(p, size * n), body;
	enum http_next next;

	c->active = uv_now(c->state->loop);
	if (c->has_head || c->gone)
		return c->gone ? 0 : n;
	while ((next = http_next(c->reader, &line, &body)) != HTTP_MORE && next != HTTP_BAD) {
		const struct http_head *h = http_reader_head(c->reader);

		if (next != HTTP_HEAD || h->status < 200)
			continue; /* "100 Continue" and its like are between the upstream and us */
		c->has_head = true;
		c->call.ops->head(c->call.own, h);
		if (c->starved)
			upstream_curl_make_due(c);
		return c->gone ? 0 : n;
	}
	if (next == HTTP_BAD)
		c->bad = http_reader_why(c->reader);
	return next == HTTP_BAD ? 0 : n;
}

static size_t take_body(char *p, size_t size, size_t n, void *context)
{
	struct curl_call *c = context;
	uint64_t limit = c->state->options->limits.body;

	c->active = uv_now(c->state->loop);
	n *= size;
	if (c->gone || n == 0)
		return 0;
	if (c->paused) {
		c->stalled = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	c->received += n;
	if (!c->has_head || (limit && c->received > limit)) {
		c->bad = c->has_head ? "a body that is too large" : "a body without a head";
		return 0;
	}
	c->call.ops->body(c->call.own, str_of(p, n));
	return c->gone ? 0 : n;
}

/* What was sent stays in the queue while that is short: the request may have to be sent once more. */
static void trim_queue(struct curl_call *c)
{
	if (c->sent < REWIND_MAX)
		return;
	memmove(c->queue.p, c->queue.p + c->sent, c->queue.n - c->sent);
	c->queue.n -= c->sent;
	c->sent = 0;
	c->forgot = true;
}

static size_t give_body(char *p, size_t size, size_t n, void *context)
{
	struct curl_call *c = context;
	size_t left = c->queue.n - c->sent;

	if (c->gone)
		return CURL_READFUNC_ABORT;
	if (left == 0) {
		c->starved = !c->finished;
		return c->finished ? 0 : CURL_READFUNC_PAUSE;
	}
	n = n * size < left ? n * size : left;
	memcpy(p, c->queue.p + c->sent, n);
	c->sent += n;
	c->active = uv_now(c->state->loop);
	trim_queue(c);
	if (c->finished && c->sent == c->queue.n && c->call.ops->sent)
		c->call.ops->sent(c->call.own);
	if (c->full && c->queue.n - c->sent <= QUEUED_LOW) {
		c->full = false;
		c->call.ops->drain(c->call.own);
	}
	return c->gone ? CURL_READFUNC_ABORT : n;
}

static int rewind_body(void *context, curl_off_t offset, int origin)
{
	struct curl_call *c = context;

	if (c->forgot || offset != 0 || origin != SEEK_SET)
		return CURL_SEEKFUNC_FAIL;
	c->sent = 0;
	return CURL_SEEKFUNC_OK;
}

/* A child process must not inherit it. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *a)
{
	(void)context;
	(void)purpose;
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* ---- what curl is told ---- */

static bool has_header(const struct upstream_request *r, struct str name)
{
	for (size_t i = 0; i < r->count; i++)
		if (http_name_eq(r->headers[i].name, name))
			return true;
	return false;
}

static void add_headers(struct curl_call *c, const struct upstream_request *r)
{
	/* what curl would add by itself; a name without a value takes it away */
	static const struct str own[] = {
		{ "User-Agent", 10 }, { "Accept", 6 }, { "Expect", 6 }, { "Content-Type", 12 },
		{ "Proxy-Connection", 16 },
	};
	struct buf line;

	buf_init(&line);
	for (size_t i = 0; i < r->count; i++) {
		const struct http_header *h = &r->headers[i];

		if (r->upgrade && (http_name_eq(h->name, STR("connection")) || http_name_eq(h->name, STR("upgrade"))))
			continue;
		buf_clear(&line);
		buf_add_str(&line, h->name);
		buf_add_str(&line, h->value.n ? STR(": ") : STR(";")); /* curl's way to write an empty one */
		buf_add_str(&line, h->value);
		buf_add_byte(&line, '\0');
		c->headers = curl_slist_append(c->headers, line.p);
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (has_header(r, own[i]))
			continue;
		buf_clear(&line);
		buf_add_str(&line, own[i]);
		buf_add(&line, ":", 2);
		c->headers = curl_slist_append(c->headers, line.p);
	}
	buf_free(&line);
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
}

static void set_target(struct curl_call *c, const struct upstream_request *r)
{
	const char *proxy = upstream_env_proxy(r->url);
	bool v6 = memchr(r->url->host.p, ':', r->url->host.n) != NULL;
	struct buf text;

	buf_init(&text);
	buf_printf(&text, "%s://%s%s%s:%u/", r->url->tls ? "https" : "http", v6 ? "[" : "", r->url->host.p,
		   v6 ? "]" : "", (unsigned)r->url->port);
	buf_add_byte(&text, '\0');
	curl_easy_setopt(c->easy, CURLOPT_URL, text.p);
	buf_clear(&text);
	/* without a tunnel a proxy has to be told where to go */
	if (proxy && !r->url->tls && strncasecmp(proxy, "socks", 5) != 0) {
		buf_add_str(&text, STR("http://"));
		buf_add_str(&text, r->url->authority);
	}
	buf_add_str(&text, r->target);
	buf_add_byte(&text, '\0');
	curl_easy_setopt(c->easy, CURLOPT_REQUEST_TARGET, text.p);
	buf_clear(&text);
	buf_add_str(&text, r->method);
	buf_add_byte(&text, '\0');
	curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, text.p);
	buf_free(&text);
	c->has_proxy = proxy != NULL;
	curl_easy_setopt(c->easy, CURLOPT_PROXY, proxy ? proxy : "");
	curl_easy_setopt(c->easy, CURLOPT_NOPROXY, ""); /* was looked at already */
	curl_easy_setopt(c->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

static void set_framing(struct curl_call *c, const struct upstream_request *r)
{
	if (r->framing == HTTP_LENGTH || r->framing == HTTP_CHUNKED) {
		curl_easy_setopt(c->easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(c->easy, CURLOPT_UPLOAD_BUFFERSIZE, BUFFER_SIZE);
		curl_easy_setopt(c->easy, CURLOPT_INFILESIZE_LARGE,
				 r->framing == HTTP_LENGTH ? (curl_off_t)r->length : (curl_off_t)-1);
		curl_easy_setopt(c->easy, CURLOPT_READFUNCTION, give_body);
		curl_easy_setopt(c->easy, CURLOPT_READDATA, c);
		curl_easy_setopt(c->easy, CURLOPT_SEEKFUNCTION, rewind_body);
		curl_easy_setopt(c->easy, CURLOPT_SEEKDATA, c);
	}
	if (str_eq(r->method, STR("HEAD")))
		curl_easy_setopt(c->easy, CURLOPT_NOBODY, 1L);
}

static void set_trust(CURL *easy, const struct curl_state *s)
{
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
	/* without a directory curl reads the file once and keeps what it read */
	curl_easy_setopt(easy, CURLOPT_CAINFO, s->ca_file);
	curl_easy_setopt(easy, CURLOPT_CAPATH, s->ca_dir);
	curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, s->ca_file);
	curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, s->ca_dir);
}

static void set_manners(struct curl_call *c)
{
	CURL *easy = c->easy;

	curl_easy_setopt(easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* who cancels a call does not wait for a slow name server */
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)c->state->options->connect_ms);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, BUFFER_SIZE);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, c);
}

void upstream_curl_set_up(struct curl_call *c, const struct upstream_request *r)
{
	set_manners(c);
	set_trust(c->easy, c->state);
	set_target(c, r);
	/* a request with a body that asks for another protocol: nobody sends one, and we pass it without the wish */
	c->upgrade = r->upgrade && r->framing == HTTP_NONE;
	if (c->upgrade) {
		upstream_curl_tunnel_set_up(c, r);
		return;
	}
	set_framing(c, r);
	add_headers(c, r);
}
