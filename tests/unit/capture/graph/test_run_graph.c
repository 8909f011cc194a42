#include "unit/capture/observer_bodies.h"
#include "unit/capture/run_graph_dag.h"

static const struct run_graph_options plain_options = { .framework = { NULL, 0 } };

static void check_dag(struct graphing *w, const char *want)
{
	graphing_finish(w);
	CHECK_STR(graphing_dag(w), str_from(want));
}

/* ---- one conversation ---- */

TEST(a_call_follows_from_the_call_before_and_from_what_the_user_said)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "s be kind|u hello", "hi");
	graphing_talk(&w, "s be kind|u hello|a hi|u again", "yes");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "M2 < M1 U2\n");
	graphing_close(&w);
}

TEST(a_tool_stands_between_the_call_that_asked_and_the_one_that_has_the_result)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct val tool;
	double wall;
	int64_t size;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u hello", "+call_1 read_file");
	w.now += 500;
	graphing_talk(&w, "u hello|c call_1 read_file|r call_1 text", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n");
	tool = val_get(graphing_node(&w, p, "tool_call", 0), STR("tool_call"));
	CHECK(val_text_is(val_get(tool, STR("name")), STR("read_file")));
	CHECK(val_double(val_get(tool, STR("wall_time_seconds")), &wall) && wall > 0.5 && wall < 0.52);
	CHECK(val_is(val_get(tool, STR("stall_seconds")), JSON_NULL));
	CHECK(val_i64(val_get(tool, STR("result_size_bytes")), &size) && size == 4);
	CHECK(val_text_is(val_get(tool, STR("result_kind")), STR("text")));
	CHECK(val_is(val_get(tool, STR("is_external")), JSON_TRUE));
	CHECK(val_text_is(val_get(tool, STR("wall_time_source")), STR("inferred")));
	CHECK(val_text_is(val_get(tool, STR("call_id")), STR("call_1")));
	CHECK(val_is(val_get(graphing_node(&w, p, "tool_call", 0), STR("inferred")), JSON_TRUE));
	json_parser_close(p);
	graphing_close(&w);
}

TEST(several_calls_in_one_answer_hang_on_a_branch_and_are_joined)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one|+call_2 two|+call_3 three");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x|r call_2 y|r call_3 z", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "B1 < M1 fan_out: T1 T2 T3\n"
		      "T1 < B1\n"
		      "T2 < B1\n"
		      "T3 < B1\n"
		      "M2 < T1 T2 T3\n");
	graphing_close(&w);
}

TEST(results_that_were_told_before_are_no_parents_again)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "+call_2 two");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x|c call_2 two|r call_2 y", "done");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x|c call_2 two|r call_2 y|a done|u more", "ok");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n"
		      "T2 < M2\n"
		      "M3 < T2\n"
		      "U2 < M3\n"
		      "M4 < M3 U2\n");
	graphing_close(&w);
}

TEST(an_id_that_is_used_again_belongs_to_the_call_before)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u one", "+call_1 a");
	graphing_talk(&w, "u two", "+call_1 b");
	graphing_talk(&w, "u one|c call_1 a|r call_1 x", "done");
	graphing_talk(&w, "u two|c call_1 b|r call_1 y", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n"
		      "T1 < M1\n"
		      "M3 < T1\n"
		      "T2 < M2\n"
		      "M4 < T2\n");
	graphing_close(&w);
}

TEST(a_result_that_was_told_before_is_not_that_of_a_new_call_with_the_same_id)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	int64_t size;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "+call_1 one");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x|c call_1 one|r call_1 longer", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n"
		      "T2 < M2\n"
		      "M3 < T2\n");
	CHECK(val_i64(val_at(graphing_node(&w, p, "tool_call", 1), STR("/tool_call/result_size_bytes")), &size) && size == 6);
	json_parser_close(p);
	graphing_close(&w);
}

TEST(a_side_question_is_a_conversation_of_its_own)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "s agent|u fix it", "+call_1 one");
	graphing_talk(&w, "s titles|u name this", "title");
	graphing_talk(&w, "s agent|u fix it|c call_1 one|r call_1 x", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n"
		      "T1 < M1\n"
		      "M3 < T1\n");
	graphing_close(&w);
}

TEST(a_prompt_that_changes_every_turn_does_not_break_the_conversation)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "s it is noon|u hello", "hi");
	graphing_talk(&w, "s it is one|u hello|a hi|u again", "yes");
	graphing_talk(&w, "s it is two|u hello", "another");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "M2 < M1 U2\n"
		      "U3 <\n"
		      "M3 < U3\n");
	graphing_close(&w);
}

TEST(an_answer_that_is_told_again_in_other_words_goes_on)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u hello", "hi");
	graphing_talk(&w, "u hello|a HI THERE|u hello", "yes");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "M2 < M1 U2\n");
	graphing_close(&w);
}

TEST(a_conversation_that_was_changed_in_its_middle_does_not_say_everything_again)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u one|a x|u two", "y");
	graphing_talk(&w, "u summary|a x|u two|a y|u three", "z");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n");
	graphing_close(&w);
}

/* ---- the same again ---- */

TEST(the_same_request_after_a_failure_is_a_retry)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u hello", "!500");
	graphing_talk(&w, "u hello", "!529");
	graphing_talk(&w, "u hello", "hi");
	graphing_talk(&w, "u hello|a hi|u more", "ok");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "R1 < M1\n"
		      "M2 < R1\n"
		      "R2 < M2\n"
		      "M3 < R2\n"
		      "U2 < M3\n"
		      "M4 < M3 U2\n");
	graphing_close(&w);
}

TEST(what_is_no_retry)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u hello", "!500");
	graphing_talk(&w, "u other", "hi"); /* another request */
	w.now += 121000;
	graphing_talk(&w, "u hello", "hi"); /* too late */
	graphing_talk(&w, "u hello", "hi"); /* after a success */
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n"
		      "U3 <\n"
		      "M3 < U3\n"
		      "U4 <\n"
		      "M4 < U4\n");
	graphing_close(&w);
}

TEST(a_failure_is_made_good_once)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u hello", "!500");
	graphing_talk(&w, "u hello", "hi");
	graphing_talk(&w, "u hello", "hi");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "R1 < M1\n"
		      "M2 < R1\n"
		      "U2 <\n"
		      "M3 < U2\n");
	graphing_close(&w);
}

TEST(a_request_that_the_client_gave_up_is_tried_again)
{
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask(&w, "u hello");
	q.feed.how = PROXY_CLIENT_LEFT;
	graphing_end(&w, &q);
	graphing_talk(&w, "u hello", "hi");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "R1 < M1\n"
		      "M2 < R1\n");
	graphing_close(&w);
}

TEST(a_retry_keeps_the_results_it_carries)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "!500");
	graphing_talk(&w, "u go|c call_1 one|r call_1 x", "done");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n"
		      "R1 < M2\n"
		      "M3 < R1\n");
	graphing_close(&w);
}

TEST(the_same_request_while_the_first_is_on_its_way_is_speculative)
{
	struct asked one, two;
	struct graphing w;

	graphing_open(&w, plain_options);
	one = graphing_ask(&w, "u hello");
	two = graphing_ask(&w, "u hello");
	graphing_answered(&w, &two, "b");
	graphing_answered(&w, &one, "a");
	check_dag(&w, "U1 <\n"
		      "B1 < U1 speculative: M2 M1\n"
		      "M1 < B1\n"
		      "M2 < B1\n");
	graphing_close(&w);
}

TEST(different_requests_side_by_side_from_one_parent_are_a_fan_out)
{
	struct asked q[3];
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u plan", "ok");
	q[0] = graphing_ask(&w, "u plan|a ok|u first");
	q[1] = graphing_ask(&w, "u plan|a ok|u second");
	q[2] = graphing_ask(&w, "u plan|a ok|u third");
	graphing_answered(&w, &q[1], "2");
	graphing_answered(&w, &q[0], "1");
	graphing_answered(&w, &q[2], "3");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "U3 < M1\n"
		      "U4 < M1\n"
		      "B1 < M1 fan_out: M3 M2 M4\n"
		      "M2 < B1 U3\n"
		      "M3 < B1 U2\n"
		      "M4 < B1 U4\n");
	graphing_close(&w);
}

TEST(a_request_that_comes_when_the_fan_out_is_written_has_a_branch_behind_it)
{
	struct asked q[3];
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u plan", "ok");
	q[0] = graphing_ask(&w, "u plan|a ok|u first");
	q[1] = graphing_ask(&w, "u plan|a ok|u second");
	graphing_answered(&w, &q[1], "2");
	q[2] = graphing_ask(&w, "u plan|a ok|u third");
	graphing_answered(&w, &q[0], "1");
	graphing_answered(&w, &q[2], "3");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "U3 < M1\n"
		      "B1 < M1 fan_out: M3 M2\n"
		      "M2 < B1 U3\n"
		      "U4 < M1\n"
		      "M3 < B1 U2\n"
		      "B2 < B1 fan_out: M3 M4\n"
		      "M4 < B2 U4\n");
	graphing_close(&w);
}

TEST(requests_one_after_the_other_are_no_fan_out)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u plan", "ok");
	graphing_talk(&w, "u plan|a ok|u first", "1");
	graphing_talk(&w, "u plan|a ok|u second", "2");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 < M1\n"
		      "M2 < M1 U2\n"
		      "U3 < M1\n"
		      "M3 < M1 U3\n");
	graphing_close(&w);
}

TEST(two_requests_with_the_same_results_share_them)
{
	struct asked one, two;
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one");
	one = graphing_ask(&w, "u go|c call_1 one|r call_1 x");
	two = graphing_ask(&w, "u go|c call_1 one|r call_1 x|u and");
	graphing_answered(&w, &one, "a");
	graphing_answered(&w, &two, "b");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "U2 < M1\n"
		      "B1 < T1 fan_out: M2 M3\n"
		      "M2 < B1\n"
		      "M3 < B1 U2\n");
	graphing_close(&w);
}

/* ---- ends ---- */

TEST(a_gap_is_a_system_node)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	run_graph_gap(w.run_graph, 0);
	graphing_talk(&w, "u go", "x");
	run_graph_gap(w.run_graph, FEED_BEGUN + w.now * 1000000);
	run_graph_gap(w.run_graph, 0);
	check_dag(&w, "S1 <\n"
		      "U1 <\n"
		      "M1 < U1\n"
		      "S2 < M1\n"
		      "S3 < M1\n");
	graphing_close(&w);
}

TEST(what_is_no_model_call_is_counted_and_makes_no_node)
{
	struct feed f = { .path = "/v1/models", .method = "GET", .number = 1 };
	struct graphing w;
	struct observer *k;

	graphing_open(&w, plain_options);
	k = feed_run(w.observers, &f);
	run_graph_other(w.run_graph, observer_seen(k));
	observer_close(k);
	CHECK_INT(run_graph_tally(w.run_graph)->other, 1);
	graphing_talk(&w, "u go", "!500");
	CHECK_INT(run_graph_tally(w.run_graph)->failed, 1);
	check_dag(&w, "U1 <\nM1 < U1\n");
	graphing_close(&w);
}

/* ---- agents ---- */

#define CLAUDE(messages) "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[" messages "]}"
#define SAYS(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define USES(id, name) "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}}]}"
#define GIVES(id) "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"ok\"}]}"
#define ANSWERS(id, content, stop) \
	"{\"id\":\"" id "\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[" content "],\"stop_reason\":\"" stop \
	"\",\"usage\":{\"input_tokens\":5,\"output_tokens\":5}}"

static struct feed claude(const char *agent, const char *parent, const char *body)
{
	struct feed f = { .path = "/v1/messages", .provider = "anthropic", .body = str_from(body) };
	size_t n = 0;

	f.headers[n++] = (struct http_header){ STR("x-claude-code-session-id"), STR("session-1") };
	if (agent)
		f.headers[n++] = (struct http_header){ STR("x-claude-code-agent-id"), str_from(agent) };
	if (parent)
		f.headers[n++] = (struct http_header){ STR("x-claude-code-parent-agent-id"), str_from(parent) };
	return f;
}

static void says(struct graphing *w, struct feed f, const char *answer)
{
	struct asked q = graphing_ask_feed(w, f);

	q.feed.answer = str_from(answer);
	graphing_end(w, &q);
}

TEST(a_sub_agent_begins_in_the_call_of_its_parent_that_is_open)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct val v;

	graphing_open(&w, plain_options);
	says(&w, claude(NULL, NULL, CLAUDE(SAYS("go"))),
	     ANSWERS("msg_1", "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Task\",\"input\":{}},{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":"
			      "\"Task\",\"input\":{}}", "tool_use"));
	says(&w, claude("a1", NULL, CLAUDE(SAYS("part"))), ANSWERS("msg_2", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	says(&w, claude("a2", NULL, CLAUDE(SAYS("part"))),
	     ANSWERS("msg_3", "{\"type\":\"tool_use\",\"id\":\"t3\",\"name\":\"Read\",\"input\":{}}", "tool_use"));
	says(&w, claude("a3", "a2", CLAUDE(SAYS("deep"))), ANSWERS("msg_4", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	says(&w, claude("a2", NULL, CLAUDE(SAYS("part") "," USES("t3", "Read") "," GIVES("t3"))),
	     ANSWERS("msg_5", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	says(&w, claude("a2", NULL, CLAUDE(SAYS("a summary"))), ANSWERS("msg_6", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	graphing_finish(&w);
	CHECK_STR(graphing_dag(&w), STR("U1 <\n"
				       "M1 < U1\n"
				       "B1 < M1 fan_out: T2 T3\n"
				       "M2 < T2\n"
				       "M3 < T3\n"
				       "M4 < T1\n"
				       "T1 < M3\n"
				       "M5 < T1\n"
				       "M6 < M5\n"
				       "T2 < B1\n"
				       "T3 < B1\n"));
	v = graphing_node(&w, p, "model_call", 1);
	CHECK(val_text_is(val_get(v, STR("agent_id")), STR("a1")));
	CHECK(val_text_is(val_get(v, STR("framework")), STR("claude_code")));
	CHECK(val_is_none(val_get(graphing_node(&w, p, "model_call", 0), STR("agent_id"))));
	json_parser_close(p);
	graphing_close(&w);
}

TEST(two_agents_that_ask_the_same_do_not_repeat_each_other)
{
	struct asked one, two;
	struct graphing w;

	graphing_open(&w, plain_options);
	one = graphing_ask_feed(&w, claude("a1", NULL, CLAUDE(SAYS("part"))));
	two = graphing_ask_feed(&w, claude("a2", NULL, CLAUDE(SAYS("part"))));
	one.feed.answer = two.feed.answer = STR(ANSWERS("msg_1", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	graphing_end(&w, &one);
	graphing_end(&w, &two);
	check_dag(&w, "M1 <\n"
		      "M2 <\n");
	graphing_close(&w);
}

/* ---- other APIs ---- */

#define RESPONSE(id, output) \
	"{\"id\":\"" id "\",\"object\":\"response\",\"status\":\"completed\",\"model\":\"gpt-5\",\"output\":[" output "],\"usage\":" \
	"{\"input_tokens\":1,\"output_tokens\":1}}"

TEST(a_conversation_that_the_service_keeps_is_followed_by_ids)
{
	struct feed first = { .path = "/v1/responses", .body = STR("{\"model\":\"gpt-5\",\"input\":\"hello\"}") };
	struct feed second = {
		.path = "/v1/responses",
		.body = STR("{\"model\":\"gpt-5\",\"previous_response_id\":\"resp_1\",\"input\":[{\"type\":\"function_call_output\","
			    "\"call_id\":\"call_1\",\"output\":\"x\"}]}"),
	};
	struct feed third = {
		.path = "/v1/responses", .body = STR("{\"model\":\"gpt-5\",\"previous_response_id\":\"resp_2\",\"input\":\"hello\"}"),
	};
	struct graphing w;

	graphing_open(&w, plain_options);
	says(&w, first, RESPONSE("resp_1", "{\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"look\",\"arguments\":\"{}\"}"));
	says(&w, second, RESPONSE("resp_2", ""));
	says(&w, third, RESPONSE("resp_3", ""));
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "T1 < M1\n"
		      "M2 < T1\n"
		      "U2 < M2\n"
		      "M3 < M2 U2\n");
	graphing_close(&w);
}

#define GEMINI_CALL(name) "{\"functionCall\":{\"name\":\"" name "\",\"args\":{}}}"
#define GEMINI_RESULT(name) "{\"functionResponse\":{\"name\":\"" name "\",\"response\":{\"a\":1}}}"
#define GEMINI_SAYS(role, parts) "{\"role\":\"" role "\",\"parts\":[" parts "]}"
#define GEMINI_ANSWER(parts) \
	"{\"candidates\":[{\"content\":" GEMINI_SAYS("model", parts) ",\"finishReason\":\"STOP\"}],\"modelVersion\":\"g\"}"

TEST(results_without_ids_are_found_by_name_in_order)
{
	struct feed f = { .path = "/v1beta/models/g:generateContent", .provider = "gemini" };
	struct graphing w;

	graphing_open(&w, plain_options);
	f.body = STR("{\"contents\":[" GEMINI_SAYS("user", "{\"text\":\"go\"}") "]}");
	says(&w, f, GEMINI_ANSWER(GEMINI_CALL("a") "," GEMINI_CALL("b") "," GEMINI_CALL("a")));
	f.body = STR("{\"contents\":[" GEMINI_SAYS("user", "{\"text\":\"go\"}") ","
		     GEMINI_SAYS("model", GEMINI_CALL("a") "," GEMINI_CALL("b") "," GEMINI_CALL("a")) ","
		     GEMINI_SAYS("user", GEMINI_RESULT("b") "," GEMINI_RESULT("a") "," GEMINI_RESULT("a")) "]}");
	says(&w, f, GEMINI_ANSWER("{\"text\":\"done\"}"));
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "B1 < M1 fan_out: T2 T1 T3\n"
		      "T1 < B1\n"
		      "T2 < B1\n"
		      "T3 < B1\n"
		      "M2 < T1 T2 T3\n");
	graphing_close(&w);
}

TEST(a_tool_of_mcp_has_its_servers_name_and_waits_all_its_time)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct val tool, v;
	double wall, stall;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 mcp__files__read");
	w.now += 250;
	graphing_talk(&w, "u go|c call_1 mcp__files__read|r call_1 x", "done");
	graphing_finish(&w);
	tool = val_get(graphing_node(&w, p, "tool_call", 0), STR("tool_call"));
	CHECK(val_text_is(val_get(tool, STR("name")), STR("files.read")));
	CHECK(val_double(val_get(tool, STR("wall_time_seconds")), &wall) && val_double(val_get(tool, STR("stall_seconds")), &stall));
	CHECK(wall > 0.25 && wall == stall);
	CHECK(json_parse_copy(p, w.summary, &v, NULL));
	CHECK(val_double(val_get(v, STR("tool_stall_total_seconds")), &stall) && stall == wall);
	CHECK(val_double(val_get(v, STR("tool_stall_pct")), &stall) && stall > 0 && stall < 1);
	json_parser_close(p);
	graphing_close(&w);
}

TEST(what_no_call_said_about_waiting_is_not_known)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct graphing w;
	struct val v;
	int64_t n;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 read");
	graphing_talk(&w, "u go|c call_1 read|r call_1 x", "done");
	graphing_finish(&w);
	CHECK(json_parse_copy(p, w.summary, &v, NULL));
	CHECK(val_is(val_get(v, STR("tool_stall_total_seconds")), JSON_NULL) && val_is(val_get(v, STR("tool_stall_pct")), JSON_NULL));
	graphing_close(&w);
	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 read|+call_2 mcp__files__read");
	graphing_talk(&w, "u go|c call_1 read|c call_2 mcp__files__read|r call_1 x|r call_2 y", "done");
	graphing_finish(&w);
	CHECK(json_parse_copy(p, w.summary, &v, NULL));
	CHECK(val_is(val_get(v, STR("tool_stall_total_seconds")), JSON_NUMBER));
	CHECK(val_i64(val_get(v, STR("tool_stall_unknown")), &n) && n == 1);
	json_parser_close(p);
	graphing_close(&w);
}

/* ---- figures ---- */

static bool was_measured(void *context, int64_t from_ns, int64_t to_ns)
{
	(void)context;
	return from_ns >= FEED_BEGUN && to_ns > from_ns;
}

TEST(options_are_followed)
{
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct run_graph_options o = {
		.framework = STR("crewai"), .rig = STR("h100"), .engine = STR("vllm"), .measured = was_measured
	};
	struct arena a;
	struct graphing w;
	struct val v, m;
	double usd;

	arena_init(&a);
	o.prices = prices_new(&a);
	graphing_open(&w, o);
	graphing_talk(&w, "u go", "+call_1 read_file");
	graphing_talk(&w, "u go|c call_1 read_file|r call_1 x", "ok");
	graphing_finish(&w);
	v = graphing_node(&w, p, "model_call", 0);
	m = val_get(v, STR("model_call"));
	CHECK(val_text_is(val_get(v, STR("framework")), STR("crewai")));
	CHECK(val_text_is(val_get(m, STR("kv_pressure_label")), STR("measured")));
	CHECK(val_double(val_get(m, STR("estimated_cost_usd")), &usd) && usd > 0);
	CHECK(json_parse_copy(p, w.summary, &v, NULL));
	CHECK(val_text_is(val_get(v, STR("rig_label")), STR("h100")) && val_text_is(val_get(v, STR("engine")), STR("vllm")));
	CHECK(val_double(val_get(v, STR("estimated_cost_usd")), &usd) && usd > 0);
	graphing_close(&w);
	o.plain = true;
	graphing_open(&w, o);
	graphing_talk(&w, "u go", "+call_1 read_file");
	graphing_talk(&w, "u go|c call_1 read_file|r call_1 x", "ok");
	graphing_finish(&w);
	CHECK(str_find(buf_str(&w.lines), STR("inferred\"")) == (size_t)-1 && str_find(buf_str(&w.lines), STR("estimated_cost")) == (size_t)-1 &&
	      str_find(buf_str(&w.lines), STR("call_id")) == (size_t)-1 && str_find(buf_str(&w.lines), STR("ttfb")) == (size_t)-1);
	graphing_close(&w);
	arena_free(&a);
	json_parser_close(p);
}

TEST(lines_are_in_the_order_of_their_ends_even_when_a_request_was_long_in_coming)
{
	struct asked one, two;
	struct graphing w;

	graphing_open(&w, plain_options);
	graphing_talk(&w, "u go", "+call_1 one");
	one = graphing_ask(&w, "u other");
	w.now = 5; /* its head came long before its body was there */
	two.feed = (struct feed){ .path = "/v1/chat/completions",
				  .body = graphing_body(&w.arena, "u go|c call_1 one|r call_1 x", NULL) };
	w.now = 400;
	graphing_answered(&w, &one, "x");
	w.now = 15;
	two = graphing_ask_feed(&w, two.feed);
	w.now = 500;
	graphing_answered(&w, &two, "y");
	check_dag(&w, "U1 <\n"
		      "M1 < U1\n"
		      "U2 <\n"
		      "M2 < U2\n"
		      "T1 < M1\n"
		      "M3 < T1\n");
	graphing_close(&w);
}

TEST(a_run_without_anything_has_a_summary)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	run_graph_finish(w.run_graph, "error", STR("child exited 3"), FEED_BEGUN + 1234567, &w.summary);
	CHECK(str_find(w.summary, STR("\"error_message\":\"child exited 3\"")) != (size_t)-1);
	CHECK(str_find(w.summary, STR("\"exit_status\":\"error\"")) != (size_t)-1);
	graphing_check(buf_str(&w.lines));
	graphing_close(&w);
}

TEST(figures_that_are_no_counts_are_not_summed)
{
	struct graphing w;
	struct asked q;

	graphing_open(&w, plain_options);
	q = graphing_ask(&w, "u go");
	q.feed.answer = STR("{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
			    "\"x\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9007199254740991,\"completion_tokens\":7}}");
	graphing_end(&w, &q);
	graphing_finish(&w);
	CHECK_INT(run_graph_tally(w.run_graph)->input, 0);
	CHECK_INT(run_graph_tally(w.run_graph)->output, 7);
	graphing_close(&w);
}

/* ---- content ---- */

TEST(nothing_of_what_was_said_is_in_a_trace)
{
	struct graphing w;

	graphing_open(&w, plain_options);
	for (size_t i = 0; i < BODIES; i++) {
		struct feed f = bodies[i].feed;
		struct observer *k;

		f.number = i + 1;
		f.begun_ns = FEED_BEGUN + (int64_t)i * 3000000000;
		k = feed_open(w.observers, &f);
		run_graph_request(w.run_graph, observer_seen(k));
		feed_answer(k, &f);
		run_graph_answer(w.run_graph, observer_seen(k));
		observer_close(k);
	}
	w.now = 1000000;
	graphing_finish(&w);
	CHECK_INT(run_graph_tally(w.run_graph)->counts[AT_MODEL_CALL], BODIES);
	CHECK(run_graph_tally(w.run_graph)->counts[AT_TOOL_CALL] >= 8);
	CHECK(str_find(buf_str(&w.lines), STR("canary")) == (size_t)-1);
	graphing_close(&w);
}

TEST(a_name_or_an_id_that_is_prose_does_not_get_into_a_trace)
{
	static const char *const answers[] = {
		"+call_1 canary words in a name that goes on and on for ever|+canary/with=all x",
		"+call_2 read_file(canary)|+call_3 canary='x'",
	};
	struct graphing w;

	graphing_open(&w, plain_options);
	for (size_t i = 0; i < 2; i++)
		graphing_talk(&w, arena_printf(&w.arena, "u go %zu", i).p, answers[i]);
	graphing_finish(&w);
	CHECK(str_find(buf_str(&w.lines), STR("canary words")) == (size_t)-1 && str_find(buf_str(&w.lines), STR("canary/")) == (size_t)-1 &&
	      str_find(buf_str(&w.lines), STR("(canary")) == (size_t)-1 && str_find(buf_str(&w.lines), STR("canary=")) == (size_t)-1);
	graphing_close(&w);
}

TEST(a_framework_is_that_of_the_exchange_and_the_first_one_is_that_of_the_run)
{
	static const char *const want[] = { "unknown", "raw_openai", "unknown" };
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 16 });
	struct feed f = { .path = "/v1/messages", .provider = "anthropic", .body = STR(CLAUDE(SAYS("go"))) };
	struct graphing w;

	graphing_open(&w, plain_options);
	says(&w, f, ANSWERS("msg_1", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	graphing_talk(&w, "u go", "x");
	f.body = STR(CLAUDE(SAYS("on")));
	says(&w, f, ANSWERS("msg_2", "{\"type\":\"text\",\"text\":\"x\"}", "end_turn"));
	graphing_finish(&w);
	for (size_t i = 0; i < 3; i++)
		CHECK(val_text_is(val_get(graphing_node(&w, p, "model_call", i), STR("framework")), str_from(want[i])));
	CHECK(str_find(w.summary, STR("\"framework_version\":{}")) != (size_t)-1);
	json_parser_close(p);
	graphing_close(&w);
}
