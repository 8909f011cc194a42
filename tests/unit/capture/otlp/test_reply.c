#include "capture/otlp/reply.h"

#include "harness/test.h"

TEST(what_was_taken_is_said_in_the_encoding_of_the_request)
{
	static const struct {
		enum otlp_signal signal;
		bool is_json;
		uint64_t rejected;
		const char *why;
		const char *wants;
	} cases[] = {
		{ OTLP_TRACES, true, 0, "", "{}" },
		{ OTLP_TRACES, false, 0, "", "" },
		{ OTLP_TRACES, true, 3, "no \"id\"", "{\"partialSuccess\":{\"rejectedSpans\":\"3\","
							   "\"errorMessage\":\"no \\\"id\\\"\"}}" },
		{ OTLP_LOGS, true, 1, "x", "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\","
						 "\"errorMessage\":\"x\"}}" },
		{ OTLP_METRICS, true, 0, "a warning", "{\"partialSuccess\":{\"rejectedDataPoints\":\"0\","
							    "\"errorMessage\":\"a warning\"}}" },
		{ OTLP_TRACES, false, 300, "x", "\x0a\x06\x08\xac\x02\x12\x01" "x" },
		{ OTLP_LOGS, false, 0, "x", "\x0a\x03\x12\x01" "x" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = { 0 };

		test_case("%zu", i);
		otlp_reply_add_taken(&b, cases[i].signal, cases[i].is_json, cases[i].rejected, str_from(cases[i].why));
		CHECK_STR(buf_str(&b), str_from(cases[i].wants));
		buf_free(&b);
	}
}

TEST(a_refusal_is_a_status_of_google_rpc)
{
	static const struct {
		bool is_json;
		int status;
		const char *wants;
	} cases[] = {
		{ true, 400, "{\"code\":3,\"message\":\"why\"}" },
		{ true, 503, "{\"code\":14,\"message\":\"why\"}" },
		{ true, 418, "{\"code\":2,\"message\":\"why\"}" },
		{ false, 400, "\x08\x03\x12\x03why" },
		{ false, 413, "\x08\x08\x12\x03why" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = { 0 };

		test_case("%zu", i);
		otlp_reply_add_refusal(&b, cases[i].is_json, cases[i].status, STR("why"));
		CHECK_STR(buf_str(&b), str_from(cases[i].wants));
		buf_free(&b);
	}
}

TEST(a_long_reason_is_cut)
{
	char text[3000];
	struct buf b = { 0 };

	memset(text, 'x', sizeof(text));
	otlp_reply_add_refusal(&b, false, 400, str_of(text, sizeof(text)));
	CHECK_INT(b.n, 2 + 1 + 2 + 1000);
	buf_free(&b);
}
