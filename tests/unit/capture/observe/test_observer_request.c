#include "dialect/exchange/answer_stream.h"
#include "harness/test.h"
#include "unit/capture/observer_feed.h"

static struct budget narrow = { .limit = 48 << 10 };

/* A request of `count` messages and a last one. */
static struct str request_of(struct buf *out, const char *item, size_t count, const char *last)
{
	buf_add_str(out, STR("{\"model\":\"m\",\"messages\":["));
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s,", item);
	buf_printf(out, "%s]}", last);
	return buf_str(out);
}

static const char said[] = "{\"role\":\"user\",\"content\":\"a\"}";
static const char result[] = "{\"role\":\"tool\",\"tool_call_id\":\"call_0123456789\",\"content\":\"b\"}";

static struct observer *look_at(struct observers *l, struct str body)
{
	struct feed f = { .method = "POST", .path = "/v1/chat/completions", .body = body };

	return feed_open(l, &f);
}

TEST(of_a_request_with_very_many_messages_only_so_many_are_kept)
{
	struct observers *l = observers_open(&test_room);
	struct observer *k;
	struct buf body;

	buf_init(&body);
	k = look_at(l, request_of(&body, said, 3000, said));
	CHECK(observer_seen(k)->message_count == 3001 && !observer_gave_up(k));
	observer_close(k);
	buf_clear(&body);
	k = look_at(l, request_of(&body, said, ANSWER_MOST_EVENTS + 10, said));
	CHECK(observer_seen(k)->message_count > 0 && observer_seen(k)->message_count <= ANSWER_MOST_EVENTS);
	CHECK(observer_gave_up(k));
	observer_close(k);
	buf_free(&body);
	observers_close(l);
	CHECK(test_room.used == 0);
}

TEST(a_request_of_too_many_values_is_not_taken_apart)
{
	struct observers *l = observers_open(&test_room);
	struct observer *k;
	struct buf body;

	buf_init(&body);
	k = look_at(l, request_of(&body, "1", ANSWER_MOST_VALUES, "1"));
	CHECK(observer_gave_up(k));
	CHECK(observer_seen(k)->kind == OBSERVED_MODEL); /* its path tells that */
	observer_close(k);
	buf_free(&body);
	observers_close(l);
}

TEST(the_messages_of_open_requests_are_taken_from_the_room)
{
	struct observers *l = observers_open(&narrow);
	struct observer *first, *second, *third;
	struct buf body;

	buf_init(&body);
	request_of(&body, result, 300, result);
	first = look_at(l, buf_str(&body));
	CHECK(observer_seen(first)->result_count == 301 && !observer_gave_up(first));
	CHECK(narrow.used > 301 * sizeof(struct observation_result));
	second = look_at(l, buf_str(&body));
	CHECK(observer_seen(second)->result_count == 0 && observer_seen(second)->message_count == 0);
	CHECK(observer_gave_up(second));
	observer_close(first);
	third = look_at(l, buf_str(&body));
	CHECK(observer_seen(third)->result_count == 301 && !observer_gave_up(third));
	observer_close(second);
	observer_close(third);
	CHECK(narrow.used == 0);
	buf_free(&body);
	observers_close(l);
}
