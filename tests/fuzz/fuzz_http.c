/*
 * HTTP/1.1 messages, one behind the other: the same whole and cut at random places; a head that was taken, written
 * again from what was read of it, reads the same; and no head is taken that has two ways to be framed.
 * The first byte chooses the side, what is answered, the limits and whether CONNECT is taken, the second the cuts.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "net/http/http.h"

enum { ANSWER = 1, TO_HEAD = 2, SMALL = 4, TUNNELS = 8 };

static struct http_reader *open_reader(uint8_t how)
{
	static const struct http_limits small = { .head = 200, .headers = 4, .body = 50 };
	struct http_limits limits = how & SMALL ? small : (struct http_limits){ 0 };
	struct http_reader *r;

	limits.connect = how & TUNNELS;
	r = http_reader_open(how & ANSWER ? HTTP_RESPONSE : HTTP_REQUEST, &limits);

	if (how & TO_HEAD)
		http_reader_expect(r, STR("HEAD"));
	return r;
}

static void print_head(struct buf *out, const struct http_head *h)
{
	buf_printf(out, "HEAD %d %d %d %llu %d%d%d ", h->status, h->minor, (int)h->framing, (unsigned long long)h->length,
		   h->keep_alive, h->expect_continue, h->upgrade);
	buf_add_str(out, h->method);
	buf_add_str(out, h->target);
	buf_add_str(out, h->reason);
	for (size_t i = 0; i < h->count; i++) {
		buf_printf(out, " %zu:%zu ", h->headers[i].name.n, h->headers[i].value.n);
		buf_add_str(out, h->headers[i].name);
		buf_add_str(out, h->headers[i].value);
	}
	buf_add_byte(out, '\n');
}

static void write_head(struct buf *out, const struct http_head *h)
{
	if (h->side == HTTP_REQUEST) {
		buf_add_str(out, h->method);
		buf_add_byte(out, ' ');
		buf_add_str(out, h->target);
		buf_printf(out, " HTTP/1.%d\r\n", h->minor);
	} else {
		buf_printf(out, "HTTP/1.%d %03d ", h->minor, h->status);
		buf_add_str(out, h->reason);
		buf_add_str(out, STR("\r\n"));
	}
	for (size_t i = 0; i < h->count; i++) {
		buf_add_str(out, h->headers[i].name);
		buf_add_str(out, STR(": "));
		buf_add_str(out, h->headers[i].value);
		buf_add_str(out, STR("\r\n"));
	}
	buf_add_str(out, STR("\r\n"));
}

static void check_head(const struct http_head *h, uint8_t how)
{
	struct http_reader *again = open_reader(how & (uint8_t)~SMALL);
	struct buf text, first, second;
	size_t lengths = 0, codings = 0, hosts = 0;
	struct str bytes, body;

	for (size_t i = 0; i < h->count; i++) {
		lengths += http_name_eq(h->headers[i].name, STR("Content-Length"));
		codings += http_name_eq(h->headers[i].name, STR("Transfer-Encoding"));
		hosts += http_name_eq(h->headers[i].name, STR("Host"));
	}
	FUZZ_CHECK(lengths + codings <= 1);
	FUZZ_CHECK(!str_eq(h->method, STR("CONNECT")) || (how & TUNNELS && h->length == 0 && h->framing != HTTP_CHUNKED));
	FUZZ_CHECK(h->side == HTTP_RESPONSE || (hosts <= 1 && hosts + (h->minor == 0) >= 1));
	FUZZ_CHECK(h->framing != HTTP_CHUNKED || http_name_eq(http_find(h, STR("transfer-encoding")), STR("chunked")));
	buf_init(&text);
	buf_init(&first);
	buf_init(&second);
	write_head(&text, h);
	print_head(&first, h);
	bytes = buf_str(&text);
	FUZZ_CHECK(http_next(again, &bytes, &body) == HTTP_HEAD);
	FUZZ_CHECK(bytes.n == 0);
	print_head(&second, http_reader_head(again));
	FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	http_reader_close(again);
	buf_free(&text);
	buf_free(&first);
	buf_free(&second);
}

static enum http_next feed(struct http_reader *r, struct str bytes, uint8_t *how, struct buf *out, struct buf *bodies)
{
	enum http_next next;
	struct str body;

	while ((next = http_next(r, &bytes, &body)) != HTTP_MORE) {
		if (next == HTTP_BAD)
			return next;
		if (next == HTTP_HEAD) {
			print_head(out, http_reader_head(r));
			check_head(http_reader_head(r), *how);
		}
		FUZZ_CHECK(next != HTTP_BODY || body.n > 0);
		buf_add_str(bodies, body);
		if (next == HTTP_DONE) {
			buf_printf(out, "DONE at %zu\n", bodies->n);
			if (http_reader_head(r)->status / 100 != 1)
				*how &= (uint8_t)~TO_HEAD; /* which was for one answer */
		}
	}
	FUZZ_CHECK(bytes.n == 0);
	return next;
}

/* cut 0: whole. */
static void run(struct str text, uint8_t how, uint32_t cut, struct buf *out, struct buf *bodies)
{
	struct http_reader *r = open_reader(how);
	enum http_next next = HTTP_MORE;

	for (size_t at = 0, n; at < text.n && next != HTTP_BAD; at += n) {
		char *copy; /* exactly as long, so that a sanitizer sees a byte too many */

		n = text.n - at;
		if (cut) {
			cut = cut * 1664525 + 1013904223;
			n = n < 1 + (cut >> 24) % 29 ? n : 1 + (cut >> 24) % 29;
		}
		copy = malloc(n);
		FUZZ_CHECK(copy);
		memcpy(copy, text.p + at, n);
		next = feed(r, str_of(copy, n), &how, out, bodies);
		free(copy);
	}
	if (next != HTTP_BAD)
		next = http_end(r);
	buf_printf(out, "end %d\n", (int)next);
	if (next == HTTP_BAD)
		buf_printf(out, "%d %s\n", http_reader_status(r), http_reader_why(r));
	http_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole, whole_body, pieces, pieces_body;
	struct str text;

	if (size < 2)
		return 0;
	text = str_of(data + 2, size - 2);
	buf_init(&whole);
	buf_init(&whole_body);
	buf_init(&pieces);
	buf_init(&pieces_body);
	run(text, data[0], 0, &whole, &whole_body);
	run(text, data[0], 1u + data[1], &pieces, &pieces_body);
	FUZZ_CHECK(str_eq(buf_str(&whole), buf_str(&pieces)));
	FUZZ_CHECK(str_eq(buf_str(&whole_body), buf_str(&pieces_body)));
	buf_free(&whole);
	buf_free(&whole_body);
	buf_free(&pieces);
	buf_free(&pieces_body);
	return 0;
}
