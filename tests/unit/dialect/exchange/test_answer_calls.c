#include "dialect/exchange/answer_calls.h"

#include <stdio.h>

#include "harness/test.h"

static size_t add(struct answer_calls *c, struct arena *a, struct event e, unsigned *news)
{
	e.kind = EVENT_CALL;
	return answer_calls_add(c, a, &e, news);
}

TEST(pieces_belong_to_the_latest_call_at_their_index)
{
	struct answer_calls c = { .count = 0 };
	struct arena a;
	unsigned news;

	arena_init(&a);
	CHECK_INT(add(&c, &a, (struct event){ .flags = EVENT_PIECE, .index = 0, .call = STR("x"), .tool = STR("ls") }, &news), 0);
	CHECK_INT(news, ANSWER_CALL_NEW | ANSWER_CALL_ID | ANSWER_CALL_NAME);
	CHECK_INT(add(&c, &a, (struct event){ .flags = EVENT_PIECE, .index = 0, .args_text = STR("{") }, &news), 0);
	CHECK_INT(news, 0);
	CHECK_INT(add(&c, &a, (struct event){ .flags = EVENT_PIECE, .index = 0, .tool = STR("cat") }, &news), 1);
	CHECK_INT(add(&c, &a, (struct event){ .flags = EVENT_PIECE, .index = 0, .args_text = STR("}") }, &news), 1);
	CHECK(add(&c, &a, (struct event){ .flags = EVENT_PIECE, .index = 7, .args_text = STR("}") }, &news) == ANSWER_CALL_NONE);
	arena_free(&a);
}

TEST(an_id_tells_the_same_call_and_another_name_another_one)
{
	struct answer_calls c = { .count = 0 };
	struct arena a;
	unsigned news;

	arena_init(&a);
	CHECK_INT(add(&c, &a, (struct event){ .index = -1, .call = STR("x"), .tool = STR("ls") }, &news), 0);
	CHECK_INT(add(&c, &a, (struct event){ .index = -1, .call = STR("x"), .tool = STR("ls") }, &news), 0);
	CHECK_INT(add(&c, &a, (struct event){ .index = -1, .call = STR("x"), .tool = STR("cat") }, &news), 1);
	CHECK_INT(add(&c, &a, (struct event){ .index = -1, .tool = STR("cat"), .args = STR("{}") }, &news), 2);
	CHECK_INT(add(&c, &a, (struct event){ .index = -1, .tool = STR("cat"), .args = STR("{}") }, &news), 3);
	answer_calls_answer(&c, STR("x"));
	answer_calls_answer(&c, STR(""));
	CHECK(c.marks[0].answered && c.marks[1].answered && !c.marks[2].answered);
	arena_free(&a);
}

TEST(there_is_an_end_to_calls)
{
	struct answer_calls c = { .count = 0 };
	struct arena a;
	unsigned news;
	char id[16];

	arena_init(&a);
	for (int i = 0; i < ANSWER_CALLS; i++) {
		snprintf(id, sizeof(id), "c%d", i);
		CHECK_INT(add(&c, &a, (struct event){ .index = i, .call = str_from(id) }, &news), i);
	}
	CHECK(add(&c, &a, (struct event){ .index = 0, .call = STR("one more") }, &news) == ANSWER_CALL_NONE);
	CHECK_INT(news, ANSWER_CALL_FULL);
	arena_free(&a);
}
