/* Calls of MCP: both worlds, errors, cancelling, people, ids; from values alone. The stream's own tests say more. */
#include "dialect/mcp/calls.h"

#include <stdio.h>

#include "harness/test.h"

static struct buf seen;

static void note(void *context, const struct sighting *s)
{
	(void)context;
	buf_printf(&seen, "%u:%.*s:%lld:%lld%s ", s->kind, STR_ARG(s->name), (long long)s->begun_ns,
		   (long long)s->ended_ns, s->partial ? "!" : "");
}

static struct mcp_calls *open_calls(bool chunks)
{
	struct mcp_calls_options o = { .server = STR("prog"), .chunks = chunks, .see = note };

	buf_init(&seen);
	return mcp_calls_open(&o);
}

static void say(struct mcp_calls *c, enum mcp_sender sender, uint64_t scope, int64_t ns, const char *text)
{
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct mcp_said said = { .sender = sender, .scope = scope, .ns = ns };
	struct val v;

	CHECK(json_parse_copy(p, str_from(text), &v, NULL));
	mcp_calls_read(c, v, &said);
	json_parser_close(p);
}

static void close_calls(struct mcp_calls *c, const char *expected)
{
	CHECK_STR(buf_str(&seen), str_from(expected));
	mcp_calls_close(c);
	buf_free(&seen);
}

#define CALL(id, name) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"," \
	"\"_meta\":{\"progressToken\":" id "}}}"
#define DONE(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[]}}"

TEST(ids_of_two_exchanges_are_separate)
{
	struct mcp_calls *c = open_calls(false);

	say(c, MCP_CLIENT, 1, 10, CALL("1", "a"));
	say(c, MCP_CLIENT, 2, 20, CALL("1", "b"));
	say(c, MCP_SERVER, 1, 30, DONE("1"));
	say(c, MCP_SERVER, 2, 40, DONE("1"));
	close_calls(c, "0:a:10:-1 0:b:20:-1 1:a:10:30 1:b:20:40 ");
}

TEST(a_call_without_a_name_has_one_all_the_same)
{
	static const char *const params[] = { "", ",\"params\":{}", ",\"params\":{\"name\":5}",
					      ",\"params\":{\"name\":\"\"}" };

	for (size_t i = 0; i < COUNT(params); i++) {
		struct mcp_calls *c = open_calls(false);
		char line[200];

		test_case("%s", params[i]);
		snprintf(line, sizeof(line), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"%s}", params[i]);
		say(c, MCP_CLIENT, 0, 10, line);
		say(c, MCP_SERVER, 0, 20, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"\"}}");
		close_calls(c, "0:unknown:10:-1 1:unknown:10:20 ");
	}
}

TEST(an_answer_may_come_by_another_exchange)
{
	struct mcp_calls *c = open_calls(false);

	say(c, MCP_CLIENT, 1, 10, CALL("\"x\"", "a"));
	say(c, MCP_SERVER, 9, 30, DONE("\"x\""));
	close_calls(c, "0:a:10:-1 1:a:10:30 ");
}

TEST(an_exchange_that_ends_ends_its_calls_alone)
{
	struct mcp_calls *c = open_calls(false);

	say(c, MCP_CLIENT, 1, 10, CALL("1", "a"));
	say(c, MCP_CLIENT, 2, 20, CALL("2", "b"));
	mcp_calls_end(c, 1, false, 50);
	mcp_calls_end(c, 0, false, 60);
	close_calls(c, "0:a:10:-1 0:b:20:-1 1:a:10:50! 1:b:20:60! ");
}

TEST(calls_of_one_moment_begin_one_after_the_other)
{
	struct mcp_calls *c = open_calls(false);

	say(c, MCP_CLIENT, 0, 10, "[" CALL("1", "a") "," CALL("2", "a") "]");
	say(c, MCP_SERVER, 0, 30, "[" DONE("2") "," DONE("1") "]");
	close_calls(c, "0:a:10:-1 0:a:11:-1 1:a:11:30 1:a:10:30 ");
}

TEST(progress_is_kept_for_the_message_that_ends_the_call)
{
	struct mcp_calls *c = open_calls(true);
	const int64_t *at;
	size_t count;

	say(c, MCP_CLIENT, 0, 0, CALL("7", "a"));
	for (int i = 1; i <= 3; i++)
		say(c, MCP_SERVER, 0, i * 5000,
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":7}}");
	CHECK(!mcp_calls_progress(c, &count) && count == 0);
	say(c, MCP_SERVER, 0, 20000, DONE("7"));
	at = mcp_calls_progress(c, &count);
	CHECK_INT(count, 3);
	CHECK_INT(at[0], 4); /* no two calls begin at 0 */
	CHECK_INT(at[2], 14);
	say(c, MCP_SERVER, 0, 20000, DONE("7"));
	CHECK(!mcp_calls_progress(c, &count));
	close_calls(c, "0:a:1:-1 1:a:1:20000 ");
}

TEST(more_open_calls_than_are_followed_are_ignored)
{
	struct mcp_calls *c = open_calls(false);
	struct arena a;
	size_t lines = 0;

	arena_init(&a);
	for (int i = 0; i < MCP_CALLS_OPEN + 10; i++)
		say(c, MCP_CLIENT, 0, i + 1,
		    arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
				     "\"a\"}}", i).p);
	lines = str_count(buf_str(&seen), ' ');
	CHECK_INT(lines, MCP_CALLS_OPEN);
	mcp_calls_close(c);
	buf_free(&seen);
	arena_free(&a);
}

TEST(a_server_is_named_by_itself_unless_the_user_did)
{
	static const char *const answers[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"serverInfo\":{\"name\":\"git\"}}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
		"{\"name\":\"git\"}}}}",
	};

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct mcp_calls_options own = { .program = STR("prog"), .see = note };
		struct mcp_calls_options o = { .server = STR("mine"), .program = STR("prog"), .see = note };
		struct mcp_calls *c = mcp_calls_open(&own), *named = mcp_calls_open(&o);

		buf_init(&seen);
		CHECK_STR(mcp_calls_server(c), STR("prog"));
		say(c, MCP_SERVER, 0, 5, answers[i]);
		say(named, MCP_SERVER, 0, 5, answers[i]);
		CHECK_STR(mcp_calls_server(c), STR("git"));
		CHECK_STR(mcp_calls_server(named), STR("mine"));
		mcp_calls_close(named);
		close_calls(c, "");
	}
}

TEST(a_traceparent_is_read_only_when_it_is_one)
{
	static const struct { const char *text; bool good; } cases[] = {
		{ "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true },
		{ "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later", true },
		{ "00-00000000000000000000000000000000-b7ad6b7169203331-01", false },
		{ "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false },
		{ "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false },
		{ "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", false },
		{ "", false }, { "-", false }, { "00", false },
	};
	struct str trace, span;

	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_INT(mcp_read_traceparent(str_from(cases[i].text), &trace, &span), cases[i].good);
}
