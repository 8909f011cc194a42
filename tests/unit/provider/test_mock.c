/* The server itself, on the loopback interface: a client in the same loop. */
#include "provider/mock.h"

#include <stdlib.h>

#include "base/clock.h"
#include "unit/net/sockets.h"
#include "unit/provider/mock_sample.h"

struct client {
	uv_tcp_t tcp;
	uv_connect_t connect;
	uv_write_t write;
	struct buf sent, got;
	uint64_t begun_ns, first_ns, last_ns;
	bool ended, failed, lazy; /* lazy: connects and sends, but does not read */
	struct table *table;
};

/* Server and clients. */
struct table {
	uv_loop_t loop;
	struct arena arena;
	struct mock_script script;
	struct mock *mock;
	struct buf log;
	size_t open;      /* clients whose connection is not at its end */
	bool keep;        /* the server goes on when all clients are done */
};

static void log_line(void *context, struct str line)
{
	struct table *t = context;

	buf_add_str(&t->log, line);
	buf_add_byte(&t->log, '\n');
}

static struct table *table_open(const char *script)
{
	struct table *t = test_alloc(sizeof(*t));
	struct err err = { .kind = ERR_NONE };
	static const struct str hosts[] = { { "x", 1 }, { "a", 1 } };
	struct mock_options o = { .guard = { .hosts = hosts, .host_count = 2 }, .script = script ? &t->script : NULL,
				  .log = log_line, .context = t };

	arena_init(&t->arena);
	buf_init(&t->log);
	uv_loop_init(&t->loop);
	if (script && !mock_script_parse(&t->arena, str_from(script), STR("s.json"), &t->script, &err))
		FAIL("%s", err.text);
	t->mock = mock_open(&t->loop, &o, &err);
	if (!t->mock)
		FAIL("%s", err.text);
	return t;
}

static void client_done(struct client *c)
{
	c->ended = true;
	c->last_ns = clock_mono_ns();
	uv_close((uv_handle_t *)&c->tcp, NULL);
	if (--c->table->open == 0 && !c->table->keep)
		mock_stop(c->table->mock, true);
}

static void room_for(uv_handle_t *h, size_t wanted, uv_buf_t *out)
{
	struct client *c = h->data;

	(void)wanted;
	*out = uv_buf_init(buf_reserve(&c->got, 65536), 65536);
}

static void came(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct client *c = s->data;

	(void)b;
	if (n > 0) {
		if (c->got.n == 0)
			c->first_ns = clock_mono_ns();
		c->got.n += (size_t)n;
	} else if (n < 0) {
		c->failed = n != UV_EOF;
		client_done(c);
	}
}

static void connected(uv_connect_t *r, int status)
{
	struct client *c = r->data;
	uv_buf_t b = uv_buf_init(c->sent.p, (unsigned)c->sent.n);

	CHECK_INT(status, 0);
	uv_write(&c->write, (uv_stream_t *)&c->tcp, &b, 1, NULL);
	if (!c->lazy)
		uv_read_start((uv_stream_t *)&c->tcp, room_for, came);
}

static struct client *client_open(struct table *t, const char *path, const char *body)
{
	struct client *c = test_alloc(sizeof(*c));
	struct sockaddr_in at;

	c->table = t;
	buf_init(&c->sent);
	buf_init(&c->got);
	buf_printf(&c->sent, "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s", path, strlen(body),
		   body);
	uv_ip4_addr("127.0.0.1", mock_port(t->mock), &at);
	uv_tcp_init(&t->loop, &c->tcp);
	c->tcp.data = c->connect.data = c;
	c->begun_ns = clock_mono_ns();
	uv_tcp_connect(&c->connect, &c->tcp, (const struct sockaddr *)&at, connected);
	t->open++;
	return c;
}

static void table_run(struct table *t)
{
	uv_run(&t->loop, UV_RUN_DEFAULT);
	CHECK_INT(mock_count(t->mock), 0);
}

static void table_close(struct table *t)
{
	mock_close(t->mock);
	CHECK_INT(uv_loop_close(&t->loop), 0);
	buf_free(&t->log);
	arena_free(&t->arena);
}

static void client_close(struct client *c)
{
	buf_free(&c->sent);
	buf_free(&c->got);
}

#define CHAT "/v1/chat/completions"
#define STREAM(text) "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"
#define SAY(text) "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"" text "\"}]}"

TEST(whole_answers_and_streams_come_over_the_wire)
{
	struct table *t = table_open(NULL);
	struct client *a = client_open(t, CHAT, SAY("hello")), *b = client_open(t, CHAT, STREAM("hello world"));

	CHECK(mock_port(t->mock) != 0);
	table_run(t);
	CHECK(str_starts(buf_str(&a->got), STR("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")));
	CHECK(sample_contains(buf_str(&a->got), "\"content\":\"hello\""));
	CHECK(sample_contains(buf_str(&b->got), "Transfer-Encoding: chunked"));
	CHECK(sample_contains(buf_str(&b->got), "data: [DONE]"));
	CHECK(str_ends(buf_str(&b->got), STR("0\r\n\r\n")));
	client_close(a);
	client_close(b);
	table_close(t);
}

TEST(the_pace_of_a_script_is_kept)
{
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c d e f\"},\"pace\":{\"ttft_ms\":60,\"itl_ms\":20}}"));
	struct client *stream = client_open(t, CHAT, STREAM("x")), *whole = client_open(t, CHAT, SAY("x"));

	table_run(t);
	/* libuv counts in whole milliseconds, from the loop's last look at the clock */
	CHECK(stream->last_ns - stream->begun_ns >= 150 * (uint64_t)1000000);
	CHECK(stream->first_ns - stream->begun_ns < stream->last_ns - stream->begun_ns - 100 * (uint64_t)1000000);
	CHECK(whole->first_ns - whole->begun_ns >= 150 * (uint64_t)1000000);
	CHECK(sample_contains(buf_str(&stream->got), "data: [DONE]"));
	client_close(stream);
	client_close(whole);
	table_close(t);
}

TEST(a_cut_is_seen_by_the_client)
{
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"fault\":{\"cut_after\":2}}"));
	struct client *stream = client_open(t, CHAT, STREAM("x")), *whole = client_open(t, CHAT, SAY("x"));

	table_run(t);
	CHECK(sample_contains(buf_str(&stream->got), "\"a \""));
	CHECK(!sample_contains(buf_str(&stream->got), "\"b \""));
	CHECK(!str_ends(buf_str(&stream->got), STR("0\r\n\r\n")));
	CHECK(str_ends(buf_str(&whole->got), STR("\r\n\r\n{\"")));
	CHECK(sample_contains(buf_str(&t->log), "\"whole\":false"));
	client_close(stream);
	client_close(whole);
	table_close(t);
}

TEST(a_log_has_a_line_for_each_request_and_no_content)
{
	struct table *t = table_open(SAMPLE_RULE("{\"match\":{\"contains\":\"secret\"},\"reply\":{\"text\":\"hidden\"}}"));
	struct client *a = client_open(t, CHAT "?key=hush", SAY("secret"));
	struct client *b = client_open(t, "/v1/messages", STREAM("other"));

	table_run(t);
	CHECK(sample_contains(buf_str(&t->log), "{\"method\":\"POST\",\"path\":\"" CHAT "\",\"model\":\"m\",\"stream\":false,"
						"\"status\":200,\"ms\":"));
	CHECK(sample_contains(buf_str(&t->log), ",\"rule\":0,\"whole\":true,\"id\":\"req_"));
	CHECK(sample_contains(buf_str(&t->log), "\"status\":404"));
	CHECK(sample_contains(buf_str(&t->log), "\"rule\":null"));
	CHECK(!sample_contains(buf_str(&t->log), "secret") && !sample_contains(buf_str(&t->log), "hidden") &&
	      !sample_contains(buf_str(&t->log), "hush"));
	client_close(a);
	client_close(b);
	table_close(t);
}

/* The number behind a name in a line; 0 for null. */
static unsigned long long figure_in(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	CHECK(at != NULL);
	return strtoull(at + strlen(name), NULL, 10);
}

TEST(a_log_has_the_servers_own_times)
{
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"pace\":{\"ttft_ms\":60,\"itl_ms\":30}}"));
	unsigned long long before = clock_mono_ns(), arrived, first, ended;
	struct client *c = client_open(t, CHAT, STREAM("x"));

	table_run(t);
	buf_add_byte(&t->log, '\0');
	arrived = figure_in(t->log.p, "\"arrived_ns\":");
	first = figure_in(t->log.p, "\"first_ns\":");
	ended = figure_in(t->log.p, "\"ended_ns\":");
	CHECK(arrived >= before && ended <= clock_mono_ns());
	CHECK(first - arrived >= 55000000); /* timers count in whole milliseconds */
	CHECK(ended >= first && ended - arrived >= 115000000); /* what is late on a busy machine is not made up for by waiting */
	CHECK_INT(figure_in(t->log.p, "\"events\":"), 6); /* role, three words, stop, [DONE] */
	CHECK(sample_contains(buf_str(&c->got), "x-request-id: req_"));
	client_close(c);
	table_close(t);
}

/* The server reads it 30 ms late, and does not count that as the client's. */
TEST(a_request_arrived_when_it_reached_the_machine_however_late_it_is_read)
{
	struct table *t = table_open(NULL);
	unsigned long long after, arrived = 0, read_at = 0;

	/* the kernel begins to stamp a moment after the first socket asked for it */
	for (int i = 0; i < 50 && arrived + 20000000 > read_at; i++) {
		int fd = dial(mock_port(t->mock));

		say(fd, STR("POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"));
		after = clock_mono_ns();
		usleep(30000);
		buf_clear(&t->log);
		read_at = clock_mono_ns();
		TURN_UNTIL(&t->loop, t->log.n > 0);
		close(fd);
		buf_add_byte(&t->log, '\0');
		arrived = figure_in(t->log.p, "\"arrived_ns\":");
		CHECK(arrived <= after + 5000000 || arrived >= read_at);
	}
	mock_stop(t->mock, true);
	table_run(t);
	table_close(t);
	if (arrived >= read_at)
		SKIP("this kernel stamps no bytes of TCP");
}

TEST(the_first_words_are_a_piece_a_call_or_a_whole_answer_and_no_error)
{
	static const struct {
		const char *rule, *path, *body;
		bool words;
	} cases[] = {
		{ "{\"reply\":{\"text\":\"a\"}}", CHAT, STREAM("x"), true },
		{ "{\"reply\":{\"text\":\"a\"}}", CHAT, SAY("x"), true },
		{ "{\"reply\":{\"tool_calls\":[{\"name\":\"f\"}]}}", CHAT, STREAM("x"), true },
		{ "{\"reply\":{\"tool_calls\":[{\"name\":\"f\"}]}}", "/api/chat", STREAM("x"), true },
		{ "{\"reply\":{\"reasoning\":\"hm\"},\"fault\":{\"cut_after\":{\"events\":1}}}", "/v1/messages", STREAM("x"), false },
		{ "{\"fault\":{\"status\":500}}", CHAT, STREAM("x"), false },
		{ "{\"match\":{\"path\":\"/models\"}}", "/v1/models", "", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *t;
		struct client *c;
		struct buf script;

		test_case("%s %s", cases[i].path, cases[i].rule);
		buf_init(&script);
		buf_printf(&script, "{\"schema\":\"trackway.mock/1\",\"rules\":[%s]}", cases[i].rule);
		buf_add_byte(&script, '\0');
		t = table_open(script.p);
		c = client_open(t, cases[i].path, cases[i].body);
		table_run(t);
		buf_add_byte(&t->log, '\0');
		CHECK_INT(figure_in(t->log.p, "\"first_ns\":") > 0, cases[i].words);
		CHECK(figure_in(t->log.p, "\"arrived_ns\":") > 0);
		client_close(c);
		table_close(t);
		buf_free(&script);
	}
}

static void leave_now(uv_timer_t *timer)
{
	struct client *c = timer->data;

	uv_close((uv_handle_t *)timer, NULL);
	client_done(c);
}

TEST(a_client_that_leaves_takes_its_stream_with_it)
{
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"pace\":{\"itl_ms\":3600000}}"));
	struct client *c = client_open(t, CHAT, STREAM("x"));
	uv_timer_t timer;

	uv_timer_init(&t->loop, &timer);
	timer.data = c;
	uv_timer_start(&timer, leave_now, 50, 0);
	table_run(t);
	CHECK(sample_contains(buf_str(&c->got), "\"a \""));
	CHECK(sample_contains(buf_str(&t->log), "\"whole\":false"));
	client_close(c);
	table_close(t);
}

TEST(a_server_that_stops_ends_its_streams)
{
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c\"},\"pace\":{\"ttft_ms\":3600000}}"));
	struct client *c = client_open(t, CHAT, STREAM("x")), *d = client_open(t, CHAT, SAY("x"));

	t->keep = true;
	while (mock_count(t->mock) < 2)
		uv_run(&t->loop, UV_RUN_ONCE);
	mock_stop(t->mock, true);
	table_run(t);
	CHECK(c->ended && d->ended);
	CHECK(d->got.n == 0);
	client_close(c);
	client_close(d);
	table_close(t);
}

/* The text comes back in pieces of one character: about 250 bytes for each. */
TEST(a_client_that_does_not_read_holds_little_memory)
{
	enum { CHARACTERS = 100000 };
	struct table *t = table_open(SAMPLE_RULE("{\"pace\":{\"chunk\":1}}"));
	struct buf body;
	struct client *c;

	buf_init(&body);
	buf_add_str(&body, STR("{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\""));
	for (int i = 0; i < CHARACTERS; i++)
		buf_add_byte(&body, 'x');
	buf_add_str(&body, STR("\"}]}"));
	buf_add_byte(&body, '\0');
	c = client_open(t, CHAT, body.p);
	c->lazy = true;
	for (int i = 0; i < 200; i++) /* all that will move has moved by then */
		uv_run(&t->loop, UV_RUN_NOWAIT);
	CHECK_INT(mock_count(t->mock), 1); /* it waits: 25 MB do not fit in the sockets */
	c->lazy = false;
	uv_read_start((uv_stream_t *)&c->tcp, room_for, came);
	table_run(t);
	CHECK(c->got.n > 100 * CHARACTERS);
	CHECK(str_ends(buf_str(&c->got), STR("data: [DONE]\n\n\r\n0\r\n\r\n")));
	client_close(c);
	buf_free(&body);
	table_close(t);
}

TEST(hundreds_of_streams_run_at_once)
{
	enum { STREAMS = 400 }; /* two descriptors each, of 1024 */
	struct table *t = table_open(SAMPLE_RULE("{\"reply\":{\"text\":\"a b c d e f g h i j\"},\"pace\":{\"itl_ms\":5}}"));
	static struct client *c[STREAMS];
	uint64_t begun = clock_mono_ns();

	for (size_t i = 0; i < STREAMS; i++)
		c[i] = client_open(t, CHAT, STREAM("x"));
	table_run(t);
	CHECK((clock_mono_ns() - begun) / 1000000 < 5000 * test_slower());
	for (size_t i = 0; i < STREAMS; i++) {
		CHECK(str_ends(buf_str(&c[i]->got), STR("0\r\n\r\n")));
		client_close(c[i]);
	}
	table_close(t);
}

TEST(an_address_that_cannot_be_had_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct table *t = table_open(NULL);
	struct mock_options o = { .port = mock_port(t->mock) };

	CHECK(mock_open(&t->loop, &o, &err) == NULL);
	CHECK_INT(err.kind, ERR_IO);
	mock_stop(t->mock, false);
	table_run(t);
	table_close(t);
}
