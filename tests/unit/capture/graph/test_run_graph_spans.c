/* Telemetry of programs that tell of themselves, joined with what passes the proxy, or alone. */
#include "unit/capture/run_graph_seen.h"

static struct sighting model(int64_t begun, int64_t ended, const char *span, const char *parent)
{
	struct sighting s = seen_tool(SIGHT_MODEL, SIGHT_OTLP, NULL, NULL, begun, ended);

	s.model = STR("gpt-4o");
	return seen_span(s, span, parent);
}

static struct sighting tool(const char *call, const char *name, int64_t begun, int64_t ended, const char *span,
			    const char *parent)
{
	return seen_span(seen_tool(SIGHT_TOOL_END, SIGHT_OTLP, call, name, begun, ended), span, parent);
}

static struct sighting around(enum sight_kind kind, int64_t begun, int64_t ended, const char *span, const char *parent)
{
	return seen_span(seen_tool(kind, SIGHT_OTLP, NULL, NULL, begun, ended), span, parent);
}

#define A "aaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbb"
#define C "cccccccccccccccc"
#define D "dddddddddddddddd"
#define E "eeeeeeeeeeeeeeee"
#define F "ffffffffffffffff"

/* ---- with the proxy ---- */

TEST(a_span_with_the_id_of_the_answer_is_that_call)
{
	struct sighting s = model(0, 15, A, NULL);
	struct graphing w;

	s.response_id = STR("chatcmpl-1");
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

TEST(a_request_made_inside_a_span_is_that_spans_call_and_so_are_spans_around_it)
{
	struct http_header traceparent = { STR("traceparent"),
					   STR("00-0af7651916cd43dd8448eb211c80319c-" C "-01") };
	struct graphing w;
	struct asked q;

	seen_open(&w);
	q = graphing_ask_feed(&w, (struct feed){ .path = "/v1/chat/completions",
						 .body = graphing_body(&w.arena, "u hello", NULL),
						 .headers = { traceparent } });
	graphing_answered(&w, &q, "hi");
	seen(&w, around(SIGHT_SPAN, 0, 12, C, B)); /* the client's HTTP */
	seen(&w, model(0, 13, B, A));
	seen(&w, model(0, 14, A, NULL));
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

TEST(a_span_that_asks_for_the_same_calls_is_that_call)
{
	static const struct str calls[] = { { "call_1", 6 } };
	struct sighting s = model(0, 15, A, NULL);
	struct graphing w;

	s.calls = calls;
	s.call_count = 1;
	seen_open(&w);
	graphing_talk(&w, "u hello", "+call_1 look");
	seen(&w, s);
	w.now = 30;
	graphing_talk(&w, "u hello|c call_1 look|r call_1 x", "done");
	seen_check(&w, "U1 <\nM1 < U1\nT1 < M1\nM2 < T1\n",
		   "U1 proxy\nM1 proxy,otlp\nT1 proxy ~0.019 -\nM2 proxy\n");
}

TEST(a_span_that_holds_an_exchange_in_time_and_has_its_tokens_is_that_call)
{
	struct sighting s = model(0, 15, A, NULL);
	struct graphing w;

	s.input = 100;
	s.output = 10;
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

/* Each exchange is near enough to each span, and none has tokens. */
TEST(of_exchanges_without_tokens_the_nearest_of_the_model_is_that_call)
{
	static const char *const spans[] = { A, B, C };
	struct graphing w;

	seen_open(&w);
	graphing_talk(&w, "u one", "!400");
	graphing_talk(&w, "u two", "!400");
	graphing_talk(&w, "u three", "!400");
	for (int i = 0; i < 3; i++)
		seen(&w, model(20 * i, 20 * i + 12, spans[i], NULL));
	w.now = 100;
	seen_check(&w, "U1 <\nM1 < U1\nU2 <\nM2 < U2\nU3 <\nM3 < U3\n",
		   "U1 proxy\nM1 proxy,otlp\nU2 proxy\nM2 proxy,otlp\nU3 proxy\nM3 proxy,otlp\n");
}

TEST(input_alone_is_enough_where_a_span_has_no_output)
{
	struct sighting s = model(0, 15, A, NULL);
	struct graphing w;

	s.input = 100;
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

/* An SDK tells of its calls, and so does what was put around it: in another trace, without the id. */
TEST(a_span_without_an_id_is_the_call_that_one_with_an_id_told_of)
{
	struct sighting s = model(0, 12, A, NULL), bare = model(1, 13, B, NULL);
	struct graphing w;

	s.response_id = STR("chatcmpl-1");
	s.input = bare.input = 100;
	s.output = bare.output = 10;
	bare.trace = STR("1bf7651916cd43dd8448eb211c80319d");
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen(&w, bare);
	bare.span = STR(C);
	seen(&w, bare); /* but once */
	seen_check(&w, "U1 <\nM1 < U1\nM2 < U1\n", "U1 proxy\nM1 proxy,otlp\nM2 otlp\n");
}

/* The answer began before the first piece of it, of which the span tells. */
TEST(a_stream_may_be_told_of_from_its_first_piece_on)
{
	struct sighting s = model(300, 412, A, NULL);
	struct graphing w;
	struct asked q;

	s.input = 100;
	s.output = 10;
	s.stream = true;
	seen_open(&w);
	q = graphing_ask(&w, "u hello");
	w.now = 410;
	graphing_answered(&w, &q, "hi");
	seen(&w, s);
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

/* One with an id, then one without, of another model: tokens alone are not enough. */
TEST(streams_one_after_the_other_are_two_calls)
{
	struct sighting one = model(0, 50, A, NULL), two = model(55, 110, B, NULL);
	struct graphing w;

	one.response_id = STR("resp_1");
	one.input = two.input = 50;
	one.output = two.output = 21;
	one.stream = two.stream = true;
	two.model = STR("gpt-4o-mini");
	seen_open(&w);
	seen(&w, one);
	seen(&w, two);
	w.now = 400;
	seen_check(&w, "M1 <\nM2 < M1\n", "M1 otlp\nM2 otlp\n");
}

/* Claude Code tells of a call in a span and in a log record; Codex's records may not say when a call began. */
TEST(a_record_of_a_call_that_a_span_told_of_is_that_call)
{
	struct sighting s = model(0, 15, A, NULL), log = model(1, 15, NULL, NULL);
	struct graphing w;

	s.input = log.input = 100;
	s.output = log.output = 10;
	s.response_id = log.response_id = STR("req_1");
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen(&w, log);
	seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
}

TEST(a_record_without_a_begin_is_the_call_with_its_tokens)
{
	struct sighting s = model(-1, 15, NULL, NULL), other = model(-1, 15, NULL, NULL);
	struct graphing w;

	s.begun_ns = other.begun_ns = -1;
	s.input = 100;
	s.output = 10;
	other.input = 7;
	other.output = 3;
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	seen(&w, other);
	seen_check(&w, "U1 <\nM1 < U1\nM2 < M1\n", "U1 proxy\nM1 proxy,otlp\nM2 otlp\n");
}

/* A client that has read the last piece of a stream does not wait for its end. */
TEST(a_span_may_come_while_the_stream_that_it_tells_of_is_open)
{
	static const struct { const char *traceparent, *id, *model; } cases[] = {
		{ "00-0af7651916cd43dd8448eb211c80319c-" A "-01", NULL, "gpt-4o-mini" },
		{ NULL, "chatcmpl-1", "gpt-4o" },
		{ NULL, NULL, "gpt-4o-2024-08-06" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sighting s = model(0, 15, A, NULL);
		struct graphing w;
		struct asked q;

		test_case("%s", cases[i].model);
		s.response_id = cases[i].id ? str_from(cases[i].id) : s.response_id;
		s.model = str_from(cases[i].model);
		seen_open(&w);
		q = graphing_ask_feed(&w, (struct feed){
			.path = "/v1/chat/completions", .body = graphing_body(&w.arena, "u hello", ",\"stream\":true"),
			.headers = { { STR("traceparent"), str_from(cases[i].traceparent ? cases[i].traceparent : "no") } },
		});
		seen(&w, s);
		seen(&w, s);
		graphing_answered(&w, &q, "hi");
		seen(&w, s);
		seen_check(&w, "U1 <\nM1 < U1\n", "U1 proxy\nM1 proxy,otlp\n");
	}
}

TEST(of_open_streams_each_is_told_of_once)
{
	struct graphing w;
	struct asked q[2];

	seen_open(&w);
	for (int i = 0; i < 2; i++)
		q[i] = graphing_ask_feed(&w, (struct feed){
			.path = "/v1/chat/completions",
			.body = graphing_body(&w.arena, i ? "u two" : "u one", ",\"stream\":true") });
	seen(&w, model(10, 19, B, NULL));
	seen(&w, model(0, 19, A, NULL));
	seen(&w, model(0, 19, C, NULL)); /* its own did not pass the proxy */
	for (int i = 0; i < 2; i++)
		graphing_answered(&w, &q[i], "hi");
	graphing_finish(&w);
	CHECK_STR(seen_layers(&w), STR("U1 proxy\nU2 proxy\nM1 otlp\nM2 proxy,otlp\nM3 proxy,otlp\n"));
	graphing_close(&w);
}

TEST(a_span_that_ended_before_an_open_stream_began_is_another_call)
{
	struct graphing w;
	struct asked q;

	seen_open(&w);
	w.now = 200;
	q = graphing_ask_feed(&w, (struct feed){ .path = "/v1/chat/completions",
						 .body = graphing_body(&w.arena, "u hello", ",\"stream\":true") });
	seen(&w, model(100, 150, A, NULL));
	graphing_answered(&w, &q, "hi");
	graphing_finish(&w);
	CHECK_STR(seen_layers(&w), STR("M1 otlp\nU1 proxy\nM2 proxy\n"));
	graphing_close(&w);
}

TEST(a_call_that_did_not_pass_the_proxy_is_a_node_of_its_own)
{
	struct sighting s = model(100, 250, A, NULL);
	struct graphing w;

	s.input = 7;
	s.output = 3;
	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	seen(&w, s);
	w.now = 300;
	seen_check(&w, "U1 <\nM1 < U1\nM2 <\n", "U1 proxy\nM1 proxy\nM2 otlp\n");
}

/* ---- alone ---- */

static void never_amend(void *context, const struct amendments *a)
{
	(void)context;
	CHECK_INT(a->count, 0);
}

TEST(calls_in_order_that_are_older_than_the_run_are_in_order)
{
	static const char *const spans[] = { A, B, C };
	struct graphing w;

	graphing_open(&w, (struct run_graph_options){ .amend = never_amend });
	for (size_t i = 0; i < COUNT(spans); i++) {
		struct sighting s = model(0, 0, spans[i], NULL);

		s.begun_ns = seen_at(-90000 + 10000 * (int64_t)i);
		s.ended_ns = s.begun_ns + 1000000;
		seen(&w, s);
	}
	seen_check(&w, "M1 <\nM2 < M1\nM3 < M2\n", "M1 otlp\nM2 otlp\nM3 otlp\n");
}

/* As Claude Code tells: the wait with the tool's id, behind it, and the tool by a span, a record, or both. */
TEST(a_wait_that_is_told_when_it_is_over_is_a_persons_and_no_time_of_the_tool)
{
	static const struct { bool span, record; } cases[] = { { true, false }, { false, true }, { true, true } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sighting wait = tool("call_1", "Bash", 110, 3110, C, A), ran = tool("call_1", "Bash", 110, 3610, C, A);
		struct graphing w;

		test_case("%zu", i);
		wait.kind = SIGHT_WAIT_END;
		ran.wall_ns = 500000000;
		seen_open(&w);
		seen(&w, model(0, 100, B, A));
		for (int again = 0; again < 2; again++) {
			seen(&w, wait);
			if (cases[i].span)
				seen(&w, ran);
			if (cases[i].record)
				seen(&w, tool("call_1", "Bash", 3110, 3610, NULL, C));
		}
		w.now = 4000;
		seen_check(&w, "M1 <\nU1 < M1\nT1 < M1 U1\n", "M1 otlp\nU1 otlp\nT1 otlp 0.5 -\n");
	}
}

/* The answer came, the tool ran, its result went on: and then the telemetry of all that arrives. */
TEST(a_wait_for_a_call_that_was_written_is_what_the_call_follows_from)
{
	struct sighting wait = tool("call_1", "look", 20, 900, C, A), ran = tool("call_1", "look", 20, 1000, C, A);
	struct graphing w;

	wait.kind = SIGHT_WAIT_END;
	seen_open(&w);
	graphing_talk(&w, "u hello", "+call_1 look");
	w.now = 1000;
	graphing_talk(&w, "u hello|c call_1 look|r call_1 x", "done");
	for (int again = 0; again < 2; again++) {
		seen(&w, wait);
		seen(&w, ran); /* nobody says how long it ran, but for the wait */
	}
	w.now = 1100;
	graphing_finish(&w);
	CHECK_STR(seen_layers(&w), STR("U1 proxy\nM1 proxy\nU2 otlp\nT1 otlp,proxy 0.1 -\nM2 proxy\n"));
	CHECK(str_has(graphing_dag(&w), STR("T1 < M1 U2\n")));
	graphing_close(&w);
}

TEST(spans_of_an_agent_become_a_chain_of_calls)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 100, B, A));
	seen(&w, tool(NULL, "look", 110, 150, C, A));
	seen(&w, tool(NULL, "find", 110, 160, D, A));
	seen(&w, model(170, 300, E, A));
	seen(&w, around(SIGHT_AGENT_END, 0, 310, A, NULL));
	w.now = 400;
	seen_check(&w, "M1 <\nT1 < M1\nT2 < M1\nM2 < T1 T2\n",
		   "M1 otlp\nT1 otlp 0.04 -\nT2 otlp 0.05 -\nM2 otlp\n");
}

/* The request names calls by ids that the spans of the tools do not have. */
TEST(results_whose_tools_have_no_ids_are_of_those_inside_the_same_span)
{
	static const struct str results[] = { { "call_1", 6 }, { "call_2", 6 } };
	struct sighting second = model(170, 300, E, A);
	struct graphing w;

	second.results = results;
	second.result_count = 2;
	seen_open(&w);
	seen(&w, model(0, 100, B, A));
	seen(&w, tool(NULL, "look", 110, 150, C, A));
	seen(&w, tool(NULL, "find", 110, 171, D, A)); /* some clocks know only milliseconds */
	seen(&w, second);
	w.now = 400;
	seen_check(&w, "M1 <\nT1 < M1\nT2 < M1\nM2 < T1 T2\n",
		   "M1 otlp\nT1 otlp 0.04 -\nT2 otlp 0.061 -\nM2 otlp\n");
}

/* A turn of the agent has a span of its own, of which those inside it do not know where it stands. */
TEST(results_whose_tools_have_no_ids_are_of_those_that_the_call_asked_for)
{
	static const struct str call[] = { { "call_1", 6 } };
	struct sighting first = model(0, 100, B, A), second = model(170, 300, E, D);
	struct graphing w;

	first.calls = second.results = call;
	first.call_count = second.result_count = 1;
	seen_open(&w);
	seen(&w, first);
	seen(&w, tool(NULL, "look", 110, 150, C, A));
	seen(&w, around(SIGHT_SPAN, 0, 160, A, F));
	seen(&w, second);
	w.now = 400;
	seen_check(&w, "M1 <\nT1 < M1\nM2 < T1\n", "M1 otlp\nT1 otlp 0.04 -\nM2 otlp\n");
}

/* An SDK's own span is told first, and knows nothing of messages. */
TEST(a_span_around_a_model_call_tells_what_that_follows_from)
{
	static const struct str call[] = { { "call_1", 6 } };
	struct sighting asks = model(0, 100, B, A), has = model(170, 300, E, A);
	struct graphing w;

	asks.calls = has.results = call;
	asks.call_count = has.result_count = 1;
	seen_open(&w);
	seen(&w, model(10, 90, C, B));
	seen(&w, asks);
	seen(&w, tool("call_1", "look", 110, 150, D, A));
	seen(&w, model(180, 290, F, E));
	seen(&w, has);
	w.now = 400;
	seen_check(&w, "M1 <\nT1 < M1\nM2 < T1\n", "M1 otlp\nT1 otlp 0.04 -\nM2 otlp\n");
}

TEST(a_span_around_a_model_call_tells_of_the_same_call)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(10, 90, C, B));
	seen(&w, around(SIGHT_SPAN, 5, 95, B, A));
	seen(&w, model(0, 100, A, NULL));
	w.now = 400;
	seen_check(&w, "M1 <\n", "M1 otlp\n");
}

TEST(and_so_does_one_inside_that_comes_later)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 100, A, NULL));
	seen(&w, model(10, 90, B, A));
	w.now = 400;
	seen_check(&w, "M1 <\n", "M1 otlp\n");
}

TEST(a_call_that_is_told_after_the_agent_around_it_is_no_other_call)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 100, B, A));
	seen(&w, around(SIGHT_AGENT_END, 0, 150, A, NULL));
	seen(&w, model(120, 300, C, A)); /* a stream that was read to its end when the agent was done */
	w.now = 400;
	seen_check(&w, "M1 <\nM2 < M1\n", "M1 otlp\nM2 otlp\n");
}

TEST(what_an_agent_inside_a_tool_asks_follows_from_the_tool)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 100, B, A));
	seen(&w, model(120, 180, E, D));
	seen(&w, around(SIGHT_AGENT_END, 115, 190, D, C));
	seen(&w, tool("call_1", "ask_expert", 110, 200, C, A));
	seen(&w, model(210, 300, F, A));
	w.now = 400;
	seen_check(&w, "M1 <\nM2 < T1\nT1 < M1\nM3 < T1\n", "M1 otlp\nM2 otlp\nT1 otlp 0.09 -\nM3 otlp\n");
}

TEST(the_span_of_an_mcp_client_inside_that_of_its_tool_is_the_same_call)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 100, B, A));
	seen(&w, tool(NULL, "search", 120, 180, D, C));
	seen(&w, tool("call_1", "search", 110, 200, C, A));
	w.now = 400;
	seen_check(&w, "M1 <\nT1 < M1\n", "M1 otlp\nT1 otlp 0.06 -\n");
}

TEST(a_busy_client_that_tells_late_tells_of_the_nearest_call_with_its_tokens)
{
	struct graphing w;
	struct sighting s;

	seen_open(&w);
	graphing_talk(&w, "u hello", "hi");
	w.now = 300;
	graphing_talk(&w, "u hello|a hi|u again", "yes");
	s = model(360, 372, A, NULL); /* 60 ms late */
	s.input = 100;
	s.output = 10;
	seen(&w, s);
	s = model(70, 81, B, NULL);
	s.input = 100;
	s.output = 10;
	seen(&w, s);
	seen_check(&w, "U1 <\nM1 < U1\nU2 < M1\nM2 < M1 U2\n", "U1 proxy\nM1 proxy,otlp\nU2 proxy\nM2 proxy,otlp\n");
}

/* With usage as the service has it, or none. The call takes 11 ms. */
static void talk_with(struct graphing *w, const char *messages, const char *usage)
{
	struct asked q = graphing_ask(w, messages);

	q.feed.status = 200;
	q.feed.answer = arena_printf(&w->arena, "{\"id\":\"chatcmpl-1\",\"model\":\"gpt-4o\",\"choices\":[{\"index\":0,"
				     "\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]%s}",
				     usage);
	graphing_end(w, &q);
}

/* An estimate is not what the service told; some clients leave out what was cached or thought, or count themselves. */
TEST(tokens_that_a_client_counts_in_its_own_way_make_no_second_call)
{
	static const char parts[] = ",\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":10,\"prompt_tokens_details\":"
				    "{\"cached_tokens\":40},\"completion_tokens_details\":{\"reasoning_tokens\":4}}";
	static const struct { const char *usage; int64_t input, output, ended; bool same; } cases[] = {
		{ "", 17, 2, 200, true },      { parts, 60, 10, 200, true }, { parts, 100, 6, 200, true },
		{ parts, 60, 6, 200, true },   { parts, 99, 9, 15, true },   { parts, 99, 9, 200, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sighting s = model(0, cases[i].ended, A, NULL);
		struct graphing w;

		test_case("%zu", i);
		s.input = cases[i].input;
		s.output = cases[i].output;
		seen_open(&w);
		talk_with(&w, "u hello", cases[i].usage);
		seen(&w, s);
		w.now = 300;
		graphing_finish(&w);
		CHECK_STR(seen_layers(&w), cases[i].same ? STR("U1 proxy\nM1 proxy,otlp\n")
							 : STR("U1 proxy\nM1 proxy\nM2 otlp\n"));
		graphing_close(&w);
	}
}

TEST(of_two_calls_that_telemetry_alone_knows_each_is_one)
{
	struct sighting first = model(0, 10, A, NULL), second = model(0, 10, B, NULL);
	struct graphing w;

	first.input = 5;
	second.input = 6;
	seen_open(&w);
	seen(&w, first);
	seen(&w, second);
	seen_check(&w, "M1 <\nM2 <\n", "M1 otlp\nM2 otlp\n");
}

/* Nothing follows from what ran beside it, or began later, in whatever order spans come. */
TEST(calls_side_by_side_follow_from_what_came_before_both)
{
	static const struct { int64_t begun, ended; } calls[] = { { 0, 10 }, { 20, 60 }, { 30, 40 }, { 70, 80 } };
	static const struct { int order[4]; const char *dag; } cases[] = {
		{ { 0, 1, 2, 3 }, "M1 <\nM2 < M1\nM3 < M1\nM4 < M3\n" },
		{ { 0, 2, 1, 3 }, "M1 <\nM2 < M1\nM3 < M1\nM4 < M3\n" },
		{ { 3, 0, 1, 2 }, "M1 <\nM2 <\nM3 <\nM4 <\n" },
		{ { 3, 2, 1, 0 }, "M1 <\nM2 <\nM3 <\nM4 <\n" },
	};
	static const char *const spans[] = { B, C, D, E };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct graphing w;

		test_case("%zu", i);
		seen_open(&w);
		for (size_t k = 0; k < 4; k++) {
			int n = cases[i].order[k];

			seen(&w, model(calls[n].begun, calls[n].ended, spans[n], A));
		}
		w.now = 100;
		seen_check(&w, cases[i].dag, "M1 otlp\nM2 otlp\nM3 otlp\nM4 otlp\n");
	}
}

TEST(a_tool_without_an_id_follows_from_no_call_that_began_after_it)
{
	struct graphing w;

	seen_open(&w);
	seen(&w, model(0, 10, B, A));
	seen(&w, model(50, 60, C, A));
	seen(&w, tool(NULL, "look", 20, 30, D, A));
	seen(&w, tool(NULL, "find", 55, 70, E, A)); /* while the answer that asks for it still comes */
	w.now = 100;
	seen_check(&w, "M1 <\nT1 < M1\nM2 < M1\nT2 < M2\n", "M1 otlp\nT1 otlp 0.01 -\nM2 otlp\nT2 otlp 0.015 -\n");
}

/* Clocks of some clients know milliseconds only: calls side by side begin at the same moment, and are several. */
TEST(tools_of_one_name_that_begin_at_once_are_several)
{
	for (int ids = 0; ids < 2; ids++) {
		struct graphing w;

		test_case("%d", ids);
		seen_open(&w);
		seen(&w, seen_span(seen_tool(SIGHT_TOOL_END, SIGHT_OTLP, ids ? "call_1" : NULL, "Read", 100, 150),
				   "b7ad6b7169203331", NULL));
		seen(&w, seen_span(seen_tool(SIGHT_TOOL_END, SIGHT_OTLP, ids ? "call_2" : NULL, "Read", 100, 160),
				   "b7ad6b7169203332", NULL));
		seen(&w, seen_span(seen_tool(SIGHT_TOOL_END, SIGHT_OTLP, ids ? "call_2" : NULL, "Read", 100, 160),
				   "b7ad6b7169203332", NULL)); /* sent again */
		seen_check(&w, "T1 <\nT2 <\n", "T1 otlp 0.05 -\nT2 otlp 0.06 -\n");
	}
}
