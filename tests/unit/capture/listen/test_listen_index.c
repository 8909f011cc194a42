#include "capture/listen/listen_index.h"
#include "base/arena.h"
#include "harness/test.h"

TEST(a_digest_means_the_run_that_had_it_last_and_says_when_several_have_it)
{
	struct listen_marks a = { 0 }, b = { 0 };
	struct listen_index x;
	bool several;

	listen_index_init(&x);
	listen_index_add(&x, &a, 7);
	listen_index_add(&x, &a, 7);
	CHECK_INT(x.count, 1);
	CHECK(listen_index_find(&x, 7, &several) == &a && !several);
	listen_index_add(&x, &b, 7);
	CHECK(listen_index_find(&x, 7, NULL) == &b);
	CHECK(listen_index_find(&x, 7, &several) == &b && several);
	CHECK(listen_index_find(&x, 8, &several) == NULL && !several);
	listen_index_leave(&x, &b);
	CHECK(listen_index_find(&x, 7, &several) == &a && !several);
	listen_index_leave(&x, &a);
	CHECK(listen_index_find(&x, 7, NULL) == NULL);
	listen_index_free(&x);
}

TEST(a_run_keeps_its_latest_digests_and_the_table_grows_with_all)
{
	static struct listen_marks runs[40];
	struct listen_index x;

	listen_index_init(&x);
	for (uint64_t i = 0; i < LISTEN_INDEX_MARKS + 10; i++)
		for (size_t r = 0; r < COUNT(runs); r++)
			listen_index_add(&x, &runs[r], (i << 8 | r) * 2 + 1);
	CHECK_INT(x.count, COUNT(runs) * LISTEN_INDEX_MARKS);
	for (size_t r = 0; r < COUNT(runs); r++) {
		CHECK(listen_index_find(&x, ((uint64_t)9 << 8 | r) * 2 + 1, NULL) == NULL);
		CHECK(listen_index_find(&x, ((uint64_t)10 << 8 | r) * 2 + 1, NULL) == &runs[r]);
	}
	for (size_t r = 0; r < COUNT(runs); r++)
		listen_index_leave(&x, &runs[r]);
	CHECK_INT(x.count, 0);
	listen_index_free(&x);
}

static struct observation talk_of(struct observation_message *m, const uint64_t *marks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		m[i] = (struct observation_message){ .mark = marks[i], .words = i % 2 ? marks[i] : 0,
						     .role = i == 0	 ? OBSERVED_SYSTEM
							     : i % 2 ? OBSERVED_USER
								     : OBSERVED_SAID };
	return (struct observation){ .messages = m, .message_count = count };
}

TEST(the_longest_beginning_that_was_asked_before_is_gone_on_from)
{
	static const uint64_t first[] = { 1, 2 }, second[] = { 1, 2, 3, 4 }, changed[] = { 9, 2, 3, 4, 5, 6 },
			      other[] = { 1, 8 };
	struct observation_message m[8];
	struct listen_marks a = { 0 }, b = { 0 };
	struct listen_index x;
	struct observation s;

	listen_index_init(&x);
	s = talk_of(m, first, 2);
	listen_index_asked(&x, &a, &s);
	CHECK(listen_index_goes_on(&x, &s) == &a); /* the same again */
	s.caller = 5;
	CHECK(listen_index_goes_on(&x, &s) == NULL);
	s = talk_of(m, second, 4);
	CHECK(listen_index_goes_on(&x, &s) == &a);
	listen_index_asked(&x, &b, &s);
	s = talk_of(m, changed, 6); /* another prompt of the system */
	CHECK(listen_index_goes_on(&x, &s) == &b);
	s = talk_of(m, other, 2);
	CHECK(listen_index_goes_on(&x, &s) == NULL);
	s = (struct observation){ .previous = STR("resp_1") };
	CHECK(listen_index_goes_on(&x, &s) == NULL);
	listen_index_answered(&x, &a, &(struct observation){ .answer = STR("resp_1") });
	CHECK(listen_index_goes_on(&x, &s) == &a);
	listen_index_leave(&x, &a);
	listen_index_leave(&x, &b);
	listen_index_free(&x);
}

TEST(a_text_that_two_runs_gave_to_tools_tells_nothing)
{
	struct text_mark mark = { .key = 77 };
	struct observation_call call = { .texts = &mark, .text_count = 1 };
	struct observation answer = { .calls = &call, .call_count = 1 };
	struct observation_message m = { .mark = 1, .text = 77, .role = OBSERVED_USER };
	struct observation begins = { .messages = &m, .message_count = 1 };
	struct listen_marks a = { 0 }, b = { 0 };
	struct listen_index x;

	listen_index_init(&x);
	CHECK(listen_index_told(&x, &begins) == NULL);
	listen_index_answered(&x, &a, &answer);
	CHECK(listen_index_told(&x, &begins) == &a);
	listen_index_answered(&x, &b, &answer);
	CHECK(listen_index_told(&x, &begins) == NULL);
	listen_index_leave(&x, &a);
	CHECK(listen_index_told(&x, &begins) == &b);
	listen_index_leave(&x, &b);
	listen_index_free(&x);
}
