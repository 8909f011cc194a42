/*
 * Calls that ask for another protocol (WebSocket). libcurl knows nothing of those, so it only makes the connection,
 * with its proxies and certificates, and lends it to us: the request is written by ourselves, the answer read by our
 * own reader, and after "101 Switching Protocols" bytes pass as they are.
 */
#include "net/upstream_curl.h"

#include "base/arena.h"

#define PIECE ((size_t)16 << 10)
#define PIECES 16 /* at once; then others have their turn */
#define QUEUED_LOW ((size_t)64 << 10)

void upstream_curl_tunnel_set_up(struct curl_call *c, const struct upstream_request *r)
{
	const struct str parts[] = { r->method, STR(" "), r->target, STR(" HTTP/1.1\r\n") };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		buf_add_str(&c->queue, parts[i]);
	for (size_t i = 0; i < r->count; i++) {
		buf_add_str(&c->queue, r->headers[i].name);
		buf_add_str(&c->queue, STR(": "));
		buf_add_str(&c->queue, r->headers[i].value);
		buf_add_str(&c->queue, STR("\r\n"));
	}
	buf_add_str(&c->queue, STR("\r\n"));
	curl_easy_setopt(c->easy, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(c->easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
}

/* What a reader found; false when the call is over. */
static bool upstream_curl_tunnel_take(struct curl_call *c, enum http_next next, struct str body)
{
	const struct http_head *h = http_reader_head(c->reader);

	switch (next) {
	case HTTP_HEAD:
		c->switched = h->status == 101;
		if (h->status < 200 && !c->switched)
			return true;
		c->has_head = true;
		c->call.ops->head(c->call.own, h);
		return !c->gone;
	case HTTP_BODY:
		c->call.ops->body(c->call.own, body);
		return !c->gone;
	case HTTP_DONE:
		return !c->has_head;
	case HTTP_BAD:
		c->bad = http_reader_why(c->reader);
		return false;
	case HTTP_MORE:
		break;
	}
	return true;
}

static bool take_bytes(struct curl_call *c, struct str bytes)
{
	struct str body = { NULL, 0 };

	while (!c->switched) {
		enum http_next next = http_next(c->reader, &bytes, &body);

		if (next == HTTP_MORE)
			return true;
		if (!upstream_curl_tunnel_take(c, next, body))
			return false;
	}
	if (bytes.n)
		c->call.ops->body(c->call.own, bytes);
	return !c->gone;
}

/* The other side closed. */
static void take_end(struct curl_call *c)
{
	enum http_next next = c->switched ? HTTP_DONE : http_end(c->reader);

	if (next != HTTP_DONE || !c->has_head)
		c->bad = c->has_head ? http_reader_why(c->reader) : "closed the connection without an answer";
}

static CURLcode send_queued(struct curl_call *c)
{
	while (c->queue.n > c->sent) {
		size_t wrote = 0;
		CURLcode code = curl_easy_send(c->easy, c->queue.p + c->sent, c->queue.n - c->sent, &wrote);

		if (code != CURLE_OK)
			return code == CURLE_AGAIN ? CURLE_OK : code;
		c->sent += wrote;
		c->active = uv_now(c->state->loop);
	}
	buf_clear(&c->queue);
	c->sent = 0;
	return CURLE_OK;
}

bool upstream_curl_tunnel_step(struct curl_call *c, CURLcode *code)
{
	char bytes[PIECE];

	*code = send_queued(c);
	if (*code != CURLE_OK)
		return true;
	if (c->full && c->queue.n - c->sent <= QUEUED_LOW) {
		c->full = false;
		c->call.ops->drain(c->call.own);
	}
	for (size_t i = 0; i < PIECES && !c->paused && !c->gone; i++) {
		size_t n = 0;

		*code = curl_easy_recv(c->easy, bytes, sizeof(bytes), &n);
		if (*code == CURLE_AGAIN)
			return false;
		if (c->switched && *code != CURLE_OK)
			*code = CURLE_OK; /* how that protocol ends is its own affair */
		else if (*code == CURLE_OK && n == 0)
			take_end(c);
		if (*code != CURLE_OK || n == 0)
			return true;
		c->active = uv_now(c->state->loop);
		if (!take_bytes(c, str_of(bytes, n)))
			return true;
	}
	c->unread = true; /* what TLS holds already, no poll tells of */
	return false;
}
