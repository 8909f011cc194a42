/* A traceparent is inserted, and nothing else is changed. */
#include "capture/mcp/mcp_trace.h"

#include "capture/mcp/mcp_lines.h"
#include "harness/test.h"

static void ones(void *out, size_t n)
{
	memset(out, 0x11, n);
}

#define PARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
#define SET "\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-1111111111111111-01\""

static void pass(struct str text, size_t step, struct str parent, struct buf *out)
{
	struct mcp_trace t;

	mcp_trace_init(&t, parent, ones);
	while (text.n) {
		size_t n = text.n < step ? text.n : step;

		mcp_trace_push(&t, str_of(text.p, n), out);
		text = str_skip(text, n);
	}
	mcp_trace_end(&t, out);
	mcp_trace_free(&t);
}

TEST(it_stands_in_meta_of_params)
{
	static const struct { const char *in, *out; } cases[] = {
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":{" SET "}}}\n" },
		{ " {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\" } \r\n",
		  " {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\" ,\"params\":{\"_meta\":{" SET "}}} \r\n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":{" SET "}}}\n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"params\":{\"_meta\":{ },\"a\":[]},\"method\":\"m\"}\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"params\":{\"_meta\":{" SET " },\"a\":[]},\"method\":\"m\"}\n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"params\":{\"_meta\":{\"x\":1}},\"method\":\"m\"}\n",
		  "{\"jsonrpc\":\"2.0\",\"id\":1,\"params\":{\"_meta\":{" SET ",\"x\":1}},\"method\":\"m\"}\n" },
	};
	static const char *const same[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":{\"traceparent\":\"\"}}}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[1]}\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":7}}\n",
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]\n", "{\"id\":1,\"method\":\"m\"}\n", "\n", "no\n", "{\n",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", /* its line never ended */
	};

	for (size_t step = 1; step < 200; step += 7) {
		struct buf out;

		buf_init(&out);
		for (size_t i = 0; i < COUNT(cases); i++) {
			buf_clear(&out);
			pass(str_from(cases[i].in), step, STR(PARENT), &out);
			CHECK_STR(buf_str(&out), str_from(cases[i].out));
		}
		for (size_t i = 0; i < COUNT(same); i++) {
			buf_clear(&out);
			pass(str_from(same[i]), step, STR(PARENT), &out);
			CHECK_STR(buf_str(&out), str_from(same[i]));
		}
		buf_free(&out);
	}
}

TEST(without_a_parent_the_trace_is_new)
{
	struct buf out;

	buf_init(&out);
	pass(STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}\n"), 9, STR("nonsense"), &out);
	CHECK_STR(buf_str(&out), STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":{\"traceparent\":"
				     "\"00-11111111111111111111111111111111-1111111111111111-01\"}}}\n"));
	buf_free(&out);
}

TEST(a_line_that_is_too_long_passes_as_it_is)
{
	struct buf in, out;

	buf_init(&in);
	buf_init(&out);
	buf_add_str(&in, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"x\":\""));
	memset(buf_reserve(&in, MCP_LINE_MOST), 'x', MCP_LINE_MOST);
	in.n += MCP_LINE_MOST;
	buf_add_str(&in, STR("\"}}\n"));
	pass(buf_str(&in), (size_t)1 << 20, STR(PARENT), &out);
	CHECK(str_eq(buf_str(&in), buf_str(&out)));
	buf_free(&in);
	buf_free(&out);
}
