#include "capture/listen/listen_gate.h"
#include "harness/test.h"

#define TOKEN "0123456789abcdef-._~"

static bool admits(const struct listen_gate *g, const char *target, const char *name, const char *value,
		   struct str *rest)
{
	struct http_header header = { str_from(name), str_from(value) };
	struct http_head h = { .method = STR("POST"), .target = str_from(target), .headers = &header, .count = 1 };

	return listen_gate_admits(g, &h, rest);
}

TEST(a_token_stands_in_a_header_or_before_the_path_and_is_taken_off)
{
	static const struct { const char *target, *name, *value, *rest; } cases[] = {
		{ "/openai/v1/x", "X-Trackway-Token", TOKEN, "/openai/v1/x" },
		{ "/openai/v1/x", "x-trackway-token", TOKEN, "/openai/v1/x" },
		{ "/t/" TOKEN "/openai/v1/x?a=b", "A", "b", "/openai/v1/x?a=b" },
		{ "/t/" TOKEN, "A", "b", "/" },
		{ "/t/" TOKEN "/", "A", "b", "/" },
		{ "/openai/v1/x", "A", "b", NULL },
		{ "/openai/v1/x", "X-Trackway-Token", "", NULL },
		{ "/openai/v1/x", "X-Trackway-Token", TOKEN "x", NULL },
		{ "/openai/v1/x", "X-Trackway-Token", "0123456789abcdef-._", NULL },
		{ "/t/wrong/openai/v1/x", "A", "b", NULL },
		{ "/t//openai", "A", "b", NULL },
		{ "/t", "A", "b", NULL },
		{ "/openai/t/" TOKEN "/x", "A", "b", NULL },
	};
	struct listen_gate g;
	struct str rest;

	listen_gate_init(&g, STR(TOKEN));
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].target);
		CHECK(admits(&g, cases[i].target, cases[i].name, cases[i].value, &rest) == (cases[i].rest != NULL));
		if (cases[i].rest)
			CHECK_STR(rest, str_from(cases[i].rest));
	}
}

TEST(without_a_token_everybody_is_let_in_with_any_path)
{
	struct listen_gate g;
	struct str rest;

	listen_gate_init(&g, str_of(NULL, 0));
	CHECK(admits(&g, "/t/x/y", "A", "b", &rest));
	CHECK_STR(rest, STR("/t/x/y"));
}

TEST(a_token_is_long_and_fits_into_a_path)
{
	CHECK(listen_gate_is_token(STR(TOKEN)));
	CHECK(!listen_gate_is_token(STR("short")));
	CHECK(!listen_gate_is_token(STR("")));
	CHECK(!listen_gate_is_token(STR("0123456789abcdef/x")));
	CHECK(!listen_gate_is_token(STR("0123456789 abcdef")));
}
