#include "dialect/otlp/server.h"

#include "harness/test.h"

TEST(an_endpoint_is_an_address_and_a_port)
{
	static const struct {
		const char *endpoint, *address;
		unsigned port;
		const char *path, *again; /* NULL: the same; address NULL: there is no server in it */
	} cases[] = {
		{ "http://localhost:8000/v1/chat/completions", "localhost", 8000, "/v1/chat/completions", NULL },
		{ "https://api.openai.com/v1", "api.openai.com", 443, "/v1", NULL },
		{ "http://h", "h", 80, "", NULL },
		{ "https://h:443/x", "h", 443, "/x", "https://h/x" },
		{ "https://ann:secret@h:81/x?key=secret#secret", "h", 81, "/x", "https://h:81/x" },
		{ "http://[::1]:8000/v1", "::1", 8000, "/v1", NULL },
		{ "http://[::1]/", "::1", 80, "/", NULL },
		{ "api.openai.com", "api.openai.com", 0, "", NULL },
		{ "localhost:8000", "localhost", 8000, "", NULL },
		{ "10.0.0.1:11434/api/chat", "10.0.0.1", 11434, "/api/chat", NULL },
		{ "grpc://h/x", "h", 0, "/x", NULL },
		{ "unknown", NULL, 0, "", NULL },
		{ "", NULL, 0, "", NULL },
		{ "/v1/chat/completions", NULL, 0, "", NULL },
		{ "http://", NULL, 0, "", NULL },
		{ "http://h:99999/", NULL, 0, "", NULL },
		{ "http://h:x/", NULL, 0, "", NULL },
		{ "the model in the cellar", NULL, 0, "", NULL },
		{ "http://[::1/", NULL, 0, "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct otlp_server s;
		struct buf out = { 0 };

		test_case("%s", cases[i].endpoint);
		CHECK_INT(otlp_server_split(str_from(cases[i].endpoint), &s), cases[i].address != NULL);
		if (!cases[i].address)
			continue;
		CHECK_STR(s.address, str_from(cases[i].address));
		CHECK_INT(s.port, cases[i].port);
		CHECK_STR(s.path, str_from(cases[i].path));
		otlp_server_join(&out, &s);
		CHECK_STR(buf_str(&out), str_from(cases[i].again ? cases[i].again : cases[i].endpoint));
		buf_free(&out);
	}
}

TEST(attributes_never_hold_an_url_and_what_names_no_server_is_told)
{
	struct buf out = { 0 };

	CHECK(otlp_server_put(&out, STR("https://ann:secret@h/v1?key=secret")));
	CHECK(str_find(buf_str(&out), STR("://")) == (size_t)-1 && str_find(buf_str(&out), STR("secret")) == (size_t)-1);
	CHECK(str_find(buf_str(&out), STR("{\"key\":\"server.port\",\"value\":{\"intValue\":\"443\"}}")) != (size_t)-1);
	buf_clear(&out);
	CHECK(!otlp_server_put(&out, STR("the model in the cellar")));
	CHECK(otlp_server_put(&out, STR("unknown")));
	CHECK(otlp_server_put(&out, (struct str){ NULL, 0 }));
	CHECK_INT(out.n, 0);
	buf_free(&out);
}
