/* Streams as they are kept: bodies of exchanges and files of their own, whatever ends their lines and parts their data. */
#include "dialect/exchange/exchange.h"

#include "base/sse.h"
#include "harness/convert.h"
#include "harness/stream_text.h"
#include "harness/test.h"
#include "json/text.h"

#define CHUNK "{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",@\"choices\":[{\"index\":0,@"

static const char answer[] =
	CHUNK "\"delta\":{\"role\":\"assistant\",@\"content\":\"hel\"}}]}|"
	CHUNK "\"delta\":{\"content\":\"lo\"}}]}|"
	CHUNK "\"delta\":{},\"finish_reason\":\"stop\"}],@\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}}|"
	"[DONE]|";

static struct arena arena;

static struct str stream_of(const char *end, bool split)
{
	return stream_make(&arena, answer, (struct stream_form){ .end = end, .split = split }).text;
}

static struct str exchange_of(struct str body)
{
	struct str result;
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR("{\"request\":{\"url\":\"https://api.example.com/v1/chat/completions\",\"body\":{\"model\":\"m\",\"stream\":true,"
			    "\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}},\"response\":{\"status\":200,\"body\":"));
	text_quote(&b, body);
	buf_add_str(&b, STR("}}\n"));
	result = arena_copy(&arena, buf_str(&b));
	buf_free(&b);
	return result;
}

static struct str get(struct str out, const char *type, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, 0), pointer);
}

static void check_answer(struct str out)
{
	CHECK_INT(convert_count(out).model_steps, 1);
	CHECK_STR(get(out, "model_step", "/text"), STR("hello"));
	CHECK_STR(get(out, "model_step", "/stop_reason"), STR("stop"));
	CHECK_STR(get(out, "model_step", "/partial"), STR(""));
	CHECK_INT(convert_count(out).input_total, 3);
}

static const char *const ends[] = { "\n", "\r", "\r\n" };

TEST(a_body_is_read_whatever_ends_its_lines_and_parts_its_data)
{
	for (size_t i = 0; i < COUNT(ends); i++)
		for (int split = 0; split < 2; split++) {
			struct str text = exchange_of(stream_of(ends[i], split));
			struct converted c = convert_with(&arena, text, (struct convert_how){ .to = "otutl" });

			test_case("end %zu, split %d", i, split);
			CHECK(c.done);
			check_answer(c.out);
		}
}

TEST(a_file_of_events_is_read_the_same_however_it_is_cut)
{
	for (size_t i = 0; i < COUNT(ends); i++)
		for (int split = 0; split < 2; split++)
			for (size_t chunk = 1; chunk < 300; chunk += chunk < 40 ? 1 : 37) {
				struct str text = stream_of(ends[i], split);
				struct convert_how how = { .to = "otutl", .chunk = chunk };
				struct converted c = convert_with(&arena, text, how);

				test_case("end %zu, split %d, chunks of %zu", i, split, chunk);
				CHECK(c.done && c.from);
				check_answer(c.out);
			}
}

/* Some logs keep the data lines and drop the blank ones. */
TEST(events_without_blank_lines_between_them_are_one_value_a_line)
{

	struct str text = stream_of("\n", false);
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\n' || i + 1 == text.n || text.p[i + 1] != '\n')
			buf_add_byte(&b, text.p[i]);
	CHECK(str_find(buf_str(&b), STR("\n\n")) == (size_t)-1);
	check_answer(convert_with(&arena, buf_str(&b), (struct convert_how){ .to = "otutl" }).out);
	check_answer(convert_with(&arena, exchange_of(buf_str(&b)), (struct convert_how){ .to = "otutl" }).out);
	buf_free(&b);
}

TEST(what_of_a_body_could_not_be_read_is_kept)
{
	static const struct { const char *tail, *pointer, *kept; } cases[] = {
		{ "data: {\"id\":\"c1\",\"choi", "/ext/openai-chat~11/unread", "{\"id\":\"c1\",\"choi" },
		{ "a proxy said no\n\n", "/ext/openai-chat~11/exchange/response/body", "a proxy said no" },
		{ "data: one\n\ndata: two\n\n", "/ext/openai-chat~11/exchange/response/body", "data: two" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str body = arena_printf(&arena, "%.*s%s", STR_ARG(stream_of("\n", false)), cases[i].tail);
		struct converted c = convert_with(&arena, exchange_of(body), (struct convert_how){ .to = "otutl" });

		test_case("case %zu", i);
		check_answer(c.out);
		CHECK(str_find(get(c.out, "model_step", cases[i].pointer), str_from(cases[i].kept)) != (size_t)-1);
	}
}

/* A line of JSON between events, as some services send an error in the middle of a stream. */
TEST(a_line_of_json_between_events_is_read)
{
	struct str body = arena_printf(&arena, "{\"error\":{\"message\":\"too much\",\"type\":\"overloaded\"}}\n\n%.*s",
				       STR_ARG(stream_of("\n", false)));
	struct str out = convert_with(&arena, exchange_of(body), (struct convert_how){ .to = "otutl" }).out;

	check_answer(out);
	CHECK_STR(get(out, "error", "/message"), STR("too much"));
}
