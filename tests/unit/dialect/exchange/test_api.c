#include "dialect/exchange/exchange.h"
#include "dialect/exchange/http.h"
#include "unit/dialect/exchange_text.h"

TEST(a_path_names_its_api)
{
	static const struct {
		const char *path;
		const struct exchange_api *api;
	} cases[] = {
		{ "/v1/chat/completions", &openai_chat_api },
		{ "/v1/completions", &openai_chat_api },
		{ "/v1/messages", &anthropic_api },
		{ "/v1/responses", &openai_responses_api },
		{ "/v1beta/models/g:generateContent", &gemini_api },
		{ "/v1beta/models/g:streamGenerateContent", &gemini_api },
		{ "/api/chat", &ollama_api },
		{ "/api/generate", &ollama_api },
		{ "/v2/chat", &cohere_api },
		{ "/v1/chat", NULL },
		{ "/api/embed", &embeddings_api },
		{ "/api/embeddings", &embeddings_api },
		{ "/v1/embeddings", &embeddings_api },
		{ "/v1beta/models/g:embedContent", &embeddings_api },
		{ "/v1beta/models/g:batchEmbedContents", &embeddings_api },
		{ "/v1/models", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].path);
		CHECK(exchange_api_of_path(str_from(cases[i].path)) == cases[i].api);
	}
}

TEST(bodies_and_path_together_decide)
{
	static const struct {
		const char *name, *request, *response, *path;
		const struct exchange_api *api, *alone; /* alone: by the request only */
	} cases[] = {
		{ "anybody's messages to Ollama", "{'model':'m','messages':[{'role':'user','content':'q'}]}", NULL, "/api/chat", &ollama_api,
			&openai_chat_api },
		{ "the same elsewhere", "{'model':'m','messages':[{'role':'user','content':'q'}]}", NULL, "/v1/chat/completions", &openai_chat_api,
			&openai_chat_api },
		{ "the answer tells", "{'model':'m','messages':[{'role':'user','content':'q'}]}", "{'model':'m','message':{},'done':true}", "",
			&ollama_api, &openai_chat_api },
		{ "an input for vectors", "{'model':'m','input':'q'}", NULL, "/v1/embeddings", &embeddings_api, NULL },
		{ "contents", "{'contents':[{'parts':[{'text':'q'}]}]}", NULL, "", &gemini_api, &gemini_api },
		{ "nothing", "{'a':1}", "{'b':2}", "/v1/messages", NULL, NULL },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 }), *q = json_parser_open((struct json_options){ 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val request, response = VAL_NONE;

		test_case("%s", cases[i].name);
		CHECK(json_parse_copy(p, exchange_text(&a, cases[i].request), &request, NULL));
		if (cases[i].response)
			CHECK(json_parse_copy(q, exchange_text(&a, cases[i].response), &response, NULL));
		CHECK(exchange_find_api(request, response, str_from(cases[i].path)) == cases[i].api);
		CHECK(exchange_api_of_request(request) == cases[i].alone);
	}
	json_parser_close(p);
	json_parser_close(q);
	arena_free(&a);
}

TEST(every_row_says_where_it_is_asked_and_how_it_is_read)
{
	for (const struct exchange_api *const *api = exchange_apis; *api; api++) {
		test_case("%s", (*api)->name);
		CHECK((*api)->fits_request && (*api)->fits_response && (*api)->request && (*api)->response && (*api)->stream_event);
		CHECK((*api)->service || (*api)->accompanies);
		CHECK((*api)->paths[0].n || (*api)->accompanies);
		CHECK(!(*api)->paths[EXCHANGE_PATHS - 1].n && !(*api)->body_words[EXCHANGE_WORDS - 1].n); /* ended */
		for (const struct str *path = (*api)->paths; path->n; path++)
			CHECK(exchange_api_of_path(*path) == *api); /* no other row has it */
	}
}

TEST(words_of_paths_and_names_of_services_are_known)
{
	static const char *const known[] = { "chat", "completions", "messages", "generateContent", "embedContent", "openai", "google" };
	static const char *const unknown[] = { "", "chat/completions", "generate-content", "sesame", "Openai" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		CHECK(exchange_is_path_word(str_from(known[i])));
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		CHECK(!exchange_is_path_word(str_from(unknown[i])));
}

TEST(a_client_without_a_name_is_told_by_its_api_and_path)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "/v1/chat/completions", "raw_openai" }, { "/v1/responses", "raw_openai" }, { "/v1/embeddings", "raw_openai" },
		{ "/v1/messages", NULL },		  { "/api/chat", NULL },	     { "/api/embed", NULL },
		{ "/v1beta/models/g:embedContent", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str path = str_from(cases[i].path);
		const char *got = exchange_framework(exchange_api_of_path(path), path);

		test_case("%s", cases[i].path);
		CHECK(cases[i].want ? got && strcmp(got, cases[i].want) == 0 : !got);
	}
	CHECK(!exchange_framework(&embeddings_api, STR("/x"))); /* known by its body */
}

TEST(a_stream_is_asked_for_by_the_body_the_path_or_habit)
{
	static const struct {
		const struct exchange_api *api;
		const char *request, *path;
		bool asks;
	} cases[] = {
		{ &openai_chat_api, "{'stream':true}", "/v1/chat/completions", true },
		{ &openai_chat_api, "{'stream':'true'}", "/v1/chat/completions", false },
		{ &openai_chat_api, "{}", "/v1/chat/completions", false },
		{ &gemini_api, "{}", "/v1beta/models/g:streamGenerateContent", true },
		{ &gemini_api, "{}", "/v1beta/models/g:generateContent", false },
		{ &ollama_api, "{}", "/api/chat", true },
		{ &ollama_api, "{'stream':false}", "/api/chat", false },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct val request;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(json_parse_copy(p, exchange_text(&a, cases[i].request), &request, NULL));
		CHECK_INT(exchange_asks_stream(cases[i].api, request, str_from(cases[i].path)), cases[i].asks);
	}
	CHECK(exchange_asks_stream(&ollama_api, VAL_NONE, STR("")));
	json_parser_close(p);
	arena_free(&a);
}

TEST(tools_are_chosen_in_each_apis_words)
{
	static const struct {
		const char *request, *want;
	} cases[] = {
		{ "{'tool_choice':'auto'}", "auto" },
		{ "{'tool_choice':{'type':'any'}}", "any" },
		{ "{'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}}", "ANY" },
		{ "{'tool_config':{'function_calling_config':{'mode':'NONE'}}}", "NONE" },
		{ "{'model':'g','request':{'contents':[],'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}}}", "ANY" },
		{ "{'tool_choice':7}", NULL },
		{ "{}", NULL },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct val request, choice;

		test_case("%s", cases[i].request);
		CHECK(json_parse_copy(p, exchange_text(&a, cases[i].request), &request, NULL));
		choice = exchange_tool_choice(request);
		CHECK(cases[i].want ? val_text_is(choice, str_from(cases[i].want)) : val_is_none(choice));
	}
	json_parser_close(p);
	arena_free(&a);
}

TEST(an_address_gives_its_model_and_keeps_its_keys)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(exchange_http_model(STR("https://g.example/v1beta/models/gemini-x:generateContent?key=k")), STR("gemini-x"));
	CHECK(!exchange_http_model(STR("/v1/models/gpt-x")).p);
	CHECK(!exchange_http_model(STR("/v1/models/a/b:c")).p);
	CHECK(!exchange_http_model(STR("/v1/messages")).p);
	CHECK_STR(exchange_http_clean_query(&a, STR("/x?alt=sse&key=K&api_key=L&access_token=M&%6bey=N&beta=true#f")), STR("alt=sse&beta=true"));
	CHECK(!exchange_http_clean_query(&a, STR("/x?key=K")).p);
	CHECK_STR(exchange_http_clean_url(&a, STR("https://me:sesame@e.example/v1/x?key=K#f")), STR("https://e.example/v1/x"));
	CHECK(exchange_http_is_secret(STR("Authorization")) && exchange_http_is_secret(STR("x-goog-api-key")));
	CHECK(!exchange_http_is_secret(STR("anthropic-version")));
	arena_free(&a);
}

TEST(bytes_came_when_their_chunk_did)
{
	static const struct {
		const char *chunks;
		size_t end;
		double ms; /* negative: not known */
	} cases[] = {
		{ "[[0,1000],[10,500],[30,250]]", 10, 1 },
		{ "[[0,1000],[10,500],[30,250]]", 11, 1.5 },
		{ "[[0,1000],[10,500],[30,250]]", 9999, 1.75 },
		{ "[[0,1000],[10,500]]", 0, 1 },
		{ "[]", 1, -1 },
		{ "7", 1, -1 },
		{ "[[0,-1]]", 1, -1 },
		{ "[[0]]", 1, -1 },
		{ "[[0,999999999999999],[1,999999999999999]]", 9, -1 },
	};
	struct json_parser *p = json_parser_open((struct json_options){ 0 });

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct amount got;
		struct val v;

		test_case("%s at %zu", cases[i].chunks, cases[i].end);
		CHECK(json_parse_copy(p, str_from(cases[i].chunks), &v, NULL));
		got = exchange_http_arrival(v, cases[i].end);
		CHECK(cases[i].ms < 0 ? !amount_is_known(got) : got.n == cases[i].ms);
	}
	json_parser_close(p);
}

static void read_talk(struct reading *r, struct val v)
{
	size_t at = r->count;

	if (!val_is_none(val_get(v, STR("tools"))))
		reading_add(r, EVENT_RUN_START)->tools = reading_json(r, NULL, "tools", v, STR("tools"));
	reading_add(r, EVENT_MESSAGE)->content = reading_json(r, NULL, "content", v, STR("said"));
	exchange_begin_run(r, at, v);
}

TEST(a_request_that_is_all_of_a_run_begins_with_what_stood_beside_its_messages)
{
	static const struct read_ops ops = { .vendor = "test", .key = "test/1", .value = read_talk };
	static const struct dialect talk = { .name = "talk", .read = &ops };
	static const char *const lines[] = { "{'model':'m','said':'q','x':1}", "{'model':'m','said':'q','x':1,'tools':[]}" };
	struct reading r;
	struct arena a;

	arena_init(&a);
	reading_init(&r, &talk);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct str text = exchange_text(&a, lines[i]);

		test_case("%s", lines[i]);
		r.count = 0;
		reading_chunk(&r, &a, str_of(arena_printf(&a, "%.*s%64s", STR_ARG(text), "").p, text.n), 1, true);
		CHECK_INT(r.count, 2);
		CHECK_INT(r.events[0].kind, EVENT_RUN_START);
		CHECK_INT(r.events[0].flags, EVENT_HISTORY | EVENT_INFERRED);
		CHECK_STR(r.events[0].model, STR("m"));
		CHECK_STR(event_find_extra(&r.events[0], STR("test/1")), STR("{\"x\":1}"));
		CHECK_INT(r.events[1].kind, EVENT_MESSAGE);
		CHECK_STR(r.events[1].content, STR("\"q\""));
	}
	reading_free(&r);
	arena_free(&a);
}
