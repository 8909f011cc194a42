#include "replay/tape.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/crypto/sha256.h"
#include "capture/cassette.h"
#include "harness/test.h"

#define BEGUN (INT64_C(1782900000) * 1000000000)
#define HEAD "{\"v\":\"cassette/v1\",\"run_id\":\"r1\",\"clock0_us\":1782900000000000,\"redacted\":false,\"end_line\":true}\n"
#define END "{\"ended\":\"2026-07-01T10:00:09Z\",\"exit_status\":\"error\",\"error_message\":\"child exited 3\",\"exit_code\":3," \
	"\"stdout\":{\"sha256\":\"ab\",\"size\":12,\"terminal\":true}}\n"
#define TIMES "\"t_us\":1782900000000000,\"dur_us\":5"
#define SHELL "{\"x\":0,\"group\":1,\"lane\":\"shell\",\"command\":\"c1\",\"parent\":null,\"req\":{\"argv\":[\"bash\",{\"base64\":\"/w==\"}]," \
	"\"cwd\":\"<ws>/src\",\"stdin_sha256\":null,\"env\":{\"LANG\":\"C\"}},\"resp\":{\"io\":[[\"o\",\"ok\\n\",5],[\"e\",\"no\"]]," \
	"\"exit\":0,\"signal\":null}," TIMES "}\n"

static struct arena *arena(void)
{
	static struct arena a;

	if (!a.block_size)
		arena_init(&a);
	return &a;
}

static bool load(const char *text, struct tape *out, struct err *err)
{
	return tape_load_memory(arena(), STR("c.jsonl"), str_from(text), out, err);
}

static void add_exchange(struct buf *b, uint64_t x, struct str request, struct str answer)
{
	struct http_header headers[] = { { STR("Content-Type"), STR("text/event-stream") } };
	struct http_head ask = { .method = STR("POST") }, head = { .status = 200, .headers = headers, .count = 1 };
	struct observer_arrival arrivals[] = { { .end = answer.n / 2, .ns = BEGUN + 1000000 }, { .end = answer.n, .ns = BEGUN + 3000000 } };
	struct cassette_exchange e = {
		.number = x, .group = x, .request = &ask, .answer = &head, .target = STR("/v1/messages"), .request_body = request,
		.answer_body = answer, .arrivals = arrivals, .arrival_count = 2, .how = PROXY_WHOLE,
		.begun_ns = BEGUN + (int64_t)x * 10000000, .ended_ns = BEGUN + (int64_t)x * 10000000 + 5000000,
		.provider = STR("anthropic"), .endpoint = STR("https://api.anthropic.com"),
	};

	cassette_add(b, &e);
}

TEST(what_the_recorder_wrote_comes_back_byte_for_byte)
{
	static const struct { const char *p; size_t n; } bodies[] = {
		{ "{\"a\": [1,2.50]}", 15 }, { "data: {\"x\":1}\r\n\r\n", 17 }, { "\x1f\x8b\xff", 3 }, { "", 0 },
	};
	struct tape t;
	struct err err;
	struct buf b;

	buf_init(&b);
	cassette_add_head(&b, STR("run-1"), BEGUN, (struct str){ NULL, 0 });
	for (size_t i = COUNT(bodies); i > 0; i--) /* not in the order of x */
		add_exchange(&b, i - 1, str_of(bodies[i - 1].p, bodies[i - 1].n), str_of(bodies[i - 1].p, bodies[i - 1].n));
	cassette_add_end(&b, &(struct cassette_end){ .exit_status = "success", .ended_ns = BEGUN, .code = -1 });
	CHECK(tape_load_memory(arena(), STR("c"), buf_str(&b), &t, &err));
	CHECK_STR(t.run_id, STR("run-1"));
	CHECK_INT(t.clock0_us, BEGUN / 1000);
	CHECK(!t.redacted && !t.redacted_with.p && t.sha256.n == SHA256_HEX);
	CHECK_INT(t.count, COUNT(bodies));
	for (size_t i = 0; i < t.count; i++) {
		const struct tape_line *l = tape_find(&t, i);

		CHECK(l == &t.lines[i] && l->lane == TAPE_MODEL);
		CHECK_STR(l->http.request.bytes, str_of(bodies[i].p, bodies[i].n));
		CHECK_STR(l->http.answer.bytes, str_of(bodies[i].p, bodies[i].n));
		CHECK_INT(l->http.status, 200);
		CHECK_INT(l->ended_us - l->begun_us, 5000);
		CHECK_INT(l->number, COUNT(bodies) - i + 1);
	}
	CHECK_STR(t.lines[0].http.method, STR("POST"));
	CHECK_STR(t.lines[0].http.target, STR("/v1/messages"));
	CHECK_STR(t.lines[0].http.headers[0].name, STR("content-type"));
	CHECK_INT(t.lines[0].http.chunk_count, 2);
	CHECK_INT(t.lines[0].http.chunks[1].offset, 7);
	CHECK_INT(t.lines[0].http.chunks[0].delay_us, 1000);
	CHECK(t.ending.known && !t.ending.error.p && t.ending.code == -1 && !t.ending.has_output);
	CHECK_STR(t.ending.exit_status, STR("success"));
	CHECK(!tape_find(&t, 99));
	buf_free(&b);
}

TEST(commands_messages_and_the_end_are_read)
{
	struct tape t;
	struct err err;
	const struct tape_command *c;

	CHECK(load(HEAD SHELL
		   "{\"x\":1,\"group\":1,\"lane\":\"mcp\",\"server\":\"s\",\"instance\":\"i\",\"from\":\"client\",\"t_us\":5,\"delay_us\":7,"
		   "\"body\":{\"size\":9999999,\"lost\":true}}\n"
		   "{\"x\":2,\"socket\":0,\"lane\":\"mcp\",\"req\":{\"method\":\"POST\",\"target\":\"/\"},\"resp\":{\"status\":null,\"end\":"
		  "\"refused\"}," TIMES "}\n" END,
		   &t, &err));
	c = &t.lines[0].command;
	CHECK_INT(t.lines[0].lane, TAPE_SHELL);
	CHECK_INT(c->argc, 2);
	CHECK_STR(c->argv[1], STR("\xff"));
	CHECK_STR(c->cwd, STR("<ws>/src"));
	CHECK_STR(c->env, STR("{\"LANG\":\"C\"}"));
	CHECK(!c->stdin_sha256.p && !c->parent.p && c->exit == 0 && c->signal == -1);
	CHECK_INT(c->piece_count, 2);
	CHECK(!c->pieces[0].error && c->pieces[0].delay_us == 5 && c->pieces[1].error);
	CHECK_STR(c->pieces[0].bytes, STR("ok\n"));
	CHECK(t.lines[1].lane == TAPE_MCP && t.lines[1].message.client && t.lines[1].message.body.lost && !t.lines[1].message.body.bytes.p);
	CHECK_INT(t.lines[1].message.delay_us, 7);
	CHECK(t.lines[2].lane == TAPE_MCP_HTTP && t.lines[2].http.end == TAPE_REFUSED && t.lines[2].http.status == 0 && t.lines[2].http.socket == 1);
	CHECK(t.ending.known && t.ending.code == 3 && t.ending.has_output && t.ending.terminal && t.ending.output_size == 12);
	CHECK_STR(t.ending.error, STR("child exited 3"));
}

TEST(a_redacted_cassette_names_its_key)
{
	static const char *const heads[] = {
		"{\"v\":\"cassette/v1\",\"clock0_us\":1,\"redacted\":true,\"redacted_with\":\"sm2km6iq\"}\n",
		"{\"v\":\"cassette/v1\",\"clock0_us\":1,\"redacted\":true}\n",
	};
	struct tape t;
	struct err err;

	for (size_t i = 0; i < COUNT(heads); i++) {
		struct buf b;

		buf_init(&b);
		buf_add_str(&b, str_from(heads[i]));
		add_exchange(&b, 0, STR("{\"a\":\"[tw:short\"}"), STR("{\"a\":\"[tw:sm2km6iq:pmezxfjqd524kzmfkt6s]\"}"));
		CHECK(tape_load_memory(arena(), STR("c"), buf_str(&b), &t, &err));
		CHECK(t.redacted);
		CHECK_STR(t.redacted_with, STR("sm2km6iq"));
		buf_free(&b);
	}
}

TEST(what_is_no_cassette_is_refused_with_place_cause_and_help)
{
	static const struct { const char *text, *want; } cases[] = {
		{ "", "c.jsonl:1: the cassette is empty" },
		{ "no", "c.jsonl:1: this is no cassette" },
		{ "{\"x\":0}\n", "c.jsonl:1: this is no cassette" },
		{ "{\"v\":\"cassette/v1\"}\n", "c.jsonl:1: the header does not say when" },
		{ HEAD "{\n" END, "c.jsonl:2: this line is not JSON" },
		{ HEAD "{\n", "c.jsonl:2: this line is not JSON" },
		{ HEAD END "{", "c.jsonl:3: this line is not JSON" },
		{ HEAD "[]\n", "c.jsonl:2: a line is no object" },
		{ HEAD "{\"lane\":\"model\"," TIMES "}\n", "c.jsonl:2: a line has no number" },
		{ HEAD SHELL SHELL, "c.jsonl:3: a number of an exchange (x) is there twice" },
		{ HEAD "{\"x\":0,\"lane\":\"dance\"," TIMES "}\n", "c.jsonl:2: a line is of a lane that is not known" },
		{ HEAD "{\"x\":0,\"lane\":\"mcpx\"," TIMES "}\n", "c.jsonl:2: a line is of a lane that is not known" },
		{ HEAD "{\"x\":0,\"lane\":\"model\"}\n", "c.jsonl:2: a line does not say when it began" },
		{ HEAD "{\"x\":0,\"lane\":\"model\",\"t_us\":1,\"dur_us\":-1}\n", "c.jsonl:2: a line lasts" },
		{ HEAD "{\"x\":0,\"lane\":\"mcp\",\"from\":\"server\"," TIMES ",\"body\":{\"sha256\":"
		  "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"size\":1,\"enc\":\"utf8\",\"inline\":\"x\"}}\n",
		  "c.jsonl:2: the digest of a body" },
		{ HEAD "{\"x\":0,\"lane\":\"mcp\",\"from\":\"server\"," TIMES ",\"body\":{\"enc\":\"base64\",\"inline\":"
		  "\"*\"}}\n", "c.jsonl:2: a body is not the base64" },
		{ HEAD "{\"x\":0,\"lane\":\"mcp\",\"from\":\"server\"," TIMES ",\"body\":{\"enc\":\"rot13\",\"inline\":"
		  "\"*\"}}\n", "c.jsonl:2: the encoding of a body" },
		{ HEAD "{\"x\":0,\"lane\":\"mcp\",\"from\":\"me\"," TIMES "}\n", "c.jsonl:2: a message of MCP is from" },
		{ HEAD "{\"x\":0,\"lane\":\"model\",\"req\":{},\"resp\":{\"chunks\":[[1,1]],\"end\":"
		  "\"eof\"}," TIMES "}\n", "c.jsonl:2: the places of chunks" },
		{ HEAD "{\"x\":0,\"lane\":\"model\",\"req\":{},\"resp\":{\"end\":\"never\"}," TIMES "}\n", "c.jsonl:2: the end of an answer" },
		{ HEAD "{\"x\":0,\"lane\":\"shell\",\"req\":{\"argv\":[\"a\"]},\"resp\":{\"io\":[],\"exit\":1,"
		  "\"signal\":2}," TIMES "}\n", "c.jsonl:2: a command has neither" },
	};
	struct tape t;
	struct err err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].text);
		err = (struct err){ .kind = ERR_NONE };
		CHECK(!load(cases[i].text, &t, &err));
		CHECK_INT(err.kind, ERR_DATA);
		CHECK(!cases[i].want || str_starts(str_from(err.text), str_from(cases[i].want)));
		CHECK(str_has(str_from(err.text), STR(ERR_HELP)));
	}
}

TEST(a_torn_last_line_is_left_out_where_the_end_is_missing)
{
	struct tape t;
	struct err err;

	CHECK(load(HEAD SHELL "{\"x\":1,\"lane\":\"mo", &t, &err));
	CHECK_INT(t.count, 1);
	CHECK(!t.ending.known);
}

TEST(a_file_is_loaded_and_a_missing_one_is_named)
{
	struct str path = arena_printf(arena(), "%s/cassette.jsonl", test_dir());
	static const char text[] = HEAD SHELL END;
	struct tape t;
	struct err err;
	int fd;

	CHECK(!tape_load(arena(), path, &t, &err));
	CHECK(str_has(str_from(err.text), STR("cassette.jsonl")));
	fd = open(path.p, O_WRONLY | O_CREAT, 0600);
	CHECK(fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1);
	close(fd);
	CHECK(tape_load(arena(), path, &t, &err));
	CHECK_INT(t.count, 1);
}

TEST(ten_thousand_exchanges_are_loaded)
{
	enum { MANY = 10000, SIZE = 8000 };
	static char text[SIZE + 100];
	struct str request, answer;
	struct tape t;
	struct err err;
	struct buf b;

	for (size_t i = 0; i < SIZE; i++)
		text[i] = "lorem ipsum dolor\\n"[i % 19 == 17 ? 0 : i % 17];
	memcpy(text, "{\"messages\":\"", 13);
	memcpy(text + SIZE, "\"}", 2);
	request = str_of(text, SIZE + 2);
	answer = STR("event: a\ndata: {\"delta\":{\"text\":\"some words of an answer\"}}\n\nevent: a\ndata: {\"delta\":{\"text\":"
	  "\"some words\"}}\n\n");
	buf_init(&b);
	cassette_add_head(&b, STR("run-1"), BEGUN, (struct str){ NULL, 0 });
	for (uint64_t i = 0; i < MANY; i++)
		add_exchange(&b, i, request, answer);
	CHECK(tape_load_memory(arena(), STR("c"), buf_str(&b), &t, &err));
	CHECK_INT(t.count, MANY);
	buf_free(&b);
}
