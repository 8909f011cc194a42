#include "net/http/http.h"

#include <stdio.h>

#include "harness/test.h"

#define HOST "Host: a\r\n"

static const char *const framings[] = { "none", "length", "chunked", "to-end" };

/* What a reader says, as one text: "head METHOD TARGET none keep;body;done;". Bodies in one piece. */
static void feed(struct http_reader *r, struct str bytes, struct buf *out, bool *in_body)
{
	/* in memory of its own, so that a sanitizer sees a reader that looks at bytes given before */
	char *copy = mem_alloc(bytes.n + 1);
	enum http_next next;
	struct str body;

	if (bytes.n)
		memcpy(copy, bytes.p, bytes.n);
	bytes.p = copy;
	while ((next = http_next(r, &bytes, &body)) != HTTP_MORE) {
		const struct http_head *h = next == HTTP_BAD ? NULL : http_reader_head(r);

		if (*in_body && next != HTTP_BODY)
			buf_add_byte(out, ';');
		*in_body = next == HTTP_BODY;
		if (next == HTTP_BAD)
			break;
		if (next == HTTP_HEAD && h->side == HTTP_REQUEST)
			buf_printf(out, "%.*s %.*s", STR_ARG(h->method), STR_ARG(h->target));
		if (next == HTTP_HEAD && h->side == HTTP_RESPONSE)
			buf_printf(out, "%d '%.*s'", h->status, STR_ARG(h->reason));
		if (next == HTTP_HEAD)
			buf_printf(out, " %s %s%s%s;", framings[h->framing], h->keep_alive ? "keep" : "close",
				   h->upgrade ? " upgrade" : "", h->expect_continue ? " continue" : "");
		if (next == HTTP_BODY)
			buf_add_str(out, body);
		if (next == HTTP_DONE)
			buf_add_str(out, STR("done;"));
	}
	CHECK(next == HTTP_BAD || bytes.n == 0);
	mem_free(copy);
}

static struct str read_in_pieces(enum http_side side, const char *method, const struct http_limits *limits, struct str text,
				 size_t piece)
{
	struct http_reader *r = http_reader_open(side, limits);
	struct buf *out = test_alloc(sizeof(*out));
	bool in_body = false;
	enum http_next end;

	buf_init(out);
	http_reader_expect(r, str_from(method));
	for (size_t at = 0; at < text.n && !http_reader_why(r); at += piece)
		feed(r, str_of(text.p + at, text.n - at < piece ? text.n - at : piece), out, &in_body);
	end = http_end(r);
	if (in_body)
		buf_add_byte(out, ';');
	if (end == HTTP_DONE)
		buf_add_str(out, STR("done;"));
	if (end == HTTP_BAD)
		buf_printf(out, "%d %s", http_reader_status(r), http_reader_why(r));
	http_reader_close(r);
	return buf_str(out);
}

static struct str read_all(enum http_side side, const char *method, const struct http_limits *limits, struct str text)
{
	struct str whole = read_in_pieces(side, method, limits, text, SIZE_MAX / 2);

	for (size_t piece = 1; piece < 8; piece++)
		CHECK_STR(read_in_pieces(side, method, limits, text, piece), whole);
	return whole;
}

static struct str request(const char *text)
{
	return read_all(HTTP_REQUEST, "", NULL, str_from(text));
}

static struct str answer(const char *text)
{
	return read_all(HTTP_RESPONSE, "GET", NULL, str_from(text));
}

struct row {
	const char *text, *want;
};

static void check_rows(struct str (*read)(const char *), const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_case("row %zu: %s", i, rows[i].text);
		CHECK_STR(read(rows[i].text), str_from(rows[i].want));
	}
}

TEST(requests_are_read_one_after_the_other_in_any_pieces)
{
	static const struct row rows[] = {
		{ "", "" },
		{ "GET /a?b HTTP/1.1\r\n" HOST "\r\n", "GET /a?b none keep;done;" },
		{ "GET / HTTP/1.0\r\n\r\n", "GET / none close;done;" },
		{ "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / none keep;done;" },
		{ "GET / HTTP/1.1\r\n" HOST "Connection: x, Close\r\n\r\n", "GET / none close;done;" },
		{ "POST /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello", "POST /a length keep;hello;done;" },
		{ "POST /a HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", "POST /a length keep;done;" },
		{ "POST /a HTTP/1.1\r\n" HOST "Content-Length: 002\r\n\r\nokGET /b HTTP/1.1\r\n" HOST "\r\n",
		  "POST /a length keep;ok;done;GET /b none keep;done;" },
		{ "PUT /a HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\nGET /b "
		  "HTTP/1.1\r\n" HOST "\r\n",
		  "PUT /a chunked keep;abcde;done;GET /b none keep;done;" },
		{ "PUT /a HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nPUT /b HTTP/1.1\r\n" HOST
		  "Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n",
		  "PUT /a chunked keep;a;done;PUT /b chunked keep;b;done;" },
		{ "PUT /a HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx", "PUT /a length keep continue;x;done;" },
		{ "GET /a HTTP/1.1\r\n" HOST "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n",
		  "GET /a none keep upgrade;done;" },
		{ "GET /a HTTP/1.1\r\n" HOST "Upgrade: websocket\r\n\r\n", "GET /a none keep;done;" },
		{ "GET http://a.example:8080/b HTTP/1.1\r\nHost: a.example\r\n\r\n", "GET http://a.example:8080/b none keep;done;" },
		{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS * none keep;done;" },
		{ "\r\n\r\nGET /a HTTP/1.1\r\n" HOST "\r\n\r\n", "GET /a none keep;done;" },
	};

	check_rows(request, rows, COUNT(rows));
}

TEST(answers_are_framed_by_what_they_are)
{
	static const struct row rows[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 'OK' length keep;ok;done;" },
		{ "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 '' length keep;done;" },
		{ "HTTP/1.1 200 \r\n\r\nto the end", "200 '' to-end close;to the end;done;" },
		{ "HTTP/1.0 200 All is well\r\nConnection: keep-alive\r\n\r\n", "200 'All is well' to-end close;done;" },
		{ "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", "200 'OK' length keep;x;done;" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", "200 'OK' chunked keep;x;done;" },
		{ "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
		  "204 'No Content' none keep;done;304 'Not Modified' none keep;done;" },
		{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
		  "100 'Continue' none keep;done;103 'Early Hints' none close;done;200 'OK' to-end close;x;done;" },
		{ "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
		  "101 'Switching Protocols' none close upgrade;done;" },
		{ "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n\x81",
		  "101 'Switching Protocols' none close upgrade;done;502 bytes after the last message of the connection" },
		{ "HTTP/1.1 999 ?\r\nContent-Length: 0\r\n\r\n", "999 '?' length keep;done;" },
	};

	check_rows(answer, rows, COUNT(rows));
}

TEST(an_answer_to_head_has_no_body_and_the_next_one_has)
{
	struct str text = STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
			      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");

	CHECK_STR(read_all(HTTP_RESPONSE, "HEAD", NULL, text),
		  STR("100 'Continue' none keep;done;200 'OK' none keep;done;200 'OK' length keep;x;done;"));
	CHECK_STR(read_all(HTTP_RESPONSE, "HEAD", NULL, STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")),
		  STR("200 'OK' none keep;done;"));
}

TEST(behind_the_last_message_nothing_but_an_empty_line_may_stand)
{
	static const struct row rows[] = {
		{ "GET / HTTP/1.0\r\n\r\n\r\n", "GET / none close;done;" },
		{ "GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n", "GET / none close;done;400 bytes after the last message of the connection" },
		{ "POST / HTTP/1.1\r\n" HOST "Connection: close\r\nContent-Length: 1\r\n\r\nx\r\ny",
		  "POST / length close;x;done;400 bytes after the last message of the connection" },
		{ "GET / HTTP/1.0\r\n\r\n\r", "GET / none close;done;400 a CR without an LF" },
	};

	check_rows(request, rows, COUNT(rows));
	CHECK_STR(answer("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK"),
		  STR("204 'No Content' none close;done;502 bytes after the last message of the connection"));
}

TEST(a_connection_that_ends_inside_a_message_is_a_fault)
{
	static const struct row rows[] = {
		{ "G", "400 the connection ended inside a head" },
		{ "\r", "400 the connection ended inside a head" },
		{ "GET / HTTP/1.1\r\n" HOST "\r", "400 the connection ended inside a head" },
		{ "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nab", "POST / length keep;ab;400 the connection ended inside a body" },
		{ "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
		  "POST / chunked keep;a;400 the connection ended inside a body" },
	};

	check_rows(request, rows, COUNT(rows));
	CHECK_STR(answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), STR("200 'OK' length keep;502 the connection ended inside a body"));
}

TEST(limits_are_kept_for_heads_headers_bodies_extensions_and_trailers)
{
	static const struct http_limits limits = { .head = 80, .headers = 3, .body = 5 };
	static const struct row rows[] = {
		{ "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n", "GET / none keep;done;" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", "431 too many headers" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nA: 456789012345678901234567890123456789012345678901\r\n\r\n", "GET / none keep;done;" },
		{ "GET / HTTP/1.1\r\nHost: a\r\nA: 4567890123456789012345678901234567890123456789012\r\n\r\n", "431 a head that is too large" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345", "POST / length keep;12345;done;" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n", "413 a body that is too large" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
		  "POST / chunked keep;abcde;done;" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\n",
		  "POST / chunked keep;abc;413 a body that is too large" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;"
		  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "POST / chunked keep;431 too many chunk extensions and trailers" },
		{ "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\r\nB: 2\r\nC: 3\r\nD",
		  "POST / chunked keep;431 too many trailers" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		test_case("row %zu", i);
		CHECK_STR(read_all(HTTP_REQUEST, "", &limits, str_from(rows[i].text)), str_from(rows[i].want));
	}
	CHECK_STR(read_all(HTTP_RESPONSE, "", &limits, STR("HTTP/1.1 200 OK\r\n\r\n12345")), STR("200 'OK' to-end close;12345;done;"));
	CHECK_STR(read_all(HTTP_RESPONSE, "", &limits, STR("HTTP/1.1 200 OK\r\n\r\n123456")),
		  STR("200 'OK' to-end close;12345;502 a body that is too large"));
}

TEST(the_usual_limits_are_64_kib_and_200_headers)
{
	struct buf text;

	buf_init(&text);
	buf_add_str(&text, STR("GET / HTTP/1.0\r\n"));
	for (int i = 0; i < 200; i++)
		buf_printf(&text, "X-%d: %0300d\r\n", i, i);
	buf_add_str(&text, STR("\r\n"));
	CHECK(text.n < 65536);
	CHECK_STR(read_in_pieces(HTTP_REQUEST, "", NULL, buf_str(&text), 1000), STR("GET / none close;done;"));
	text.n -= 2;
	buf_add_str(&text, STR("Y: \r\n"));
	CHECK_STR(read_in_pieces(HTTP_REQUEST, "", NULL, buf_str(&text), 1000), STR("431 too many headers"));
	buf_clear(&text);
	buf_printf(&text, "GET /%066000d", 0);
	CHECK_STR(read_in_pieces(HTTP_REQUEST, "", NULL, buf_str(&text), 1000), STR("431 a head that is too large"));
	buf_free(&text);
}

TEST(headers_are_there_until_the_message_is_done_however_the_buffer_grew)
{
	struct http_reader *r = http_reader_open(HTTP_REQUEST, NULL);
	struct buf text;
	struct str bytes, body;
	const struct http_head *h;

	buf_init(&text);
	buf_add_str(&text, STR("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"));
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "X-%d: \t %0200d \t\r\n", i, i);
	buf_add_str(&text, STR("\r\nbody"));
	for (size_t at = 0; at < text.n - 4; at++) {
		bytes = str_of(text.p + at, 1);
		CHECK_INT(http_next(r, &bytes, &body), at < text.n - 5 ? HTTP_MORE : HTTP_HEAD);
	}
	memset(text.p, 'Z', text.n - 4);
	h = http_reader_head(r);
	CHECK_INT(h->count, 102);
	CHECK_INT(h->length, 4);
	CHECK_INT(h->minor, 1);
	CHECK_STR(h->headers[0].name, STR("Host"));
	CHECK_STR(h->headers[101].name, STR("X-99"));
	CHECK_INT(h->headers[101].value.n, 200);
	bytes = str_of(text.p + text.n - 4, 4);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_BODY);
	CHECK_STR(body, STR("body"));
	CHECK_STR(http_find(h, STR("host")), STR("a"));
	CHECK_INT(http_next(r, &bytes, &body), HTTP_DONE);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_MORE);
	http_reader_close(r);
	buf_free(&text);
}

TEST(after_a_fault_nothing_is_read_until_a_reset)
{
	struct http_reader *r = http_reader_open(HTTP_REQUEST, NULL);
	struct str bytes = STR("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), body;

	CHECK_INT(http_next(r, &bytes, &body), HTTP_BAD);
	CHECK_STR(str_from(http_reader_why(r)), STR("two Host headers"));
	CHECK_INT(http_reader_status(r), 400);
	bytes = STR("GET / HTTP/1.0\r\n\r\n");
	CHECK_INT(http_next(r, &bytes, &body), HTTP_BAD);
	CHECK_INT(http_end(r), HTTP_BAD);
	http_reader_reset(r);
	CHECK(http_reader_why(r) == NULL);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_HEAD);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_DONE);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_MORE);
	CHECK_INT(http_end(r), HTTP_MORE);
	http_reader_close(r);
	http_reader_close(NULL);
}

TEST(a_reset_forgets_that_head_was_asked)
{
	struct http_reader *r = http_reader_open(HTTP_RESPONSE, NULL);
	struct str bytes = STR("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"), body;

	http_reader_expect(r, STR("HEAD"));
	http_reader_reset(r);
	CHECK_INT(http_next(r, &bytes, &body), HTTP_HEAD);
	CHECK_INT(http_reader_head(r)->framing, HTTP_LENGTH);
	http_reader_close(r);
}

TEST(empty_lines_without_end_are_a_fault)
{
	struct str lines = STR("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n");

	CHECK_STR(read_all(HTTP_REQUEST, "", NULL, str_of(lines.p, 16)), STR(""));
	CHECK_STR(read_all(HTTP_REQUEST, "", NULL, lines), STR("400 empty lines and no message"));
}
