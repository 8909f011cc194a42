/* Commands that shims see: which are a tool's, which the agent's own, and which stand for themselves. */
#include "capture/graph/run_graph_private.h"
#include "unit/capture/run_graph_seen.h"

static void begin(struct graphing *w, const char *id, const char *name, int64_t begun)
{
	struct sighting s = seen_tool(SIGHT_COMMAND_BEGIN, SIGHT_SHELL, NULL, name, begun, -1);

	s.command = str_from(id);
	seen(w, s);
}

/* It took 10 ms of the processor's time. */
static void end(struct graphing *w, const char *id, const char *name, int64_t begun, int64_t ended)
{
	struct sighting s = seen_tool(SIGHT_COMMAND_END, SIGHT_SHELL, NULL, name, begun, ended);

	s.command = str_from(id);
	s.cpu_ns = 10 * 1000000;
	seen(w, s);
}

static void whole(struct graphing *w, const char *id, const char *name, int64_t begun, int64_t ended)
{
	begin(w, id, name, begun);
	end(w, id, name, begun, ended);
}

static void asked_for_bash(struct graphing *w)
{
	seen_open(w);
	graphing_talk(w, "u hello", "+call_1 Bash");
}

static void its_result(struct graphing *w)
{
	w->now = 520;
	graphing_talk(w, "u hello|c call_1 Bash|r call_1 text", "done");
}

#define SHAPE "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n"

TEST(what_an_agent_runs_to_begin_is_no_tool)
{
	struct graphing w;

	seen_open(&w);
	whole(&w, "1", "git", 0, 2);
	whole(&w, "2", "bash", 2, 4);
	w.now = 5;
	graphing_talk(&w, "u hello", "hi");
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy\n");
}

TEST(without_a_model_the_commands_are_all_there_is)
{
	struct graphing w;

	seen_open(&w);
	whole(&w, "1", "git", 0, 20);
	whole(&w, "2", "make", 30, 60);
	w.now = 100;
	seen_check(&w, "T1 <\nT2 <\n", "T1 shell 0.02 0.01\nT2 shell 0.03 0.02\n");
}

TEST(an_agent_whose_answers_ask_for_calls_runs_the_rest_for_itself)
{
	struct graphing w;

	asked_for_bash(&w);
	its_result(&w);
	whole(&w, "1", "git", 600, 620);
	w.now = 700;
	seen_check(&w, SHAPE, "U1 proxy\nM1 proxy\nT1 proxy ~0.509 -\nM2 proxy\n");
}

TEST(an_agent_that_takes_commands_from_texts_has_a_node_for_each)
{
	struct graphing w;

	seen_open(&w);
	graphing_talk(&w, "u hello", "run: make");
	whole(&w, "1", "make", 100, 150);
	w.now = 200;
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\n", "U1 proxy\nM1 proxy\nT1 shell 0.05 0.04\n");
}

TEST(a_shell_outdoes_what_ran_before_it_and_what_runs_beside_it)
{
	struct graphing w;

	asked_for_bash(&w);
	whole(&w, "1", "python3", 20, 60); /* somebody's hook */
	begin(&w, "2", "bash", 100);
	whole(&w, "3", "git", 110, 115);
	end(&w, "2", "bash", 100, 200);
	whole(&w, "4", "python3", 210, 260);
	its_result(&w);
	seen_check(&w, SHAPE, "U1 proxy\nM1 proxy\nT1 shell,proxy 0.1 0.09\nM2 proxy\n");
}

TEST(of_claude_code_the_last_shell_runs_what_was_asked_for)
{
	for (int own = 0; own < 2; own++) {
		struct graphing w;

		graphing_open(&w, (struct run_graph_options){
			.amend = seen_amend, .framework = own ? STR("claude_code") : STR("unknown") });
		graphing_talk(&w, "u hello", "+call_1 Bash");
		begin(&w, "1", "bash", 20);
		whole(&w, "2", "bash", 30, 60);
		end(&w, "1", "bash", 20, 90);
		whole(&w, "3", "bash", 100, 200);
		its_result(&w);
		seen_check(&w, SHAPE, own ? "U1 proxy\nM1 proxy\nT1 shell,proxy 0.1 0.09\nM2 proxy\n"
					  : "U1 proxy\nM1 proxy\nT1 shell,proxy 0.18 0.15\nM2 proxy\n");
	}
}

static void claude_asked(struct graphing *w, const char *calls)
{
	graphing_open(w, (struct run_graph_options){ .amend = seen_amend, .framework = STR("claude_code") });
	graphing_talk(w, "u hello", calls);
}

static void hook(struct graphing *w, enum sight_kind kind, const char *call, int64_t ms)
{
	bool begins = kind == SIGHT_TOOL_BEGIN;

	seen(w, seen_tool(kind, SIGHT_HOOK, call, "Bash", begins ? ms : -1, begins ? -1 : ms));
}

/* Two calls at once, the first of the session: both shells look around first, and the second's runs first. */
TEST(of_claude_code_the_end_of_a_call_tells_which_shell_was_its_own)
{
	for (int twice = 0; twice < 2; twice++) {
		struct graphing w;

		claude_asked(&w, "+a Bash|+b Bash");
		hook(&w, SIGHT_TOOL_BEGIN, "a", 50);
		hook(&w, SIGHT_TOOL_BEGIN, "b", 51);
		whole(&w, "1", "bash", 60, 64);
		whole(&w, "2", "bash", 65, 70);
		begin(&w, "3", "bash", 100);
		begin(&w, "4", "bash", 101);
		whole(&w, "5", "git", 110, 115);
		end(&w, "3", "bash", 100, 150);
		for (int i = 0; i <= twice; i++)
			hook(&w, SIGHT_TOOL_END, "b", 160 + i);
		end(&w, "4", "bash", 101, 301);
		for (int i = 0; i <= twice; i++)
			hook(&w, SIGHT_TOOL_END, "a", 310 + i);
		w.now = 520;
		graphing_talk(&w, "u hello|c a Bash|c b Bash|r a x|r b y", "done");
		seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T2 T1\nT1 < B1\nT2 < B1\nM2 < T2 T1\n",
			   "U1 proxy\nM1 proxy\nB1 proxy\nT1 shell,hook,proxy 0.05 0.04\n"
			   "T2 shell,hook,proxy 0.2 0.19\nM2 proxy\n");
	}
}

TEST(of_claude_code_calls_that_end_together_are_told_apart_by_their_begin)
{
	struct graphing w;

	claude_asked(&w, "+a Bash|+b Bash");
	hook(&w, SIGHT_TOOL_BEGIN, "a", 50);
	begin(&w, "1", "bash", 60);
	hook(&w, SIGHT_TOOL_BEGIN, "b", 450);
	begin(&w, "2", "bash", 460);
	end(&w, "1", "bash", 60, 500);
	end(&w, "2", "bash", 460, 502);
	hook(&w, SIGHT_TOOL_END, "a", 505);
	hook(&w, SIGHT_TOOL_END, "b", 506);
	w.now = 520;
	graphing_talk(&w, "u hello|c a Bash|c b Bash|r a x|r b y", "done");
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T1 T2\nT1 < B1\nT2 < B1\nM2 < T1 T2\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nT1 shell,hook,proxy 0.44 0.43\n"
		   "T2 shell,hook,proxy 0.042 0.032\nM2 proxy\n");
}

/* The shell of a tool that was given up is killed, and tells nothing. */
TEST(of_claude_code_no_shell_that_ended_long_before_the_call_is_its_own)
{
	struct graphing w;

	claude_asked(&w, "+call_1 Bash");
	hook(&w, SIGHT_TOOL_BEGIN, "call_1", 50);
	whole(&w, "1", "bash", 60, 64);
	begin(&w, "2", "bash", 70);
	hook(&w, SIGHT_TOOL_END, "call_1", 3050);
	w.now = 4000;
	graphing_talk(&w, "u hello|c call_1 Bash|r call_1 text", "done");
	seen_check(&w, SHAPE, "U1 proxy\nM1 proxy\nT1 shell,hook,proxy 3 -\nM2 proxy\n");
}

TEST(of_claude_code_another_tool_beside_it_does_not_hide_the_last_shell)
{
	struct graphing w;

	claude_asked(&w, "+a Bash|+b mcp__s__t");
	whole(&w, "1", "bash", 60, 64);
	whole(&w, "2", "bash", 65, 70);
	whole(&w, "3", "bash", 100, 200);
	w.now = 520;
	graphing_talk(&w, "u hello|c a Bash|c b mcp__s__t|r a x|r b y", "done");
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T1 T2\nT1 < B1\nT2 < B1\nM2 < T1 T2\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nT1 shell,proxy 0.1 0.09\nT2 proxy ~0.509 0.509\nM2 proxy\n");
}

TEST(programs_of_a_shell_that_nobody_sees_are_one_call)
{
	struct graphing w;

	asked_for_bash(&w);
	whole(&w, "1", "git", 100, 150);
	whole(&w, "2", "make", 160, 300);
	its_result(&w);
	seen_check(&w, SHAPE, "U1 proxy\nM1 proxy\nT1 shell,proxy 0.2 0.18\nM2 proxy\n");
}

TEST(a_shell_that_begins_before_the_answer_is_over_is_the_one_it_asks_for)
{
	for (int over = 0; over < 2; over++) {
		struct graphing w;
		struct asked q;

		seen_open(&w);
		q = graphing_ask(&w, "u hello");
		whole(&w, "0", "git", 3, 4);
		begin(&w, "1", "bash", 5);
		if (over)
			end(&w, "1", "bash", 5, 18);
		w.now = 20;
		graphing_answered(&w, &q, "+call_1 Bash");
		if (!over)
			end(&w, "1", "bash", 5, 105);
		its_result(&w);
		seen_check(&w, over ? "U1 <\nT1 < M1\nM1 < U1\nM2 < T1\n" : SHAPE,
			   over ? "U1 proxy\nT1 shell,proxy 0.013 0.003\nM1 proxy\nM2 proxy\n"
				: "U1 proxy\nM1 proxy\nT1 shell,proxy 0.1 0.09\nM2 proxy\n");
	}
}

TEST(what_a_tool_leaves_behind_is_no_other_tool)
{
	struct graphing w;

	asked_for_bash(&w);
	begin(&w, "1", "bash", 100);
	its_result(&w);
	end(&w, "1", "bash", 100, 900);
	w.now = 1000;
	seen_check(&w, SHAPE, "U1 proxy\nM1 proxy\nT1 shell,proxy ~0.509 -\nM2 proxy\n");
}

TEST(two_calls_at_once_get_a_shell_each)
{
	struct graphing w;

	seen_open(&w);
	graphing_talk(&w, "u hello", "+a Bash|+b Bash");
	begin(&w, "1", "bash", 100);
	begin(&w, "2", "bash", 101);
	end(&w, "2", "bash", 101, 151);
	end(&w, "1", "bash", 100, 300);
	w.now = 520;
	graphing_talk(&w, "u hello|c a Bash|c b Bash|r a x|r b y", "done");
	/* the second was over first, so its line stands first */
	seen_check(&w, "U1 <\nM1 < U1\nB1 < M1 fan_out: T2 T1\nT1 < B1\nT2 < B1\nM2 < T2 T1\n",
		   "U1 proxy\nM1 proxy\nB1 proxy\nT1 shell,proxy 0.05 0.04\nT2 shell,proxy 0.2 0.19\nM2 proxy\n");
}

TEST(a_flood_of_commands_is_bounded)
{
	struct graphing w;
	char id[16];

	seen_open(&w);
	for (int i = 0; i < 2 * RUN_GRAPH_HELD; i++) {
		snprintf(id, sizeof(id), "%d", i);
		begin(&w, id, "git", i);
		if (i % 2)
			end(&w, id, "git", i, i + 1);
	}
	w.now = 5;
	graphing_talk(&w, "u hello", "hi");
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy\n");
}
