#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/recorder.h"
#include "harness/test.h"
#include "net/websocket/websocket.h"

#define SECOND INT64_C(1000000000)
#define BEGUN (INT64_C(1790000000) * SECOND)

struct setting {
	struct arena arena;
	struct str trace_path, cassette_path;
	struct line_file trace, cassette;
	struct route route;
	struct recorder_run run;
	struct recorder *recorder;
	struct feed *feed;
	struct tap *tap;
	struct run_graph_tally tally;
	uint64_t gaps;
	struct budget room;
};

static void open_setting(struct setting *s, bool content, size_t room)
{
	struct recorder_options d = { .run = &s->run, .room = &s->room };
	struct recorder_run_options o = { .begun_ns = BEGUN, .run_id = STR("0193b3a1-7c00-7abc-8def-0123456789ab") };
	struct err err;

	*s = (struct setting){ .route = { .name = STR("openai") }, .room = { .limit = room } };
	arena_init(&s->arena);
	s->trace_path = arena_printf(&s->arena, "/tmp/trackway-recorder-%ld.jsonl", (long)getpid());
	s->cassette_path = arena_printf(&s->arena, "/tmp/trackway-recorder-%ld.cassette", (long)getpid());
	CHECK(line_file_open(&s->trace, AT_FDCWD, s->trace_path.p, 0600, &err));
	CHECK(!content || line_file_open(&s->cassette, AT_FDCWD, s->cassette_path.p, 0600, &err));
	CHECK(url_parse(&s->arena, STR("http://user:pass@model.example:8000/v1"), &s->route.url, &err));
	CHECK(id_parse_uuid(o.run_id, &o.run_graph.trace));
	o.trace = &s->trace;
	o.cassette = content ? &s->cassette : NULL;
	recorder_run_init(&s->run, &o);
	s->recorder = recorder_open(&s->arena, &d);
	s->feed = feed_open(&s->arena, &s->room, recorder_work(s->recorder));
	s->tap = tap_open(&s->arena, s->feed, &s->room);
}

/* The run is over: the trace as text. */
static struct str end_setting(struct setting *s, struct str *cassette)
{
	struct cassette_end end = { .exit_status = "success", .ended_ns = BEGUN + 100 * SECOND };
	struct str summary, text;

	feed_close(s->feed);
	recorder_run_finish(&s->run, &end, &summary);
	CHECK(summary.n > 0);
	line_file_close(&s->trace);
	if (cassette)
		line_file_close(&s->cassette);
	s->tally = recorder_run_tally(&s->run);
	s->gaps = recorder_run_gaps(&s->run);
	recorder_close(s->recorder);
	recorder_run_free(&s->run);
	tap_close(s->tap);
	text = test_read(s->trace_path.p);
	if (cassette)
		*cassette = test_read(s->cassette_path.p);
	unlink(s->trace_path.p);
	unlink(s->cassette_path.p);
	return text;
}

static void *ask(struct setting *s, struct str body, int64_t ns)
{
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("POST"), .target = STR("/openai/v1/chat/completions?k=v"),
			       .framing = HTTP_LENGTH, .length = body.n };
	struct proxy_destination to = { .target = STR("/v1/chat/completions?k=v"), .route = &s->route };
	void *x = tap_ops.begin(s->tap, &h, &to, ns);

	tap_ops.request(x, body, ns);
	tap_ops.request_end(x, ns);
	return x;
}

static void answer(void *x, struct str body, int64_t ns)
{
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };
	struct http_head h = { .side = HTTP_RESPONSE, .status = 200, .headers = &type, .count = 1,
			       .framing = HTTP_LENGTH, .length = body.n };

	tap_ops.head(x, &h, ns);
	tap_ops.answer(x, body, ns);
	tap_ops.end(x, PROXY_WHOLE, ns);
}

static size_t count(struct str text, const char *part)
{
	struct str needle = str_from(part);
	size_t n = 0, at;

	while ((at = str_find(text, needle)) != (size_t)-1) {
		text = str_of(text.p + at + needle.n, text.n - at - needle.n);
		n++;
	}
	return n;
}

#define QUESTION "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a canary\"}]}"
#define REPLY                                                                                              \
	"{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"          \
	"\"message\":{\"role\":\"assistant\",\"content\":\"a finch\"},\"finish_reason\":\"stop\"}],"        \
	"\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7,\"total_tokens\":18}}"

TEST(an_exchange_becomes_lines_without_content_and_a_summary)
{
	struct setting s;
	struct str text;

	open_setting(&s, false, HANDOFF_ROOM);
	answer(ask(&s, STR(QUESTION), BEGUN + SECOND), STR(REPLY), BEGUN + 2 * SECOND);
	text = end_setting(&s, NULL);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 1);
	CHECK_INT(count(text, "\"kind\":\"user_input\""), 1);
	CHECK_INT(count(text, "\"event_type\":\"summary\""), 1);
	CHECK_INT(count(text, "\"endpoint\":\"http://model.example:8000/v1/chat/completions\""), 1);
	CHECK_INT(count(text, "\"input_tokens\":11"), 1);
	CHECK_INT(count(text, "canary") + count(text, "finch") + count(text, "pass") + count(text, "k=v"), 0);
	CHECK_INT(s.gaps, 0);
	arena_free(&s.arena);
}

TEST(with_content_the_bytes_of_both_sides_are_in_the_cassette)
{
	struct setting s;
	struct str text, cassette;
	void *x, *y, *z;

	open_setting(&s, true, HANDOFF_ROOM);
	x = ask(&s, STR(QUESTION), BEGUN + SECOND);
	y = ask(&s, STR(QUESTION), BEGUN + SECOND);
	answer(y, STR(REPLY), BEGUN + 2 * SECOND);
	answer(x, STR(REPLY), BEGUN + 3 * SECOND);
	z = ask(&s, STR(QUESTION), BEGUN + 4 * SECOND);
	tap_ops.end(z, PROXY_REFUSED, BEGUN + 5 * SECOND);
	text = end_setting(&s, &cassette);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 3);
	CHECK_INT(count(text, "finch"), 0);
	CHECK_INT(count(cassette, "\"v\":\"cassette/v1\""), 1);
	CHECK_INT(count(cassette, "\"x\":0,"), 1);
	CHECK_INT(count(cassette, "\"x\":1,"), 1);
	CHECK_INT(count(cassette, "\"x\":2,"), 1);
	/* what was under way at the same time is one step, what came later another */
	CHECK_INT(count(cassette, "\"group\":1,"), 2);
	CHECK_INT(count(cassette, "\"group\":2,"), 1);
	CHECK_INT(count(cassette, QUESTION), 3);
	CHECK_INT(count(cassette, REPLY), 2);
	CHECK_INT(count(cassette, "\"refused\""), 1);
	arena_free(&s.arena);
}

TEST(what_could_not_be_looked_at_leaves_a_mark_and_the_call_itself)
{
	struct setting s;
	struct str text;

	open_setting(&s, false, 1); /* no body fits */
	answer(ask(&s, STR(QUESTION), BEGUN + SECOND), STR(REPLY), BEGUN + 2 * SECOND);
	text = end_setting(&s, NULL);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 1);
	CHECK_INT(count(text, "\"partial\":true"), 1);
	CHECK_INT(count(text, "\"kind\":\"system\""), 1);
	CHECK_INT(s.gaps, 1);
	arena_free(&s.arena);
}

TEST(exchanges_that_never_end_are_let_go)
{
	struct setting s;
	struct str text;
	void *x;

	open_setting(&s, false, HANDOFF_ROOM);
	x = ask(&s, STR(QUESTION), BEGUN + SECOND);
	tap_ops.end(x, PROXY_CLIENT_LEFT, BEGUN + 2 * SECOND);
	text = end_setting(&s, NULL);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 1);
	CHECK_INT(s.tally.counts[AT_MODEL_CALL], 1);
	arena_free(&s.arena);
}

/* Services that send most of one JSON value and stop: what is held of them in sum is bounded, and told. */
TEST(answers_that_are_never_complete_hold_no_more_than_the_room)
{
	enum { OPEN = 12, PIECES = 9, ROOM = 32 << 20 };
	static const struct http_header type = { { "Content-Type", 12 }, { "application/json", 16 } };
	struct http_head h = { .side = HTTP_RESPONSE, .status = 200, .headers = &type, .count = 1,
			       .framing = HTTP_LENGTH, .length = 63 << 20 };
	static char piece[1 << 20];
	struct setting s;
	struct str text;
	void *open[OPEN];

	memset(piece, ' ', sizeof(piece));
	piece[0] = '{';
	open_setting(&s, false, ROOM);
	for (int i = 0; i < OPEN; i++) {
		open[i] = ask(&s, STR(QUESTION), BEGUN + SECOND);
		tap_ops.head(open[i], &h, BEGUN + SECOND);
		for (int n = 0; n < PIECES; n++) {
			tap_ops.answer(open[i], str_of(piece, sizeof(piece)), BEGUN + 2 * SECOND);
			usleep(1000); /* the recorder keeps up */
		}
		CHECK(s.room.used <= ROOM + (1 << 20));
	}
	for (int i = 0; i < OPEN; i++)
		tap_ops.end(open[i], PROXY_CUT, BEGUN + 3 * SECOND);
	text = end_setting(&s, NULL);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), OPEN);
	CHECK(s.gaps >= OPEN - 3);
	CHECK_INT(s.room.used, 0);
	arena_free(&s.arena);
}

/* ---- sockets ---- */

struct wire_ends {
	void *x;
	struct websocket_writer *client, *server;
	int64_t ns;
};

static struct wire_ends open_socket(struct setting *s)
{
	static const struct http_header asked = { { "Upgrade", 7 }, { "websocket", 9 } };
	static const struct http_header agreed = { { "Sec-WebSocket-Extensions", 24 }, { "permessage-deflate", 18 } };
	struct http_head h = { .side = HTTP_REQUEST, .method = STR("GET"), .target = STR("/openai/v1/responses"),
			       .headers = &asked, .count = 1, .upgrade = true };
	struct http_head switched = { .side = HTTP_RESPONSE, .status = 101, .headers = &agreed, .count = 1 };
	struct proxy_destination to = { .target = STR("/v1/responses"), .route = &s->route };
	struct websocket_deflate d = { .on = true };
	struct wire_ends e = { .x = tap_ops.begin(s->tap, &h, &to, BEGUN + SECOND), .ns = BEGUN + 2 * SECOND };

	tap_ops.request_end(e.x, BEGUN + SECOND);
	tap_ops.head(e.x, &switched, BEGUN + SECOND);
	e.client = websocket_writer_open(WEBSOCKET_CLIENT, &d);
	e.server = websocket_writer_open(WEBSOCKET_SERVER, &d);
	return e;
}

static void say(struct wire_ends *e, bool from_client, const char *text)
{
	struct buf b = { 0 };

	e->ns += SECOND;
	websocket_write(from_client ? e->client : e->server, &b, WEBSOCKET_TEXT, str_from(text), 77);
	if (from_client)
		tap_ops.request(e->x, buf_str(&b), e->ns);
	else
		tap_ops.answer(e->x, buf_str(&b), e->ns);
	buf_free(&b);
}

static void close_socket(struct wire_ends *e, enum proxy_end how)
{
	tap_ops.end(e->x, how, e->ns + SECOND);
	websocket_writer_close(e->client);
	websocket_writer_close(e->server);
}

#define CREATED(id) "{\"type\":\"response.created\",\"response\":{\"id\":\"" id "\",\"status\":\"in_progress\",\"model\":\"m\",\"output\":[]}}"
#define COMPLETED(id, output, in)                                                                                      \
	"{\"type\":\"response.completed\",\"response\":{\"id\":\"" id "\",\"status\":\"completed\",\"model\":\"m\",\"output\":[" output \
	"],\"usage\":{\"input_tokens\":" in ",\"output_tokens\":2,\"total_tokens\":3}}}"
#define CALL                                                                                                           \
	"{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"look\","  \
	"\"arguments\":\"{\\\"finch\\\":1}\",\"status\":\"completed\"}"
#define ITEM(place, item) "{\"type\":\"response.output_item.done\",\"output_index\":" place ",\"item\":" item "}"
#define DELTA "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"item_id\":\"i\",\"delta\":\"finch\"}"

/* A prewarm with the prompt in it, a call that goes on from it and asks for a tool, one that goes on from that. */
static void talk(struct wire_ends *e)
{
	say(e, true, "{\"type\":\"response.create\",\"model\":\"m\",\"generate\":false,\"input\":[{\"role\":\"user\",\"content\":\"a canary\"}]}");
	say(e, false, CREATED("resp_0"));
	say(e, false, COMPLETED("resp_0", "", "0"));
	say(e, true, "{\"type\":\"response.create\",\"model\":\"m\",\"previous_response_id\":\"resp_0\",\"input\":[]}");
	say(e, false, CREATED("resp_1"));
	say(e, false, DELTA);
	say(e, false, ITEM("0", CALL));
	say(e, false, COMPLETED("resp_1", CALL, "11"));
	say(e, true, "{\"type\":\"response.create\",\"model\":\"m\",\"previous_response_id\":\"resp_1\",\"input\":["
		     "{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"a finch\"}]}");
	say(e, false, CREATED("resp_2"));
	say(e, false, DELTA);
}

TEST(messages_of_a_socket_are_model_calls_and_a_prewarm_is_none)
{
	struct setting s;
	struct wire_ends e;
	struct str text, cassette;

	open_setting(&s, true, HANDOFF_ROOM);
	e = open_socket(&s);
	talk(&e);
	say(&e, false, COMPLETED("resp_2", "", "22"));
	close_socket(&e, PROXY_CLIENT_LEFT);
	text = end_setting(&s, &cassette);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 2);
	CHECK_INT(count(text, "\"kind\":\"tool_call\""), 1);
	CHECK_INT(count(text, "\"kind\":\"user_input\""), 1); /* told by the prewarm */
	CHECK_INT(count(text, "\"partial\":true"), 0);
	CHECK_INT(count(text, "\"input_tokens\":11"), 1);
	CHECK_INT(count(text, "\"input_tokens\":22"), 1);
	CHECK_INT(count(text, "\"ttft_seconds\":2,"), 2); /* by the message that brought it */
	CHECK_INT(count(text, "canary") + count(text, "finch"), 0);
	CHECK_INT(s.tally.other, 1);
	CHECK_INT(s.gaps, 0);
	/* the request for the socket, and three in it */
	CHECK_INT(count(cassette, "\"lane\":\"model\""), 4);
	CHECK_INT(count(cassette, "\"socket\":0,"), 3);
	CHECK_INT(count(cassette, "\"end\":\"eof\""), 4);
	CHECK_INT(count(cassette, "a canary"), 1);
	CHECK_INT(count(cassette, "\"group\":4,"), 1);
	CHECK_INT(s.room.used, 0);
	arena_free(&s.arena);
}

TEST(a_socket_that_ends_inside_an_answer_leaves_it_partial)
{
	static const struct { enum proxy_end how; int failed; } cases[] = { { PROXY_WHOLE, 1 }, { PROXY_CUT, 1 }, { PROXY_CLIENT_LEFT, 0 } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct setting s;
		struct wire_ends e;
		struct str text;

		test_case("%zu", i);
		open_setting(&s, false, HANDOFF_ROOM);
		e = open_socket(&s);
		talk(&e);
		close_socket(&e, cases[i].how);
		text = end_setting(&s, NULL);
		CHECK_INT(count(text, "\"kind\":\"model_call\""), 2);
		CHECK_INT(count(text, "\"partial\":true"), 1);
		CHECK_INT(s.tally.failed, cases[i].failed);
		arena_free(&s.arena);
	}
}

TEST(frames_that_cannot_be_read_are_a_gap)
{
	struct setting s;
	struct wire_ends e;
	struct str text;

	open_setting(&s, false, HANDOFF_ROOM);
	e = open_socket(&s);
	talk(&e);
	tap_ops.answer(e.x, STR("\x83\x00"), e.ns);
	close_socket(&e, PROXY_WHOLE);
	text = end_setting(&s, NULL);
	CHECK_INT(count(text, "\"kind\":\"model_call\""), 2);
	CHECK_INT(count(text, "\"partial\":true"), 1);
	CHECK(count(text, "\"kind\":\"system\"") >= 1);
	CHECK(s.gaps >= 1);
	arena_free(&s.arena);
}
