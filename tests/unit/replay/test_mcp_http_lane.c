#include "replay/mcp_http_lane.h"

#include "harness/test.h"

static struct tape_line line_of(const char *method, const char *request, const char *answer)
{
	struct tape_line l = { .lane = TAPE_MCP_HTTP, .begun_us = 5, .ended_us = 9 };

	l.http = (struct tape_http){ .provider = STR("github"), .method = str_from(method), .target = STR("/mcp"), .status = 200 };
	l.http.request.bytes = str_from(request);
	l.http.answer.bytes = str_from(answer);
	return l;
}

#define CALL(id, meta) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"" meta "}}"
#define TOKEN(t) ",\"_meta\":{\"progressToken\":" t "}"

TEST(posts_are_entries_and_the_rest_is_not)
{
	struct tape_line lines[4] = { line_of("POST", CALL("1", ""), "{}"), line_of("GET", "", ""), line_of("DELETE", "", ""),
				      line_of("POST", CALL("2", ""), "{}") };
	struct tape t = { .lines = lines, .count = 4 };
	struct mcp_http_lane *l;
	struct match_question q;
	struct arena a;
	int status;

	arena_init(&a);
	lines[1].http.status = 200;
	lines[2].http.status = 204;
	l = mcp_http_lane_new(&a, &t);
	CHECK_INT(l->entries.count, 2);
	q = mcp_http_lane_ask(&a, STR("github"), STR("/mcp"), STR(CALL("\"x\"", TOKEN("4"))));
	CHECK_STR(q.lane, STR("mcp:github"));
	CHECK_STR(q.body, l->entries.items[0].q.body);
	CHECK_STR(q.body, l->entries.items[1].q.body);
	CHECK(mcp_http_lane_other(l, STR("github"), STR("GET"), STR("/mcp"), &status) == &lines[1] && status == 200);
	CHECK(!mcp_http_lane_other(l, STR("github"), STR("GET"), STR("/mcp"), &status) && status == 405);
	CHECK(!mcp_http_lane_other(l, STR("other"), STR("DELETE"), STR("/mcp"), &status) && status == 200);
	CHECK(mcp_http_lane_other(l, STR("github"), STR("DELETE"), STR("/mcp"), &status) == &lines[2] && status == 204);
	arena_free(&a);
}

TEST(answers_have_the_ids_of_the_live_request)
{
	static const struct { const char *recorded, *answer, *live, *want; } cases[] = {
		{ CALL("1", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"id\":1}}", CALL("\"abc\"", ""),
		  "{\"jsonrpc\":\"2.0\",\"id\":\"abc\",\"result\":{\"id\":1}}" },
		{ CALL("1", TOKEN("1")),
		  "event: message\r\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1}}\r\n\r\n"
		  ": x\ndata:{\"id\":7,\"method\":\"ping\"}\n\nid: 4\ndata: {\"result\":{},\"id\":1}\n\n",
		  CALL("22", TOKEN("\"t\"")),
		  "event: message\r\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t\"}}\r\n\r\n"
		  ": x\ndata:{\"id\":7,\"method\":\"ping\"}\n\nid: 4\ndata: {\"result\":{},\"id\":22}\n\n" },
		{ CALL("1", ""), "", CALL("2", ""), "" },
		{ CALL("1", ""), "data: no", CALL("2", ""), "data: no" },
	};
	struct mcp_http_answer out;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tape_line l = line_of("POST", cases[i].recorded, cases[i].answer);

		mcp_http_lane_answer(&a, &l, l.http.answer.bytes, str_from(cases[i].live), &out);
		CHECK_STR(out.body, str_from(cases[i].want));
		CHECK(!out.session.p);
	}
	arena_free(&a);
}

TEST(chunks_move_with_what_is_replaced)
{
	struct tape_chunk chunks[] = { { 0, 1 }, { 7, 2 }, { 11, 3 } };
	struct tape_line l = line_of("POST", CALL("1", ""), "{\"id\":1,\"result\":{}}");
	struct mcp_http_answer out;
	struct arena a;

	arena_init(&a);
	l.http.chunks = chunks;
	l.http.chunk_count = 3;
	mcp_http_lane_answer(&a, &l, l.http.answer.bytes, STR(CALL("1000", "")), &out);
	CHECK_STR(out.body, STR("{\"id\":1000,\"result\":{}}"));
	CHECK_INT(out.chunk_count, 3);
	CHECK_INT(out.chunks[0].offset, 0);
	CHECK_INT(out.chunks[1].offset, 10);
	CHECK_INT(out.chunks[2].offset, 14);
	CHECK_INT(out.chunks[2].delay_us, 3);
	mcp_http_lane_answer(&a, &l, STR("{\"id\":1,\"result\":{\"live\":1}}"), STR(CALL("1000", "")), &out);
	CHECK_STR(out.body, STR("{\"id\":1000,\"result\":{\"live\":1}}"));
	CHECK_INT(out.chunk_count, 0);
	arena_free(&a);
}

TEST(an_initialize_gets_a_session)
{
	struct tape_line l = line_of("POST", "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}", "{\"id\":0,\"result\":{}}");
	struct mcp_http_answer out;
	struct arena a;

	arena_init(&a);
	mcp_http_lane_answer(&a, &l, l.http.answer.bytes, STR("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}"), &out);
	CHECK_STR(out.session, STR("replay-1"));
	arena_free(&a);
}
