#include "dialect/gemini/gemini.h"

#include "dialect/formats.h"
#include "unit/dialect/exchange_text.h"
#include "unit/dialect/expect_run.h"

#define USAGE(prompt, made) "'usageMetadata':{'promptTokenCount':" #prompt ",'candidatesTokenCount':" #made "}"
#define SAYS(text) "{'content':{'role':'model','parts':[{'text':'" text "'}]},'finishReason':'STOP','index':0}"
#define PIECE(parts) "{'candidates':[{'content':{'role':'model','parts':[" parts "]},'index':0}],'responseId':'r1'}\n"
#define LAST(parts) \
	"{'candidates':[{'content':{'role':'model','parts':[" parts "]},'finishReason':'STOP','index':0}]," USAGE(3, 4) ",'responseId':'r1'}\n"
#define ASKED(contents, answer) \
	"{'request':{'method':'POST','url':'https://g.example/v1beta/models/gemini-x:generateContent?key=k','body':{'contents':[" contents \
	"]}},'response':{'status':200,'body':" answer "}}\n"
#define USER(text) "{'role':'user','parts':[{'text':'" text "'}]}"
#define CALL(name, args) "{'functionCall':{'name':'" name "','args':{" args "}}}"
#define RESULT(name, response) "{'functionResponse':{'name':'" name "','response':{" response "}}}"
#define TURN(role, parts) "{'role':'" role "','parts':[" parts "]}"
#define ANSWER(id, parts) \
	"{'candidates':[{'content':{'role':'model','parts':[" parts "]},'finishReason':'STOP','index':0}]," USAGE(3, 4) ",'responseId':'" id "'}"

TEST(tokens_of_thoughts_are_output_and_those_of_served_tools_input)
{
	static const struct {
		const char *name, *usage;
		long long input, output, read, reasoning;
	} cases[] = {
		{ "plain", "'promptTokenCount':9,'candidatesTokenCount':5,'totalTokenCount':14", 9, 5, -1, -1 },
		{ "thoughts", "'promptTokenCount':29,'candidatesTokenCount':15,'thoughtsTokenCount':1801,'totalTokenCount':1845", 29, 1816, -1,
			1801 },
		{ "only thoughts so far", "'promptTokenCount':29,'thoughtsTokenCount':7", 29, 7, -1, 7 },
		{ "cached", "'promptTokenCount':100,'cachedContentTokenCount':80,'candidatesTokenCount':1", 100, 1, 80, -1 },
		{ "a served tool", "'promptTokenCount':15,'toolUsePromptTokenCount':770,'candidatesTokenCount':37", 785, 37, -1, -1 },
		{ "snake_case", "'prompt_token_count':9,'candidates_token_count':5,'thoughts_token_count':2", 9, 7, -1, 2 },
		{ "none", "'trafficType':'ON_DEMAND'", -1, -1, -1, -1 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, "{'candidates':[" SAYS("Hi") "],'usageMetadata':{%s},'modelVersion':'g'}", cases[i].usage);
		struct convert_figures f;

		test_case("%s", cases[i].name);
		f = convert_count(exchange_convert(&a, NULL, text.p).out);
		CHECK_INT(f.model_steps, 1);
		CHECK_INT(f.input_total, cases[i].input);
		CHECK_INT(f.output_total, cases[i].output);
		CHECK_INT(f.cache_read, cases[i].read);
		CHECK_INT(f.reasoning, cases[i].reasoning);
	}
	arena_free(&a);
}

TEST(pieces_of_a_stream_are_one_answer)
{
	static const char *const forms[] = {
		PIECE("{'text':'why','thought':true}") PIECE("{'text':'Hel'}") LAST("{'text':'lo'}"),
		"data: " PIECE("{'text':'why','thought':true}") "\ndata: " PIECE("{'text':'Hel'}") "\ndata: " LAST("{'text':'lo'}"),
		"[" PIECE("{'text':'why','thought':true}") "," PIECE("{'text':'Hel'}") "," LAST("{'text':'lo'}") "]",

	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct str out = exchange_convert(&a, NULL, forms[i]).out;

		test_case("form %zu", i);
		CHECK_INT(convert_count(out).model_steps, 1);
		exchange_check(&a, out, "model_step", 0, "/step_id", "r1");
		exchange_check(&a, out, "model_step", 0, "/text", "Hello");
		exchange_check(&a, out, "model_step", 0, "/reasoning", "why");
		exchange_check(&a, out, "model_step", 0, "/stop_reason", "STOP");
		exchange_check(&a, out, "model_step", 0, "/stream", "true");
		CHECK(!exchange_holds(out, "\"partial\""));
	}
	arena_free(&a);
}

TEST(answers_without_an_id_are_told_apart_by_their_ends)
{
#define NAMELESS(parts, end) "{'candidates':[{'content':{'role':'model','parts':[" parts "]}" end "}]}\n"
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, NAMELESS("{'text':'a'}", "") NAMELESS("{'text':'b'}", ",'finishReason':'STOP'")
			       NAMELESS(CALL("f", "'x':1"), ",'finishReason':'STOP'") NAMELESS("{'text':'c'}", "")).out;
	CHECK_INT(convert_count(out).model_steps, 3);
	exchange_check(&a, out, "model_step", 0, "/text", "ab");
	exchange_check(&a, out, "model_step", 2, "/text", "c");
	exchange_check(&a, out, "model_step", 2, "/partial", "true");
	exchange_check(&a, out, "tool_call", 0, "/call_id", "call_stream-2_0");
	arena_free(&a);
}

TEST(a_stream_without_its_end_is_partial)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, PIECE("{'text':'half'}")).out;
	exchange_check(&a, out, "model_step", 0, "/partial", "true");
	arena_free(&a);
}

TEST(results_find_calls_that_have_no_ids)
{
	static const struct {
		const char *name, *told, *results, *first, *second;
	} cases[] = {
		{ "in order", CALL("w", "'c':'A'") "," CALL("w", "'c':'B'"), RESULT("w", "'r':'a'") "," RESULT("w", "'r':'b'"), "{\"r\":\"a\"}",
			"{\"r\":\"b\"}" },
		{ "told in another order", CALL("w", "'c':'B'") "," CALL("w", "'c':'A'"), RESULT("w", "'r':'b'") "," RESULT("w", "'r':'a'"),
		  "{\"r\":\"a\"}", "{\"r\":\"b\"}" },
		{ "with ids of the client",
		  "{'functionCall':{'id':'x1','name':'w','args':{'c':'A'}}},{'functionCall':{'id':'x2','name':'w','args':{'c':'B'}}}",
		  "{'functionResponse':{'id':'x2','name':'w','response':{'r':'b'}}},{'functionResponse':{'id':'x1','name':'w','response':{'r':'a'}}}",
		  "{\"r\":\"a\"}", "{\"r\":\"b\"}" },
		{ "with other words", CALL("w", "'c':'A','d':null") "," CALL("w", "'c':'B','d':null"), RESULT("w", "'r':'a'") "," RESULT("w",
			"'r':'b'"),
		  "{\"r\":\"a\"}", "{\"r\":\"b\"}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, ASKED(USER("q"), ANSWER("r1", CALL("w", "'c':'A'") "," CALL("w", "'c':'B'")))
					       ASKED(USER("q") ",{'role':'model','parts':[%s]},{'role':'user','parts':[%s]}", ANSWER("r2", "{"
						"'text':'ok'}")),
					       cases[i].told, cases[i].results), out;
		struct convert_figures f;

		test_case("%s", cases[i].name);
		out = exchange_convert(&a, NULL, text.p).out;
		f = convert_count(out);
		CHECK_INT(f.model_steps, 2);
		CHECK_INT(f.tool_calls, 2);
		CHECK_INT(f.tool_results, 2);
		CHECK_INT(f.orphan_calls, 0);
		for (size_t n = 0; n < 2; n++) {
			struct str id = convert_get(&a, convert_record(out, "tool_result", n), "/call_id");

			exchange_check(&a, out, "tool_result", n, "/result",
				       str_eq(id, STR("call_r1_0")) ? cases[i].first : cases[i].second);
		}
	}
	arena_free(&a);
}

TEST(equal_calls_one_after_the_other_are_two)
{
	struct arena a;
	struct convert_figures f;

	arena_init(&a);
	f = convert_count(exchange_convert(&a, NULL,
		ASKED(USER("q"), ANSWER("r1", CALL("poll", "")))
		ASKED(USER("q") "," TURN("model", CALL("poll", "")) "," TURN("user", RESULT("poll", "'n':1")), ANSWER("r2", CALL("poll", "")))
		ASKED(USER("q") "," TURN("model", CALL("poll", "")) "," TURN("user", RESULT("poll", "'n':1")) "," TURN("model", CALL("poll", ""))
		      "," TURN("function", RESULT("poll", "'n':2")), ANSWER("r3", "{'text':'done'}"))).out);
	CHECK_INT(f.model_steps, 3);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
	arena_free(&a);
}

TEST(conversations_side_by_side_keep_their_results)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, ASKED(USER("one"), ANSWER("r1", CALL("w", "'c':1"))) ASKED(USER("two"), ANSWER("r2", CALL("w", "'c':2")))
			       ASKED(USER("two") "," TURN("model", CALL("w", "'c':2")) "," TURN("user", RESULT("w", "'r':2")), ANSWER("r3", "{"
				"'text':'2'}"))
			       ASKED(USER("one") "," TURN("model", CALL("w", "'c':1")) "," TURN("user", RESULT("w", "'r':1")), ANSWER("r4", "{"
				"'text':'1'}"))).out;
	CHECK_INT(convert_count(out).orphan_calls, 0);
	exchange_check(&a, out, "tool_result", 0, "/call_id", "call_r2_0");
	exchange_check(&a, out, "tool_result", 1, "/call_id", "call_r1_0");
	arena_free(&a);
}

TEST(a_response_with_an_error_is_a_failed_result)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, ASKED(USER("q"), ANSWER("r1", CALL("w", "")))
			       ASKED(USER("q") "," TURN("model", CALL("w", "")) "," TURN("user", RESULT("w", "'error':'no such place'")),
				ANSWER("r2", "{'text':'ok'}"))).out;
	exchange_check(&a, out, "tool_result", 0, "/is_error", "true");
	CHECK_INT(convert_count(out).tool_errors, 1);
	arena_free(&a);
}

TEST(arguments_by_path_are_put_together)
{
#define GROWS(what) "{'functionCall':{" what "}}"
	static const struct {
		const char *name, *text, *args;
	} cases[] = {
		{ "a text in pieces", PIECE(GROWS("'name':'w','willContinue':true")) PIECE(GROWS("'partialArgs':[{'jsonPath':'$.city',"
			"'stringValue':'Bos','willContinue':true}],'willContinue':true"))
		  PIECE(GROWS("'partialArgs':[{'jsonPath':'$.city','stringValue':'ton'}],'willContinue':true")) LAST(GROWS("")), "{\"city\":\""
			"Boston\"}" },
		{ "without the end", PIECE(GROWS("'name':'w','willContinue':true")) LAST(GROWS("'partialArgs':[{'jsonPath':'$.n','numberValue':7}]"
			",'willContinue':true")), "{\"n\":7}" },
		{ "nothing at all", LAST(GROWS("'name':'w'")), "{}" },
		{ "null", LAST(GROWS("'name':'w','args':null")), "{}" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;

		test_case("%s", cases[i].name);
		out = exchange_convert(&a, "gemini", cases[i].text).out;
		CHECK_INT(convert_count(out).tool_calls, 1);
		exchange_check(&a, out, "tool_call", 0, "/args", cases[i].args);
		exchange_check(&a, out, "tool_call", 0, "/tool", "tool://google/w");
	}
	arena_free(&a);
}

TEST(a_blocked_prompt_and_an_error_are_errors)
{
	static const struct {
		const char *name, *text, *code;
	} cases[] = {
		{ "blocked", "{'promptFeedback':{'blockReason':'SAFETY'},'usageMetadata':{'promptTokenCount':4}}", "SAFETY" },
		{ "a body", "{'error':{'code':429,'message':'wait','status':'RESOURCE_EXHAUSTED'}}", "RESOURCE_EXHAUSTED" },
		{ "in a list", "[{'error':{'code':429,'message':'wait','status':'RESOURCE_EXHAUSTED'}}]", "RESOURCE_EXHAUSTED" },
		{ "in an exchange", "{'request':{'url':'https://g.example/v1/models/m:generateContent','body':{'contents':[" USER("q") "]}},"
		  "'response':{'status':400,'body':{'error':{'code':400,'message':'no','status':'INVALID_ARGUMENT'}}}}", "INVALID_ARGUMENT" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;

		test_case("%s", cases[i].name);
		out = exchange_convert(&a, NULL, cases[i].text).out;
		exchange_check(&a, out, "error", 0, "/code", cases[i].code);
		exchange_check(&a, out, "error", 0, "/class", "model");
	}
	arena_free(&a);
}

TEST(a_request_says_what_its_answer_leaves_out)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, "{'request':{'url':'https://g.example/v1beta/models/gemini-x:generateContent?key=secret&alt=json','body':"
		"{'contents':[" USER("q") "],"
			       "'systemInstruction':{'parts':[{'text':'be brief'}]},'tools':[{'functionDeclarations':[{'name':'w'}]}],"
			       "'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}}},'response':{'status':200,'body':{'candidates':["
				"" SAYS("Hi") "]}}}").out;
	exchange_check(&a, out, "model_step", 0, "/model", "gemini-x");
	exchange_check(&a, out, "model_step", 0, "/tool_choice", "ANY");
	exchange_check(&a, out, "model_step", 0, "/request/messages/0/role", "system");
	exchange_check(&a, out, "model_step", 0, "/request/messages/0/content", "be brief");
	exchange_check(&a, out, "model_step", 0, "/request/messages/1/content", "q");
	CHECK(exchange_holds(out, "functionDeclarations") && exchange_holds(out, "alt=json") && !exchange_holds(out, "secret"));
	arena_free(&a);
}

TEST(snake_case_is_read_as_well)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, "{'candidates':[{'content':{'role':'model','parts':[{'function_call':{'name':'w','args':{'a':1}}}]},"
		"'finish_reason':'STOP'}],"
			       "'usage_metadata':{'prompt_token_count':3,'candidates_token_count':2},'model_version':'g1','response_id':'r'}").out;
	exchange_check(&a, out, "model_step", 0, "/step_id", "r");
	exchange_check(&a, out, "model_step", 0, "/model", "g1");
	exchange_check(&a, out, "tool_call", 0, "/args", "{\"a\":1}");
	CHECK_INT(convert_count(out).input_total, 3);
	arena_free(&a);
}

TEST(candidates_are_branches)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, "{'candidates':[{'content':{'role':'model','parts':[{'text':'one'}]},'finishReason':'STOP','index':0},"
			       "{'content':{'role':'model','parts':[{'text':'two'}]},'finishReason':'STOP','index':1}],'responseId':'r'," USAGE(2,
				2) "}").out;
	CHECK_INT(convert_count(out).model_steps, 2);
	CHECK_INT(convert_count(out).output_total, 2);
	exchange_check(&a, out, "model_step", 1, "/step_id", "r#1");
	arena_free(&a);
}

TEST(a_list_of_contents_is_a_run)
{
	static const char *const forms[] = {
		"[" USER("q") "," TURN("model", CALL("w", "'c':1")) "," TURN("user", RESULT("w", "'r':1")) "," TURN("model", "{'text':'ok'}") "]",
		"{'contents':[" USER("q") "," TURN("model", CALL("w", "'c':1")) "," TURN("user", RESULT("w", "'r':1")) "," TURN("model", "{'text':"
			"'ok'}") "]}",
		"{'model':'g','project':'p','request':{'contents':[" USER("q") "," TURN("model", CALL("w", "'c':1")) "," TURN("user", RESULT("w",
			"'r':1")) ","
		TURN("model", "{'text':'ok'}") "]}}",
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct convert_figures f;

		test_case("form %zu", i);
		f = convert_count(exchange_convert(&a, NULL, forms[i]).out);
		CHECK_INT(f.model_steps, 2);
		CHECK_INT(f.tool_calls, 1);
		CHECK_INT(f.tool_results, 1);
		CHECK_INT(f.orphan_calls, 0);
	}
	arena_free(&a);
}

TEST(each_answer_of_a_test_is_one_of_its_own)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, "{'method':'generateContentStream','response':[{'candidates':[{'content':{'parts':[{'text':'a'}],'role':"
		"'model'}}]},"
			       "{'candidates':[" SAYS("b") "]}]}\n{'method':'generateContent','response':{'candidates':[" SAYS("c") "]}}\n").out;
	CHECK_INT(convert_count(out).model_steps, 2);
	exchange_check(&a, out, "model_step", 0, "/text", "ab");
	exchange_check(&a, out, "model_step", 1, "/text", "c");
	arena_free(&a);
}

TEST(what_only_looks_like_it_is_not_taken_for_it)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "an agent's message of another protocol", "{'role':'user','parts':[{'kind':'text','text':'q'}]}" },
		{ "parts with a type", "[{'role':'user','parts':[{'type':'text','content':'q'}]}]" },
		{ "candidates of something else", "{'candidates':[{'name':'Ada'}]}" },
		{ "an error of something else", "{'error':{'message':'no','status':'failed'}}" },
		{ "a session of the CLI", "{'sessionId':'s','projectHash':'p','contents':[" USER("q") "]}" },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].name);
		CHECK(json_parse_copy(p, exchange_text(&a, cases[i].text), &v, NULL));
		CHECK_INT(gemini_dialect.fits(v), 0);
	}
	json_parser_close(p);
	arena_free(&a);
}

TEST(samples_have_the_figures_of_an_independent_count)
{
	expect_folder("vendors/gemini_generate_content", "gemini", 60);
}
