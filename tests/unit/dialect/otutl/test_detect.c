#include "dialect/otutl/otutl.h"
#include "harness/test.h"

static bool detect(const char *text)
{
	struct json_parser *parser = otutl_detect_open();
	struct buf padded;
	bool found;

	buf_init(&padded);
	buf_add_str(&padded, str_from(text));
	memset(buf_reserve(&padded, JSON_PAD), 0, JSON_PAD);
	found = otutl_detect(parser, buf_str(&padded));
	json_parser_close(parser);
	buf_free(&padded);
	return found;
}

TEST(a_log_is_known_by_type_run_id_and_seq)
{
	static const struct {
		const char *text;
		bool found;
	} cases[] = {
		{ "{\"type\":\"run_start\",\"run_id\":\"x\",\"seq\":0}\n", true },
		{ "{\"type\":\"cost\",\"run_id\":1,\"seq\":\"a\"}", true },
		{ "{\"t\\u0079pe\":\"co\\u0073t\",\"run_id\":1,\"seq\":2}", true },
		{ "\n\n\n\n\n\n\n\n\n\n{\"type\":\"error\",\"run_id\":1,\"seq\":2}", true },
		{ "[]\n{broken\n{\"type\":\"error\",\"run_id\":1,\"seq\":2}", true },
		{ "\xef\xbb\xbf{\"type\":\"error\",\"run_id\":1,\"seq\":2}", true },
		{ "{\"type\":\"error\",\"run_id\":1,\"seq\":2,\"seq\":3,\"a\":\"\\ud800\"}", true },
		{ "{\"type\":\"assistant\",\"run_id\":1,\"seq\":2}", false },
		{ "{\"type\":\"error\",\"seq\":2}", false },
		{ "{\"type\":\"error\",\"run_id\":1}", false },
		{ "{\"type\":7,\"run_id\":1,\"seq\":1}", false },
		{ "[{\"type\":\"error\",\"run_id\":1,\"seq\":2}]", false },
		{ "", false },
		{ "x\nx\nx\nx\nx\nx\nx\nx\n{\"type\":\"error\",\"run_id\":1,\"seq\":2}", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK_INT(detect(cases[i].text), cases[i].found);
	}
}

TEST(lines_after_the_fiftieth_are_not_looked_at_however_many_there_are)
{
	struct json_parser *parser = otutl_detect_open();
	struct buf text;

	buf_init(&text);
	for (int i = 0; i < 100000; i++)
		buf_add_str(&text, STR("{\"a\":1}\n"));
	buf_add_str(&text, STR("{\"type\":\"error\",\"run_id\":1,\"seq\":2}\n"));
	memset(buf_reserve(&text, JSON_PAD), 0, JSON_PAD);
	for (int i = 0; i < 1000; i++)
		CHECK(!otutl_detect(parser, buf_str(&text)));
	CHECK(otutl_detect(parser, str_of(text.p + 100000 * 8, text.n - 100000 * 8)));
	buf_free(&text);
	json_parser_close(parser);
}
