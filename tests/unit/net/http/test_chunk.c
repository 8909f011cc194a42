#include "net/http/chunk.h"

#include <stdio.h>

#include "harness/test.h"

/* The data, then "|" and what is left behind the body, or "!" and the fault, or "..." when it is not complete. */
static struct str decode(struct str text, size_t piece, struct http_limits limits)
{
	struct buf *out = test_alloc(sizeof(*out));
	enum http_next next = HTTP_MORE;
	struct str body, bytes = text;
	struct http_chunks c;

	buf_init(out);
	http_chunks_init(&c);
	for (size_t at = 0; at < text.n && next == HTTP_MORE; at += piece) {
		bytes = str_of(text.p + at, text.n - at < piece ? text.n - at : piece);
		while ((next = http_chunks_next(&c, &limits, &bytes, &body)) == HTTP_BODY)
			buf_add_str(out, body);
	}
	if (next == HTTP_DONE)
		buf_printf(out, "|%.*s", (int)(text.p + text.n - bytes.p), bytes.p);
	else if (next == HTTP_BAD)
		buf_printf(out, "!%d %s", c.status, c.why);
	else
		buf_add_str(out, STR("..."));
	return buf_str(out);
}

static void check(const char *text, const char *want)
{
	const struct http_limits limits = { .head = 100, .headers = 4, .body = 0 };

	test_case("%s", text);
	for (size_t piece = 1; piece < 9; piece++)
		CHECK_STR(decode(str_from(text), piece, limits), str_from(want));
	CHECK_STR(decode(str_from(text), SIZE_MAX / 2, limits), str_from(want));
}

TEST(chunks_are_put_together_and_the_rest_is_left)
{
	check("0\r\n\r\n", "|");
	check("000\r\n\r\nGET", "|GET");
	check("5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n", "hello0123456789|");
	check("0000000000000003\r\na\r\n\r\n0\r\n\r\n", "a\r\n|");
	check("5\r\nhel", "hel...");
	check("5", "...");
}

TEST(sizes_are_plain_hex_and_nothing_else)
{
	static const char *const plain[] = { "5 \r\n", "5\t\r\n", "6_0\r\n", "5x\r\n", "5.0\r\n", "5,\r\n", "0x5\r\n" };
	static const char *const none[] = { " 5\r\n", "\r\n", ";a\r\n", "-1\r\n", "+5\r\n", "x\r\n", "\n" };

	for (size_t i = 0; i < COUNT(plain); i++)
		check(plain[i], "!400 a chunk size that is not plain hex");
	for (size_t i = 0; i < COUNT(none); i++)
		check(none[i], "!400 a chunk without a size");
	check("5\n", "!400 a chunk size that is not plain hex");
	check("5\rx", "!400 a CR without an LF in a chunked body");
	check("7fffffffffffffff\r\n", "...");
	check("8000000000000000\r\n", "!400 a chunk size that is too large");
	check("00000000000000001\r\n", "!400 a chunk size that is too large");
	check("fffffffffffffffffffff", "!400 a chunk size that is too large");
}

TEST(data_is_as_long_as_it_was_said)
{
	check("3\r\nabcd\r\n0\r\n\r\n", "abc!400 a chunk that is longer than its size");
	check("3\r\nab\r\n0\r\n\r\n", "ab\r!400 a chunk that is longer than its size");
	check("3\r\nabc\n", "abc!400 a chunk that is longer than its size");
	check("3\r\nabc\rd", "abc!400 a CR without an LF in a chunked body");
}

TEST(extensions_are_checked_and_dropped)
{
	static const char *const good[] = {
		";a", ";a=b", ";a;b;c=d", ";a=\"\"", ";a=\"b; c\\\"\\\\\t\xC3\xA4\";d", ";a=\"b\"",
	};
	static const char *const faults[] = {
		";", ";;a", "; a", ";a=", ";a =b", ";a= b", ";a b", ";=b", ";a=b c", ";a=\"b\"c", ";a\"b\"", ";a=\"\n",
		";a=\"\\\n", ";a=\"b\r", ";a=b=c", ";a\n", ";a=b\n", ";a;\r\n",
	};
	char text[64];

	for (size_t i = 0; i < COUNT(good); i++) {
		snprintf(text, sizeof(text), "1%s\r\nx\r\n0%s\r\n\r\n", good[i], good[i]);
		check(text, "x|");
	}
	for (size_t i = 0; i < COUNT(faults); i++) {
		snprintf(text, sizeof(text), "1%s\r\nx\r\n0\r\n\r\n", faults[i]);
		check(text, "!400 a chunk extension that is not well-formed");
	}
}

TEST(trailers_are_checked_and_dropped)
{
	check("0\r\nA: b\r\nX-Y:\t\xC3\xA4\r\nZ:\r\n\r\nGET", "|GET");
	check("0\r\nA\r\n\r\n", "!400 a trailer that is no header line");
	check("0\r\n: b\r\n\r\n", "!400 a trailer that is no header line");
	check("0\r\nA : b\r\n\r\n", "!400 a trailer that is no header line");
	check("0\r\n A: b\r\n\r\n", "!400 a trailer that is no header line");
	check("0\r\nA: b\r\n c\r\n\r\n", "!400 a trailer that is no header line");
	check("0\r\nA: \x01\r\n\r\n", "!400 a control character in a trailer");
	check("0\r\nA: b\n\r\n", "!400 a control character in a trailer");
	check("0\r\nA: b\rc", "!400 a CR without an LF in a chunked body");
	check("0\r\n\n", "!400 a trailer that is no header line");
	check("0\r\n\rG", "!400 a CR without an LF in a chunked body");
	check("0\r\nCONTENT-length: 1\r\n\r\n", "!400 a trailer that is about framing");
	check("0\r\nTransfer-Encoding: chunked\r\n\r\n", "!400 a trailer that is about framing");
	check("0\r\nHost: a\r\n\r\n", "!400 a trailer that is about framing");
	check("0\r\nTransfer-Encodings-Of-The-Past: 1\r\n\r\n", "|");
	check("0\r\nA:1\r\nB:2\r\nC:3\r\nD:4\r\n\r\n", "|");
	check("0\r\nA:1\r\nB:2\r\nC:3\r\nD:4\r\nE", "!431 too many trailers");
}

TEST(extensions_of_all_chunks_together_have_a_limit)
{
	struct buf text;
	struct http_limits limits = { .head = 100, .headers = 4, .body = 0 };

	buf_init(&text);
	for (int i = 0; i < 10; i++)
		buf_add_str(&text, STR("1;aaaaaaa\r\nx\r\n"));
	CHECK_STR(decode(buf_str(&text), 1, limits), STR("xxxxxxxxxx..."));
	buf_add_str(&text, STR("1;aaaaaaaaaaaaaaaaaaaa\r\n"));
	CHECK_STR(decode(buf_str(&text), 1, limits), STR("xxxxxxxxxx!431 too many chunk extensions and trailers"));
	buf_free(&text);
}

TEST(a_chunk_that_would_go_beyond_the_limit_is_refused_before_its_data)
{
	const struct http_limits limits = { .head = 100, .headers = 4, .body = 6 };

	CHECK_STR(decode(STR("5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"), 1, limits), STR("hello!|"));
	CHECK_STR(decode(STR("5\r\nhello\r\n2\r\n!!\r\n0\r\n\r\n"), 1, limits), STR("hello!413 a body that is too large"));
	CHECK_STR(decode(STR("7fffffffffffffff\r\n"), 1, limits), STR("!413 a body that is too large"));
}

TEST(a_fault_stays)
{
	const struct http_limits limits = { .head = 100, .headers = 4, .body = 0 };
	struct str bytes = STR("x"), body;
	struct http_chunks c;

	http_chunks_init(&c);
	CHECK_INT(http_chunks_next(&c, &limits, &bytes, &body), HTTP_BAD);
	bytes = STR("0\r\n\r\n");
	CHECK_INT(http_chunks_next(&c, &limits, &bytes, &body), HTTP_BAD);
}
