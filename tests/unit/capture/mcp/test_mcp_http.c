/* MCP over HTTP: exchanges of both worlds as the recorder gives them, in pieces of any size. */
#include "capture/mcp/mcp_http.h"

#include "harness/test.h"

static struct budget room = { .limit = (size_t)1 << 28 };
static struct buf seen;
static int run; /* its address is a run */

static void note(void *context, void *of, const struct sighting *s)
{
	static const char *const kinds[SIGHT_KINDS] = {
		[SIGHT_TOOL_BEGIN] = "begin", [SIGHT_TOOL_END] = "end", [SIGHT_WAIT_BEGIN] = "wait",
		[SIGHT_WAIT_END] = "waited",
	};

	CHECK(of == &run && context == &seen);
	buf_printf(&seen, "%s %.*s.%.*s %lld %lld%s%s|", kinds[s->kind], STR_ARG(s->server), STR_ARG(s->name),
		   (long long)s->begun_ns, (long long)s->ended_ns, s->failed ? " failed" : "",
		   s->partial ? " partial" : "");
}

struct talk {
	const char *method, *session, *body; /* body NULL: none */
	int status;
	const char *type, *answer;
	enum proxy_end how;
};

static struct mcp_exchange *ask(struct mcp_http *h, const struct talk *t, uint64_t number, int64_t ns)
{
	struct http_header headers[] = { { STR("Mcp-Protocol-Version"), STR("2025-11-25") },
					 { STR("MCP-Session-Id"), str_from(t->session) } };
	struct http_head head = { .method = str_from(t->method), .headers = headers, .count = t->session ? 2 : 1 };
	struct mcp_http_request r = { .head = &head, .body = str_from(t->body), .server = STR("srv"), .run = &run,
				      .number = number, .ns = ns };

	return mcp_http_begin(h, &r);
}

/* The answer comes in pieces of `step` bytes, all at `ns`. */
static void answer(struct mcp_exchange *x, const struct talk *t, size_t step, int64_t ns)
{
	struct http_header type = { STR("Content-Type"), str_from(t->type) };
	struct http_head head = { .status = t->status, .headers = &type, .count = 1 };
	struct str left = str_from(t->answer);

	mcp_exchange_head(x, &head);
	while (left.n) {
		size_t n = left.n < step ? left.n : step;
		struct observer_arrival at = { .end = n, .ns = ns };

		mcp_exchange_answer(x, str_of(left.p, n), &at, 1, false);
		left = str_skip(left, n);
	}
}

static struct mcp_http *open_http(void)
{
	buf_init(&seen);
	return mcp_http_open(&(struct mcp_http_options){ .room = &room, .see = note, .context = &seen });
}

static void close_http(struct mcp_http *h, const char *expected)
{
	CHECK_STR(buf_str(&seen), str_from(expected));
	mcp_http_close(h);
	buf_free(&seen);
	CHECK_INT(room.used, 0);
}

#define CALL(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}"
#define DONE(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[]}}"

TEST(an_answer_is_json_or_a_stream)
{
	static const struct { struct talk talk; const char *seen; } cases[] = {
		{ { "POST", NULL, CALL("1"), 200, "application/json", DONE("1"), PROXY_WHOLE },
		  "begin srv.t 10 -1|end srv.t 10 20|" },
		{ { "POST", "s", CALL("1"), 200, "text/event-stream", ": hi\n\nid: 7\ndata:\n\nevent: message\ndata: "
		    DONE("1") "\n\n", PROXY_WHOLE }, "begin srv.t 10 -1|end srv.t 10 20|" },
		{ { "POST", NULL, CALL("1"), 404, "text/plain", "no", PROXY_WHOLE },
		  "begin srv.t 10 -1|end srv.t 10 30 failed partial|" },
		{ { "POST", NULL, CALL("1"), 200, "text/event-stream", "data: {", PROXY_CLIENT_LEFT },
		  "begin srv.t 10 -1|end srv.t 10 30 partial|" },
		{ { "POST", NULL, CALL("1"), 0, "", "", PROXY_REFUSED },
		  "begin srv.t 10 -1|end srv.t 10 30 failed partial|" },
		{ { "POST", NULL, CALL("1"), 200, "application/json", DONE("2"), PROXY_WHOLE },
		  "begin srv.t 10 -1|end srv.t 10 30 failed partial|" },
		{ { "POST", NULL, CALL("1"), 200, "text/html", "", PROXY_WHOLE },
		  "begin srv.t 10 -1|end srv.t 10 30 failed partial|" },
		{ { "POST", NULL, CALL("1"), 200, "text/event-stream", "data: {}\n\n", PROXY_WHOLE },
		  "begin srv.t 10 -1|end srv.t 10 30 failed partial|" },
		{ { "POST", NULL, CALL("1"), 202, "", "", PROXY_WHOLE }, "begin srv.t 10 -1|" },
		{ { "POST", NULL, "nonsense", 200, "application/json", "[[[", PROXY_WHOLE }, "" },
		{ { "DELETE", "s", NULL, 200, "application/json", "", PROXY_WHOLE }, "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t step = 1; step < 30; step++) {
			struct mcp_http *h = open_http();
			struct mcp_exchange *x = ask(h, &cases[i].talk, 5, 10);

			CHECK(x);
			answer(x, &cases[i].talk, step, 20);
			mcp_exchange_end(x, cases[i].talk.how, 30);
			mcp_exchange_close(x);
			close_http(h, cases[i].seen);
		}
}

TEST(an_answer_that_is_too_long_to_be_read_is_one)
{
	static const struct talk calls[] = {
		{ "POST", NULL, CALL("1"), 200, "application/json", NULL, PROXY_WHOLE },
		{ "POST", NULL, CALL("1"), 200, "text/event-stream", NULL, PROXY_WHOLE },
		{ "POST", NULL, CALL("1"), 200, "application/json", NULL, PROXY_CLIENT_LEFT },
	};
	struct buf much;

	buf_init(&much);
	buf_add_str(&much, STR("id: 1\ndata: "));
	while (much.n <= (size_t)17 << 20)
		buf_add_str(&much, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} "));
	buf_add_str(&much, STR("\n\n"));
	for (size_t i = 0; i < COUNT(calls); i++) {
		struct mcp_http *h = open_http();
		struct mcp_exchange *x = ask(h, &calls[i], 5, 10);
		struct talk t = calls[i];

		buf_add_byte(&much, '\0');
		t.answer = much.p;
		answer(x, &t, (size_t)1 << 20, 20);
		much.n--;
		mcp_exchange_end(x, t.how, 30);
		mcp_exchange_close(x);
		close_http(h, i < 2 ? "begin srv.t 10 -1|end srv.t 10 20|" : "begin srv.t 10 -1|end srv.t 10 30 partial|");
	}
	buf_free(&much);
}

TEST(a_question_in_a_stream_is_answered_by_another_request)
{
	static const struct talk call = { "POST", "s", CALL("1"), 200, "text/event-stream",
					  "data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\"}\n\n", PROXY_WHOLE };
	static const struct talk rest = { "POST", "s", NULL, 200, "text/event-stream", "data: " DONE("1") "\n\n",
					  PROXY_WHOLE };
	static const struct talk other = { "POST", "another", "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{}}", 202, "",
					   "", PROXY_WHOLE };
	static const struct talk reply = { "POST", "s", "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{}}", 202, "", "",
					   PROXY_WHOLE };
	struct mcp_http *h = open_http();
	struct mcp_exchange *x = ask(h, &call, 1, 10), *y;

	answer(x, &call, 7, 20);
	y = ask(h, &other, 2, 25); /* of another client: its ids are its own */
	mcp_exchange_end(y, PROXY_WHOLE, 25);
	mcp_exchange_close(y);
	y = ask(h, &reply, 3, 50);
	mcp_exchange_end(y, PROXY_WHOLE, 50);
	mcp_exchange_close(y);
	answer(x, &rest, 7, 60);
	mcp_exchange_end(x, PROXY_WHOLE, 60);
	mcp_exchange_close(x);
	close_http(h, "begin srv.t 10 -1|wait srv.t 20 -1|waited srv.t -1 50|end srv.t 10 60|");
}

TEST(a_stream_that_broke_off_is_taken_up_by_a_get)
{
	static const struct talk call = { "POST", "s", CALL("1"), 200, "text/event-stream", "id: 1\ndata:\n\n", PROXY_WHOLE };
	static const struct talk again = { "GET", "s", NULL, 200, "text/event-stream", "data: " DONE("1") "\n\n",
					   PROXY_WHOLE };
	struct mcp_http *h = open_http();
	struct mcp_exchange *x = ask(h, &call, 1, 10);

	answer(x, &call, 100, 20);
	mcp_exchange_end(x, PROXY_WHOLE, 21);
	mcp_exchange_close(x);
	x = ask(h, &again, 2, 30);
	answer(x, &again, 100, 40);
	mcp_exchange_end(x, PROXY_CLIENT_LEFT, 90);
	mcp_exchange_close(x);
	close_http(h, "begin srv.t 10 -1|end srv.t 10 40|");
}

TEST(a_client_that_ends_its_session_gives_up_the_calls_that_are_open)
{
	static const struct talk call = { "POST", "s", CALL("1"), 200, "text/event-stream", "id: 1\ndata:\n\n", PROXY_WHOLE };
	static const struct talk others = { "POST", "other", CALL("1"), 200, "text/event-stream", "", PROXY_WHOLE };
	static const struct talk end = { "DELETE", "s", NULL, 200, "application/json", "", PROXY_WHOLE };
	struct mcp_http *h = open_http();
	struct mcp_exchange *x = ask(h, &call, 1, 10), *other = ask(h, &others, 2, 15), *y;

	answer(x, &call, 100, 20);
	mcp_exchange_end(x, PROXY_WHOLE, 25);
	mcp_exchange_close(x);
	y = ask(h, &end, 3, 30);
	mcp_exchange_end(y, PROXY_WHOLE, 35);
	mcp_exchange_close(y);
	mcp_exchange_close(other);
	close_http(h, "begin srv.t 10 -1|begin srv.t 15 -1|end srv.t 10 30 partial|");
}

TEST(only_mcp_is_read)
{
	static const struct { const char *method, *body; bool is; } cases[] = {
		{ "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}", true },
		{ "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", true },
		{ "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_call\"}", false },
		{ "POST", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_call\"}]", false },
		{ "POST", "[{\"jsonrpc\":\"2.0\",\"method\":\"server/discover\"}]", true },
		{ "POST", "[\"jsonrpc\"]", false },
		{ "POST", "{\"model\":\"m\",\"messages\":[]}", false },
		{ "PUT", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", false },
		{ "GET", "", false },
	};
	struct mcp_http *h = open_http();

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_head head = { .method = str_from(cases[i].method) };
		struct mcp_http_request r = { .head = &head, .body = str_from(cases[i].body), .run = &run, .number = 1,
					      .server = str_of(&"abcdefghijkl"[i], 1) };
		struct mcp_exchange *x = mcp_http_begin(h, &r);

		CHECK_INT(x != NULL, cases[i].is);
		mcp_exchange_close(x);
		r.run = NULL;
		CHECK(!mcp_http_begin(h, &r));
	}
	close_http(h, "");
}

TEST(without_headers_the_rest_of_a_connection_is_known_by_what_came_before)
{
	static const struct { const char *server, *body; bool is; } cases[] = {
		{ "srv", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", false },
		{ "srv", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", true },
		{ "srv", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", true },
		{ "srv", "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}", true },
		{ "srv", "{\"model\":\"jsonrpc\"}", false },
		{ "other", "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}", false },
	};
	struct http_head head = { .method = STR("POST") };
	struct mcp_http *h = open_http();

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mcp_http_request r = { .head = &head, .body = str_from(cases[i].body), .run = &run, .number = 1,
					      .server = str_from(cases[i].server) };
		struct mcp_exchange *x = mcp_http_begin(h, &r);

		test_case("%s", cases[i].body);
		CHECK_INT(x != NULL, cases[i].is);
		mcp_exchange_close(x);
	}
	close_http(h, "");
}

TEST(a_call_without_any_header_is_mcp)
{
	static const struct talk t = { "POST", NULL, CALL("1"), 200, "application/json", DONE("1"), PROXY_WHOLE };
	struct http_head head = { .method = STR("POST") };
	struct mcp_http_request r = { .head = &head, .body = STR(CALL("1")), .server = STR("srv"), .run = &run,
				      .number = 1, .ns = 10 };
	struct mcp_http *h = open_http();
	struct mcp_exchange *x = mcp_http_begin(h, &r);

	answer(x, &t, 7, 20);
	mcp_exchange_end(x, PROXY_WHOLE, 20);
	mcp_exchange_close(x);
	close_http(h, "begin srv.t 10 -1|end srv.t 10 20|");
}

TEST(connections_are_bounded_and_a_run_that_is_over_is_told_nothing)
{
	struct mcp_http *h = open_http();
	struct talk t = { "POST", "s", CALL("1"), 200, "application/json", DONE("1"), PROXY_WHOLE };
	struct mcp_exchange *x = ask(h, &t, 1, 10);
	char session[16];

	for (unsigned i = 0; i < 3 * MCP_HTTP_CONNECTIONS; i++) {
		struct talk other = { "GET", session, NULL, 200, "", "", PROXY_WHOLE };

		snprintf(session, sizeof(session), "%u", i);
		mcp_exchange_close(ask(h, &other, i + 2, 20));
	}
	mcp_http_forget(h, &run);
	answer(x, &t, 100, 20);
	mcp_exchange_end(x, PROXY_WHOLE, 30);
	mcp_exchange_close(x);
	close_http(h, "begin srv.t 10 -1|");
}
