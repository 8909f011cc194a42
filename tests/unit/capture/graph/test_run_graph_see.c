/* What hooks, wrappers and shims see of tool calls, joined with what passes the proxy. */
#include "unit/capture/run_graph_seen.h"

#define BEGIN SIGHT_TOOL_BEGIN
#define END SIGHT_TOOL_END

/* One call: asked for at 11 ms, its result passes at 520 ms. */
static void one_call(struct graphing *w, const char *name)
{
	char asked[64];

	snprintf(asked, sizeof(asked), "+call_1 %s", name);
	seen_open(w);
	graphing_talk(w, "u hello", asked);
}

static void its_result(struct graphing *w, const char *name)
{
	char messages[128];

	snprintf(messages, sizeof(messages), "u hello|c call_1 %s|r call_1 text", name);
	w->now = 520;
	graphing_talk(w, messages, "done");
}

TEST(a_hook_gives_a_call_its_exact_times)
{
	struct graphing w;

	one_call(&w, "Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Bash", 100, -1));
	seen(&w, seen_tool(END, SIGHT_HOOK, "call_1", "Bash", -1, 350));
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 hook,proxy 0.25 -\nM2 proxy\n");
}

TEST(without_another_layer_times_stay_inferred)
{
	struct graphing w;

	one_call(&w, "Bash");
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 proxy ~0.509 -\nM2 proxy\n");
}

TEST(the_most_exact_layer_has_the_times_in_whatever_order_they_come)
{
	static const struct { enum sight_layer first, second; } orders[] = {
		{ SIGHT_HOOK, SIGHT_MCP }, { SIGHT_MCP, SIGHT_HOOK },
	};

	for (size_t i = 0; i < COUNT(orders); i++) {
		struct graphing w;

		one_call(&w, "mcp__github__search");
		for (int k = 0; k < 2; k++) {
			enum sight_layer layer = k ? orders[i].second : orders[i].first;
			struct sighting s = seen_tool(END, layer, "call_1", "search", layer == SIGHT_MCP ? 150 : 100,
						      layer == SIGHT_MCP ? 250 : 300);

			s.server = STR("github");
			seen(&w, s);
		}
		its_result(&w, "mcp__github__search");
		seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
			   "U1 proxy\nM1 proxy\nT1 mcp,hook,proxy 0.1 0.1\nM2 proxy\n");
	}
}

TEST(an_mcp_server_knows_no_ids_so_its_calls_are_found_by_name)
{
	struct graphing w;
	struct sighting s = seen_tool(BEGIN, SIGHT_MCP, NULL, "search", 100, -1);

	s.server = STR("hub"); /* the client calls it otherwise */
	one_call(&w, "mcp__github__search");
	seen(&w, s);
	s = seen_tool(END, SIGHT_MCP, NULL, "search", 100, 300);
	s.server = STR("hub");
	seen(&w, s);
	its_result(&w, "mcp__github__search");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 mcp,proxy 0.2 0.2\nM2 proxy\n");
}

TEST(two_calls_of_one_name_get_a_sighting_each)
{
	struct graphing w;

	seen_open(&w);
	graphing_talk(&w, "u hello", "+a look|+b look");
	seen(&w, seen_tool(BEGIN, SIGHT_MCP, NULL, "look", 100, -1));
	seen(&w, seen_tool(BEGIN, SIGHT_MCP, NULL, "look", 110, -1));
	seen(&w, seen_tool(END, SIGHT_MCP, NULL, "look", 110, 150));
	seen(&w, seen_tool(END, SIGHT_MCP, NULL, "look", 100, 300));
	w.now = 520;
	graphing_talk(&w, "u hello|c a look|c b look|r a x|r b y", "done");
	/* the second was over first, so its line stands first */
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T2 T1\nT1 < B1\nT2 < B1\nM2 < T2 T1\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nT1 mcp,proxy 0.04 0.04\nT2 mcp,proxy 0.2 0.2\nM2 proxy\n");
}

TEST(a_tool_that_begins_before_the_answer_is_over_is_the_one_it_asks_for)
{
	struct graphing w;
	struct asked q;

	seen_open(&w);
	q = graphing_ask(&w, "u hello");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Read", 12, -1));
	seen(&w, seen_tool(END, SIGHT_HOOK, "call_1", "Read", -1, 15));
	w.now = 20;
	graphing_answered(&w, &q, "+call_1 Read");
	its_result(&w, "Read");
	seen_check(&w, "U1 <\nT1 < M1\nM1 < U1\nM2 < T1\n",
		   "U1 proxy\nT1 hook,proxy 0.003 -\nM1 proxy\nM2 proxy\n");
}

TEST(without_an_id_it_is_found_by_its_name_also_before_the_answer_is_over)
{
	struct graphing w;
	struct sighting s = seen_tool(BEGIN, SIGHT_MCP, NULL, "look", 12, -1);
	struct asked q;

	seen_open(&w);
	q = graphing_ask(&w, "u hello");
	s.server = STR("hub");
	seen(&w, s);
	s.kind = END;
	s.ended_ns = seen_at(15);
	seen(&w, s);
	w.now = 20;
	graphing_answered(&w, &q, "+call_1 hub_look");
	its_result(&w, "hub_look");
	seen_check(&w, "U1 <\nT1 < M1\nM1 < U1\nM2 < T1\n",
		   "U1 proxy\nT1 mcp,proxy 0.003 0.003\nM1 proxy\nM2 proxy\n");
}

TEST(what_is_told_after_the_result_has_passed_is_the_same_call)
{
	/* the end alone, or both; in the second case the model has asked for the tool again by then */
	for (int both = 0; both < 2; both++) {
		struct graphing w;
		struct sighting s = seen_tool(BEGIN, SIGHT_MCP, NULL, "look", 100, -1);

		s.server = STR("hub");
		one_call(&w, "hub_look");
		if (!both)
			seen(&w, s);
		w.now = 103;
		graphing_talk(&w, "u hello|c call_1 hub_look|r call_1 x", both ? "+call_2 hub_look" : "done");
		if (both)
			seen(&w, s);
		s.kind = END;
		s.ended_ns = seen_at(102);
		seen(&w, s);
		if (both)
			seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\nT2 < M2\n",
				   "U1 proxy\nM1 proxy\nT1 mcp,proxy 0.002 0.002\nM2 proxy\nT2 proxy ~0 -\n");
		else
			seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
				   "U1 proxy\nM1 proxy\nT1 mcp,proxy 0.002 0.002\nM2 proxy\n");
	}
}

TEST(a_person_is_asked_in_the_call_that_began_though_another_of_its_name_waits)
{
	struct graphing w;
	struct sighting end = seen_tool(END, SIGHT_MCP, NULL, "look", 100, 400);

	seen_open(&w);
	graphing_talk(&w, "u hello", "+a look|+b look");
	seen(&w, seen_tool(BEGIN, SIGHT_MCP, NULL, "look", 100, -1));
	seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_MCP, NULL, "look", 200, -1));
	seen(&w, seen_tool(SIGHT_WAIT_END, SIGHT_MCP, NULL, "look", -1, 350));
	end.wall_ns = 150 * 1000000;
	seen(&w, end);
	w.now = 520;
	graphing_talk(&w, "u hello|c a look|c b look|r a x|r b y", "done");
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T1 T2\nU2 < B1\nT1 < B1 U2\nT2 < B1\nM2 < T1 T2\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nU2 mcp\nT1 mcp,proxy 0.15 0.15\nT2 proxy ~0.509 -\nM2 proxy\n");
}

TEST(a_call_that_no_answer_asked_for_is_a_node_of_its_own)
{
	struct graphing w;

	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "toolu_9", "Read", 100, -1));
	seen(&w, seen_tool(END, SIGHT_HOOK, "toolu_9", "Read", -1, 120));
	seen(&w, seen_tool(END, SIGHT_OTLP, "toolu_9", "Read", 99, 121)); /* the same, told again */
	w.now = 200;
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\n", "U1 proxy\nM1 proxy\nT1 hook,otlp 0.02 -\n");
}

TEST(telemetry_that_comes_after_the_line_amends_it)
{
	struct graphing w;

	one_call(&w, "Bash");
	its_result(&w, "Bash");
	seen(&w, seen_tool(END, SIGHT_OTLP, "call_1", "Bash", 100, 350));
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 otlp,proxy 0.25 -\nM2 proxy\n");
}

TEST(telemetry_without_an_id_is_the_call_that_holds_it_in_time)
{
	struct graphing w;

	one_call(&w, "get_weather");
	its_result(&w, "get_weather");
	seen(&w, seen_tool(END, SIGHT_OTLP, NULL, "get_weather", 100, 350));
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 otlp,proxy 0.25 -\nM2 proxy\n");
}

/* ---- people ---- */

TEST(waiting_for_a_permission_is_a_persons_time_and_not_the_tools)
{
	struct graphing w;
	struct sighting end = seen_tool(END, SIGHT_HOOK, "call_1", "Bash", -1, 400);

	one_call(&w, "Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Bash", 100, -1));
	seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, "call_1", NULL, 110, -1));
	end.wall_ns = 50 * 1000000;
	seen(&w, end);
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nT1 < M1 U2\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nU2 hook\nT1 hook,proxy 0.05 -\nM2 proxy\n");
}

TEST(a_wait_that_a_hook_and_telemetry_tell_of_is_one)
{
	struct graphing w;

	one_call(&w, "Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Bash", 100, -1));
	seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, "call_1", NULL, 110, -1));
	seen(&w, seen_tool(SIGHT_WAIT_END, SIGHT_HOOK, "call_1", NULL, -1, 300)); /* it was denied */
	seen(&w, seen_tool(SIGHT_WAIT_END, SIGHT_OTLP, "call_1", "Bash", 105, 299));
	seen(&w, seen_tool(END, SIGHT_OTLP, "call_1", "Bash", 105, 300));
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nT1 < M1 U2\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nU2 hook\nT1 hook,otlp,proxy 0.005 -\nM2 proxy\n");
}

TEST(what_a_person_says_is_one_input_though_a_hook_tells_of_it_too)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, seen_tool(SIGHT_INPUT, SIGHT_HOOK, NULL, NULL, 0, -1));
	w.now = 5;
	graphing_talk(&w, "u hello", "hi");
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy,hook\nM1 proxy\n");
}

TEST(a_prompt_that_two_hooks_tell_of_is_one_input_and_the_next_prompt_is_another)
{
	struct graphing w;

	seen_open(&w);
	for (int i = 0; i < 2; i++)
		seen(&w, seen_tool(SIGHT_INPUT, SIGHT_HOOK, "prompt-1", NULL, i, -1));
	w.now = 5;
	graphing_talk(&w, "u hello", "hi");
	for (int i = 0; i < 2; i++)
		seen(&w, seen_tool(SIGHT_INPUT, SIGHT_HOOK, "prompt-2", NULL, 100 + i, -1));
	w.now = 120;
	graphing_talk(&w, "u hello|a hi|u again", "yes");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nM2 < M1 U2\n", "U1 proxy,hook\nM1 proxy\nU2 proxy,hook\nM2 proxy\n");
}

TEST(a_permission_that_two_hooks_ask_for_is_one_wait_for_the_call_that_it_is_for)
{
	struct graphing w;
	struct sighting end = seen_tool(END, SIGHT_HOOK, "b", "Bash", -1, 400);

	seen_open(&w);
	graphing_talk(&w, "u hello", "+a Bash|+b Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "a", "Bash", 50, -1));
	seen(&w, seen_tool(END, SIGHT_HOOK, "a", "Bash", -1, 90));
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "b", "Bash", 100, -1));
	for (int i = 0; i < 2; i++)
		seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, NULL, "Bash", 110 + i, -1)); /* it has no id */
	end.wall_ns = 50 * 1000000;
	seen(&w, end);
	w.now = 520;
	graphing_talk(&w, "u hello|c a Bash|c b Bash|r a x|r b y", "done");
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T1 T2\nT1 < B1\nU2 < B1\nT2 < B1 U2\nM2 < T1 T2\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nT1 hook,proxy 0.04 -\nU2 hook\nT2 hook,proxy 0.05 -\nM2 proxy\n");
}

TEST(a_server_that_asks_a_person_while_it_works_is_not_billed_for_that)
{
	struct graphing w;
	struct sighting ask = seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, NULL, NULL, 150, -1), end;

	one_call(&w, "mcp__github__search");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "mcp__github__search", 100, -1));
	ask.server = STR("github");
	seen(&w, ask);
	ask.kind = SIGHT_WAIT_END;
	ask.begun_ns = -1;
	ask.ended_ns = seen_at(350);
	seen(&w, ask);
	end = seen_tool(END, SIGHT_HOOK, "call_1", "mcp__github__search", -1, 400);
	end.wall_ns = 300 * 1000000;
	seen(&w, end);
	its_result(&w, "mcp__github__search");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nT1 < M1 U2\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nU2 hook\nT1 hook,proxy 0.1 0.1\nM2 proxy\n");
}

TEST(until_the_conversation_goes_on_a_person_thought_about_what_was_then_refused)
{
	struct graphing w;

	one_call(&w, "mcp__github__search");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "mcp__github__search", 100, -1));
	seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, NULL, "mcp__github__search", 110, -1));
	its_result(&w, "mcp__github__search");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nT1 < M1 U2\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nU2 hook\nT1 hook,proxy ~0.01 0.01\nM2 proxy\n");
}

TEST(a_tool_whose_end_nobody_saw_is_not_billed_for_what_a_person_was_asked)
{
	struct graphing w;

	one_call(&w, "Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Bash", 20, -1));
	seen(&w, seen_tool(SIGHT_WAIT_BEGIN, SIGHT_HOOK, "call_1", NULL, 120, -1));
	seen(&w, seen_tool(SIGHT_WAIT_END, SIGHT_HOOK, "call_1", NULL, -1, 420));
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nT1 < M1 U2\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nU2 hook\nT1 hook,proxy ~0.2 -\nM2 proxy\n");
}

TEST(where_a_tool_lies_between_its_hooks_is_estimated)
{
	struct graphing w;
	struct sighting end = seen_tool(END, SIGHT_HOOK, "call_1", "Bash", -1, 330);

	one_call(&w, "Bash");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "Bash", 100, -1));
	end.wall_ns = 200 * 1000000;
	seen(&w, end);
	its_result(&w, "Bash");
	graphing_finish(&w);
	CHECK(str_find(buf_str(&w.lines), STR("\"timestamp_start\":1750000000.110000,\"timestamp_end\":1750000000.310000,"
					      "\"kind\":\"tool_call\"")) != (size_t)-1);
	graphing_close(&w);
}

/* ---- commands ---- */

static struct sighting command(enum sight_kind kind, const char *id, const char *parent, const char *name, int64_t begun,
			       int64_t ended)
{
	struct sighting s = seen_tool(kind, SIGHT_SHELL, NULL, name, begun, ended);

	s.command = str_from(id);
	s.parent_command = parent ? str_from(parent) : s.parent_command;
	s.cpu_ns = ended >= 0 ? 20 * 1000000 : -1;
	return s;
}

TEST(a_command_that_a_tool_runs_gives_the_call_its_times_and_its_stall)
{
	struct graphing w;

	one_call(&w, "Bash");
	seen(&w, command(SIGHT_COMMAND_BEGIN, "1", NULL, "bash", 100, -1));
	seen(&w, command(SIGHT_COMMAND_BEGIN, "2", "1", "git", 105, -1));
	seen(&w, command(SIGHT_COMMAND_END, "2", "1", "git", -1, 115));
	seen(&w, command(SIGHT_COMMAND_END, "1", NULL, "bash", 100, 200));
	its_result(&w, "Bash");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 shell,proxy 0.1 0.08\nM2 proxy\n");
}

TEST(what_started_the_agent_is_no_tool_and_what_runs_inside_it_may_be)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, command(SIGHT_COMMAND_BEGIN, "0", NULL, "npx", 0, -1));
	seen(&w, command(SIGHT_COMMAND_BEGIN, "9", "0", "uname", 1, -1));
	seen(&w, command(SIGHT_COMMAND_END, "9", "0", "uname", -1, 2));
	w.now = 5;
	graphing_talk(&w, "u hello", "hi");
	seen(&w, command(SIGHT_COMMAND_BEGIN, "1", "0", "git", 100, -1));
	seen(&w, command(SIGHT_COMMAND_END, "1", "0", "git", -1, 130));
	seen(&w, command(SIGHT_COMMAND_END, "0", NULL, "npx", -1, 200));
	w.now = 200;
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\n", "U1 proxy\nM1 proxy\nT1 shell 0.03 0.01\n");
}

TEST(commands_of_another_tool_add_only_their_cpu_time)
{
	struct graphing w;

	one_call(&w, "run_tests");
	seen(&w, seen_tool(BEGIN, SIGHT_HOOK, "call_1", "run_tests", 100, -1));
	seen(&w, command(SIGHT_COMMAND_BEGIN, "1", NULL, "pytest", 110, -1));
	seen(&w, command(SIGHT_COMMAND_END, "1", NULL, "pytest", 110, 200));
	seen(&w, seen_tool(END, SIGHT_HOOK, "call_1", "run_tests", -1, 300));
	its_result(&w, "run_tests");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy\nT1 shell,hook,proxy 0.2 0.18\nM2 proxy\n");
}

TEST(a_conversation_that_names_the_call_it_is_inside_of_follows_from_that)
{
	struct http_header inside = { STR("X-Trackway-Call"), STR("call_2") };
	struct graphing w;
	struct asked q;

	seen_open(&w);
	graphing_talk(&w, "u hello", "+call_1 ask|+call_2 ask");
	w.now = 100;
	q = graphing_ask_feed(&w, (struct feed){ .path = "/v1/chat/completions", .headers = { inside },
						 .body = graphing_body(&w.arena, "u what is two and two", NULL) });
	graphing_answered(&w, &q, "four");
	w.now = 500;
	graphing_talk(&w, "u hello|c call_1 ask|c call_2 ask|r call_1 x|r call_2 y", "done");
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T1 T2\nM2 < T2\nT1 < B1\nT2 < B1\nM3 < T1 T2\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nM2 proxy\nT1 proxy ~0.489 -\nT2 proxy ~0.489 -\nM3 proxy\n");
}

/* The table of calls that wait is full of what was only seen: a call that is asked for is no second node of its id. */
TEST(a_full_table_makes_no_node_twice)
{
	char call[32];
	struct graphing w;
	struct asked q;

	seen_open(&w);
	q = graphing_ask(&w, "u hello");
	for (int i = 0; i < 4096; i++) {
		snprintf(call, sizeof(call), "call_%d", i);
		seen(&w, seen_tool(BEGIN, SIGHT_HOOK, call, "Bash", 5, -1));
	}
	w.now = 10;
	graphing_answered(&w, &q, "+call_0 Bash");
	graphing_finish(&w);
	graphing_close(&w);
}

/* Numbers at their ends overflow nothing, however often they come. */
TEST(numbers_that_are_no_measure_harm_nothing)
{
	struct graphing w;

	one_call(&w, "Bash");
	for (int i = 0; i < 8; i++) {
		struct sighting s = seen_tool(END, SIGHT_HOOK, "call_1", "Bash", 0, 1);

		s.begun_ns = i & 1 ? 0 : INT64_MAX;
		s.ended_ns = i & 2 ? 0 : INT64_MAX;
		s.wall_ns = s.cpu_ns = s.size = s.ttft_ns = s.input = s.output = INT64_MAX - i;
		s.usd = 1e308;
		for (unsigned kind = 0; kind < SIGHT_KINDS; kind++) {
			for (unsigned layer = 0; layer < SIGHT_LAYERS; layer++) {
				s.kind = kind;
				s.layer = layer;
				s.command = i & 4 ? STR("a") : STR("b");
				seen(&w, s);
			}
		}
	}
	run_graph_finish(w.run_graph, "success", str_of(NULL, 0), FEED_BEGUN, &w.summary);
	CHECK(!str_has(w.summary, STR("inf")));
	graphing_close(&w);
}
