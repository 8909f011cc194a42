#include "replay/tape_give.h"

#include "unit/net/sockets.h"

static void note_ring(struct alarm *a)
{
	a->at_ns = 0; /* for the test to see */
}

TEST(pieces_without_delays_come_at_once)
{
	struct tape_line l = { .ended_us = 1000000000, .http.answer.bytes = STR("ab") };
	struct player_pace pace = { .chunking = CHUNKS_BYTES, .chunk_bytes = 1 };
	struct tape_give g = { .alarm.ring = note_ring };
	struct str piece;

	tape_give_stop(&g); /* nothing was begun */
	tape_give_begin(&g, NULL, 0, &l, l.http.answer.bytes, TAPE_WHOLE, &pace);
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_PIECE && str_eq(piece, STR("a")));
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_PIECE && str_eq(piece, STR("b")));
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_END);
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_END);
}

TEST(a_late_piece_makes_no_other_one_late)
{
	struct tape_chunk chunks[] = { { 0, 10000 }, { 1, 10000 }, { 2, 1000000000 } };
	struct tape_line l = { .http = { .answer.bytes = STR("abc"), .chunks = chunks, .chunk_count = 3 } };
	struct player_pace pace = { .speed = 1 };
	struct tape_give g = { .alarm.ring = note_ring };
	uint64_t begun = clock_mono_ns();
	struct err err = { .kind = ERR_NONE };
	struct alarms *alarms;
	struct str piece;
	uv_loop_t loop;

	uv_loop_init(&loop);
	alarms = alarms_open(&loop, &err);
	CHECK(alarms != NULL);
	tape_give_begin(&g, alarms, begun, &l, l.http.answer.bytes, TAPE_WHOLE, &pace);
	if (tape_give_next(&g, &piece) == TAPE_GIVE_LATER) { /* a slow machine may be past it */
		CHECK_INT(g.alarm.at_ns, begun + 10000000);
		TURN_UNTIL(&loop, g.alarm.at_ns == 0);
		CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_PIECE);
	}
	CHECK(clock_mono_ns() >= begun + 10000000 && str_eq(piece, STR("a")));
	usleep(15000);
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_PIECE && str_eq(piece, STR("b")));
	CHECK(tape_give_next(&g, &piece) == TAPE_GIVE_LATER);
	CHECK_INT(g.alarm.at_ns, begun + 1000020000000);
	tape_give_stop(&g);
	CHECK_INT(g.alarm.place, 0);
	alarms_rest(alarms);
	uv_run(&loop, UV_RUN_DEFAULT);
	alarms_close(alarms);
	CHECK_INT(uv_loop_close(&loop), 0);
}
