#include "dialect/formats.h"
#include "unit/dialect/exchange_text.h"

#define HEAD "{'v':'cassette/v1','run_id':'019f0000-0000-7000-8000-000000000001','recorder':'t','started':'2026-07-01T10:00:00.000000Z'," \
	"'clock0_us':1782900000000000}\n"
#define LINE(n, target, request, response) \
	"{'x':" #n ",'lane':'model','group':" #n ",'provider':'p','endpoint':'https://e.example" target "'," \
	"'req':{'method':'POST','target':'" target "','headers':{'content-type':'application/json'},'body':{'sha256':'s','size':1,'enc':'json'," \
		"'inline':" request "}}," \
	"'resp':" response ",'t_us':178290000" #n "000000,'dur_us':1500000}\n"
#define BODY(enc, what) "{'status':200,'headers':{'x-request-id':'q1'},'body':{'sha256':'s','size':1,'enc':'" enc "','inline':" what "}," \
	"'chunks':[[0,250000],[110,50000]],'end':'eof'}"
#define CHAT(content) "{'model':'m','messages':[{'role':'user','content':'" content "'}]}"
#define SAID(id, text) "{'id':'" id "','object':'chat.completion','model':'m','choices':[{'index':0,'message':{'role':'assistant','content':" \
	"'" text "'},'finish_reason':'stop'}]}"
#define CHUNK(id, delta, end) "data: {\"id\":\"" id "\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{" delta "}" \
	"" end "}]}\\n\\n"

TEST(a_line_is_an_exchange_with_its_times)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c1", "yes")))).out;
	exchange_check(&a, out, "run_start", 0, "/ts", "2026-07-01T10:00:00.000000Z");
	exchange_check(&a, out, "run_start", 0, "/run_id", "019f0000-0000-7000-8000-000000000001");
	exchange_check(&a, out, "model_step", 0, "/step_id", "c1");
	exchange_check(&a, out, "model_step", 0, "/text", "yes");
	exchange_check(&a, out, "model_step", 0, "/ts", "2026-07-01T10:00:02.500Z");
	exchange_check(&a, out, "model_step", 0, "/latency_ms", "1500");
	exchange_check(&a, out, "model_step", 0, "/ttft_ms", NULL);
	exchange_check(&a, out, "model_step", 0, "/provider", "p");
	exchange_check(&a, out, "model_step", 0, "/endpoint", "https://e.example/v1/chat/completions");
	exchange_check(&a, out, "model_step", 0, "/request_id", "q1");
	exchange_check(&a, out, "model_step", 0, "/request/messages/0/content", "q");
	exchange_check(&a, out, "model_step", 0, "/request/messages/0/ts", "2026-07-01T10:00:01.000Z");
	arena_free(&a);
}

TEST(the_first_token_came_with_its_chunk)
{
	static const struct {
		const char *name, *body, *ms;
	} cases[] = {
		{ "in the first", CHUNK("c", "\"content\":\"x\"", "") CHUNK("c", "", ",\"finish_reason\":\"stop\""), "250" },
		{ "in the second", CHUNK("c", "\"role\":\"assistant\"", "") CHUNK("c", "\"content\":\"x\"", "") CHUNK("c", "", ",\"finish_reason\""
			":\"stop\""), "300" },
		{ "none", CHUNK("c", "", ",\"finish_reason\":\"stop\""), NULL },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("utf8", "'%s'")), cases[i].body), out;

		test_case("%s", cases[i].name);
		out = exchange_convert(&a, NULL, text.p).out;
		exchange_check(&a, out, "model_step", 0, "/stream", "true");
		exchange_check(&a, out, "model_step", 0, "/ttft_ms", cases[i].ms);
	}
	arena_free(&a);
}

TEST(bytes_that_are_no_text_are_unpacked)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	/* data: {"model":"m","message":{"role":"assistant","content":"<ff>hi"},"done":true} */
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/api/chat", CHAT("q"),
		BODY("base64", "'eyJtb2RlbCI6Im0iLCJtZXNzYWdlIjp7InJvbGUiOiJhc3Npc3RhbnQiLCJjb250ZW50Ijoi/2hpIn0sImRvbmUiOnRydWV9Cg=='"))).out;
	exchange_check(&a, out, "model_step", 0, "/text", "\xef\xbf\xbdhi");
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/api/chat", CHAT("q"), BODY("base64", "'AP8='"))).out;
	CHECK(exchange_holds(out, "AP8="));
	CHECK_INT(convert_count(out).model_steps, 0);
	arena_free(&a);
}

TEST(an_end_that_is_not_at_the_end_is_an_error)
{
	static const struct {
		const char *end, *body, *code, *retryable;
		int steps;
	} cases[] = {
		{ "cut", "{'enc':'utf8','inline':'" CHUNK("c", "\"content\":\"ha\"", "") "'}", "cut", "true", 1 },
		{ "client_left", "{'enc':'utf8','inline':'" CHUNK("c", "\"content\":\"ha\"", "") "'}", "client_left", "false", 1 },
		{ "refused", "{'enc':'utf8','inline':''}", "refused", "true", 0 },
		{ "cut", "{'enc':'utf8','inline':'{\"id\":\"c\",\"choi'}", "cut", "true", 0 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&a, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), "{'status':200,'headers':{},'body':%s,'chunks':"
			"[],'end':'%s'}"),
					       cases[i].body, cases[i].end), out;

		test_case("%s %zu", cases[i].end, i);
		out = exchange_convert(&a, NULL, text.p).out;
		exchange_check(&a, out, "error", 0, "/class", "transport");
		exchange_check(&a, out, "error", 0, "/code", cases[i].code);
		exchange_check(&a, out, "error", 0, "/retryable", cases[i].retryable);
		CHECK_INT(convert_count(out).model_steps, cases[i].steps);
		if (cases[i].steps)
			exchange_check(&a, out, "model_step", 0, "/partial", "true");
	}
	arena_free(&a);
}

#define BLOCKS(id) \
	"event: message_start\\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"" id "\",\"type\":\"message\",\"role\":\"assistant\",\"" \
		"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\\n\\n" \
	"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\\n\\n" \
	"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"clau\"}}\\n\\n" \
	"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"de\"}}\\n\\n" \
	"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\\n\\n"
#define ITEMS \
	"data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r1\",\"object\":\"response\",\"status\":\"" \
		"in_progress\",\"output\":[]}}\\n\\n" \
	"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":1,\"output_index\":0,\"content_index\":0,\"item_id\":\"i\",\"delta\"" \
		":\"re\"}\\n\\n" \
	"data: {\"type\":\"response.output_text.delta\",\"sequence_number\":2,\"output_index\":0,\"content_index\":0,\"item_id\":\"i\",\"delta\":" \
		"\"sp\"}\\n\\n"

/* Every stream is followed in the way of its API, whatever stands before and behind it, and ends with its line. */
TEST(apis_may_be_mixed)
{
	static const char *const lines[] = {
		LINE(1, "/v1/messages", "{'model':'claude-x','max_tokens':9,'messages':[{'role':'user','content':'a'}]}", BODY("utf8",
			"'" BLOCKS("m1") "data: {\"type\":\"message_stop\"}\\n\\n'")),
		LINE(2, "/v1/responses", "{'model':'m','input':[{'role':'user','content':'b'}],'stream':true}", BODY("utf8", "'" ITEMS "'")),
		LINE(3, "/v1/messages", "{'model':'claude-x','max_tokens':9,'messages':[{'role':'user','content':'c'}]}", BODY("utf8",
			"'" BLOCKS("m2") "'")),
		LINE(4, "/v1/chat/completions", CHAT("d"), BODY("utf8", "'" CHUNK("c1", "\"role\":\"assistant\",\"content\":\"ch\"",
			"") CHUNK("c2", "\"content\":\"at\"", ",\"finish_reason\":\"stop\"") "'")),
		LINE(5, "/api/chat", CHAT("e"), BODY("utf8", "'{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"ol\"},\"done\":"
			"false}\\n{\"model\":\"m\",\"message\":{\"content\":\"la\"},\"done\":true}\\n'")),
		LINE(6, "/v1beta/models/g:streamGenerateContent?alt=sse", "{'contents':[{'parts':[{'text':'f'}]}]}", BODY("utf8", "'data: {\""
			"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"gem\"}]},\"finishReason\":\"STOP\"}]}\\n\\n'")),
	};
	struct arena a;
	struct buf text;
	struct str out;

	arena_init(&a);
	buf_init(&text);
	buf_add_str(&text, STR(HEAD));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		buf_add_str(&text, str_from(lines[i]));
	buf_add_byte(&text, '\0');
	out = exchange_convert(&a, NULL, text.p).out;
	buf_free(&text);
	CHECK_INT(convert_count(out).model_steps, 6);
	exchange_check(&a, out, "model_step", 0, "/text", "claude");
	CHECK(!convert_get(&a, convert_record(out, "model_step", 0), "/partial").p);
	exchange_check(&a, out, "model_step", 1, "/text", "resp");
	exchange_check(&a, out, "model_step", 1, "/partial", "true");
	exchange_check(&a, out, "model_step", 2, "/text", "claude");
	exchange_check(&a, out, "model_step", 2, "/partial", "true");
	exchange_check(&a, out, "model_step", 3, "/text", "chat");
	exchange_check(&a, out, "model_step", 4, "/text", "olla");
	exchange_check(&a, out, "model_step", 5, "/text", "gem");
	exchange_check(&a, out, "model_step", 5, "/model", "g");
	CHECK_INT(convert_count(out).output_total, 18);
	arena_free(&a);
}

#define USED "'usage':{'prompt_tokens':10,'completion_tokens':2,'total_tokens':12}"
#define CALLED(id) "{\"index\":0,\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}"
#define ASKED "{'model':'claude-x','max_tokens':9,'messages':[{'role':'user','content':'%s'}]}"
#define STOPPED "data: {\"type\":\"message_stop\"}\\n\\n"

/* %s becomes the question. */
static void add_request(struct buf *b, const char *request, int question)
{
	size_t at = str_find(str_from(request), STR("%s"));

	buf_add(b, request, at);
	buf_printf(b, "question %d", question);
	buf_add_str(b, str_from(request + at + 2));
}

/* A cache answers with an id that was there before: it is another step all the same. */
TEST(every_line_is_a_step_of_its_own)
{
	static const struct {
		const char *name, *target, *request, *answer, *enc, *text, *id;
		int calls, input;
	} cases[] = {
		{ "an answer", "/v1/chat/completions", CHAT("%s"), "{'id':'c1','object':'chat.completion','model':'m','choices':[{'index':0,'message'"
			":{'role':'assistant','content':'hi'},'finish_reason':'stop'}]," USED "}", "json", "hi", "c1", 0, 10 },
		{ "a call", "/v1/chat/completions", CHAT("%s"), "{'id':'c1','object':'chat.completion','model':'m','choices':[{'index':0,'message'"
			":{'role':'assistant','content':'hi','tool_calls':[{'id':'t','type':'function','function':{'name':'look','arguments':'{}'}}"
			"]},'finish_reason':'tool_calls'}]," USED "}", "json", "hi", "c1", 1, 10 },
		{ "a stream", "/v1/chat/completions", CHAT("%s"), "'" CHUNK("c1", "\"role\":\"assistant\",\"content\":\"h\"", "")
			CHUNK("c1", "\"content\":\"i\",\"tool_calls\":[" CALLED("t") "]", "")
			CHUNK("c1", "", ",\"finish_reason\":\"stop\"") "'", "utf8", "hi", "c1", 1, 0 },
		{ "a stream with many ids", "/v1/chat/completions", CHAT("%s"), "'" CHUNK("c1", "\"role\":\"assistant\",\"content\":\"h\"", "")
			CHUNK("c2", "\"content\":\"i\"", ",\"finish_reason\":\"stop\"") "'", "utf8", "hi", "c1", 0, 0 },
		{ "a stream with padding", "/v1/chat/completions", CHAT("%s"), "'data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\""
			"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"obfuscation\":\"xyz\"}\\n\\n'",
			"utf8", "hi", "c1", 0, 0 },
		{ "blocks", "/v1/messages", ASKED, "'" BLOCKS("m1") STOPPED "'", "utf8", "claude", "m1", 0, 3 },
		{ "blocks that are cut", "/v1/messages", ASKED, "'" BLOCKS("m1") "'", "utf8", "claude", "m1", 0, 3 },
		{ "blocks without a beginning", "/v1/messages", ASKED, "'data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
			"\"text_delta\",\"text\":\"hi\"}}\\n\\n'", "utf8", "hi", NULL, 0, 0 },
		{ "a call without a beginning", "/v1/messages", ASKED, "'data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
			"\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"look\",\"input\":{}}}\\n\\n'", "utf8", NULL, NULL, 1, 0 },
		{ "items", "/v1/responses", "{'model':'m','input':[{'role':'user','content':'%s'}],'stream':true}", "'" ITEMS "'", "utf8", "resp",
			"r1", 0, 0 },
		{ "no ids", "/api/chat", CHAT("%s"), "'{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"done\":true}\\n'",
			"utf8", "hi", NULL, 0, 0 },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool other = i % 2;
		struct buf text;
		struct str out;

		test_case("%s, %s", cases[i / 2].name, other ? "other questions" : "the same question");
		buf_init(&text);
		buf_add_str(&text, STR(HEAD));
		for (int n = 1; n <= 3; n++) {
			buf_printf(&text, "{'x':%d,'lane':'model','req':{'method':'POST','target':'%s','body':{'enc':'json','inline':", n,
				   cases[i / 2].target);
			add_request(&text, cases[i / 2].request, other ? n : 1);
			buf_printf(&text, "}},'resp':{'status':200,'body':{'enc':'%s','inline':%s},'end':'eof'},'t_us':%d,'dur_us':1}\n",
				   cases[i / 2].enc, cases[i / 2].answer, n);
		}
		buf_add_byte(&text, '\0');
		out = exchange_convert(&a, NULL, text.p).out;
		buf_free(&text);
		CHECK_INT(convert_count(out).model_steps, 3);
		CHECK_INT(convert_count(out).tool_calls, 3 * cases[i / 2].calls);
		CHECK_INT(convert_count(out).input_total, cases[i / 2].input ? 3 * cases[i / 2].input : -1);
		CHECK(!exchange_holds(out, "late_piece"));
		for (size_t n = 0; n < 3; n++) {
			struct str id = convert_get(&a, convert_record(out, "model_step", n), "/step_id");

			exchange_check(&a, out, "model_step", n, "/text", cases[i / 2].text);
			if (cases[i / 2].id && n > 0)
				CHECK_STR(id, arena_printf(&a, "%s~%zu", cases[i / 2].id, n + 1));
			if (cases[i / 2].calls)
				CHECK_STR(convert_get(&a, convert_record(out, "tool_call", n), "/step_id"), id);
		}
	}
	arena_free(&a);
}

/* The choices of an answer keep their order, and a name that is taken is not taken twice. */
TEST(a_name_that_was_there_gets_the_number_of_its_line)
{
#define CHOICE(n) "{'index':" #n ",'message':{'role':'assistant','content':'" #n "'},'finish_reason':'stop'}"
#define CHOICES(id) "{'id':'" id "','object':'chat.completion','model':'m','choices':[" CHOICE(0) "," CHOICE(1) "]}"
	static const char *const want[] = { "c", "c#1", "c~3", "c~3#1", "c~3~3", "c~3~3#1" };
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", CHOICES("c")))
			       LINE(2, "/v1/chat/completions", CHAT("q"), BODY("json", CHOICES("c~3")))
			       LINE(3, "/v1/chat/completions", CHAT("q"), BODY("json", CHOICES("c")))).out;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		exchange_check(&a, out, "model_step", i, "/step_id", want[i]);
	/* another run knows nothing of it */
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c", "a")))
			       "{'v':'cassette/v1','run_id':'019f0000-0000-7000-8000-000000000002'}\n"
			       LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c", "b")))).out;
	exchange_check(&a, out, "model_step", 1, "/step_id", "c");
	/* an id that looks like a choice of nothing */
	out = exchange_convert(&a, NULL, HEAD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("#1", "a")))
			       LINE(2, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("#1", "b")))).out;
	exchange_check(&a, out, "model_step", 0, "/step_id", "#1");
	exchange_check(&a, out, "model_step", 1, "/step_id", "#1~2");
	arena_free(&a);
}

TEST(other_lanes_are_notes)
{
	struct arena a;
	struct str out;

	arena_init(&a);
	out = exchange_convert(&a, NULL, HEAD "{'x':0,'lane':'shell','req':{'argv':['ls']},'resp':{'exit':0}}\n"
			       LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c1", "yes"))) "{'odd':1}\n").out;
	CHECK(exchange_holds(out, "\"argv\"") && exchange_holds(out, "\"shell\"") && exchange_holds(out, "\"odd\""));
	CHECK_INT(convert_count(out).model_steps, 1);
	arena_free(&a);
}

TEST(what_is_for_replay_only_is_dropped)
{
	struct arena a;
	struct converted c;

	arena_init(&a);
	c = exchange_convert(&a, NULL, HEAD LINE(1, "/v1/chat/completions?api_key=sesame", CHAT("q"), BODY("json", SAID("c1", "yes"))));
	CHECK(!exchange_holds(c.out, "250000") && !exchange_holds(c.out, "sha256\":\"s\"") && !exchange_holds(c.out, "sesame"));
	arena_free(&a);
}

TEST(it_is_known_by_its_first_line)
{
	struct arena a;

	arena_init(&a);
	CHECK(exchange_convert(&a, NULL, HEAD).from == &cassette_dialect);
	CHECK(exchange_convert(&a, NULL, LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c1", "yes")))).from == &cassette_dialect);
	arena_free(&a);
}

TEST(the_last_line_says_how_the_run_ended)
{
#define PROMISE "{'v':'cassette/v1','run_id':'019f0000-0000-7000-8000-000000000001','started':'2026-07-01T10:00:00.000000Z','end_line':true}\n"
#define GOOD LINE(1, "/v1/chat/completions", CHAT("q"), BODY("json", SAID("c1", "yes")))
#define END(status, why) "{'ended':'2026-07-01T10:00:09.000000Z','exit_status':'" status "','error_message':" why "}\n"
	static const struct {
		const char *text, *status;
	} cases[] = {
		{ PROMISE GOOD END("success", "null"), "success" },
		{ PROMISE GOOD END("error", "'child exited 3'"), "error" },
		{ PROMISE GOOD END("interrupted", "'child ended by signal 9'"), "interrupted" },
		{ PROMISE GOOD, "interrupted" },     /* the recorder itself was stopped */
		{ HEAD GOOD, "success" },            /* of a recorder that wrote none */
		{ HEAD GOOD END("error", "null"), "error" },
		{ PROMISE END("error", "null"), "error" },
		{ PROMISE GOOD END("exploded", "null"), "error" },
		{ PROMISE GOOD END("", "null"), "error" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct converted c = exchange_convert(&a, NULL, cases[i].text);

		test_case("%zu", i);
		exchange_check(&a, c.out, "run_end", 0, "/status", cases[i].status);
		CHECK(!exchange_holds(c.out, "end_line"));
	}
	exchange_check(&a, exchange_convert(&a, NULL, cases[1].text).out, "run_end", 0, "/reason", "child exited 3");
	exchange_check(&a, exchange_convert(&a, NULL, cases[1].text).out, "run_end", 0, "/ts", "2026-07-01T10:00:09.000000Z");
	arena_free(&a);
}
