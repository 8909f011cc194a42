#include "replay/tape_host.h"

#include "base/clock.h"
#include "unit/replay/tape_fake.h"

TEST(a_hit_is_given_as_this_run_has_to_see_it)
{
	struct fake f = { .from = STR("old"), .to = STR("newer") };
	struct tape_host h = { .o = { .ops = &fake_ops, .context = &f, .pace = &f.pace } };
	struct match_question q = { .lane = STR("model"), .method = STR("POST"), .target = STR("/t"), .body = STR("b") };
	const struct tape_line *line = NULL;
	struct str answer, why;
	struct arena a;

	arena_init(&a);
	fake_add(&f, "POST", "/t", "b", "text/plain", STR("an old one"));
	CHECK(tape_host_ask(&h, &a, &q, &line, &answer, &why));
	CHECK(line == &f.lines[0]);
	CHECK_STR(answer, STR("an newer one"));
	CHECK(!tape_host_ask(&h, &a, &q, &line, &answer, &why));
	CHECK_STR(why, STR("nobody asked \"this\""));
	tape_host_note(&h, &q, "it is broken");
	CHECK_INT(f.notes, 1);
	buf_free(&f.missed);
	arena_free(&a);
}

TEST(clients_have_ten_seconds_to_leave)
{
	struct tape_host h = { .o.linger_ms = 0 };
	uint64_t now = clock_mono_ns();

	CHECK(tape_host_patience(&h) >= now + 10000000000);
	h.o.linger_ms = 5;
	CHECK(tape_host_patience(&h) < now + 10000000000);
}

TEST(alarms_rest_when_the_last_one_is_over)
{
	struct err err = { .kind = ERR_NONE };
	struct tape_host h = { .count = 0 };
	uv_loop_t loop;

	uv_loop_init(&loop);
	h.alarms = alarms_open(&loop, &err);
	CHECK(h.alarms != NULL);
	tape_host_enter(&h);
	tape_host_enter(&h);
	tape_host_leave(&h);
	CHECK_INT(h.count, 1);
	tape_host_leave(&h);
	CHECK_INT(h.count, 0);
	alarms_close(h.alarms);
	CHECK_INT(uv_loop_close(&loop), 0);
}
