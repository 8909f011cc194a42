#include "net/http/http.h"

#include "harness/test.h"

static const struct http_header headers[] = {
	{ { "Connection", 10 }, { "close, X-Mine", 13 } },
	{ { "X-Mine", 6 }, { "a", 1 } },
	{ { "x-mine", 6 }, { "b", 1 } },
	{ { "connection", 10 }, { "\tx-other ,", 10 } },
	{ { "Empty", 5 }, { "", 0 } },
};
static const struct http_head head = { .side = HTTP_REQUEST, .headers = headers, .count = COUNT(headers) };

TEST(names_are_the_same_in_any_case)
{
	CHECK(http_name_eq(STR("Content-Length"), STR("content-LENGTH")));
	CHECK(!http_name_eq(STR("Content-Length"), STR("content-lengt")));
	CHECK(!http_name_eq(STR("a@"), STR("a`"))); /* which differ in the bit that letters differ in */
	CHECK(!http_name_eq(STR("a["), STR("a{")));
	CHECK(http_name_eq(STR(""), STR("")));
}

TEST(the_first_header_of_a_name_is_found)
{
	CHECK_STR(http_find(&head, STR("X-MINE")), STR("a"));
	CHECK(http_find(&head, STR("empty")).p != NULL);
	CHECK(http_find(&head, STR("none")).p == NULL);
}

TEST(lists_have_items_between_commas)
{
	CHECK(http_list_has(STR("close"), STR("close")));
	CHECK(http_list_has(STR("a,\t CLOSE ,b"), STR("close")));
	CHECK(!http_list_has(STR("closed, not close"), STR("close")));
	CHECK(!http_list_has(STR(""), STR("close")));
	CHECK(!http_list_has(STR(",,"), STR("close")));
}

TEST(hop_by_hop_headers_are_the_known_ones_and_those_that_connection_names)
{
	static const char *const hops[] = {
		"Connection", "keep-alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
		"Proxy-Authenticate", "Proxy-Authorization", "x-MINE", "X-Other",
	};
	static const char *const others[] = { "Content-Length", "Host", "Authorization", "X-Third", "Empty", "Tex" };

	for (size_t i = 0; i < COUNT(hops); i++) {
		test_case("%s", hops[i]);
		CHECK(http_is_hop(&head, str_from(hops[i])));
	}
	for (size_t i = 0; i < COUNT(others); i++) {
		test_case("%s", others[i]);
		CHECK(!http_is_hop(&head, str_from(others[i])));
	}
}

TEST(every_status_has_a_reason)
{
	CHECK_STR(str_from(http_reason(200)), STR("OK"));
	CHECK_STR(str_from(http_reason(404)), STR("Not Found"));
	CHECK_STR(str_from(http_reason(431)), STR("Request Header Fields Too Large"));
	CHECK_STR(str_from(http_reason(529)), STR("Server Error"));
	CHECK_STR(str_from(http_reason(299)), STR("Success"));
	CHECK_STR(str_from(http_reason(77)), STR("Unknown"));
	for (int status = -5; status < 1100; status++)
		CHECK(http_reason(status) && http_reason(status)[0]);
}
