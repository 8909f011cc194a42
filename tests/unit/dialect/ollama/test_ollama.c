#include "dialect/exchange/exchange.h"
#include "dialect/formats.h"
#include "unit/dialect/exchange_text.h"

#define PIECE(message) "{'model':'ll','created_at':'2026-01-02T03:04:05.123456789Z','message':{'role':'assistant'," message "},'done':false}\n"
#define LAST \
	"{'model':'ll','created_at':'2026-01-02T03:04:06.123456789Z','message':{'role':'assistant','content':''},'done':true,'done_reason':'stop'," \
	"'total_duration':5000000000,'load_duration':7,'prompt_eval_count':11,'eval_count':4}\n"
#define ASKED(path, body, answer) \
	"{'request':{'url':'http://localhost:11434" path "','body':" body "},'response':{'status':200,'body':" answer "}}\n"
#define CALL(name, args) "{'function':{'name':'" name "','arguments':{" args "}}}"

TEST(pieces_of_a_stream_are_one_answer)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, PIECE("'content':'','thinking':'hm'") PIECE("'content':'Hel'") PIECE("'content':'lo'") LAST
			       PIECE("'content':'again'") LAST).out;
	CHECK_INT(convert_count(out).model_steps, 2);
	exchange_check(&a, out, "model_step", 0, "/text", "Hello");
	exchange_check(&a, out, "model_step", 0, "/reasoning", "hm");
	exchange_check(&a, out, "model_step", 0, "/stop_reason", "stop");
	exchange_check(&a, out, "model_step", 0, "/latency_ms", "5000");
	exchange_check(&a, out, "model_step", 0, "/ts", "2026-01-02T03:04:06.123456789Z");
	exchange_check(&a, out, "model_step", 1, "/text", "again");
	CHECK_INT(convert_count(out).input_total, 22);
	CHECK_INT(convert_count(out).output_total, 8);
	CHECK(exchange_holds(out, "load_duration"));
	arena_free(&a);
}

TEST(an_answer_ends_as_it_says)
{
	static const struct {
		const char *name, *text, *stop, *partial;
	} cases[] = {
		{ "a reason", "{'model':'l','message':{'role':'assistant','content':'x'},'done':true,'done_reason':'length'}", "length", NULL },
		{ "done and no reason", "{'model':'l','message':{'role':'assistant','content':'x'},'done':true}", "stop", NULL },
		{ "not done", "{'model':'l','message':{'role':'assistant','content':'x'},'done':false}", NULL, "true" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str out;

		test_case("%s", cases[i].name);
		out = exchange_convert(&a, NULL, cases[i].text).out;
		exchange_check(&a, out, "model_step", 0, "/stop_reason", cases[i].stop);
		exchange_check(&a, out, "model_step", 0, "/partial", cases[i].partial);
	}
	arena_free(&a);
}

TEST(calls_without_ids_meet_their_results_by_name)
{
	struct arena a;
	struct convert_figures f;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL,
		ASKED("/api/chat", "{'model':'ll','messages':[{'role':'user','content':'q'}]}",
		      "'{\"model\":\"ll\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"t\",\""
			"arguments\":{\"k\":1}}},"
		      "{\"function\":{\"name\":\"u\",\"arguments\":{}}}]},\"done\":false}\\n{\"model\":\"ll\",\"message\":{\"role\":\"assistant\","
			"\"content\":\"\"},\"done\":true}\\n'")
		ASKED("/api/chat", "{'model':'ll','stream':false,'messages':[{'role':'user','content':'q'},{'role':'assistant','content':'',"
			"'tool_calls':["
		      CALL("t", "'k':1") "," CALL("u", "") "]},{'role':'tool','tool_name':'u','content':'U'},{'role':'tool','tool_name':'t',"
			"'content':'T'}]}",
		      "{'model':'ll','message':{'role':'assistant','content':'fin'},'done':true,'done_reason':'stop','prompt_eval_count':5,"
			"'eval_count':1}")).out;
	f = convert_count(out);
	CHECK_INT(f.model_steps, 2);
	CHECK_INT(f.tool_calls, 2);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.orphan_calls, 0);
	exchange_check(&a, out, "tool_result", 0, "/result", "U");
	exchange_check(&a, out, "tool_result", 0, "/call_id", "call_stream-1_1");
	exchange_check(&a, out, "tool_result", 1, "/call_id", "call_stream-1_0");
	exchange_check(&a, out, "model_step", 1, "/text", "fin");
	arena_free(&a);
}

TEST(a_prompt_without_messages_is_a_conversation)
{
	struct arena a;
	struct converted c;

	arena_init(&a);
	c = exchange_convert(&a, NULL, ASKED("/api/generate", "{'model':'ll','system':'be brief','prompt':'q','options':{'num_ctx':9},'context':["
		"1,2]}",
		"{'model':'ll','response':'said','done':true,'done_reason':'stop','context':[1,2,3],'prompt_eval_count':5,'eval_count':1}"));
	exchange_check(&a, c.out, "model_step", 0, "/text", "said");
	exchange_check(&a, c.out, "model_step", 0, "/request/messages/0/content", "be brief");
	exchange_check(&a, c.out, "model_step", 0, "/request/messages/1/content", "q");
	CHECK(exchange_holds(c.out, "num_ctx") && !exchange_holds(c.out, "[1,2"));
	CHECK_INT(c.coverage.leaves.dropped, 5);
	arena_free(&a);
}

TEST(an_error_is_an_error)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, "{'request':{'url':'http://localhost:11434/api/chat','body':{'model':'ll','messages':[{'role':'user',"
		"'content':'q'}]}},"
			       "'response':{'status':404,'body':{'error':'no such model'}}}").out;
	exchange_check(&a, out, "error", 0, "/message", "no such model");
	exchange_check(&a, out, "error", 0, "/code", "http_404");
	arena_free(&a);
}

TEST(requests_are_told_from_those_of_others)
{
	static const struct {
		const char *name, *text;
		const struct dialect *want;
	} cases[] = {
		{ "options of its own", "{'model':'ll','messages':[{'role':'user','content':'q'}],'options':{'num_ctx':1}}", &ollama_dialect },
		{ "arguments that are objects", "{'model':'ll','messages':[{'role':'user','content':'q'},{'role':'assistant','tool_calls':["
			"" CALL("t", "") "]}]}", &ollama_dialect },
		{ "anybody's", "{'model':'ll','messages':[{'role':'user','content':'q'},{'role':'system','content':'s'}]}", &openai_chat_dialect },
		{ "an answer", "{'model':'ll','response':'x','done':true}", &ollama_dialect },
		{ "an answer of a chat", PIECE("'content':'x'"), &ollama_dialect },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK(exchange_convert(&a, NULL, cases[i].text).from == cases[i].want);
	}
	arena_free(&a);
}
