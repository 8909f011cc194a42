#include "dialect/exchange/http.h"

#include "harness/test.h"

TEST(headers_that_name_a_request_are_known_in_any_case)
{
	static const struct {
		const char *name;
		bool is;
	} cases[] = {
		{ "request-id", true },        { "X-Request-Id", true },    { "x-oai-request-id", true }, { "apim-request-id", true },
		{ "x-kong-request-id", true }, { "x-request-ids", false },  { "request", false },         { "", false },
		{ "authorization", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK(exchange_http_is_id(str_from(cases[i].name)) == cases[i].is);
	}
}

TEST(a_name_longer_than_any_is_no_id)
{
	char name[300] = "request-id";

	memset(name + 10, 'x', sizeof(name) - 10);
	CHECK(!exchange_http_is_id(str_of(name, sizeof(name))));
}

TEST(the_path_of_an_address_has_no_query)
{
	static const char *const cases[][2] = {
		{ "https://h/v1/messages?beta=true", "/v1/messages" },
		{ "https://h:8080/v1/responses/", "/v1/responses" },
		{ "/v1/chat/completions#x", "/v1/chat/completions" },
		{ "https://h", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(exchange_http_path(str_from(cases[i][0])), str_from(cases[i][1]));
}
