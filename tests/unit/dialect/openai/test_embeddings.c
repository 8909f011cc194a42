#include "dialect/exchange/exchange.h"
#include "unit/dialect/exchange_text.h"

#define CHAT "{'request':{'body':{'model':'m','messages':[{'role':'system','content':'s'}]}}," \
	"'response':{'status':200,'body':{'object':'chat.completion','id':'c','choices':[{'index':0,'message':{'role':'assistant','content':'Hi'}," \
		"'finish_reason':'stop'}]}}}\n"
#define ASKED(path, body, answer) "{'request':{'url':'https://e.example" path "','body':" body "},'response':{'status':200,'body':" answer "}}\n"

TEST(every_service_gives_a_step_with_input_only)
{
	static const struct {
		const char *name, *path, *request, *answer, *model;
		long long input;
	} cases[] = {
		{ "OpenAI", "/v1/embeddings", "{'model':'te','input':['a','b']}",
		  "{'object':'list','data':[{'object':'embedding','index':0,'embedding':[0.25,0.5]},{'object':'embedding','index':1,'embedding':["
			"0.25,0.5]}],"
		  "'model':'te-1','usage':{'prompt_tokens':8,'total_tokens':8}}", "te-1", 8 },
		{ "in base64", "/v1/embeddings", "{'model':'te','input':'a','encoding_format':'base64'}",
		  "{'object':'list','data':[{'object':'embedding','index':0,'embedding':'AACAPgAAAD8='}],'model':'te-1','usage':{'prompt_tokens':"
			"8,'total_tokens':8}}", "te-1", 8 },
		{ "Ollama", "/api/embed", "{'model':'nomic','input':'a'}", "{'model':'nomic','embeddings':[[0.25,0.5]],'total_duration':5,"
			"'prompt_eval_count':3}", "nomic", 3 },
		{ "Ollama, as it was", "/api/embeddings", "{'model':'nomic','prompt':'a'}", "{'embedding':[0.25,0.5]}", "nomic", -1 },
		{ "Gemini", "/v1beta/models/ge:embedContent", "{'content':{'parts':[{'text':'a'}]}}", "{'embedding':{'values':[0.25,0.5]}}", "ge",
			-1 },
		{ "Gemini, several", "/v1beta/models/ge:batchEmbedContents", "{'requests':[{'model':'models/ge','content':{'parts':[{'text':'a'}]}"
			"}]}",
		  "{'embeddings':[{'values':[0.25,0.5]}],'usageMetadata':{'promptTokenCount':4,'totalTokenCount':4}}", "ge", 4 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, CHAT "{'request':{'url':'https://e.example%s','body':%s},'response':{'status':200,'body':%s}}\n",
					       cases[i].path, cases[i].request, cases[i].answer);
		struct convert_figures f;
		struct converted c;

		test_case("%s", cases[i].name);
		c = exchange_convert(&a, NULL, text.p);
		f = convert_count(c.out);
		CHECK_INT(f.model_steps, 2);
		CHECK_INT(f.input_total, cases[i].input);
		exchange_check(&a, c.out, "model_step", 1, "/model", cases[i].model);
		exchange_check(&a, c.out, "model_step", 1, "/text", NULL);
		CHECK(exchange_holds(c.out, "\"operation\":\"embeddings\""));
		CHECK(!exchange_holds(c.out, "0.25") && !exchange_holds(c.out, "AACAPg"));
		CHECK(c.coverage.leaves.dropped > 0);
	}
	arena_free(&a);
}

TEST(what_was_embedded_stays_with_the_request)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, CHAT ASKED("/v1/embeddings", "{'model':'te','input':['needle']}",
			       "{'object':'list','data':[{'object':'embedding','index':0,'embedding':[0.25]}],'usage':{'prompt_tokens':1,"
				"'total_tokens':1}}")).out;
	CHECK(exchange_holds(out, "needle"));
	CHECK(exchange_holds(out, "\"dimensions\":1"));
	arena_free(&a);
}

TEST(an_error_is_no_vector)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, CHAT "{'request':{'url':'https://e.example/v1/embeddings','body':{'model':'te','input':'a'}},"
			       "'response':{'status':400,'body':{'error':{'message':'too long','code':'length'}}}}").out;
	exchange_check(&a, out, "error", 0, "/message", "too long");
	CHECK_INT(convert_count(out).model_steps, 1);
	arena_free(&a);
}

TEST(a_request_for_a_text_is_none_for_vectors)
{
	static const struct {
		const char *text;
		bool maybe;
	} cases[] = {
		{ "{'model':'te','input':'a'}", true },
		{ "{'model':'te','prompt':'a'}", true },
		{ "{'model':'m','input':'a','stream':true}", false },
		{ "{'model':'m','input':'a','instructions':'b'}", false },
		{ "{'input':'a'}", false },
		{ "{'requests':[]}", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val v;

		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, exchange_text(&a, cases[i].text), &v, NULL));
		CHECK((embeddings_api.fits_request(v) > 0) == cases[i].maybe);
	}
	json_parser_close(p);
	arena_free(&a);
}
