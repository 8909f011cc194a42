#include "dialect/exchange/exchange.h"
#include "dialect/formats.h"
#include "unit/dialect/exchange_text.h"

#define ASKED(body, status, answer) \
	"{'request':{'url':'https://api.cohere.com/v2/chat','body':" body "},'response':{'status':" status ",'body':" answer "}}\n"
#define QUESTION "{'model':'command','messages':[{'role':'user','content':'q'}]}"
#define START(id) \
	"{'id':'" id "','type':'message-start','delta':{'message':{'role':'assistant','content':[],'tool_plan':'','tool_calls':[],'citations':[]}}}\n"
#define TEXT(text) "{'type':'content-delta','index':0,'delta':{'message':{'content':{'text':'" text "'}}}}\n"
#define END(reason) \
	"{'type':'message-end','delta':{'finish_reason':'" reason "','usage':{'billed_units':{'input_tokens':3,'output_tokens':4}," \
	"'tokens':{'input_tokens':30.0,'output_tokens':5.0},'cached_tokens':7}}}\n"
#define CALL(id, name) "{'id':'" id "','type':'function','function':{'name':'" name "','arguments':'{\\'k\\':1}'}}"
#define CALL_START(index, id, name) \
	"{'type':'tool-call-start','index':" index ",'delta':{'message':{'tool_calls':{'id':'" id "','type':'function'," \
	"'function':{'name':'" name "','arguments':''}}}}}\n"
#define CALL_DELTA(index, args) \
	"{'type':'tool-call-delta','index':" index ",'delta':{'message':{'tool_calls':{'function':{'arguments':'" args "'}}}}}\n"

TEST(pieces_of_a_stream_are_one_answer_with_its_id)
{
	struct arena a;
	struct convert_figures f;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL,
		START("c-1") "{'type':'content-start','index':0,'delta':{'message':{'content':{'type':'thinking','thinking':'h'}}}}\n"
		"{'type':'content-delta','index':0,'delta':{'message':{'content':{'thinking':'m'}}}}\n{'type':'content-end','index':0}\n"
		"{'type':'content-start','index':1,'delta':{'message':{'content':{'type':'text','text':''}}}}\n" TEXT("Hel") TEXT("lo")
		"{'type':'citation-start','index':0,'delta':{'message':{'citations':{'start':0,'end':3,'text':'Hel'}}}}\n" END("COMPLETE")
		START("c-2") TEXT("again") END("MAX_TOKENS")).out;
	f = convert_count(out);
	CHECK_INT(f.model_steps, 2);
	exchange_check(&a, out, "model_step", 0, "/text", "Hello");
	exchange_check(&a, out, "model_step", 0, "/reasoning", "hm");
	exchange_check(&a, out, "model_step", 0, "/stop_reason", "COMPLETE");
	exchange_check(&a, out, "model_step", 0, "/response_id", "c-1");
	exchange_check(&a, out, "model_step", 0, "/partial", NULL);
	exchange_check(&a, out, "model_step", 1, "/text", "again");
	exchange_check(&a, out, "model_step", 1, "/response_id", "c-2");
	CHECK_INT(f.input_total, 60);
	CHECK_INT(f.output_total, 10);
	CHECK(exchange_holds(out, "citations") && exchange_holds(out, "billed_units"));
	arena_free(&a);
}

TEST(calls_of_a_stream_come_in_pieces_by_their_index)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL,
		START("c-1") "{'type':'tool-plan-delta','delta':{'message':{'tool_plan':'I look '}}}\n"
		"{'type':'tool-plan-delta','delta':{'message':{'tool_plan':'twice'}}}\n"
		CALL_START("0", "look_1", "look") CALL_DELTA("0", "{\\'a\\'") CALL_DELTA("0", ":1}") "{'type':'tool-call-end','index':0}\n"
		CALL_START("1", "find_1", "find") CALL_DELTA("1", "{}") "{'type':'tool-call-end','index':1}\n" END("TOOL_CALL")).out;
	CHECK_INT(convert_count(out).tool_calls, 2);
	exchange_check(&a, out, "model_step", 0, "/reasoning", "I look twice");
	exchange_check(&a, out, "tool_call", 0, "/call_id", "look_1");
	exchange_check(&a, out, "tool_call", 0, "/tool", "tool://cohere/look");
	exchange_check(&a, out, "tool_call", 0, "/args/a", "1");
	exchange_check(&a, out, "tool_call", 1, "/call_id", "find_1");
	arena_free(&a);
}

TEST(a_stream_that_breaks_off_is_partial)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, START("c-1") TEXT("Hel") START("c-2") TEXT("x") END("COMPLETE")).out;
	exchange_check(&a, out, "model_step", 0, "/partial", "true");
	exchange_check(&a, out, "model_step", 1, "/partial", NULL);
	out = exchange_convert(&a, NULL, START("c-1") TEXT("Hel")
		"{'type':'message-end','delta':{'finish_reason':'ERROR','error':'the service is overloaded'}}\n").out;
	exchange_check(&a, out, "error", 0, "/message", "the service is overloaded");
	arena_free(&a);
}

TEST(calls_meet_their_results_by_id)
{
	struct arena a;
	struct convert_figures f;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL,
		ASKED(QUESTION, "200", "{'id':'c-1','finish_reason':'TOOL_CALL','message':{'role':'assistant','tool_plan':'I look',"
			"'tool_calls':[" CALL("look_1", "look") "," CALL("find_1", "find") "]},"
			"'usage':{'tokens':{'input_tokens':11,'output_tokens':2}}}")
		ASKED("{'model':'command','messages':[{'role':'user','content':'q'},{'role':'assistant','tool_plan':'I look','tool_calls':["
			CALL("look_1", "look") "," CALL("find_1", "find") "]},{'role':'tool','tool_call_id':'find_1','content':[{'type':'document',"
			"'document':{'data':'F'}}]},{'role':'tool','tool_call_id':'look_1','content':'L'}]}", "200",
			"{'id':'c-2','finish_reason':'COMPLETE','message':{'role':'assistant','content':[{'type':'text','text':'fin'}]},"
			"'usage':{'billed_units':{'input_tokens':5,'output_tokens':1}}}")).out;
	f = convert_count(out);
	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
	CHECK_INT(f.input_total, 16); /* the second has billed units only */
	CHECK_INT(f.output_total, 3);
	exchange_check(&a, out, "tool_result", 0, "/call_id", "find_1");
	exchange_check(&a, out, "tool_result", 1, "/result", "L");
	exchange_check(&a, out, "model_step", 0, "/reasoning", "I look");
	exchange_check(&a, out, "model_step", 1, "/text", "fin");
	exchange_check(&a, out, "model_step", 1, "/model", "command");
	arena_free(&a);
}

TEST(an_error_is_an_error)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, ASKED(QUESTION, "401", "{'message':'invalid api token','id':'x-1'}")).out;
	exchange_check(&a, out, "error", 0, "/message", "invalid api token");
	exchange_check(&a, out, "error", 0, "/code", "http_401");
	arena_free(&a);
}

TEST(requests_and_answers_are_told_from_those_of_others)
{
	static const struct {
		const char *name, *text;
		const struct dialect *want;
	} cases[] = {
		{ "a member of its own", "{'model':'m','messages':[{'role':'user','content':'q'}],'safety_mode':'STRICT'}", &cohere_dialect },
		{ "a plan", "{'model':'m','messages':[{'role':'user','content':'q'},{'role':'assistant','tool_plan':'p',"
		  "'tool_calls':[" CALL("a", "b") "]}]}",
		  &cohere_dialect },
		{ "anybody's", QUESTION, &openai_chat_dialect },
		{ "an answer", "{'id':'c','finish_reason':'COMPLETE','message':{'role':'assistant','content':[{'type':'text','text':'a'}]}}",
		  &cohere_dialect },
		{ "a stream", START("c") TEXT("x"), &cohere_dialect },
		{ "the path", ASKED(QUESTION, "500", "{}"), &cohere_dialect },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK(exchange_convert(&a, NULL, cases[i].text).from == cases[i].want);
	}
	arena_free(&a);
}
