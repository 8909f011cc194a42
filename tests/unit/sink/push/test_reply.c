#include "sink/push/reply.h"

#include "harness/test.h"

#define PB "application/x-protobuf"
#define JS "application/json"

struct reading {
	const char *media;
	struct str body;
	bool good;
	enum push_reply_kind kind;
	uint64_t rejected;
	const char *message;
};

static void check_readings(const struct reading *list, size_t n)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < n; i++) {
		struct push_reply r;

		test_case("%zu: %s %.*s", i, list[i].media, STR_ARG(list[i].body));
		r = push_reply_read(&a, parser, str_from(list[i].media), list[i].body, list[i].good);
		CHECK_INT(r.kind, list[i].kind);
		CHECK_INT(r.rejected, list[i].rejected);
		CHECK_STR(r.message, str_from(list[i].message));
	}
	arena_free(&a);
	json_parser_close(parser);
}

TEST(a_success_in_json)
{
	const struct reading list[] = {
		{ JS, STR(""), true, PUSH_REPLY_EMPTY, 0, "" },
		{ JS, STR("{}"), true, PUSH_REPLY_READ, 0, "" },
		{ JS "; charset=utf-8", STR("{\"partialSuccess\":{}}"), true, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("{\"partialSuccess\":{\"rejectedSpans\":\"3\",\"errorMessage\":\"too old\"}}"), true, PUSH_REPLY_READ, 3,
		  "too old" },
		{ JS, STR("{\"partialSuccess\":{\"rejectedSpans\":3}}"), true, PUSH_REPLY_READ, 3, "" },
		{ JS, STR("{\"partial_success\":{\"rejected_data_points\":\"2\",\"error_message\":\"x\"}}"), true, PUSH_REPLY_READ,
		  2, "x" },
		{ JS, STR("{\"partialSuccess\":{\"rejectedSpans\":\"-3\"}}"), true, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("{\"partialSuccess\":{\"rejectedSpans\":\"x\",\"errorMessage\":7}}"), true, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("{\"partialSuccess\":[1]}"), true, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("[]"), true, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("{"), true, PUSH_REPLY_BROKEN, 0, "" },
		{ JS, STR("{\"message\":\"not of a success\"}"), true, PUSH_REPLY_READ, 0, "" },
	};
	check_readings(list, COUNT(list));
}

TEST(a_success_in_protobuf)
{
	const struct reading list[] = {
		{ PB, STR(""), true, PUSH_REPLY_EMPTY, 0, "" },
		{ PB, STR("\x0a\x00"), true, PUSH_REPLY_READ, 0, "" },
		{ PB, STR("\x0a\x09\x08\x03\x12\x05older"), true, PUSH_REPLY_READ, 3, "older" },
		{ PB, STR("\x0a\x03\x08\xac\x02"), true, PUSH_REPLY_READ, 300, "" },
		{ PB, STR("\x0a\x02\x08\x01\x0a\x03\x12\x01x"), true, PUSH_REPLY_READ, 1, "x" }, /* two are one */
		{ PB, STR("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), true, PUSH_REPLY_READ, 0, "" }, /* -1 */
		{ PB, STR("\x78\x01\x0a\x02\x08\x01"), true, PUSH_REPLY_READ, 1, "" }, /* a field nobody knows */
		{ PB, STR("\x79\x01\x02\x03\x04\x05\x06\x07\x08\x7d\x01\x02\x03\x04"), true, PUSH_REPLY_READ, 0, "" },
		{ PB, STR("\x0a\x02\x0a\x00"), true, PUSH_REPLY_READ, 0, "" }, /* rejected as text: not the field */
		{ PB, STR("\x08\x05"), true, PUSH_REPLY_READ, 0, "" }, /* partial_success as a number: neither */
		{ PB, STR("\x0a"), true, PUSH_REPLY_BROKEN, 0, "" },
		{ PB, STR("\x0a\x05\x08"), true, PUSH_REPLY_BROKEN, 0, "" },
		{ PB, STR("\x0a\x02\x08\xff"), true, PUSH_REPLY_BROKEN, 0, "" },
		{ PB, STR("\x0a\x04\x12\x02\xff\xff"), true, PUSH_REPLY_BROKEN, 0, "" }, /* not UTF-8 */
		{ PB, STR("\x0b\x0c"), true, PUSH_REPLY_BROKEN, 0, "" }, /* a group */
		{ PB, STR("\x02\x00"), true, PUSH_REPLY_BROKEN, 0, "" }, /* field 0 */
		{ PB, STR("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), true, PUSH_REPLY_BROKEN, 0, "" },
		{ PB, STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), true, PUSH_REPLY_BROKEN, 0, "" },
	};
	check_readings(list, COUNT(list));
}

TEST(a_refusal_has_a_message)
{
	const struct reading list[] = {
		{ PB, STR("\x08\x03\x12\x03" "bad\x1a\x02\x0a\x00"), false, PUSH_REPLY_READ, 0, "bad" },
		{ PB, STR("\x0a\x02\x08\x03"), false, PUSH_REPLY_READ, 0, "" }, /* what a success would have */
		{ PB, STR("<html>"), false, PUSH_REPLY_BROKEN, 0, "" },
		{ JS, STR("{\"code\":3,\"message\":\"bad\",\"details\":[]}"), false, PUSH_REPLY_READ, 0, "bad" },
		{ JS, STR("{\"detail\":\"Not Found\"}"), false, PUSH_REPLY_READ, 0, "Not Found" },
		{ JS, STR("{\"error\":\"no\"}"), false, PUSH_REPLY_READ, 0, "no" },
		{ JS, STR("{\"error\":{\"message\":\"no\"}}"), false, PUSH_REPLY_READ, 0, "no" },
		{ JS, STR("{\"partialSuccess\":{\"rejectedSpans\":3}}"), false, PUSH_REPLY_READ, 0, "" },
		{ JS, STR("\"no\""), false, PUSH_REPLY_READ, 0, "no" },
		{ "text/plain; charset=utf-8", STR("no such thing"), false, PUSH_REPLY_FOREIGN, 0, "no such thing" },
		{ "text/html", STR("<html>"), false, PUSH_REPLY_FOREIGN, 0, "" },
		{ "", STR("x"), false, PUSH_REPLY_FOREIGN, 0, "" },
		{ "text/plain", STR("ok"), true, PUSH_REPLY_FOREIGN, 0, "" },
	};
	check_readings(list, COUNT(list));
}
