#include "harness/test.h"
#include "unit/capture/observer_feed.h"

#define CALL(id, name, args) "{\"tool_calls\":[{\"index\":0,\"id\":\"" id "\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" args "\"}}]}"
#define MORE(args) "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"" args "\"}}]}"

TEST(calls_with_other_names_are_other_calls)
{
	static const struct {
		const char *deltas[5], *calls;
	} cases[] = {
		{ { CALL("", "f", "{"), MORE("}"), CALL("", "g", "{"), MORE("}"), CALL("", "f", "{}") },
		  " call name=f call name=g call name=f" },
		{ { CALL("c", "f", "{"), CALL("c", "f", "1"), CALL("c", "", "1"), MORE("}"), CALL("", "f", "") }, " call id=c name=f" },
		{ { CALL("c", "f", "{}"), CALL("c", "g", "{"), CALL("c", "", "}"), CALL("c", "f", ""), CALL("c", "g", "") },
		  " call id=c name=f call id=c name=g" },
		{ { CALL("c", "f", "{}"), CALL("", "g", "{"), MORE("}") }, " call id=c name=f call name=g" },
		{ { CALL("c", "", "{"), CALL("c", "f", "}"), CALL("d", "f", "{}") }, " call id=c name=f call id=d name=f" },
	};
	struct observers *l = observers_open(&test_room);
	struct buf answer, text;

	buf_init(&answer);
	buf_init(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct feed f = { .path = "/v1/chat/completions", .body = STR("{\"model\":\"m\",\"stream\":true,\"messages\":[]}"),
				  .type = "text/event-stream" };
		struct observer *k;
		size_t at;

		buf_clear(&answer);
		for (size_t n = 0; n < 5 && cases[i].deltas[n]; n++)
			buf_printf(&answer, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", cases[i].deltas[n]);
		f.answer = buf_str(&answer);
		k = feed_run(l, &f);
		test_case("%zu", i);
		feed_text(&text, observer_seen(k));
		at = str_find(buf_str(&text), STR(" call"));
		CHECK(at != (size_t)-1);
		CHECK_STR(str_of(text.p + at, text.n - at), str_from(cases[i].calls));
		observer_close(k);
	}
	buf_free(&answer);
	buf_free(&text);
	observers_close(l);
}

TEST(calls_beyond_the_limit_are_not_kept_and_the_sight_says_so)
{
	struct observers *l = observers_open(&test_room);
	struct buf answer;

	buf_init(&answer);
	for (size_t count = 4096; count <= 4097; count++) {
		struct feed f = { .path = "/v1/chat/completions", .body = STR("{\"model\":\"m\",\"messages\":[]}"), .coarse = true };
		struct observer *k;

		buf_clear(&answer);
		buf_add_str(&answer, STR("{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"tool_calls\":["));
		for (size_t i = 0; i < count; i++)
			buf_printf(&answer, "%s{\"id\":\"c%zu\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}", i ? "," : "", i);
		buf_add_str(&answer, STR("]},\"finish_reason\":\"tool_calls\"}]}"));
		f.answer = buf_str(&answer);
		k = feed_run(l, &f);
		CHECK_INT(observer_seen(k)->call_count, 4096);
		CHECK_INT(observer_seen(k)->cut, count > 4096);
		observer_close(k);
	}
	buf_free(&answer);
	observers_close(l);
}
