/* Servers of MCP from a small tape: what a client gets, and what is noted. */
#include "replay/mcp_lane.h"

#include <fcntl.h>
#include <unistd.h>

#include "replay/mcp_lane_live.h"
#include "replay/mcp_lane_run.h"
#include "replay/mcp_lane_session.h"
#include "unit/replay/fake_player.h"

struct scene {
	struct arena arena;
	struct fake_player player;
	struct tape tape;
	struct mcp_lane *lane;
	struct mcp_session *session;
	struct buf got;
	uint64_t now;
};

static void get(void *context, struct str line)
{
	struct scene *s = context;

	buf_add_str(&s->got, line);
}

static void open_scene(struct scene *s, const struct said *said, size_t count, struct mcp_caller who)
{
	struct mcp_session_options o = { .who = who, .send = get, .context = s };

	arena_init(&s->arena);
	fake_open(&s->player);
	s->tape = tape_of(&s->arena, said, count);
	s->lane = mcp_lane_new(&s->arena, &s->tape, &s->player.ops);
	s->player.entries = s->lane->entries;
	buf_init(&s->got);
	s->now = 1000;
	o.lane = s->lane;
	s->session = mcp_session_open(&o);
}

static void close_scene(struct scene *s)
{
	mcp_session_close(s->session);
	buf_free(&s->got);
	fake_close(&s->player);
	arena_free(&s->arena);
}

/* What the client gets for a line. */
static struct str say(struct scene *s, const char *line)
{
	buf_clear(&s->got);
	mcp_session_line(s->session, str_from(line), s->now);
	return s->got.n ? buf_str(&s->got) : STR("");
}

#define SAY(scene, line, want) CHECK_STR(say(scene, line), STR(want))
#define CALL(id, name, rest) \
	"{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name "\"" rest "}}"
#define INIT(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}"

static const struct said plain[] = {
	{ "node", "i1", 'c', INIT("0") },
	{ "files", "i1", 's', "{\"result\":{\"serverInfo\":{\"name\":\"files\"}},\"jsonrpc\":\"2.0\",\"id\":0}" },
	{ "files", "i1", 'c', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}" },
	{ "files", "i1", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"hi\"}}" },
	{ "files", "i1", 'c', CALL("1", "read", ",\"arguments\":{\"path\":\"a\"}") },
	{ "files", "i1", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[1]}}" },
	{ "files", "i1", 'c', CALL("2", "read", ",\"arguments\":{\"path\":\"a\"}") },
	{ "files", "i1", 's', "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[2]}}" },
	{ "files", "i1", 'c', "{\"jsonrpc\":\"2.0\",\"id\":9,\"of\":\"nothing\"}" },
};

TEST(answers_have_the_id_of_the_live_request)
{
	struct scene s;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	SAY(&s, INIT("\"a\""), "{\"result\":{\"serverInfo\":{\"name\":\"files\"}},\"jsonrpc\":\"2.0\",\"id\":\"a\"}\n");
	SAY(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"hi\"}}\n");
	SAY(&s, CALL("77", "read", ",\"arguments\":{\"path\":\"a\"}"), "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{\"content\":[1]}}\n");
	SAY(&s, CALL("78", "read", ",\"arguments\":{\"path\":\"a\"}"), "{\"jsonrpc\":\"2.0\",\"id\":78,\"result\":{\"content\":[2]}}\n");
	CHECK_STR(buf_str(&s.player.tools), STR("files.read 0\nfiles.read 0\n"));
	CHECK_INT(s.player.notes.n, 0);
	CHECK_INT(s.lane->served, 3);
	close_scene(&s);
}

TEST(entries_are_the_requests_of_the_client_under_the_name_that_the_server_has_in_the_end)
{
	struct scene s;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	CHECK_INT(s.lane->entries.count, 3);
	CHECK_STR(s.lane->entries.items[0].q.lane, STR("mcp:files"));
	CHECK_STR(s.lane->entries.items[0].q.method, STR("initialize"));
	CHECK_INT(s.lane->entries.items[1].x, 4);
	CHECK_INT(s.lane->entries.items[1].begun_us, 5000);
	CHECK_INT(s.lane->entries.items[1].ended_us, 6000);
	CHECK(!str_has(s.lane->entries.items[1].q.body, STR("\"id\"")));
	close_scene(&s);
}

TEST(a_miss_is_an_error_with_what_differs)
{
	struct scene s;
	struct str got;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	got = say(&s, CALL("9", "read", ",\"arguments\":{\"path\":\"b\"}"));
	CHECK(str_starts(got, STR("{\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{\"code\":-32070,\"message\":\"replay_miss: ")));
	CHECK(str_has(got, STR("\"class\":\"request_mismatch\",\"lane\":\"mcp:files\",\"tool\":\"read\",\"path\":"
			       "\"/params/arguments/path\",\"byte\":0,\"expected\":\"a\",\"got\":\"b\"")));
	CHECK(str_has(got, STR("\"nearest\":[{\"x\":6,\"distance\":1}]")));
	got = say(&s, "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"x/y\"}");
	CHECK(str_has(got, STR("\"class\":\"extra_call\"")) && str_has(got, STR("\"nearest\":[]")));
	s.player.stopped = true;
	got = say(&s, INIT("11"));
	CHECK(str_has(got, STR("\"id\":11,\"error\":{\"code\":-32070")) && str_has(got, STR("\"class\":\"stopped\"")));
	CHECK_INT(s.player.asked, 2);
	close_scene(&s);
}

TEST(a_ping_is_always_answered_and_never_counted)
{
	struct scene s;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	SAY(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n");
	CHECK_INT(s.player.asked, 0);
	close_scene(&s);
}

TEST(notifications_of_the_client_are_compared)
{
	static const struct { const char *line, *notes; } cases[] = {
		{ "{\"method\":\"notifications/initialized\"}", "1 0 mcp:files   \n" },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}", "1 0 mcp:files   \n" },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}", "1 1 mcp:files   \n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}", "9 1 mcp:files   \n" },
		{ "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\"}]", "9 1 mcp:files   \n" },
		{ "no JSON", "9 1 mcp:files   \n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":9,\"params\":{}}", "9 1 mcp:files   \n" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":9,\"of\":\"nothing\"}", "" },
		{ "", "" },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].line);
		open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
		say(&s, INIT("1"));
		say(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
		CHECK_INT(s.player.notes.n, 0);
		say(&s, cases[i].line);
		CHECK_STR(buf_str(&s.player.notes), str_from(cases[i].notes));
		close_scene(&s);
	}
}

static const struct said asking[] = {
	{ "q", "i", 'c', CALL("1", "t", ",\"_meta\":{\"progressToken\":1}") },
	{ "q", "i", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}" },
	{ "q", "i", 's', "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":{}}" },
	{ "q", "i", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}" },
	{ "q", "i", 'c', "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"action\":\"accept\"}}" },
	{ "q", "i", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}" },
};

TEST(a_question_of_the_server_is_asked_at_its_place_and_what_waited_waits)
{
	static const struct { const char *reply, *notes; } cases[] = {
		{ "{\"id\":0,\"jsonrpc\":\"2.0\",\"result\":{\"action\":\"accept\"}}", "" },
		{ "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"action\":\"decline\"}}", "0 1 mcp:q /result/action accept decline\n" },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		open_scene(&s, asking, COUNT(asking), (struct mcp_caller){ .argc = 0 });
		SAY(&s, CALL("5", "t", ",\"_meta\":{\"progressToken\":\"tok\"}"),
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"tok\",\"progress\":1}}\n"
		    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":{}}\n"
		    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n");
		CHECK_STR(say(&s, cases[i].reply), STR("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[]}}\n"));
		CHECK_STR(buf_str(&s.player.notes), str_from(cases[i].notes));
		close_scene(&s);
	}
}

TEST(progress_that_the_live_request_does_not_ask_for_is_not_told)
{
	struct scene s;

	open_scene(&s, asking, COUNT(asking), (struct mcp_caller){ .argc = 0 });
	CHECK(!str_has(say(&s, CALL("5", "t", "")), STR("notifications/progress")));
	CHECK(str_has(buf_str(&s.got), STR("elicitation/create")));
	close_scene(&s);
}

static const struct said listening[] = {
	{ "n", "i", 'c', "{\"jsonrpc\":\"2.0\",\"id\":\"L\",\"method\":\"subscriptions/listen\",\"params\":{}}" },
	{ "n", "i", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":"
			 "{\"io.modelcontextprotocol/subscriptionId\":\"L\"}}}" },
	{ "n", "i", 'c', CALL("1", "grow", "") },
	{ "n", "i", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s1\"}}" },
	{ "n", "i", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":"
			 "{\"io.modelcontextprotocol/subscriptionId\":\"L\"}}}" },
	{ "n", "i", 'c', CALL("2", "grow", ",\"requestState\":\"s1\"") },
	{ "n", "i", 's', "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\"}}" },
};

TEST(notifications_of_a_subscription_follow_what_they_followed)
{
	struct scene s;

	open_scene(&s, listening, COUNT(listening), (struct mcp_caller){ .argc = 0 });
	SAY(&s, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"subscriptions/listen\",\"params\":{}}",
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":"
	    "{\"io.modelcontextprotocol/subscriptionId\":4}}}\n");
	SAY(&s, CALL("5", "grow", ""),
	    "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"resultType\":\"input_required\",\"requestState\":\"s1\"}}\n"
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\",\"params\":{\"_meta\":"
	    "{\"io.modelcontextprotocol/subscriptionId\":4}}}\n");
	SAY(&s, CALL("6", "grow", ",\"requestState\":\"s1\""), "{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"resultType\":\"complete\"}}\n");
	close_scene(&s);
}

TEST(what_is_new_in_every_run_is_not_compared)
{
	static const char *const same[] = {
		CALL("9", "t", ""),
		CALL("\"u\"", "t", ",\"_meta\":{\"progressToken\":1,\"traceparent\":\"00-1\"}"),
		CALL("1", "t", ",\"_meta\":{\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\"}}"),
	};
	struct json_parser *p = rpc_parser_open();
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(same); i++)
		CHECK_STR(rpc_key(p, &a, str_from(same[i])),
			  STR("{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}"));
	CHECK(str_has(rpc_key(p, &a, STR(CALL("1", "t", ",\"_meta\":{\"k\":1}"))), STR("\"_meta\":{\"k\":1}")));
	CHECK_STR(rpc_key(p, &a, STR("x")), STR("x"));
	arena_free(&a);
	json_parser_close(p);
}

TEST(a_server_is_found_by_its_name_its_words_or_its_first_request)
{
	static const struct said two[] = {
		{ "npx", "a", 'c', INIT("0") },
		{ "secure-filesystem-server", "a", 's', "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}" },
		{ "npx", "b", 'c', INIT("0") },
		{ "example-servers/everything", "b", 's', "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}" },
		{ "uvx", "c", 'c', "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"server/discover\"}" },
		{ "uvx", "c", 's', "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}" },
	};
	static const struct { const char *name, *argv[3]; const char *first, *id; } cases[] = {
		{ NULL, { "npx", "-y", "@modelcontextprotocol/server-everything" }, INIT("0"), "b" },
		{ NULL, { "npx", "-y", "@modelcontextprotocol/server-filesystem" }, INIT("0"), "a" },
		{ "example-servers/everything", { "npx", "", "" }, INIT("0"), "b" },
		{ NULL, { "other", "", "" }, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"server/discover\"}", "c" },
		{ NULL, { "npx", "", "" }, INIT("0"), "a" },
	};
	struct scene s;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str argv[3] = { str_from(cases[i].argv[0]), str_from(cases[i].argv[1]), str_from(cases[i].argv[2]) };
		struct mcp_caller who = { .argv = argv, .argc = 3 };
		struct json_parser *p = rpc_parser_open();

		if (cases[i].name)
			who.name = str_from(cases[i].name);
		open_scene(&s, two, COUNT(two), who);
		CHECK_STR(mcp_lane_find(s.lane, &who, rpc_key(p, &s.arena, str_from(cases[i].first)))->id, str_from(cases[i].id));
		close_scene(&s);
		json_parser_close(p);
	}
}

TEST(two_processes_of_a_server_share_its_lane)
{
	static const struct said twice[] = {
		{ "s", "a", 'c', CALL("1", "t", "") }, { "s", "a", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}" },
		{ "s", "b", 'c', CALL("1", "t", "") }, { "s", "b", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":2}" },
	};
	struct scene s;

	open_scene(&s, twice, COUNT(twice), (struct mcp_caller){ .argc = 0 });
	SAY(&s, CALL("1", "t", ""), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n");
	SAY(&s, CALL("2", "t", ""), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":2}\n");
	CHECK(str_has(say(&s, CALL("3", "t", "")), STR("extra_call")));
	close_scene(&s);
}

TEST(a_request_that_was_never_answered_is_not_answered)
{
	static const struct said open[] = {
		{ "s", "a", 'c', CALL("1", "t", "") },
		{ "s", "a", 'c', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}" },
		{ "s", "a", 's', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}" },
		{ "s", "a", 's', "a line of a log" },
	};
	struct scene s;

	open_scene(&s, open, COUNT(open), (struct mcp_caller){ .argc = 0 });
	SAY(&s, CALL("8", "t", ""), "");
	SAY(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}",
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\na line of a log\n");
	CHECK_INT(s.player.notes.n, 0);
	close_scene(&s);
}

TEST(an_answer_that_was_not_kept_is_an_error)
{
	static const struct said before[] = {
		{ "s", "a", 'c', CALL("1", "t", "") }, { "s", "a", 's', "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}" } };
	struct scene s;

	open_scene(&s, before, COUNT(before), (struct mcp_caller){ .argc = 0 });
	s.tape.lines[1].message.body.bytes = str_of(NULL, 0);
	CHECK(str_has(say(&s, CALL("6", "t", "")), STR("\"id\":6,\"error\":{\"code\":-32070")));
	close_scene(&s);
}

TEST(answers_come_at_their_pace)
{
	struct scene s;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	s.player.pace.speed = 2;
	SAY(&s, INIT("1"), "");
	CHECK_INT(mcp_session_due(s.session), 1000 + 2000000);
	mcp_session_tick(s.session, 2000999);
	CHECK_INT(s.got.n, 0);
	mcp_session_tick(s.session, 2001000);
	CHECK(str_has(buf_str(&s.got), STR("\"id\":1")));
	CHECK(mcp_session_due(s.session) == UINT64_MAX);
	close_scene(&s);
}

TEST(values_of_the_recorded_run_are_translated)
{
	struct scene s;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	s.player.from = STR("[1]");
	s.player.to = STR("[\"live\"]");
	SAY(&s, CALL("3", "read", ",\"arguments\":{\"path\":\"a\"}"), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[\"live\"]}}\n");
	close_scene(&s);
}

#define TAPED(from, body) "{\"server\":\"files\",\"instance\":\"z\",\"from\":\"" from "\",\"body\":{\"inline\":" body "}}"
#define RESULT(id, n) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[" n "]}}"

TEST(a_live_server_that_answers_otherwise_has_drifted)
{
	static const char *const lines[] = {
		TAPED("client", CALL("4", "read", ",\"arguments\":{\"path\":\"a\"}")),
		TAPED("server", RESULT("4", "7")),
		TAPED("client", CALL("5", "read", ",\"arguments\":{\"path\":\"a\"}")),
		TAPED("server", RESULT("5", "2")),
		"{\"server\":\"files\",\"instance\":\"z\",\"from\":\"server\",\"body\":{\"size\":9,\"lost\":true}}",
		"{}",
	};
	struct json_parser *p = rpc_parser_open();
	struct mcp_live *live;
	struct scene s;
	struct val v;

	open_scene(&s, plain, COUNT(plain), (struct mcp_caller){ .argc = 0 });
	live = mcp_live_open(s.lane);
	for (size_t i = 0; i < COUNT(lines); i++) {
		CHECK(json_parse_copy(p, str_from(lines[i]), &v, NULL));
		mcp_live_see(live, v);
	}
	CHECK_STR(buf_str(&s.player.notes), STR("12 0 mcp:files /result/content/0 1 7\n"));
	CHECK_STR(buf_str(&s.player.tools), STR("files.read 1\nfiles.read 1\n"));
	mcp_live_close(live);
	close_scene(&s);
	json_parser_close(p);
}

TEST(a_server_can_be_played_on_streams_of_our_own)
{
	struct mcp_caller who = { .argc = 0 };
	static const char said[] = INIT("1") "\n" CALL("2", "read", ",\"arguments\":{\"path\":\"a\"}");
	int in[2], out[2];
	char got[512];
	struct scene s;
	struct err err;
	ssize_t n;

	open_scene(&s, plain, COUNT(plain), who);
	CHECK(pipe(in) == 0 && pipe(out) == 0);
	CHECK(write(in[1], said, sizeof(said) - 1) == (ssize_t)sizeof(said) - 1);
	close(in[1]);
	s.player.pace.speed = 1;
	CHECK(mcp_replay_run(s.lane, &who, in[0], out[1], &err));
	n = read(out[0], got, sizeof(got));
	CHECK(n > 0);
	CHECK_STR(str_of(got, (size_t)n), STR("{\"result\":{\"serverInfo\":{\"name\":\"files\"}},\"jsonrpc\":\"2.0\",\"id\":1}\n"
					      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[1]}}\n"));
	close(in[0]);
	close(out[0]);
	close(out[1]);
	close_scene(&s);
}

static void note_unsaid_in(void *context, const struct mcp_instance *i, const struct tape_line *line, struct str method,
			   bool is_answer)
{
	(void)i;
	buf_printf(context, "%s %.*s at %llu;", is_answer ? "answer" : "notice", STR_ARG(method), (unsigned long long)line->x);
}

/* The last line of the tape is no message, and is there as well. */
TEST(what_the_client_left_out_besides_requests_is_listed)
{
	static const struct said tape[] = {
		{ "node", "i1", 'c', INIT("0") },
		{ "files", "i1", 's', "{\"result\":{\"serverInfo\":{\"name\":\"files\"}},\"jsonrpc\":\"2.0\",\"id\":0}" },
		{ "files", "i1", 'c', "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}" },
		{ "files", "i1", 's', "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}" },
		{ "files", "i1", 'c', "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"roots\":[]}}" },
	};
	struct scene s;
	struct buf left;

	buf_init(&left);
	open_scene(&s, tape, COUNT(tape), (struct mcp_caller){ .argc = 0 });
	say(&s, INIT("1"));
	mcp_lane_list_unsaid(s.lane, note_unsaid_in, &left);
	CHECK_STR(buf_str(&left), STR("notice notifications/roots/list_changed at 2;"));
	buf_clear(&left);
	SAY(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}",
	    "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n");
	mcp_lane_list_unsaid(s.lane, note_unsaid_in, &left);
	CHECK_STR(buf_str(&left), STR("answer roots/list at 4;"));
	buf_clear(&left);
	say(&s, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"roots\":[]}}");
	mcp_lane_list_unsaid(s.lane, note_unsaid_in, &left);
	CHECK_INT(left.n, 0);
	buf_free(&left);
	close_scene(&s);
}
