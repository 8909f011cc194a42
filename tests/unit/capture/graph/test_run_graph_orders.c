/*
 * Layers tell of the same calls in every order that can be: each call is one node, known by all of them, with the times
 * of the most exact one; totals are the same, and the trace is valid without a warning.
 */
#include "unit/capture/run_graph_seen.h"

enum step {
	ASK, ANSWER, HOOK_BEGIN, HOOK_END, MCP_BEGIN, MCP_END, SHELL_BEGIN, SHELL_END, OTLP_TOOL, OTLP_MODEL, RESULT, LAST,
	STEPS,
};

#define BIT(step) (1u << (step))
#define PROXY (BIT(ASK) | BIT(ANSWER) | BIT(RESULT) | BIT(LAST))
#define HOOK (BIT(HOOK_BEGIN) | BIT(HOOK_END))
#define MCP (BIT(MCP_BEGIN) | BIT(MCP_END))
#define SHELL (BIT(SHELL_BEGIN) | BIT(SHELL_END))
#define OTLP (BIT(OTLP_TOOL) | BIT(OTLP_MODEL))
#define CALLS 2 /* side by side, at most */

/*
 * What must have come before it, of what is in the play at all. Ends may be told after the request with the result; but
 * a command tells of its end before it ends.
 */
static const unsigned before[STEPS] = {
	[ANSWER] = BIT(ASK),
	[HOOK_BEGIN] = BIT(ASK),
	[HOOK_END] = BIT(HOOK_BEGIN) | BIT(SHELL_END),
	[MCP_BEGIN] = BIT(ASK) | BIT(HOOK_BEGIN),
	[MCP_END] = BIT(MCP_BEGIN),
	[SHELL_BEGIN] = BIT(ASK) | BIT(HOOK_BEGIN),
	[SHELL_END] = BIT(SHELL_BEGIN),
	[OTLP_TOOL] = BIT(ANSWER) | BIT(HOOK_BEGIN) | BIT(MCP_BEGIN) | BIT(SHELL_BEGIN),
	[OTLP_MODEL] = BIT(ANSWER),
	[RESULT] = BIT(ANSWER) | BIT(HOOK_BEGIN) | BIT(MCP_BEGIN) | BIT(SHELL_BEGIN) | BIT(SHELL_END),
	[LAST] = BIT(RESULT),
};

/* One call, or two of the same tool. */
struct play {
	const char *tool;
	unsigned steps;    /* of the layers that see it */
	size_t calls;
	bool early;        /* the tools are over before the answer is */
	bool measured;     /* hooks know the tool's own time */
	bool twice;        /* two hooks are installed */
	bool anonymous;    /* telemetry knows no ids */
	const char *known_by;
	double wall;
};

struct stage {
	const struct play *play;
	struct graphing w;
	struct asked first, second;
	unsigned done[CALLS]; /* of each call; steps of the proxy are those of the first */
	char order[512];
};

static const char *const ids[CALLS] = { "call_1", "call_2" };

static bool is_shared(enum step step)
{
	return (PROXY | BIT(OTLP_MODEL)) >> step & 1;
}

static struct sighting of_tool(const struct stage *g, enum sight_kind kind, enum sight_layer layer, size_t call,
			       int64_t begun, int64_t ended)
{
	int64_t later = 3 * (int64_t)call; /* no two begin at the same time */

	return seen_tool(kind, layer, ids[call], g->play->tool, begun >= 0 ? begun + later : -1,
			 ended >= 0 ? ended + later : -1);
}

static void play_hook(struct stage *g, size_t call, bool end)
{
	struct sighting s = of_tool(g, end ? SIGHT_TOOL_END : SIGHT_TOOL_BEGIN, SIGHT_HOOK, call, end ? -1 : 100,
				    end ? 400 : -1);

	s.wall_ns = end && g->play->measured ? 294 * 1000000 : -1;
	seen(&g->w, s);
	s.begun_ns += s.begun_ns >= 0 ? 2000000 : 0;
	s.ended_ns += s.ended_ns >= 0 ? 2000000 : 0;
	if (g->play->twice)
		seen(&g->w, s);
}

/* The server knows neither ids nor what the client calls it. */
static void play_mcp(struct stage *g, size_t call, bool end)
{
	struct sighting s = of_tool(g, end ? SIGHT_TOOL_END : SIGHT_TOOL_BEGIN, SIGHT_MCP, call, 150, end ? 350 : -1);

	s.call = str_of(NULL, 0);
	s.name = STR("search");
	s.server = STR("hub");
	seen(&g->w, s);
}

static void play_shell(struct stage *g, size_t call, bool end)
{
	struct sighting s = of_tool(g, end ? SIGHT_COMMAND_END : SIGHT_COMMAND_BEGIN, SIGHT_SHELL, call, 160, end ? 340 : -1);

	s.call = str_of(NULL, 0);
	s.name = STR("bash");
	s.command = call ? STR("c2") : STR("c1");
	seen(&g->w, s);
}

static void play_otlp_tool(struct stage *g, size_t call)
{
	struct sighting s = of_tool(g, SIGHT_TOOL_END, SIGHT_OTLP, call, 95, 405);

	if (g->play->anonymous)
		s.call = str_of(NULL, 0);
	seen(&g->w, seen_span(s, call ? "00000000000000c2" : "00000000000000c1", "00000000000000aa"));
}

static void play_otlp_model(struct stage *g)
{
	struct sighting s = sighting_of(SIGHT_MODEL, SIGHT_OTLP);

	s.begun_ns = seen_at(0);
	s.ended_ns = seen_at(g->play->early ? 452 : 22);
	s.response_id = STR("chatcmpl-1");
	s.input = 100;
	s.output = 10;
	seen(&g->w, seen_span(s, "00000000000000bb", "00000000000000aa"));
}

static void play_proxy(struct stage *g, enum step step)
{
	char text[256], more[128] = "";
	const char *tool = g->play->tool;

	if (step == ASK) {
		g->first = graphing_ask(&g->w, "u hello");
	} else if (step == ANSWER) {
		if (g->play->calls > 1)
			snprintf(more, sizeof(more), "|+call_2 %s", tool);
		snprintf(text, sizeof(text), "+call_1 %s%s", tool, more);
		g->w.now = g->play->early ? 450 : 20;
		graphing_answered(&g->w, &g->first, text);
	} else if (step == RESULT) {
		if (g->play->calls > 1)
			snprintf(more, sizeof(more), "|c call_2 %s|r call_1 x|r call_2 y", tool);
		snprintf(text, sizeof(text), "u hello|c call_1 %s%s", tool, *more ? more : "|r call_1 x");
		g->w.now = 520;
		g->second = graphing_ask(&g->w, text);
	} else {
		graphing_answered(&g->w, &g->second, "done");
	}
}

static void play_step(struct stage *g, enum step step, size_t call)
{
	static const char *const names[STEPS] = {
		"ask", "answer", "hook_begin", "hook_end", "mcp_begin", "mcp_end", "shell_begin", "shell_end", "otlp_tool",
		"otlp_model", "result", "last",
	};
	size_t n = strlen(g->order);

	snprintf(g->order + n, sizeof(g->order) - n, "%s%s", names[step], is_shared(step) ? " " : call ? "2 " : "1 ");
	test_case("%s %s: %s", g->play->tool, g->play->known_by, g->order);
	if (step == HOOK_BEGIN || step == HOOK_END)
		play_hook(g, call, step == HOOK_END);
	else if (step == MCP_BEGIN || step == MCP_END)
		play_mcp(g, call, step == MCP_END);
	else if (step == SHELL_BEGIN || step == SHELL_END)
		play_shell(g, call, step == SHELL_END);
	else if (step == OTLP_TOOL)
		play_otlp_tool(g, call);
	else if (step == OTLP_MODEL)
		play_otlp_model(g);
	else
		play_proxy(g, step);
	for (size_t i = 0; i < CALLS; i++)
		if (i == call || is_shared(step))
			g->done[i] |= BIT(step);
}

/* Whether the step can come now: what is before it has, and, for the result, of both calls. */
static bool can_come(const struct stage *g, enum step step, size_t call)
{
	unsigned wanted = before[step] & g->play->steps;

	if (!(g->play->steps & BIT(step)) || (g->done[call] & BIT(step)) || (is_shared(step) && call > 0))
		return false;
	for (size_t i = 0; i < g->play->calls; i++)
		if ((i == call || is_shared(step)) && (g->done[i] & wanted) != wanted)
			return false;
	/* a command that no other layer tells of could be anybody's while nothing was asked for */
	return step != SHELL_BEGIN || (g->play->steps & HOOK) || (g->done[0] & BIT(ANSWER));
}

static void check_play(struct stage *g)
{
	const struct play *p = g->play;
	struct str layers, left;
	size_t tools = 0, models = 0;
	char want[128];

	graphing_finish(&g->w);
	layers = seen_layers(&g->w);
	snprintf(want, sizeof(want), " %s %.3g ", p->known_by, p->wall);
	for (left = layers; left.n;) {
		struct str line = str_cut(left, '\n', &left);

		tools += line.p[0] == 'T';
		models += line.p[0] == 'M';
		if (line.p[0] == 'T' && str_find(line, str_from(want)) == (size_t)-1)
			FAIL("'%.*s' and not '%s'\n%.*s", STR_ARG(line), want, STR_ARG(buf_str(&g->w.lines)));
		if (str_starts(line, STR("M1 ")))
			CHECK_STR(line, p->steps & BIT(OTLP_MODEL) ? STR("M1 proxy,otlp") : STR("M1 proxy"));
	}
	if (tools != p->calls || models != 2)
		FAIL("%zu tools, %zu models\n%.*s", tools, models, STR_ARG(graphing_dag(&g->w)));
	CHECK(str_find(g->w.summary, p->calls > 1 ? STR("\"tool_call\":2") : STR("\"tool_call\":1")) != (size_t)-1);
	CHECK(str_find(g->w.summary, STR("\"total_tokens\":{\"input\":200,\"output\":20}")) != (size_t)-1);
	if (p->calls == 1)
		CHECK(str_find(graphing_dag(&g->w), STR("M2 < T1\n")) != (size_t)-1 &&
		      str_find(graphing_dag(&g->w), STR("T1 < M1\n")) != (size_t)-1);
	graphing_close(&g->w);
}

/* Plays one order: at each step the `choices`-th of those that can come; the number of orders grows with it. */
static bool play_order(const struct play *p, unsigned char choices[static 64], unsigned char counts[static 64])
{
	struct stage *g = test_alloc(sizeof(*g));
	size_t at = 0;

	*g = (struct stage){ .play = p };
	seen_open(&g->w);
	for (;; at++) {
		struct { enum step step; size_t call; } able[STEPS * CALLS];
		unsigned char n = 0;

		for (enum step s = 0; s < STEPS; s++)
			for (size_t call = 0; call < p->calls; call++)
				if (can_come(g, s, call)) {
					able[n].step = s;
					able[n++].call = call;
				}
		if (n == 0)
			break;
		counts[at] = n;
		choices[at] = (unsigned char)(choices[at] % n);
		play_step(g, able[choices[at]].step, able[choices[at]].call);
	}
	counts[at] = 0;
	check_play(g);
	while (at > 0 && choices[at - 1] + 1 == counts[at - 1])
		at--;
	if (at == 0)
		return false;
	choices[at - 1]++;
	memset(choices + at, 0, 64 - at);
	return true;
}

/* All orders, or of many a sample that is the same each time. */
static void play_all(const struct play *plays, size_t count, size_t most)
{
	for (size_t i = 0; i < count; i++) {
		unsigned char choices[64] = { 0 }, counts[64];
		uint32_t random = 1;
		size_t n = 0;

		while (n++ < most && play_order(&plays[i], choices, counts))
			;
		for (; n >= most && n < 2 * most; n++) {
			for (size_t k = 0; k < 64; k++) {
				random = random * 1664525u + 1013904223u;
				choices[k] = (unsigned char)(random >> 24);
			}
			play_order(&plays[i], choices, counts);
		}
	}
}

TEST(one_call_is_one_node_in_every_order)
{
	static const struct play plays[] = {
		{ "Bash", PROXY | HOOK, 1, .known_by = "hook,proxy", .wall = 0.3 },
		{ "Bash", PROXY | HOOK, 1, .measured = true, .known_by = "hook,proxy", .wall = 0.294 },
		{ "Bash", PROXY | HOOK, 1, .measured = true, .twice = true, .known_by = "hook,proxy", .wall = 0.294 },
		{ "Bash", PROXY | HOOK, 1, .early = true, .known_by = "hook,proxy", .wall = 0.3 },
		{ "Bash", PROXY | OTLP, 1, .known_by = "otlp,proxy", .wall = 0.31 },
		{ "Bash", PROXY | OTLP, 1, .anonymous = true, .known_by = "otlp,proxy", .wall = 0.31 },
		{ "Bash", PROXY | OTLP, 1, .early = true, .known_by = "otlp,proxy", .wall = 0.31 },
		{ "Bash", PROXY | HOOK | OTLP, 1, .known_by = "hook,otlp,proxy", .wall = 0.3 },
		{ "Bash", PROXY | HOOK | OTLP, 1, .early = true, .known_by = "hook,otlp,proxy", .wall = 0.3 },
		{ "mcp__github__search", PROXY | MCP, 1, .known_by = "mcp,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | MCP, 1, .early = true, .known_by = "mcp,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP, 1, .known_by = "mcp,hook,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP, 1, .early = true, .known_by = "mcp,hook,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP | OTLP, 1, .known_by = "mcp,hook,otlp,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP | OTLP, 1, .early = true, .twice = true,
		  .known_by = "mcp,hook,otlp,proxy", .wall = 0.2 },
	};

	play_all(plays, COUNT(plays), 400);
}

TEST(a_call_that_runs_a_command_is_one_node_in_every_order)
{
	static const struct play plays[] = {
		{ "Bash", PROXY | SHELL, 1, .known_by = "shell,proxy", .wall = 0.18 },
		{ "Bash", PROXY | HOOK | SHELL, 1, .known_by = "shell,hook,proxy", .wall = 0.18 },
		{ "Bash", PROXY | HOOK | SHELL | OTLP, 1, .known_by = "shell,hook,otlp,proxy", .wall = 0.18 },
	};

	play_all(plays, COUNT(plays), 400);
}

TEST(two_calls_side_by_side_are_two_nodes_in_every_order)
{
	static const struct play plays[] = {
		{ "Read", PROXY | HOOK, 2, .known_by = "hook,proxy", .wall = 0.3 },
		{ "Read", PROXY | HOOK, 2, .measured = true, .twice = true, .known_by = "hook,proxy", .wall = 0.294 },
		{ "Read", PROXY | HOOK, 2, .early = true, .known_by = "hook,proxy", .wall = 0.3 },
		{ "Read", PROXY | OTLP, 2, .known_by = "otlp,proxy", .wall = 0.31 },
		{ "Read", PROXY | HOOK | OTLP, 2, .known_by = "hook,otlp,proxy", .wall = 0.3 },
		{ "Read", PROXY | HOOK | OTLP, 2, .early = true, .known_by = "hook,otlp,proxy", .wall = 0.3 },
		{ "mcp__github__search", PROXY | MCP, 2, .known_by = "mcp,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | MCP, 2, .early = true, .known_by = "mcp,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP, 2, .known_by = "mcp,hook,proxy", .wall = 0.2 },
		{ "mcp__github__search", PROXY | HOOK | MCP | OTLP, 2, .known_by = "mcp,hook,otlp,proxy", .wall = 0.2 },
	};

	play_all(plays, COUNT(plays), 200);
}
