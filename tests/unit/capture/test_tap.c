#include "capture/handoff.h"
#include "harness/test.h"

/* What the recorder would get. */
struct got {
	struct handoff *all[64];
	size_t count;
};

static void take(void *context, struct feed_item *item)
{
	struct got *g = context;

	CHECK(g->count < 64);
	g->all[g->count++] = (struct handoff *)item;
}

static void rest(void *context)
{
	(void)context;
}

struct setting {
	struct arena arena;
	struct got got;
	struct feed *feed;
	struct tap *tap;
	struct route route;
	struct budget room;
};

static void open_setting(struct setting *s)
{
	*s = (struct setting){ .route = { .name = STR("openai") }, .room = { .limit = HANDOFF_ROOM } };
	arena_init(&s->arena);
	s->feed = feed_open(&s->arena, &s->room, (struct feed_work){ .take = take, .rest = rest, .context = &s->got });
	s->tap = tap_open(&s->arena, s->feed, &s->room);
}

/* All that was handed over is there. */
static void end_setting(struct setting *s)
{
	feed_close(s->feed);
	tap_close(s->tap);
}

static void free_setting(struct setting *s)
{
	for (size_t i = 0; i < s->got.count; i++) {
		if (s->got.all[i]->is_end)
			mem_free(s->got.all[i]->exchange);
		handoff_free(s->got.all[i]);
	}
	arena_free(&s->arena);
}

static void *begin(struct setting *s)
{
	static const struct http_header headers[] = { { { "Host", 4 }, { "h", 1 } }, { { "X-A", 3 }, { "1", 1 } } };
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = STR("/openai/v1/x?a=b"),
			       .headers = headers, .count = 2, .framing = HTTP_LENGTH, .length = 4 };
	struct proxy_destination to = { .target = STR("/v1/x?a=b"), .route = &s->route };

	return tap_ops.begin(s->tap, &h, &to, 100);
}

static void answer_head(void *x, int64_t ns)
{
	struct http_head h = { .side = HTTP_RESPONSE, .status = 200, .reason = STR("OK"), .framing = HTTP_CHUNKED };

	tap_ops.head(x, &h, ns);
}

TEST(a_request_is_handed_over_when_it_is_complete_and_an_answer_when_it_ends)
{
	struct setting s;
	struct handoff *w;
	void *x;

	open_setting(&s);
	x = begin(&s);
	tap_ops.request(x, STR("ab"), 110);
	tap_ops.request(x, STR("cd"), 120);
	tap_ops.request_end(x, 130);
	answer_head(x, 200);
	tap_ops.answer(x, STR("one"), 210);
	tap_ops.answer(x, STR("two"), 220);
	tap_ops.end(x, PROXY_WHOLE, 230);
	end_setting(&s);
	CHECK_INT(s.got.count, 2);
	w = s.got.all[0];
	CHECK(w->is_request && !w->is_end && !w->lost);
	CHECK_STR(buf_str(&w->body), STR("abcd"));
	CHECK_STR(w->head->method, STR("POST"));
	CHECK_STR(w->head->target, STR("/openai/v1/x?a=b"));
	CHECK_STR(w->target, STR("/v1/x?a=b"));
	CHECK_STR(w->head->headers[1].name, STR("X-A"));
	CHECK_STR(w->head->headers[1].value, STR("1"));
	CHECK_INT(w->head_ns, 100);
	CHECK_INT(w->ns, 130);
	CHECK(w->route == &s.route);
	w = s.got.all[1];
	CHECK(!w->is_request && w->is_end && !w->lost);
	CHECK(w->exchange == s.got.all[0]->exchange);
	CHECK_STR(buf_str(&w->body), STR("onetwo"));
	CHECK_INT(w->head->status, 200);
	CHECK_INT(w->head_ns, 200);
	CHECK_INT(w->arrival_count, 2);
	CHECK_INT(w->arrivals[0].end, 3);
	CHECK_INT(w->arrivals[0].ns, 210);
	CHECK_INT(w->arrivals[1].end, 6);
	CHECK_INT(w->how, PROXY_WHOLE);
	free_setting(&s);
}

TEST(a_long_answer_comes_in_pieces_of_which_only_the_first_has_the_head)
{
	static char piece[HANDOFF_PIECE / 2];
	struct setting s;
	size_t bytes = 0;
	void *x;

	open_setting(&s);
	x = begin(&s);
	tap_ops.request_end(x, 1);
	answer_head(x, 2);
	for (int i = 0; i < 7; i++)
		tap_ops.answer(x, str_of(piece, sizeof(piece)), 10 + i);
	tap_ops.end(x, PROXY_CUT, 50);
	end_setting(&s);
	CHECK_INT(s.got.count, 5);
	CHECK(s.got.all[1]->head != NULL);
	for (size_t i = 1; i < s.got.count; i++) {
		const struct handoff *w = s.got.all[i];

		bytes += w->body.n;
		CHECK(i == 1 || !w->head);
		CHECK(w->is_end == (i == 4));
		CHECK_INT(w->arrivals[w->arrival_count - 1].end, w->body.n);
	}
	CHECK_INT(bytes, 7 * sizeof(piece));
	CHECK_INT(s.got.all[4]->how, PROXY_CUT);
	free_setting(&s);
}

TEST(a_request_that_never_was_complete_is_told_as_lost_and_one_answered_early_is_not)
{
	struct setting s;
	void *x, *y;

	open_setting(&s);
	x = begin(&s);
	y = begin(&s);
	tap_ops.request(x, STR("a"), 1);
	tap_ops.end(x, PROXY_CLIENT_LEFT, 2);
	tap_ops.request(y, STR("ab"), 3);
	answer_head(y, 4);
	tap_ops.request(y, STR("cd"), 5);
	tap_ops.request_end(y, 6);
	tap_ops.end(y, PROXY_WHOLE, 7);
	end_setting(&s);
	CHECK_INT(s.got.count, 4);
	CHECK(s.got.all[0]->is_request && s.got.all[0]->lost);
	CHECK_INT(s.got.all[1]->how, PROXY_CLIENT_LEFT);
	CHECK(!s.got.all[1]->head);
	CHECK(s.got.all[2]->is_request && !s.got.all[2]->lost);
	CHECK(s.got.all[2]->exchange != s.got.all[0]->exchange);
	free_setting(&s);
}

TEST(a_request_above_the_limit_is_not_kept_and_counted)
{
	static char piece[1 << 20];
	struct setting s;
	void *x;

	open_setting(&s);
	x = begin(&s);
	for (int i = 0; i < 65; i++)
		tap_ops.request(x, str_of(piece, sizeof(piece)), 1);
	tap_ops.request_end(x, 2);
	tap_ops.end(x, PROXY_WHOLE, 3);
	end_setting(&s);
	CHECK(s.got.all[0]->lost);
	CHECK_INT(s.got.all[0]->body.n, 0);
	CHECK_INT(tap_tally(s.tap).large, 1);
	CHECK_INT(tap_tally(s.tap).exchanges, 1);
	free_setting(&s);
}

/* Many clients that send most of a body and stop: what they hold in sum is bounded. */
TEST(requests_that_are_never_complete_hold_no_more_than_the_room)
{
	static char piece[1 << 20];
	struct setting s;
	void *open[20];

	open_setting(&s);
	for (int i = 0; i < 20; i++) {
		open[i] = begin(&s);
		for (int n = 0; n < 30; n++) {
			tap_ops.request(open[i], str_of(piece, sizeof(piece)), 1);
			CHECK(s.room.used <= HANDOFF_ROOM + (20 << 16));
		}
	}
	CHECK(tap_tally(s.tap).crowded >= 16);
	for (int i = 0; i < 20; i++)
		tap_ops.end(open[i], PROXY_CLIENT_LEFT, 3);
	end_setting(&s);
	CHECK_INT(s.room.used, 0);
	free_setting(&s);
}

/* A consumer that never gets to work: a feed with room for one byte. */
TEST(what_the_recorder_cannot_take_is_left_out_and_the_place_is_marked)
{
	struct setting s;
	struct tap_tally t;
	void *x;

	open_setting(&s);
	feed_close(s.feed);
	s.room.limit = 1;
	s.feed = feed_open(&s.arena, &s.room, (struct feed_work){ .take = take, .rest = rest, .context = &s.got });
	s.tap = tap_open(&s.arena, s.feed, &s.room);
	x = begin(&s);
	tap_ops.request(x, STR("abcd"), 1);
	tap_ops.request_end(x, 2);
	answer_head(x, 3);
	tap_ops.answer(x, STR("abc"), 4);
	tap_ops.end(x, PROXY_WHOLE, 5);
	end_setting(&s);
	t = tap_tally(s.tap);
	CHECK_INT(t.crowded, 1); /* the request */
	CHECK_INT(t.lost, 2);
	CHECK_INT(s.got.count, 2);
	CHECK(s.got.all[0]->is_request && s.got.all[0]->lost && s.got.all[0]->head);
	CHECK_INT(s.got.all[0]->body.n, 0);
	CHECK(s.got.all[1]->is_end && s.got.all[1]->lost && s.got.all[1]->head);
	CHECK_INT(s.got.all[1]->arrival_count, 0);
	free_setting(&s);
}

/* A request for a WebSocket, and its answer. */
static void *open_socket(struct setting *s, const char *target)
{
	static const struct http_header headers[] = { { { "Upgrade", 7 }, { "websocket", 9 } } };
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("GET"), .target = STR("/x"), .headers = headers, .count = 1,
			       .upgrade = true };
	struct http_head switched = { .side = HTTP_RESPONSE, .status = 101 };
	struct proxy_destination to = { .target = str_from(target), .route = &s->route };
	void *x = tap_ops.begin(s->tap, &h, &to, 100);

	tap_ops.request_end(x, 101);
	tap_ops.head(x, &switched, 102);
	return x;
}

TEST(what_passes_a_socket_is_handed_over_at_once_and_in_order)
{
	struct setting s;
	void *x;

	open_setting(&s);
	x = open_socket(&s, "/v1/responses");
	tap_ops.request(x, STR("one"), 110);
	tap_ops.answer(x, STR("two"), 120);
	tap_ops.request(x, STR("three"), 130);
	tap_ops.end(x, PROXY_WHOLE, 140);
	end_setting(&s);
	CHECK_INT(s.got.count, 6);
	CHECK(s.got.all[0]->is_request && s.got.all[1]->head->status == 101 && !s.got.all[1]->is_end && s.got.all[5]->is_end);
	for (size_t i = 2; i < 5; i++) {
		static const char *const want[] = { "one", "two", "three" };

		CHECK(s.got.all[i]->is_socket && s.got.all[i]->from_client == (i != 3));
		CHECK_STR(buf_str(&s.got.all[i]->body), str_from(want[i - 2]));
		CHECK_INT(s.got.all[i]->ns, 110 + 10 * (int64_t)(i - 2));
	}
	CHECK_INT(s.got.all[5]->body.n, 0);
	free_setting(&s);
}

TEST(of_a_socket_that_cannot_be_read_nothing_is_copied)
{
	struct setting s;
	void *x;

	open_setting(&s);
	x = open_socket(&s, "/v1/realtime");
	tap_ops.request(x, STR("one"), 110);
	tap_ops.answer(x, STR("two"), 120);
	tap_ops.end(x, PROXY_WHOLE, 140);
	end_setting(&s);
	CHECK_INT(s.got.count, 3);
	CHECK(s.got.all[2]->is_end && s.got.all[2]->body.n == 0);
	free_setting(&s);
}

TEST(a_socket_that_lost_bytes_is_copied_no_more)
{
	struct setting s;
	void *x;

	open_setting(&s);
	x = open_socket(&s, "/v1/responses");
	budget_force(&s.room, HANDOFF_ROOM); /* the recorder is behind */
	tap_ops.request(x, STR("one"), 110);
	budget_give(&s.room, HANDOFF_ROOM);
	tap_ops.answer(x, STR("two"), 120);
	tap_ops.end(x, PROXY_WHOLE, 140);
	CHECK_INT(tap_tally(s.tap).lost, 1);
	end_setting(&s);
	CHECK_INT(s.got.count, 4);
	CHECK(s.got.all[2]->is_socket && s.got.all[2]->lost && s.got.all[2]->body.n == 0);
	CHECK(s.got.all[3]->is_end);
	free_setting(&s);
}
