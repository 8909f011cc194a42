/* Calls of tools of which the end was not seen, of which it is not sure that they were made, or of which there are too many. */
#include "unit/capture/run_graph_dag.h"

static const struct run_graph_options plain_options = { .framework = { NULL, 0 } };

static void check_dag(struct graphing *w, const char *want)
{
	graphing_finish(w);
	CHECK_STR(graphing_dag(w), str_from(want));
}

static uint64_t count_of(const struct graphing *w, enum at_kind kind)
{
	return run_graph_tally(w->run_graph)->counts[kind];
}

TEST(calls_and_exchanges_that_are_open_at_the_end_are_written_as_partial)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct asked q;
	struct val v;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one|+call_2 two");
	q = graphing_ask(&w, "u something else");
	graphing_finish(&w);
	CHECK_STR(graphing_dag(&w), STR("U1 <\n"
				       "M1 < U1\n"
				       "B1 < M1 fan_out: T1 T2\n"
				       "U2 <\n"
				       "M2 < U2\n"
				       "T1 < B1\n"
				       "T2 < B1\n"));
	v = val_get(graphing_node(&w, p, "tool_call", 1), STR("tool_call"));
	CHECK(val_is(val_get(v, STR("partial")), JSON_TRUE));
	CHECK(val_text_is(val_get(v, STR("wall_time_source")), STR("unknown")));
	v = val_get(graphing_node(&w, p, "model_call", 1), STR("model_call"));
	CHECK(val_is(val_get(v, STR("partial")), JSON_TRUE));
	CHECK(val_text_is(val_get(v, STR("model")), STR("gpt-4o")));
	observer_close(q.observer);
	json_parser_close(p);
	graphing_close(&w);
}

TEST(calls_of_an_answer_that_was_cut_are_not_waited_for)
{
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask(&w, "u go");
	q.feed.answer = graphing_answer(&w.arena, 1, "+call_1 one");
	q.feed.how = PROXY_CUT;
	graphing_end(&w, &q);
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n");
	graphing_close(&w);
}

TEST(more_calls_than_can_wait_are_given_up_oldest_first)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	for (int i = 0; i < 4100; i++)
		graphing_talk(&w, arena_printf(&w.arena, "u go %d", i).p, arena_printf(&w.arena, "+call_%d one", i).p);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_TOOL_CALL], 4);
	graphing_finish(&w);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_TOOL_CALL], 4100);
	graphing_close(&w);
}

/* ---- the client leaves as soon as it has the calls ---- */

/* A stream of the Chat Completions API: calls "ID NAME" separated by '|'. */
static struct str stream_of(struct arena *a, const char *calls, bool whole)
{
	struct str left = str_from(calls), text;
	struct buf out;

	buf_init(&out);
	for (int n = 0; left.n; n++) {
		struct str call = str_cut(left, '|', &left), name, id = str_cut(call, ' ', &name);

		buf_printf(&out, "data: {\"id\":\"chatcmpl-9\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{"
				 "\"tool_calls\":[{\"index\":%d,\"id\":\"%.*s\",\"function\":{\"name\":\"%.*s\",\"arguments\":\"{}\"}}]}}]}\n\n",
			   n, STR_ARG(id), STR_ARG(name));
	}
	if (whole)
		buf_add_str(&out, STR("data: {\"id\":\"chatcmpl-9\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},"
				      "\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"));
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

static void left(struct graphing *w, const char *messages, struct str answer)
{
	struct asked q = graphing_ask(w, messages);

	q.feed.answer = answer;
	q.feed.how = PROXY_CLIENT_LEFT;
	graphing_end(w, &q);
}

TEST(a_call_whose_answer_the_client_did_not_wait_for_is_a_tool_when_its_result_comes)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct val tool;

	graphing_open(&w, plain_options);
	left(&w, "u go", stream_of(&w.arena, "call_1 shell", false));
	graphing_talk(&w, "u go|c call_1 shell|r call_1 x", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n");
	CHECK(val_is(val_at(graphing_node(&w, p, "model_call", 0), STR("/model_call/partial")), JSON_TRUE));
	tool = val_get(graphing_node(&w, p, "tool_call", 0), STR("tool_call"));
	CHECK(val_text_is(val_get(tool, STR("name")), STR("shell")) && !val_is(val_get(tool, STR("partial")), JSON_TRUE));
	json_parser_close(p);
	graphing_close(&w);
}

TEST(calls_that_the_client_dropped_are_no_tools_and_the_others_have_no_branch)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	left(&w, "u go", stream_of(&w.arena, "call_1 one|call_2 two|call_3 three", false));
	graphing_talk(&w, "u go|c call_1 one|r call_1 x|r call_3 y", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "T2 < M1\n"
		      "M2 < T1 T2\n");
	graphing_close(&w);
}

TEST(an_answer_that_was_whole_when_the_client_left_has_asked_for_its_calls)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	left(&w, "u go", stream_of(&w.arena, "call_1 one|call_2 two", true));
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "B1 < M1 fan_out: T1 T2\n"
		      "T1 < B1\n"
		      "T2 < B1\n");
	graphing_close(&w);
}

TEST(calls_that_a_service_broke_off_are_not_waited_for_though_the_client_has_seen_them)
{
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask(&w, "u go");
	q.feed.answer = stream_of(&w.arena, "call_1 one", false);
	q.feed.how = PROXY_CUT;
	graphing_end(&w, &q);
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "M2 < M1\n");
	graphing_close(&w);
}

TEST(calls_before_an_error_are_not_waited_for_when_the_client_leaves)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	left(&w, "u go", arena_printf(&w.arena, "%.*sdata: {\"error\":{\"message\":\"no\",\"type\":\"x\"}}\n\n",
				      STR_ARG(stream_of(&w.arena, "call_1 one", false))));
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "M2 < M1\n");
	CHECK_INT(run_graph_tally(w.run_graph)->failed, 1);
	graphing_close(&w);
}

TEST(calls_that_were_perhaps_never_made_are_given_up_without_a_trace)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	left(&w, "u go", stream_of(&w.arena, "call_a one|call_b two", false));
	for (int i = 0; i < 4096; i++)
		graphing_talk(&w, arena_printf(&w.arena, "u go %d", i).p, arena_printf(&w.arena, "+call_%d one", i).p);
	CHECK_INT(count_of(&w, AT_TOOL_CALL), 0);
	graphing_finish(&w);
	CHECK_INT(count_of(&w, AT_TOOL_CALL), 4096);
	graphing_close(&w);
}

TEST(a_call_that_was_perhaps_never_made_is_not_guessed_by_its_name)
{
	static const char call[] = "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{"
				   "\"name\":\"a\",\"args\":{}}}]}}]}\n\n";
	struct feed f = { .path = "/v1beta/models/g:streamGenerateContent", .provider = "gemini" };
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	f.body = STR("{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}]}");
	q = graphing_ask_feed(&w, f);
	q.feed.answer = str_from(call);
	q.feed.how = PROXY_CLIENT_LEFT;
	graphing_end(&w, &q);
	/* another conversation, of which the beginning was not seen */
	f.body = STR("{\"contents\":[{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"a\",\"args\":{}}}]},{\"role\":\"user\","
		     "\"parts\":[{\"functionResponse\":{\"name\":\"a\",\"response\":{\"x\":1}}}]}]}");
	q = graphing_ask_feed(&w, f);
	q.feed.answer = STR("data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}]}\n\n");
	graphing_end(&w, &q);
	/* the one that was asked for */
	f.body = STR("{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{"
		     "\"name\":\"a\",\"args\":{}}}]},{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"a\",\"response\":{"
		     "\"x\":1}}}]}]}");
	q = graphing_ask_feed(&w, f);
	q.feed.answer = STR("data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}]}\n\n");
	graphing_end(&w, &q);
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "M2 <\n"
		      "T1 < M1\n"
		      "M3 < T1\n");
	graphing_close(&w);
}

TEST(a_sub_agent_does_not_begin_in_a_call_that_was_perhaps_never_made)
{
	struct feed f = {
		.path = "/v1/messages",
		.provider = "anthropic",
		.headers = { { STR("x-claude-code-session-id"), STR("session-1") } },
		.body = STR("{\"model\":\"claude-x\",\"max_tokens\":9,\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]}"),
	};
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask_feed(&w, f);
	q.feed.answer = STR("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":"
			    "\"assistant\",\"model\":\"claude-x\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
			    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
			    "\"tool_use\",\"id\":\"t1\",\"name\":\"Task\",\"input\":{}}}\n\n");
	q.feed.how = PROXY_CLIENT_LEFT;
	graphing_end(&w, &q);
	f.headers[1] = (struct http_header){ STR("x-claude-code-agent-id"), STR("a1") };
	f.body = STR("{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"part\"}]}");
	q = graphing_ask_feed(&w, f);
	q.feed.answer = STR("{\"id\":\"msg_2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[{\"type\":\"text\","
			    "\"text\":\"x\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":5,\"output_tokens\":5}}");
	graphing_end(&w, &q);
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "M2 < M1\n");
	graphing_close(&w);
}

/* ---- one id for two calls ---- */

TEST(calls_of_one_answer_with_the_same_id_get_their_results_in_order)
{
	static const char *const names[] = { "one", "two" };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	int64_t size;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+same one|+same two");
	graphing_talk(&w, "u go|c same one|r same x|r same longer", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "B1 < M1 fan_out: T1 T2\n"
		      "T1 < B1\n"
		      "T2 < B1\n"
		      "M2 < T1 T2\n");
	for (size_t i = 0; i < 2; i++) {
		struct val tool = val_get(graphing_node(&w, p, "tool_call", i), STR("tool_call"));

		CHECK(val_text_is(val_get(tool, STR("name")), str_from(names[i])));
		CHECK(val_i64(val_get(tool, STR("result_size_bytes")), &size) && size == (i ? 6 : 1));
	}
	json_parser_close(p);
	graphing_close(&w);
}

/* ---- many ---- */

static const char *many(struct arena *a, const char *begin, const char *before, const char *behind, int count)
{
	const char *text;
	struct buf out;

	buf_init(&out);
	buf_add_str(&out, str_from(begin));
	for (int i = 0; i < count; i++) {
		if (out.n)
			buf_add_byte(&out, '|');
		buf_printf(&out, "%s%d%s", before, i, behind);
	}
	buf_add_byte(&out, '\0');
	text = arena_copy(a, buf_str(&out)).p;
	buf_free(&out);
	return text;
}

static size_t count_ids(struct val list)
{
	struct val_iter it = val_begin(list);
	struct val v;
	size_t n = 0;

	while (val_next(&it, &v))
		n++;
	return n;
}

TEST(as_many_calls_as_may_wait_can_come_in_one_answer)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", many(&w.arena, "", "+call_", " one", 4096));
	graphing_talk(&w, many(&w.arena, "u go|c call_0 one", "r call_", " x", 4096), "done");
	graphing_finish(&w);
	CHECK_INT(count_of(&w, AT_TOOL_CALL), 4096);
	CHECK_INT(count_of(&w, AT_SYSTEM), 0);
	CHECK_INT(count_ids(val_at(graphing_node(&w, p, "branch", 0), STR("/branch/siblings"))), 4096);
	CHECK_INT(count_ids(val_get(graphing_node(&w, p, "model_call", 1), STR("parent_node_ids"))), 4096);
	json_parser_close(p);
	graphing_close(&w);
}

TEST(calls_beyond_those_are_a_gap)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", many(&w.arena, "", "+call_", " one", 4100));
	CHECK_INT(count_of(&w, AT_SYSTEM), 1);
	graphing_talk(&w, "u on", "x");
	graphing_finish(&w);
	CHECK_INT(count_of(&w, AT_TOOL_CALL), 4096);
	CHECK_INT(count_of(&w, AT_SYSTEM), 1);
	graphing_close(&w);
}

TEST(an_answer_that_failed_has_no_calls_that_could_be_missing)
{
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask(&w, "u go");
	q.feed.answer = graphing_answer(&w.arena, 1, many(&w.arena, "", "+call_", " one", 4100));
	q.feed.how = PROXY_CUT;
	graphing_end(&w, &q);
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n");
	graphing_close(&w);
}
