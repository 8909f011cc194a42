#include "replay/tape_pieces.h"

#include "unit/replay/tape_fake.h"

#define EVENTS "event: a\r\ndata: 1\r\n\r\n: note\ndata: 2\ndata: 3\n\ndata: half"

/* The pieces with a bar behind each, and the times; the bytes together are the body. */
static void cut(struct buf *out, const struct tape_line *l, struct str body, enum tape_form form, struct player_pace pace, uint64_t *due)
{
	struct tape_pieces p;
	struct tape_cut c;
	struct buf all = { 0 };
	uint64_t before = 0;

	buf_clear(out);
	tape_pieces_begin(&p, l, body, form, &pace);
	for (size_t i = 0; tape_pieces_next(&p, &c); i++) {
		CHECK(c.bytes.n > 0 && c.due_ns >= before);
		before = c.due_ns;
		if (due)
			due[i] = c.due_ns;
		buf_add_str(out, c.bytes);
		buf_add_byte(out, '|');
		buf_add_str(&all, c.bytes);
	}
	CHECK(tape_pieces_end_ns(&p) >= before);
	CHECK_STR(buf_str(&all), body);
	buf_free(&all);
}

TEST(a_content_type_tells_what_an_event_is)
{
	static const struct {
		const char *type;
		enum tape_form form;
	} cases[] = {
		{ "text/event-stream; charset=utf-8", TAPE_EVENTS }, { "application/x-ndjson", TAPE_LINES },
		{ "application/vnd.amazon.eventstream", TAPE_FRAMES }, { "application/json", TAPE_WHOLE },
		{ "APPLICATION/JSONL", TAPE_LINES }, { NULL, TAPE_WHOLE },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_INT(tape_form_of(str_from(cases[i].type)), cases[i].form);
}

TEST(an_answer_is_cut_in_any_way_and_stays_the_same)
{
	static const struct {
		const char *body;
		enum tape_form form;
		struct player_pace pace;
		const char *want;
	} cases[] = {
		{ EVENTS, TAPE_EVENTS, { CHUNKS_EVENT, 0, 0 }, "event: a\r\ndata: 1\r\n\r\n|: note\ndata: 2\ndata: 3\n\n|data: half|" },
		{ "data: 1\r\rdata: 2\r\r", TAPE_EVENTS, { CHUNKS_EVENT, 0, 0 }, "data: 1\r\r|data: 2\r\r|" },
		{ "{\"a\":1}\n{}\n{", TAPE_LINES, { CHUNKS_EVENT, 0, 0 }, "{\"a\":1}\n|{}\n|{|" },
		{ "{\"a\":\n1}\n{} \nx\n[", TAPE_MESSAGES, { CHUNKS_EVENT, 0, 0 }, "{\"a\":\n1}\n|{} \n|x\n|[|" },
		{ EVENTS, TAPE_WHOLE, { CHUNKS_EVENT, 0, 0 }, EVENTS "|" },
		{ EVENTS, TAPE_EVENTS, { CHUNKS_SINGLE, 0, 0 }, EVENTS "|" },
		{ "abcde", TAPE_WHOLE, { CHUNKS_BYTES, 2, 0 }, "ab|cd|e|" },
		{ "abc", TAPE_WHOLE, { CHUNKS_BYTES, 1, 0 }, "a|b|c|" },
		{ "abc", TAPE_WHOLE, { CHUNKS_BYTES, 0, 0 }, "abc|" },
		{ "abc", TAPE_WHOLE, { CHUNKS_RECORDED, 0, 0 }, "abc|" },
		{ "", TAPE_EVENTS, { CHUNKS_EVENT, 0, 0 }, "" },
	};
	struct buf got = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tape_line l = { .http.answer.bytes = str_from(cases[i].body) };

		test_case("%zu", i);
		cut(&got, &l, l.http.answer.bytes, cases[i].form, cases[i].pace, NULL);
		CHECK_STR(got.n ? buf_str(&got) : STR(""), str_from(cases[i].want));
	}
	buf_free(&got);
}

TEST(frames_of_amazon_are_cut_by_their_lengths)
{
	char body[50] = { 0 };
	struct tape_line l = { .http.answer.bytes = str_of(body, sizeof(body)) };
	struct player_pace pace = { .chunking = CHUNKS_EVENT };
	struct tape_pieces p;
	struct tape_cut c;

	body[3] = 16, body[19] = 20, body[39] = 99; /* the last one breaks off */
	tape_pieces_begin(&p, &l, l.http.answer.bytes, TAPE_FRAMES, &pace);
	CHECK(tape_pieces_next(&p, &c) && c.bytes.n == 16);
	CHECK(tape_pieces_next(&p, &c) && c.bytes.n == 20);
	CHECK(tape_pieces_next(&p, &c) && c.bytes.n == 14);
	CHECK(!tape_pieces_next(&p, &c));
}

TEST(a_piece_is_due_when_the_last_of_its_bytes_came)
{
	struct tape_chunk chunks[] = { { 0, 100 }, { 4, 10 }, { 6, 20 } };
	struct tape_line l = { .begun_us = 5, .ended_us = 205,
			       .http = { .answer.bytes = STR("1\n22\n3\n4"), .chunks = chunks, .chunk_count = 3 } };
	struct player_pace pace = { .speed = 1 };
	struct buf got = { 0 };
	uint64_t due[8];

	cut(&got, &l, l.http.answer.bytes, TAPE_LINES, pace, due);
	CHECK_STR(buf_str(&got), STR("1\n22|\n3|\n4|"));
	CHECK(due[0] == 100000 && due[1] == 110000 && due[2] == 130000);
	pace.chunking = CHUNKS_EVENT;
	cut(&got, &l, l.http.answer.bytes, TAPE_LINES, pace, due);
	CHECK_STR(buf_str(&got), STR("1\n|22\n|3\n|4|"));
	CHECK(due[0] == 100000 && due[1] == 110000 && due[2] == 130000 && due[3] == 130000);
	pace = (struct player_pace){ .chunking = CHUNKS_SINGLE, .speed = 0.5 };
	cut(&got, &l, l.http.answer.bytes, TAPE_LINES, pace, due);
	CHECK_INT(due[0], 65000);
	pace.speed = 0;
	cut(&got, &l, l.http.answer.bytes, TAPE_LINES, pace, due);
	CHECK_INT(due[0], 0);
	buf_free(&got);
}

TEST(recorded_places_are_scaled_to_an_answer_of_another_length)
{
	struct tape_chunk chunks[] = { { 0, 1 }, { 2, 1 }, { 4, 1 } };
	struct tape_line l = { .http = { .answer.bytes = STR("aabbcc"), .chunks = chunks, .chunk_count = 3 } };
	struct player_pace pace = { .speed = 1 };
	struct buf got = { 0 };
	uint64_t due[8];

	cut(&got, &l, STR("aaaabbbbcccc"), TAPE_WHOLE, pace, due);
	CHECK_STR(buf_str(&got), STR("aaaa|bbbb|cccc|"));
	cut(&got, &l, STR("x"), TAPE_WHOLE, pace, due);
	CHECK_STR(buf_str(&got), STR("x|"));
	buf_free(&got);
}

/* A cassette may have been changed by anybody. */
TEST(chunks_that_make_no_sense_do_no_harm)
{
	struct tape_chunk chunks[] = { { 9, UINT64_MAX }, { 3, UINT64_MAX }, { 3, 1 }, { 1, 1 }, { UINT64_MAX, 1 } };
	struct tape_line l = { .begun_us = 9, .http = { .answer.bytes = STR("abcdef"), .chunks = chunks, .chunk_count = 5 } };
	struct buf got = { 0 };
	uint64_t due[8];

	for (int c = CHUNKS_RECORDED; c <= CHUNKS_BYTES; c++)
		for (int speed = 0; speed < 3; speed++)
			cut(&got, &l, l.http.answer.bytes, TAPE_EVENTS,
			    (struct player_pace){ (enum player_chunking)c, 1, speed == 2 ? 1e300 : speed }, due);
	buf_free(&got);
}

TEST(a_message_is_a_piece_without_its_line_end)
{
	CHECK_STR(tape_message_of(STR("{}\n")), STR("{}"));
	CHECK_STR(tape_message_of(STR("{}")), STR("{}"));
}
