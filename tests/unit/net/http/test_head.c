#include "net/http/head.h"

#include "harness/test.h"

#define GET "GET / HTTP/1.1\r\n"
#define OK "HTTP/1.1 200 OK\r\n"

/* "" for a head that is taken, "400 why" for one that is refused, "more" for one that is not complete. */
static struct str judge_by(enum http_side side, const struct http_limits *limits, struct str text, size_t piece)
{
	struct buf *out = test_alloc(sizeof(*out));
	enum http_gathered next = HTTP_GATHER_MORE;
	struct http_gather g;

	buf_init(out);
	http_gather_init(&g, side, limits);
	for (size_t at = 0; at < text.n && next == HTTP_GATHER_MORE; at += piece) {
		struct str bytes = str_of(text.p + at, text.n - at < piece ? text.n - at : piece);

		next = http_gather_push(&g, &bytes, false);
	}
	if (next == HTTP_GATHER_MORE)
		buf_add_str(out, STR("more"));
	if (next == HTTP_GATHER_BAD)
		buf_printf(out, "%d %s", g.status, g.why);
	http_gather_free(&g);
	return buf_str(out);
}

static struct str judge(enum http_side side, struct str text, size_t piece)
{
	return judge_by(side, NULL, text, piece);
}

struct row {
	struct str text;
	const char *want;
};
#define ROW(text_, want_) { { (text_), sizeof(text_) - 1 }, (want_) }

static void check_rows(enum http_side side, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_case("row %zu: %.*s", i, STR_ARG(rows[i].text));
		CHECK_STR(judge(side, rows[i].text, SIZE_MAX / 2), str_from(rows[i].want));
		CHECK_STR(judge(side, rows[i].text, 1), str_from(rows[i].want));
	}
}

TEST(a_request_line_is_a_known_method_a_target_and_a_version)
{
	static const struct row rows[] = {
		ROW("GET / HTTP/1.0\r\n\r\n", ""),
		ROW("QUERY /a HTTP/1.0\r\n\r\n", ""),
		ROW("VERSION-CONTROL /a HTTP/1.0\r\n\r\n", ""),
		ROW("M-SEARCH /a HTTP/1.0\r\n\r\n", ""),
		ROW("GET /\"a\"?b={c}|d#e HTTP/1.0\r\n\r\n", ""),
		ROW("GET  / HTTP/1.1\r\n", "400 a first line without an HTTP version"),
		ROW("GET / HTTP/1.1 \r\n", "400 a first line without an HTTP version"),
		ROW("GET / a HTTP/1.1\r\n", "400 a first line without an HTTP version"),
		ROW("GET /\r\n", "400 a first line without an HTTP version"),
		ROW("GET HTTP/1.1\r\n", "400 a first line without an HTTP version"),
		ROW("GET\r\n", "400 a first line without an HTTP version"),
		ROW("GET / http/1.1\r\n", "400 a first line without an HTTP version"),
		ROW("GET / HTTP/1.10\r\n", "400 a first line without an HTTP version"),
		ROW("GET / HTTP/11\r\n", "400 a first line without an HTTP version"),
		ROW("GET / RTSP/1.0\r\n", "400 a first line without an HTTP version"),
		ROW("GET / HTTP/0.9\r\n", "505 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("GET / HTTP/1.2\r\n", "505 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("GET / HTTP/2.0\r\n", "505 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("PRI * HTTP/2.0\r\n", "505 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("PRI * HTTP/1.1\r\n", "505 the preface of HTTP/2: only HTTP/1.1 is supported"),
		ROW("CONNECT a:443 HTTP/1.1\r\n", "501 CONNECT: tunnels are not made here"),
		ROW("get / HTTP/1.1\r\n", "501 an unknown method"),
		ROW("ANNOUNCE / HTTP/1.1\r\n", "501 an unknown method"),
		ROW("GETA / HTTP/1.1\r\n", "501 an unknown method"),
		ROW("G:T / HTTP/1.1\r\n", "400 a method that is not a token"),
		ROW("GET\xC3 / HTTP/1.1\r\n", "400 a method that is not a token"),
		ROW("GET\t/ HTTP/1.1\r\n", "400 a method that is not a token"),
		ROW(" GET / HTTP/1.1\r\n", "400 a space before the first line"),
		ROW("GET a HTTP/1.1\r\n", "400 a target that is neither a path nor an http address"),
		ROW("GET ftp://a/ HTTP/1.1\r\n", "400 a target that is neither a path nor an http address"),
		ROW("GET http:/a HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http:///a HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http://:80/ HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http://@ HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http://u@:80/ HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http://u@v@a/ HTTP/1.1\r\n", "400 a target without a host"),
		ROW("GET http://u:p@a:80/b@c HTTP/1.0\r\n\r\n", ""),
		ROW("GET HTTPS://a?b HTTP/1.0\r\n\r\n", ""),
		ROW("GET  HTTP/1.1\r\n", "400 a request line without a target"),
		ROW("GET * HTTP/1.1\r\n", "400 the target * without OPTIONS"),
		ROW("GET /\xC3\xA4 HTTP/1.1\r\n", "400 a target with a character that must be percent-encoded"),
		ROW("GET /a\tb HTTP/1.1\r\n", "400 a target with a character that must be percent-encoded"),
	};

	check_rows(HTTP_REQUEST, rows, COUNT(rows));
}

TEST(where_connect_is_taken_it_names_a_host_and_a_port_and_has_no_body)
{
	static const struct http_limits limits = { .connect = true };
	static const struct row rows[] = {
		ROW("CONNECT a:443 HTTP/1.0\r\n\r\n", ""),
		ROW("CONNECT api.example.com:8443 HTTP/1.1\r\nHost: api.example.com:8443\r\n\r\n", ""),
		ROW("CONNECT 10.0.0.1:1 HTTP/1.0\r\n\r\n", ""),
		ROW("CONNECT [::1]:65535 HTTP/1.0\r\nContent-Length: 0\r\n\r\n", ""),
		ROW("CONNECT a HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT a: HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT :443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT 443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT  HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT ::1:443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT [::1]443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT https://a:443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT u@a:443 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT a:443/ HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT a:0 HTTP/1.1\r\n", "400 a CONNECT with a port that is not one"),
		ROW("CONNECT a:65536 HTTP/1.1\r\n", "400 a CONNECT with a port that is not one"),
		ROW("CONNECT a:99999999999 HTTP/1.1\r\n", "400 a CONNECT without host and port"),
		ROW("CONNECT a:1 HTTP/1.0\r\nContent-Length: 1\r\n\r\n", "400 a CONNECT with a body"),
		ROW("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
		    "400 a CONNECT with a body"),
		ROW("GET a:443 HTTP/1.1\r\n", "400 a target that is neither a path nor an http address"),
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		test_case("%s", rows[i].text.p);
		CHECK_STR(judge_by(HTTP_REQUEST, &limits, rows[i].text, SIZE_MAX / 2), str_from(rows[i].want));
		CHECK_STR(judge_by(HTTP_REQUEST, &limits, rows[i].text, 1), str_from(rows[i].want));
	}
}

TEST(lines_end_with_crlf_and_have_no_control_characters)
{
	static const struct row rows[] = {
		ROW(GET "Host: a\r\nX: a\tb\xC3\xA4\r\n\r\n", ""),
		ROW("GET / HTTP/1.1\nHost: a\r\n\r\n", "400 an LF without a CR"),
		ROW(GET "Host: a\nX: b\r\n\r\n", "400 an LF without a CR"),
		ROW(GET "Host: a\r\n\n", "400 an LF without a CR"),
		ROW("\nGET / HTTP/1.1\r\n", "400 an LF without a CR"),
		ROW("\rGET / HTTP/1.1\r\n", "400 a CR without an LF"),
		ROW(GET "Host: a\r\r\n", "400 a CR without an LF"),
		ROW(GET "Host: a\rb", "400 a CR without an LF"),
		ROW(GET "\rHost: a", "400 a CR without an LF"),
		ROW(GET "Host: a\r\n\rX", "400 a CR without an LF"),
		ROW(GET "X: \0", "400 a control character"),
		ROW(GET "X: a long value first and then \x01", "400 a control character"),
		ROW(GET "X: 12345\x7F", "400 a control character"),
		ROW(GET "X: a\x0C\r\n", "400 a control character"),
		ROW("\x16\x03\x01\x02", "400 a control character"),
		ROW(GET "Host: a\r", "more"),
	};

	check_rows(HTTP_REQUEST, rows, COUNT(rows));
}

TEST(a_header_is_a_token_a_colon_and_a_value)
{
	static const struct row rows[] = {
		ROW(GET "Host: a\r\nX:\r\n!#$%&'*+-.^_`|~09azAZ: b\r\nY::c\r\n\r\n", ""),
		ROW(GET "Host : a\r\n", "400 a header name that is not a token"),
		ROW(GET ": a\r\n", "400 a header name that is not a token"),
		ROW(GET "X@: a\r\n", "400 a header name that is not a token"),
		ROW(GET "X\xC3: a\r\n", "400 a header name that is not a token"),
		ROW(GET "X Y: a\r\n", "400 a header name that is not a token"),
		ROW(GET "(): a\r\n", "400 a header name that is not a token"),
		ROW(GET "X\r\n", "400 a header line without a colon"),
		ROW(GET "X: a\r\n b\r\n", "400 a folded header line"),
		ROW(GET "X: a\r\n\t", "400 a folded header line"),
		ROW(GET " Host: a\r\n", "400 a folded header line"),
	};

	check_rows(HTTP_REQUEST, rows, COUNT(rows));
}

TEST(http_1_1_needs_one_valid_host)
{
	static const struct row rows[] = {
		ROW(GET "\r\n", "400 no Host header"),
		ROW(GET "hOST: a\r\nHost: a\r\n", "400 two Host headers"),
		ROW("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n", "400 two Host headers"),
		ROW(GET "Host: api.example.com:8080\r\n\r\n", ""),
		ROW(GET "Host: [2001:db8::1.2.3.4]:80\r\n\r\n", ""),
		ROW(GET "Host: [::1]\r\n\r\n", ""),
		ROW(GET "Host: a:\r\n\r\n", ""),
		ROW(GET "Host: 0.0.0.0=5000\r\n\r\n", ""),
		ROW(GET "Host:\r\n\r\n", ""),
		ROW(GET "Host: a/b\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: u@a\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: a b\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: a#b\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: a:b\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: a:1:2\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: a:123456\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: [::1\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: []\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: [::1]a\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: [x]\r\n", "400 a Host that is not a host name"),
		ROW(GET "Host: \xC3\xA4\r\n", "400 a Host that is not a host name"),
	};

	check_rows(HTTP_REQUEST, rows, COUNT(rows));
	CHECK_STR(judge(HTTP_RESPONSE, STR(OK "Host: a\r\nHost: b c\r\n\r\n"), 1), STR(""));
}

TEST(a_message_has_one_length_or_chunks)
{
	static const struct row rows[] = {
		ROW(GET "Content-Length: 1\r\nContent-Length: 1\r\n", "400 two Content-Length headers"),
		ROW(GET "Content-Length: 1\r\nContent-Length: 2\r\n", "400 two Content-Length headers"),
		ROW(GET "Content-Length: 1, 1\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: +1\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: -1\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: 1_0\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: 0x1\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: 1 0\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length:\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Content-Length: 9223372036854775808\r\n", "400 a Content-Length that is not a number"),
		ROW(GET "Host: a\r\nContent-Length: 9223372036854775807\r\n\r\n", ""),
		ROW(GET "Host: a\r\nContent_Length: x\r\nContent-Length-X: y\r\nContent-Length: 1\r\n\r\n", ""),
		ROW(GET "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "400 Content-Length and Transfer-Encoding together"),
		ROW(GET "Transfer-Encoding: chunked\r\ncontent-length: 1\r\n", "400 Content-Length and Transfer-Encoding together"),
		ROW(GET "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "400 two Transfer-Encoding headers"),
		ROW(GET "Transfer-Encoding: gzip, chunked\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW(GET "Transfer-Encoding: chunked, identity\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW(GET "Transfer-Encoding: identity\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW(GET "Transfer-Encoding: chunked;a=b\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW(GET "Transfer-Encoding: xchunked\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW(GET "Transfer-Encoding:\r\n", "501 a Transfer-Encoding other than chunked"),
		ROW("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", "400 Transfer-Encoding in HTTP/1.0"),
	};

	check_rows(HTTP_REQUEST, rows, COUNT(rows));
}

TEST(an_answer_begins_with_a_version_and_three_digits_and_its_faults_are_502)
{
	static const struct row rows[] = {
		ROW("HTTP/1.1 200 OK\r\n\r\n", ""),
		ROW("HTTP/1.1 200 \t a: \xC3\r\n\r\n", ""),
		ROW("HTTP/1.1 200\r\n\r\n", ""),
		ROW("\r\nHTTP/1.1 200\r\n\r\n", ""),
		ROW("HTTP/1.1 077 \r\n\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1 777 \r\n\r\n", ""),
		ROW("HTTP/1.1  200 OK\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1 20 OK\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1 2000 OK\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1 +20 OK\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1 200: OK\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1\r\n", "502 a status that is not a number from 100 to 999"),
		ROW("HTTP/1.1\t200 OK\r\n", "502 a first line without an HTTP version"),
		ROW("HTTP/01.1 200 OK\r\n", "502 a first line without an HTTP version"),
		ROW("ICY 200 OK\r\n", "502 a first line without an HTTP version"),
		ROW("HTTP/0.9 200 OK\r\n", "502 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("HTTP/2.0 200 OK\r\n", "502 another version than HTTP/1.1 or HTTP/1.0"),
		ROW("HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\n", "502 a length for an answer that has no body"),
		ROW("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", "502 a length for an answer that has no body"),
		ROW("HTTP/1.1 100 Continue\r\nContent-Length: 1\r\n\r\n", "502 a length for an answer that has no body"),
		ROW("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", ""),
		ROW(OK "Transfer-Encoding: gzip\r\n", "502 a Transfer-Encoding other than chunked"),
	};

	check_rows(HTTP_RESPONSE, rows, COUNT(rows));
}

TEST(what_the_second_reader_refuses_is_refused)
{
	CHECK_STR(judge(HTTP_REQUEST, STR("GET http://a{b/ HTTP/1.0\r\n\r\n"), 1), STR("400 Unexpected char in url server"));
}

TEST(a_gatherer_takes_one_head_and_leaves_the_rest)
{
	struct str bytes = STR(GET "Host: a\r\n\r\nbody");
	struct http_gather g;

	http_gather_init(&g, HTTP_REQUEST, NULL);
	CHECK_INT(http_gather_push(&g, &bytes, false), HTTP_GATHER_WHOLE);
	CHECK_STR(bytes, STR("body"));
	CHECK_STR(g.head.method, STR("GET"));
	http_gather_restart(&g);
	bytes = STR("HEAD /b HTTP/1.0\r\n\r\n");
	CHECK_INT(http_gather_push(&g, &bytes, false), HTTP_GATHER_WHOLE);
	CHECK_STR(g.head.target, STR("/b"));
	CHECK_INT(g.head.count, 0);
	http_gather_free(&g);
}

TEST(tokens_are_those_of_rfc_9110)
{
	for (int c = 0; c < 256; c++) {
		char byte = (char)c;
		bool want = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c && strchr("!#$%&'*+-.^_`|~", c));

		test_case("byte %d", c);
		CHECK_INT(http_is_token(str_of(&byte, 1)), want);
	}
	CHECK(!http_is_token(STR("")));
	CHECK(http_is_token(STR("ab-c")));
	CHECK(!http_is_token(STR("ab c")));
}

TEST(control_characters_are_found_wherever_they_stand)
{
	char text[40];

	for (size_t n = 0; n <= sizeof(text); n++)
		for (size_t at = 0; at <= n; at++)
			for (int c = 0; c < 256; c++) {
				bool control = (c < 32 && c != '\t') || c == 127;

				memset(text, at % 3 ? 'a' : at % 2 ? '\t' : 0xFF, sizeof(text));
				if (at < n)
					text[at] = (char)c;
				test_case("byte %d at %zu of %zu", c, at, n);
				CHECK_INT(http_find_control(text, n), at < n && control ? at : n);
			}
}

TEST(lengths_are_digits_within_63_bits)
{
	uint64_t n = 7;

	CHECK(http_parse_length(STR("0"), &n) && n == 0);
	CHECK(http_parse_length(STR("00042"), &n) && n == 42);
	CHECK(http_parse_length(STR("9223372036854775807"), &n) && n == INT64_MAX);
	CHECK(!http_parse_length(STR("9223372036854775808"), &n));
	CHECK(!http_parse_length(STR("18446744073709551617"), &n));
	CHECK(!http_parse_length(STR("99999999999999999999999"), &n));
	CHECK(!http_parse_length(STR(""), &n));
	CHECK(!http_parse_length(STR(" 1"), &n));
	CHECK(!http_parse_length(STR("1a"), &n));
}
