#include "net/http/second.h"

#include "harness/test.h"

TEST(a_request_is_read_from_behind_its_method)
{
	struct http_second s;
	const char *why = NULL;

	CHECK(http_second_request(STR(" /a HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX: y\r\n\r\n"), false, &s, &why));
	CHECK_INT(s.headers, 3);
	CHECK_INT(s.minor, 1);
	CHECK(s.has_length && !s.chunked);
	CHECK_INT(s.length, 12);
	CHECK(http_second_request(STR(" /a HTTP/1.0\r\n\r\n"), false, &s, &why));
	CHECK_INT(s.headers, 0);
	CHECK_INT(s.minor, 0);
	CHECK(!s.has_length && !s.chunked);
	CHECK(http_second_request(STR(" /a HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), false, &s, &why));
	CHECK_INT(s.headers, 2);
	CHECK(why == NULL);
}

TEST(an_answer_is_read_whole)
{
	struct http_second s;
	const char *why = NULL;

	CHECK(http_second_answer(STR("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"), &s, &why));
	CHECK_INT(s.status, 404);
	CHECK_INT(s.headers, 1);
	CHECK(s.chunked && !s.has_length);
	CHECK(http_second_answer(STR("HTTP/1.1 204\r\n\r\n"), &s, &why));
	CHECK_INT(s.status, 204);
	CHECK(why == NULL);
}

TEST(what_it_refuses_has_a_reason)
{
	struct http_second s;
	const char *why = NULL;

	CHECK(!http_second_request(STR(" /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"), false, &s, &why));
	CHECK(why && *why);
	why = NULL;
	CHECK(!http_second_answer(STR("HTTP/1.1 2x0 OK\r\n\r\n"), &s, &why));
	CHECK(why && *why);
	why = NULL;
	CHECK(!http_second_request(STR(" /a HTTP/1.1\r\nHost: a\r\n"), false, &s, &why));
	CHECK_STR(str_from(why), STR("a head that does not end where it ends"));
}
