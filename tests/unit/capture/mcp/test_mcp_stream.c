/* What is seen of talks between clients and servers, however their bytes are cut. */
#include "../mcp_talk.h"

#define META26 "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\""
#define INFO26 "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"new\",\"version\":\"1\"}}"
#define BEGIN25 \
	"C 1 {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}\n" \
	"S 2 {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\",\"serverInfo\":" \
	"{\"name\":\"old\",\"version\":\"1\"}}}\n" \
	"C 3 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"

static const struct {
	const char *talk, *seen;
} talks[] = {
	/* a call and its result */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"arguments\":"
	  "{\"a\":1}}}\n"
	  "S 25 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"three\"}]}}\n",
	  "begin old.add 10\nend old.add 10 -25 5 text\n" },
	/* failed in both ways */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}\n"
	  "C 11 {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"tools/call\",\"params\":{\"name\":\"y\"}}\n"
	  "S 30 {\"jsonrpc\":\"2.0\",\"id\":\"b\",\"error\":{\"code\":-32602,\"message\":\"no such\"}}\n"
	  "S 40 {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"isError\":true,\"content\":[{\"type\":\"image\","
	  "\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]}}\n",
	  "begin old.x 10\nbegin old.y 11\nend old.y 11 -30 7 text failed\nend old.x 10 -40 55 image failed\n" },
	/* "1" is not 1, and an answer of the client to nothing is nothing */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"n\"}}\n"
	  "C 11 {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/call\",\"params\":{\"name\":\"s\"}}\n"
	  "C 12 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
	  "S 13 {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n"
	  "S 14 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
	  "begin old.n 10\nbegin old.s 11\nend old.s 11 -13 2 json\nend old.n 10 -14 2 json\n" },
	/* cancelled; the result that comes anyway is nothing */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\"}}\n"
	  "C 20 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1,\"reason\":"
	  "\"secret\"}}\n"
	  "S 30 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n",
	  "begin old.slow 10\nend old.slow 10 -20 partial\n" },
	/* a person is asked while the call is open: two questions are one wait */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"book\"}}\n"
	  "S 20 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}\n"
	  "S 25 {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"elicitation/create\",\"params\":{}}\n"
	  "S 26 {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"sampling/createMessage\",\"params\":{}}\n"
	  "C 40 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"}}\n"
	  "C 50 {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"action\":\"decline\"}}\n"
	  "S 60 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\n",
	  "begin old.book 10\nwait old.book 20\nwaited old.book -50\nend old.book 10 -60 wall=20 2 text\n" },
	/* the server takes its question back; then it ends without an answer */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"book\"}}\n"
	  "S 20 {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{}}\n"
	  "S 30 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"q\"}}\n",
	  "begin old.book 10\nwait old.book 20\nwaited old.book -30\nend old.book 10 -90 wall=70 partial\n" },
	/* the model's id and the trace of the client */
	{ BEGIN25
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\",\"_meta\":"
	  "{\"claudecode/toolUseId\":\"toolu_01\",\"progressToken\":1,\"traceparent\":"
	  "\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}}}\n"
	  "S 11 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1}}\n"
	  "S 12 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{\"a\":1}}}\n",
	  "begin old.add id=toolu_01 span=0af7..b7ad 10\n"
	  "end old.add id=toolu_01 span=0af7..b7ad 10 -12 29 json\n" },
	/* without a beginning: discover, names in _meta; the answer asks for input, twice */
	{ "C 1 {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\",\"params\":{\"_meta\":{" META26 "}}}\n"
	  "S 2 {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"resultType\":\"complete\"," INFO26 "}}\n"
	  "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"deploy\",\"_meta\":{"
	  META26 "}}}\n"
	  "S 20 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"a\":"
	  "{\"method\":\"elicitation/create\",\"params\":{}}},\"requestState\":\"s1\"," INFO26 "}}\n"
	  "C 120 {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"deploy\","
	  "\"inputResponses\":{\"a\":{\"action\":\"accept\"}},\"requestState\":\"s1\",\"_meta\":{" META26 "}}}\n"
	  "S 130 {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"b\":"
	  "{\"method\":\"sampling/createMessage\",\"params\":{}}},\"requestState\":\"s2\"}}\n"
	  "C 140 {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"deploy\","
	  "\"inputResponses\":{\"b\":{}},\"requestState\":\"s2\"}}\n"
	  "S 150 {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\","
	  "\"text\":\"done\"}]}}\n",
	  "begin new.deploy 10\nwait new.deploy 20\nwaited new.deploy -120\n"
	  "end new.deploy 10 -150 wall=40 4 text\n" },
	/* two calls of one name ask, and are told apart by their state; one is never gone on with */
	{ "C 10 {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"d\"}}\n"
	  "C 11 {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"d\"}}\n"
	  "S 20 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"one\"}}\n"
	  "S 21 {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"two\"}}\n"
	  "C 30 {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"d\",\"requestState\":"
	  "\"one\"}}\n"
	  "S 40 {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n",
	  "begin prog.d 10\nend prog.d 10 -40 38 json\nbegin prog.d 11\nend prog.d 11 -21 partial\n" },
	/* a batch, and things that are no messages */
	{ BEGIN25
	  "C 10 [{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}},{\"jsonrpc\":\"2.0\","
	  "\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"}}]\n"
	  "S 11 Server is ready\n"
	  "S 12 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\n"
	  "S 13 [7,null,{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
	  "{}}]\n"
	  "S 14 {\"id\":1,\"result\":{}}\n"
	  "C 15 {\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"no id\"}}\n",
	  "begin old.a 10\nbegin old.b 10\nend old.b 10 -13 14 json\nend old.a 10 -13 2 json\n" },
};

static void talk_through(const char *talk, const char *expected, size_t step, bool content)
{
	struct buf seen;
	struct mcp_stream_options o = {
		.program = STR("prog"),
		.server = content ? STR("prog") : STR(""),
		.content = content,
		.chunks = true,
		.see = talk_see,
		.context = &seen,
	};
	struct mcp_stream *s;

	buf_init(&seen);
	s = mcp_stream_open(&o);
	talk_say(s, str_from(talk), step, 90);
	CHECK_STR(buf_str(&seen), str_from(expected));
	CHECK_INT(mcp_stream_too_long(s), 0);
	mcp_stream_close(s);
	buf_free(&seen);
}

TEST(calls_are_seen_from_begin_to_end)
{
	for (size_t i = 0; i < COUNT(talks); i++)
		talk_through(talks[i].talk, talks[i].seen, (size_t)1 << 20, false);
}

TEST(it_does_not_matter_how_the_bytes_are_cut)
{
	for (size_t i = 0; i < COUNT(talks); i++)
		for (size_t step = 1; step < 40; step++)
			talk_through(talks[i].talk, talks[i].seen, step, false);
}

TEST(with_content_each_message_is_kept_as_it_is)
{
	static const char talk[] =
		"C 10 {\"jsonrpc\":\"2.0\", \"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\",\"_meta\":{\"progressToke"
		"n\":5}}}\n"
		"S 20 {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5}}\n"
		"S 30 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
		"S 31 ready\n";
	static const char kept[] =
		"begin prog.a 10\n"
		"tape {\"lane\":\"mcp\",\"server\":\"prog\",\"instance\":\"0000000000000000\",\"from\":\"client\",\"t_us\":1790000"
		"000010000,\"delay_us\":0,\"body\":{\"sha256\":\"b4a82b133422b27929cb15f95ae33c55a890cf63038f08eb1ffcfd"
		"8390e1ee9d\",\"size\":97,\"enc\":\"json\",\"inline\":{\"jsonrpc\":\"2.0\", \"id\":1,\"method\":\"tools/call\",\"par"
		"ams\":{\"name\":\"a\",\"_meta\":{\"progressToken\":5}}}}}\n"
		"tape {\"lane\":\"mcp\",\"server\":\"prog\",\"instance\":\"0000000000000000\",\"from\":\"server\",\"t_us\":1790000"
		"000020000,\"delay_us\":10000,\"body\":{\"sha256\":\"c6b1182df8a6c629db5ffb556f8331e7d8b2e04ca2e8316082"
		"31aa0e464779d7\",\"size\":80,\"enc\":\"json\",\"inline\":{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progre"
		"ss\",\"params\":{\"progressToken\":5}}}}\n"
		"end prog.a 10 -30 2 json\n"
		"tape {\"lane\":\"mcp\",\"server\":\"prog\",\"instance\":\"0000000000000000\",\"from\":\"server\",\"t_us\":1790000"
		"000030000,\"delay_us\":10000,\"body\":{\"sha256\":\"fcd8c77a7e0a0e2c93bf89cbf8b02c66255a80aca8114b348d"
		"e69523a4f6d640\",\"size\":36,\"enc\":\"json\",\"inline\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}},\"progress"
		"_us\":[10000]}\n"
		"tape {\"lane\":\"mcp\",\"server\":\"prog\",\"instance\":\"0000000000000000\",\"from\":\"server\",\"t_us\":1790000"
		"000031000,\"delay_us\":1000,\"body\":{\"sha256\":\"b24d6d33736ecd5604a4b17bc9c6481039fac362bb7df044ef1"
		"c10a2bfd21db6\",\"size\":5,\"enc\":\"utf8\",\"inline\":\"ready\"}}\n";

	talk_through(talk, kept, 7, true);
	talk_through(talk, kept, 1000, true);
}

/* The server says a line of 17 MiB. */
static void say_much(struct mcp_stream *s, int64_t ms)
{
	const size_t n = (size_t)17 << 20;
	struct buf big;

	buf_init(&big);
	buf_grow(&big, n + JSON_PAD);
	memset(big.p, ' ', n + JSON_PAD);
	big.n = n;
	big.p[n - 1] = '\n';
	mcp_stream_push(s, MCP_SERVER, buf_str(&big), TALK_BEGUN + ms * 1000000);
	buf_free(&big);
}

#define CALL_OF(id, name) \
	"C 2 {\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"}}\n"

TEST(a_line_that_is_too_long_ends_the_call_that_waits_alone)
{
	static const struct { const char *talk, *seen; } cases[] = {
		{ "S 2 {}\n", "" },
		{ CALL_OF("1", "a"), "begin prog.a 2\nend prog.a 2 -4\n" },
		{ CALL_OF("1", "a") CALL_OF("2", "b"),
		  "begin prog.a 2\nbegin prog.b 2\nend prog.b 2 -5 partial\nend prog.a 2 -5 partial\n" },
		{ CALL_OF("1", "a") "S 3 {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\"}}\n",
		  "begin prog.a 2\nend prog.a 2 -3 partial\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf seen;
		struct mcp_stream_options o = { .program = STR("prog"), .server = STR("prog"), .see = talk_see,
						.context = &seen };
		struct mcp_stream *s = mcp_stream_open(&o);

		buf_init(&seen);
		say_much(s, 1);
		talk_say_on(s, str_from(cases[i].talk), 1000);
		say_much(s, 4);
		mcp_stream_end(s, TALK_BEGUN + 5 * 1000000);
		CHECK_STR(buf_str(&seen), str_from(cases[i].seen));
		CHECK_INT(mcp_stream_too_long(s), 2);
		mcp_stream_close(s);
		buf_free(&seen);
	}
}
