#include "provider/mock_talk.h"

#include "harness/test.h"

static const struct mock_usage unsaid = { .input = MOCK_UNSAID, .output = MOCK_UNSAID, .cache_read = MOCK_UNSAID,
					  .cache_write = MOCK_UNSAID, .reasoning = MOCK_UNSAID };
static const struct mock_pace at_once = { .ttft_ms = 0 };

TEST(pieces_are_words_or_characters)
{
	static const struct {
		const char *text, *pieces; /* joined by | */
		uint64_t chunk;
		bool json;
	} cases[] = {
		{ "one two  three", "one |two  |three", 0, false },
		{ " lead", " lead", 0, false },
		{ "line\nline\n", "line\n|line\n", 0, false },
		{ "   ", "   ", 0, false },
		{ "{\"a\":1,\"b\":[2,3]}", "{\"a\":|1,|\"b\":|[2,|3]}", 0, true },
		{ "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", 0, false },
		{ "::", ":|:", 0, true },
		{ "abcdef", "abcd|ef", 4, false },
		{ "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z", "a\xC3\xA9|\xE2\x82\xAC\xF0\x9F\x98\x80|z", 2, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str left = str_from(cases[i].text);
		struct buf got;

		test_case("%s", cases[i].text);
		buf_init(&got);
		while (left.n) {
			if (got.n)
				buf_add_byte(&got, '|');
			buf_add_str(&got, mock_piece_cut(&left, cases[i].chunk, cases[i].json));
		}
		CHECK_STR(buf_str(&got), str_from(cases[i].pieces));
		buf_free(&got);
	}
}

TEST(tokens_are_a_quarter_of_the_bytes_unless_the_script_says)
{
	static const struct mock_call call = { { "four", 4 }, { "{\"a\":1}", 7 }, { "{\"a\":1}", 7 }, false };
	struct mock_talk t = { .reply = { .text = STR("12345"), .reasoning = STR("123"), .calls = &call, .call_count = 1,
					  .usage = unsaid } };

	mock_talk_settle(&t, 9, &at_once);
	CHECK_INT(t.usage.input, 3);
	CHECK_INT(t.usage.output, 5); /* 5 + 3 + 4 + 7 bytes */
	CHECK_INT(t.usage.reasoning, 1);
	CHECK_INT(t.usage.cache_read, 0);
	t.reply.usage = (struct mock_usage){ .input = 0, .output = 7, .cache_read = 0, .cache_write = 0, .reasoning = MOCK_UNSAID };
	mock_talk_settle(&t, 9, &at_once);
	CHECK_INT(t.usage.input, 0);
	CHECK_INT(t.usage.output, 7);
}

TEST(parts_are_never_more_than_the_whole)
{
	struct mock_talk t = { .reply = { .text = STR("x"), .reasoning = STR("123456789"), .usage = unsaid } };

	t.reply.usage.cache_read = 50;
	mock_talk_settle(&t, 4, &at_once);
	CHECK_INT(t.usage.input, 50);
	t.reply.usage.output = 1;
	mock_talk_settle(&t, 4, &at_once);
	CHECK_INT(t.usage.reasoning, 1);
	t.reply.usage.output = MOCK_UNSAID;
	t.reply.usage.reasoning = 100;
	mock_talk_settle(&t, 4, &at_once);
	CHECK_INT(t.usage.output, 100);
}

TEST(the_end_of_an_answer_has_one_word_of_many)
{
	static const struct {
		const char *word;
		enum mock_finish finish;
	} cases[] = {
		{ "stop", MOCK_STOP },       { "end_turn", MOCK_STOP },         { "length", MOCK_LENGTH }, { "max_tokens", MOCK_LENGTH },
		{ "tool_calls", MOCK_TOOL }, { "tool_use", MOCK_TOOL },         { "refusal", MOCK_FILTER }, { "completed", MOCK_STOP },
		{ "content_filter", MOCK_FILTER }, { "pause_turn", MOCK_OTHER },
	};
	static const struct mock_call call = { { "f", 1 }, { "{}", 2 }, { "{}", 2 }, false };
	struct mock_talk t = { .reply = { .text = STR("") } };

	CHECK_INT(mock_talk_finish(&t), MOCK_STOP);
	t.reply.calls = &call;
	t.reply.call_count = 1;
	CHECK_INT(mock_talk_finish(&t), MOCK_TOOL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t.reply.finish = str_from(cases[i].word);
		CHECK_INT(mock_talk_finish(&t), cases[i].finish);
	}
}

TEST(items_stand_in_order_and_nothing_is_an_empty_text)
{
	static const struct mock_call calls[] = { { { "f", 1 }, { "{}", 2 }, { "{}", 2 }, false }, { { "g", 1 }, { "[]", 2 }, { "{}", 2 }, false } };
	struct mock_talk t = { .reply = { .text = STR("t"), .reasoning = STR("r"), .calls = calls, .call_count = 2 } };

	CHECK_INT(mock_talk_items(&t), 4);
	CHECK_INT(mock_talk_item(&t, 0).kind, MOCK_REASONING);
	CHECK_INT(mock_talk_item(&t, 1).kind, MOCK_TEXT);
	CHECK_INT(mock_talk_item(&t, 3).index, 1);
	CHECK_STR(mock_talk_item(&t, 3).whole, STR("[]"));
	t = (struct mock_talk){ .reply = { .text = STR(""), .calls = calls, .call_count = 2 } };
	CHECK_INT(mock_talk_items(&t), 2);
	CHECK_INT(mock_talk_item(&t, 0).kind, MOCK_CALL);
	t.reply.call_count = 0;
	CHECK_INT(mock_talk_items(&t), 1);
	CHECK_INT(mock_talk_item(&t, 0).kind, MOCK_TEXT);
}

TEST(what_opens_a_stream_is_due_at_once_and_the_first_token_later)
{
	static const struct mock_call call = { { "f", 1 }, { "{\"a\":1}", 7 }, { "{}", 2 }, false };
	struct mock_talk t = { .reply = { .text = STR("one two"), .calls = &call, .call_count = 1, .usage = unsaid } };
	static const struct mock_pace pace = { .ttft_ms = 100, .itl_ms = 7, .chunk = 0 };
	static const struct {
		enum mock_step_kind kind;
		uint64_t delay;
		const char *piece;
	} want[] = {
		{ MOCK_OPEN, 0, "" },      { MOCK_BEGIN, 100, "" }, { MOCK_PIECE, 0, "one " }, { MOCK_PIECE, 7, "two" },
		{ MOCK_END, 0, "" },       { MOCK_BEGIN, 7, "" },   { MOCK_PIECE, 0, "{\"a\":" }, { MOCK_PIECE, 7, "1}" },
		{ MOCK_END, 0, "" },       { MOCK_CLOSE, 0, "" },
	};
	struct mock_steps steps;
	struct mock_step s;

	mock_talk_settle(&t, 0, &pace);
	mock_steps_begin(&steps, &t, &pace);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		test_case("step %zu", i);
		CHECK(mock_steps_next(&steps, &s));
		CHECK_INT(s.kind, want[i].kind);
		CHECK_INT(s.delay_ms, want[i].delay);
		CHECK_STR(s.piece, str_from(want[i].piece));
		CHECK_INT(s.first, i == 1);
	}
	CHECK(!mock_steps_next(&steps, &s));
	CHECK_INT(t.total_ms, 121);
	CHECK_INT(t.prompt_ms, 100);
}

TEST(an_empty_answer_has_its_steps_too)
{
	struct mock_talk t = { .reply = { .text = { NULL, 0 }, .usage = unsaid } };
	struct mock_steps steps;
	struct mock_step s;
	int count = 0;

	mock_talk_settle(&t, 0, &at_once);
	mock_steps_begin(&steps, &t, &at_once);
	while (mock_steps_next(&steps, &s))
		count++;
	CHECK_INT(count, 4); /* open, begin, end, close */
}

TEST(an_event_is_named_and_counted)
{
	struct mock_talk t = { .events = 0 };
	struct buf out;

	buf_init(&out);
	mock_event_begin(&out, "hello");
	mock_json_add(&out, "{}");
	mock_event_end(&out, &t);
	CHECK_STR(buf_str(&out), STR("event: hello\ndata: {}\n\n"));
	CHECK_INT(t.events, 1);
	buf_free(&out);
}
