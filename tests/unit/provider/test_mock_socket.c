/* The mock over a WebSocket, on the loopback interface: frames by the writer, answers by the reader. */
#include "provider/mock_socket.h"

#include "net/server/socket.h"
#include "provider/mock.h"
#include "unit/net/sockets.h"
#include "unit/provider/mock_sample.h"

struct scene {
	uv_loop_t loop;
	struct arena arena;
	struct mock_script script;
	struct mock *mock;
	struct buf log, got; /* got: the head, then messages with a blank between them */
	int fd;
	struct websocket_reader *reader;
	struct websocket_writer *writer;
};

static void log_line(void *context, struct str line)
{
	struct scene *s = context;

	buf_add_str(&s->log, line);
	buf_add_byte(&s->log, '\n');
}

static void open_scene(struct scene *s, const char *script, const char *offer)
{
	static const struct str hosts[] = { { "x", 1 } };
	struct mock_options o = { .guard = { .hosts = hosts, .host_count = 1 }, .log = log_line, .context = s };
	struct websocket_deflate agreed = { .on = offer != NULL };
	struct err err = { .kind = ERR_NONE };
	struct buf ask = { 0 };

	*s = (struct scene){ .fd = -1 };
	arena_init(&s->arena);
	uv_loop_init(&s->loop);
	if (script && !mock_script_parse(&s->arena, str_from(script), STR("s.json"), &s->script, &err))
		FAIL("%s", err.text);
	o.script = script ? &s->script : NULL;
	s->mock = mock_open(&s->loop, &o, &err);
	CHECK(s->mock != NULL);
	s->fd = dial(mock_port(s->mock));
	s->reader = websocket_reader_open(WEBSOCKET_SERVER, 1 << 20, &agreed);
	s->writer = websocket_writer_open(WEBSOCKET_CLIENT, &agreed);
	buf_printf(&ask, "GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
			 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
	if (offer)
		buf_printf(&ask, "Sec-WebSocket-Extensions: %s\r\n", offer);
	buf_add_str(&ask, STR("\r\n"));
	say(s->fd, buf_str(&ask));
	hear_until(&s->loop, s->fd, &s->got, STR("\r\n\r\n"));
	buf_free(&ask);
}

static void close_scene(struct scene *s)
{
	close(s->fd);
	mock_stop(s->mock, true);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	CHECK_INT(mock_count(s->mock), 0);
	mock_close(s->mock);
	CHECK_INT(uv_loop_close(&s->loop), 0);
	websocket_reader_close(s->reader);
	websocket_writer_close(s->writer);
	buf_free(&s->log), buf_free(&s->got);
	arena_free(&s->arena);
}

static void tell(struct scene *s, enum websocket_kind kind, const char *text)
{
	struct buf b = { 0 };

	websocket_write(s->writer, &b, kind, str_from(text), 0x31415926);
	say(s->fd, buf_str(&b));
	buf_free(&b);
}

/* Reads messages until one contains this, or the connection ends; gives all of them. */
static struct str listen_for(struct scene *s, const char *word)
{
	struct websocket_message m;
	struct buf bytes = { 0 };
	bool ended = false;

	buf_clear(&s->got);
	while (!ended && !sample_contains(buf_str(&s->got), word)) {
		struct str left;
		ssize_t n;

		uv_run(&s->loop, UV_RUN_NOWAIT);
		n = recv(s->fd, buf_reserve(&bytes, 65536), 65536, MSG_DONTWAIT);
		ended = n == 0 || (n < 0 && errno != EAGAIN);
		left = str_of(bytes.p, n > 0 ? (size_t)n : 0);
		while (left.n && websocket_next(s->reader, &left, &m) != WEBSOCKET_MORE) {
			CHECK(websocket_why(s->reader) == NULL);
			buf_printf(&s->got, "%s%u ", m.kind == WEBSOCKET_CLOSE ? "close " : m.kind == WEBSOCKET_PONG ? "pong " : "", m.code);
			buf_add_str(&s->got, m.bytes);
			buf_add_byte(&s->got, '\n');
		}
	}
	if (ended)
		buf_add_str(&s->got, STR("ended"));
	buf_free(&bytes);
	return buf_str(&s->got);
}

#define CREATE(more) "{\"type\":\"response.create\",\"model\":\"m\"," more "}"
#define DONE "response.completed"

TEST(only_a_get_with_an_upgrade_at_responses_is_a_socket)
{
	static const struct http_header up = { { "Upgrade", 7 }, { "websocket", 9 } };
	struct http_head h = { .method = STR("GET"), .target = STR("/v1/responses?x"), .headers = &up, .count = 1, .upgrade = true };

	CHECK(mock_socket_wants(&h));
	h.target = STR("/v1/realtime");
	CHECK(!mock_socket_wants(&h));
	h.target = STR("/v1/responses");
	h.upgrade = false;
	CHECK(!mock_socket_wants(&h));
}

TEST(a_request_is_answered_by_the_events_of_its_script)
{
	static const char *const offers[] = { NULL, "permessage-deflate; client_max_window_bits" };

	for (size_t i = 0; i < COUNT(offers); i++) {
		struct scene s;
		struct str got;

		open_scene(&s, SAMPLE_RULE("{\"reply\":{\"text\":\"one two\",\"usage\":{\"input\":7,\"output\":3}}}"), offers[i]);
		CHECK(str_starts(buf_str(&s.got), STR("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
						      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n")));
		CHECK(sample_contains(buf_str(&s.got), "Sec-WebSocket-Extensions: permessage-deflate\r\n") == (i == 1));
		tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"hi\""));
		got = listen_for(&s, DONE);
		CHECK(sample_contains(got, "{\"type\":\"response.created\",\"sequence_number\":0,"));
		CHECK(sample_contains(got, "\"delta\":\"one \""));
		CHECK(sample_contains(got, "\"input_tokens\":7"));
		CHECK(!sample_contains(got, "data:") && !sample_contains(got, "event:"));
		CHECK(sample_contains(buf_str(&s.log),
				      "{\"method\":\"WS\",\"path\":\"/v1/responses\",\"model\":\"m\",\"stream\":true,\"status\":200,"));
		close_scene(&s);
	}
}

/* The id of the answer in `got`. */
static const char *id_of(struct scene *s, struct str got)
{
	size_t at = str_find(got, STR("\"id\":\"resp_"));

	CHECK(at != (size_t)-1);
	return arena_printf(&s->arena, "%.29s", got.p + at + 6).p;
}

TEST(a_conversation_goes_on_by_the_id_of_the_answer_and_a_prewarm_asks_no_rule)
{
	struct scene s;
	struct str got;
	const char *id;

	open_scene(&s, "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"contains\":\"apple\",\"nth\":2},\"reply\":{\"text\":\"second\"}},"
		       "{\"match\":{\"contains\":\"apple\"},\"reply\":{\"text\":\"first\"}}]}", NULL);
	tell(&s, WEBSOCKET_TEXT, CREATE("\"generate\":false,\"input\":[{\"role\":\"user\",\"content\":\"an apple\"}]"));
	got = listen_for(&s, DONE);
	CHECK(sample_contains(got, "\"output\":[],\"usage\":{\"input_tokens\":0,"));
	id = id_of(&s, got);
	tell(&s, WEBSOCKET_TEXT, arena_printf(&s.arena, CREATE("\"previous_response_id\":\"%s\",\"input\":[]"), id).p);
	got = listen_for(&s, DONE);
	CHECK(sample_contains(got, "\"text\":\"first\"")); /* it was told of the apple before */
	id = id_of(&s, got);
	tell(&s, WEBSOCKET_TEXT, arena_printf(&s.arena, CREATE("\"previous_response_id\":\"%s\",\"input\":\"go on\""), id).p);
	CHECK(sample_contains(listen_for(&s, DONE), "\"text\":\"second\""));
	tell(&s, WEBSOCKET_TEXT, CREATE("\"previous_response_id\":\"resp_nobody\",\"input\":\"go on\""));
	CHECK(sample_contains(listen_for(&s, "}}\n"), "\"code\":\"previous_response_not_found\""));
	close_scene(&s);
}

TEST(requests_that_come_together_are_answered_one_after_the_other)
{
	struct scene s;
	struct str got;

	open_scene(&s, SAMPLE_RULE("{\"match\":{},\"pace\":{\"ttft_ms\":2,\"itl_ms\":1}}"), "permessage-deflate");
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"alpha beta\""));
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"gamma\""));
	tell(&s, WEBSOCKET_PING, "still there");
	got = listen_for(&s, "\"text\":\"gamma\"");
	CHECK(str_find(got, STR("pong 0 still there")) < str_find(got, STR(DONE)));
	CHECK(str_find(got, STR("\"text\":\"alpha beta\"")) < str_find(got, STR(DONE)));
	CHECK(str_find(got, STR(DONE)) < str_find(got, STR("\"text\":\"gamma\"")));
	close_scene(&s);
}

TEST(faults_of_the_script_come_over_a_socket_too)
{
	struct scene s;
	struct str got;

	open_scene(&s, SAMPLE_RULE("{\"reply\":{\"text\":\"busy now\"},\"fault\":{\"status\":429}}"), NULL);
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"x\""));
	got = listen_for(&s, "busy now");
	CHECK(sample_contains(got, "{\"type\":\"error\",\"status\":429,\"error\":{"));
	tell(&s, WEBSOCKET_PING, "p"); /* the socket stays */
	CHECK(sample_contains(listen_for(&s, "pong"), "pong 0 p"));
	close_scene(&s);

	open_scene(&s, SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"cut_after\":5}}"), NULL);
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"x\""));
	got = listen_for(&s, "never");
	CHECK(str_ends(got, STR("\nended")) && !sample_contains(got, DONE));
	CHECK_INT(str_count(got, '\n'), 5);
	close_scene(&s);
}

TEST(a_close_is_answered_and_bad_frames_are_closed_with_a_reason)
{
	struct scene s;
	struct buf b = { 0 };

	open_scene(&s, NULL, NULL);
	websocket_write_close(s.writer, &b, 1000, STR("bye"), 5);
	say(s.fd, buf_str(&b));
	CHECK_STR(listen_for(&s, "never"), STR("close 1000 \nended"));
	close_scene(&s);

	open_scene(&s, NULL, NULL);
	say(s.fd, STR("\x81\x01x"));
	CHECK_STR(listen_for(&s, "never"), STR("close 1002 a frame of a client is not masked\nended"));
	close_scene(&s);

	open_scene(&s, NULL, NULL);
	tell(&s, WEBSOCKET_TEXT, "no JSON");
	CHECK(sample_contains(listen_for(&s, "}}\n"), "\"code\":\"invalid_json\""));
	tell(&s, WEBSOCKET_TEXT, "{\"type\":\"session.update\"}");
	CHECK(sample_contains(listen_for(&s, "}}\n"), "\"code\":\"invalid_type\""));
	buf_free(&b);
	close_scene(&s);
}

TEST(a_client_that_asks_too_much_at_once_is_hung_up_on)
{
	struct scene s;
	struct buf b = { 0 };

	open_scene(&s, SAMPLE_RULE("{\"reply\":{\"text\":\"late\"},\"pace\":{\"ttft_ms\":3600000}}"), NULL);
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"x\"")); /* is at work */
	tell(&s, WEBSOCKET_PING, "p");
	CHECK(sample_contains(listen_for(&s, "pong"), "pong 0 p"));
	for (size_t i = 0; i < SERVER_SOCKET_WAITING; i++)
		websocket_write(s.writer, &b, WEBSOCKET_TEXT, STR(CREATE("\"input\":\"x\"")), 7);
	websocket_write(s.writer, &b, WEBSOCKET_PING, STR("q"), 7);
	say(s.fd, buf_str(&b));
	CHECK(sample_contains(listen_for(&s, "pong"), "pong 0 q"));
	tell(&s, WEBSOCKET_TEXT, CREATE("\"input\":\"x\""));
	CHECK(str_ends(listen_for(&s, "never"), STR("close 1008 too many requests at once\nended")));
	buf_free(&b);
	close_scene(&s);
}

TEST(a_script_may_allow_no_socket)
{
	struct scene s;

	open_scene(&s, "{\"schema\":\"trackway.mock/1\",\"websocket\":false,\"rules\":[]}", NULL);
	CHECK(str_starts(buf_str(&s.got), STR("HTTP/1.1 426 Upgrade Required\r\n")));
	TURN_UNTIL(&s.loop, s.log.n > 0);
	CHECK(sample_contains(buf_str(&s.log), "{\"method\":\"GET\",\"path\":\"/v1/responses\",\"model\":\"\",\"stream\":false,\"status\":426,"));
	close_scene(&s);
}
