#include "replay/normal.h"

#include "harness/test.h"

static struct normal make(enum normal_kind kind, const char *body)
{
	static struct normalizer *z;
	static struct arena a;
	struct normal n;

	if (!z) {
		z = normal_open();
		arena_init(&a);
	}
	normal_make(z, &a, kind, str_from(body), &n);
	return n;
}

TEST(a_body_has_one_form)
{
	static const struct { enum normal_kind kind; const char *body, *want; } cases[] = {
		{ NORMAL_PLAIN, "{ \"b\" : 1.0, \"a\" : [ ] }", "{\"a\":[],\"b\":1}" },
		{ NORMAL_PLAIN, "{\"b\":{\"z\":\"\\u00e9\\/\",\"y\":{}},\"a\":[1,[2,{}]]}", "{\"a\":[1,[2,{}]],\"b\":{\"y\":{},\"z\":"
		  "\"\xc3\xa9/\"}}" },
		{ NORMAL_PLAIN, "{\"temperature\":1,\"id\":2}", "{\"id\":2,\"temperature\":1}" },
		{ NORMAL_PLAIN, "[9007199254740993,9007199254740992,1e2]", "[9007199254740993,9007199254740992,100]" },
		{ NORMAL_PLAIN, "[1e999,-0]", "[1e999,0]" },
		{ NORMAL_PLAIN, "\"a\"", "\"a\"" },
		{ NORMAL_PLAIN, "no JSON {", "no JSON {" },
		{ NORMAL_PLAIN, "{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}" },
		{ NORMAL_PLAIN, "", "" },
		{ NORMAL_MODEL, "{\"model\":\"m\",\"temperature\":0.5,\"user\":\"u\",\"seed\":1}", "{\"model\":\"m\"}" },
		{ NORMAL_MODEL, "{\"metadata\":{\"user_id\":\"u\"},\"prompt_cache_key\":\"k\",\"safety_identifier\":\"s\"}", "{}" },
		{ NORMAL_MODEL, "{\"metadata\":{\"user_id\":\"u\",\"a\":1}}", "{\"metadata\":{\"a\":1}}" },
		{ NORMAL_MODEL, "{\"metadata\":{}}", "{\"metadata\":{}}" },
		{ NORMAL_MODEL, "{\"messages\":[{\"user\":\"stays\",\"seed\":1}]}", "{\"messages\":[{\"seed\":1,\"user\":\"stays\"}]}" },
		{ NORMAL_SERVICE, "{\"user\":\"u\",\"options\":{\"seed\":1},\"q\":1}", "{\"options\":{\"seed\":1},\"q\":1,\"user\":\"u\"}" },
		{ NORMAL_SERVICE, "{\"anthropic_version\":\"bedrock-2023-05-31\",\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":"
		  "\"hi\"}]}",
		  "{\"anthropic_version\":\"bedrock-2023-05-31\",\"messages\":[{\"content\":\"hi\",\"role\":\"user\"}]}" },
		{ NORMAL_MODEL, "[{\"seed\":1}]", "[{\"seed\":1}]" },
		{ NORMAL_MODEL, "{\"generationConfig\":{\"temperature\":1,\"responseSchema\":{\"type\":\"OBJECT\"}}}",
		  "{\"generationConfig\":{\"responseSchema\":{\"type\":\"OBJECT\"}}}" },
		{ NORMAL_MODEL, "{\"generationConfig\":{\"topK\":1},\"options\":{\"num_predict\":5}}", "{}" },
		{ NORMAL_MODEL, "{\"options\":{\"seed\":1,\"stop\":[\"a\"]}}", "{\"options\":{\"stop\":[\"a\"]}}" },
		{ NORMAL_MODEL, "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"b\"}},{\"type\":\"function\",\"function\":"
		  "{\"name\":\"a\"}}]}",
		  "{\"tools\":[{\"function\":{\"name\":\"a\"},\"type\":\"function\"},{\"function\":{\"name\":\"b\"},\"type\":\"function\"}]}" },
		{ NORMAL_MODEL, "{\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"},{\"type\":\"z\"}]}", "{\"tools\":[{\"name\":\"a\"},{\"name\":"
		  "\"b\"},{\"type\":\"z\"}]}" },
		{ NORMAL_MODEL, "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"b\"},{\"name\":\"a\"}]}]}",
		  "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"a\"},{\"name\":\"b\"}]}]}" },
		{ NORMAL_MODEL, "{\"tools\":3}", "{\"tools\":3}" },
		{ NORMAL_MCP, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"temperature\":1,"
		  "\"_meta\":{\"progressToken\":7}}}",
		  "{\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"temperature\":1}}" },
		{ NORMAL_MCP, "{\"method\":\"m\",\"params\":{\"_meta\":{\"clientInfo\":1,\"clientCapabilities\":1,\"traceparent\":1,"
		  "\"tracestate\":1,\"baggage\":1,\"io.modelcontextprotocol/clientInfo\":1,\"mine\":1}}}",
		  "{\"method\":\"m\",\"params\":{\"_meta\":{\"mine\":1}}}" },
		{ NORMAL_MCP, "{\"method\":\"m\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}",
		  "{\"method\":\"m\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}" },
		{ NORMAL_MCP, "{\"method\":\"tools/list\",\"params\":{\"_meta\":{}}}", "{\"method\":\"tools/list\"}" },
		{ NORMAL_MCP, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7,\"reason\":\"r\"}}",
		  "{\"method\":\"notifications/cancelled\",\"params\":{\"reason\":\"r\"}}" },
		{ NORMAL_MCP, "{\"method\":\"other\",\"params\":{\"requestId\":7}}", "{\"method\":\"other\",\"params\":{\"requestId\":7}}" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].body);
		CHECK_STR(make(cases[i].kind, cases[i].body).bytes, str_from(cases[i].want));
	}
}

TEST(parameters_and_tools_stand_apart)
{
	struct normal n = make(NORMAL_MODEL, "{\"temperature\":0.50,\"generationConfig\":{\"topK\":3,\"a/b\":[1]},"
					     "\"tools\":[{\"name\":\"b\"},{\"name\":\"a\"}]}");

	CHECK(n.is_json);
	CHECK_INT(n.parameter_count, 2);
	CHECK_STR(n.parameters[0].name, STR("/generationConfig/topK"));
	CHECK_STR(n.parameters[0].value, STR("3"));
	CHECK_STR(n.parameters[1].name, STR("/temperature"));
	CHECK_STR(n.parameters[1].value, STR("0.5"));
	CHECK_STR(n.tools, STR("b\na\n"));
	n = make(NORMAL_MCP, "{\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}");
	CHECK_STR(n.tool, STR("t"));
	CHECK(!make(NORMAL_MODEL, "{").is_json);
}

TEST(lane_and_path_say_what_a_body_is)
{
	CHECK_INT(normal_kind_of(STR("model"), STR("/v1/chat/completions")), NORMAL_MODEL);
	CHECK_INT(normal_kind_of(STR("model"), STR("/v1/messages?beta=true")), NORMAL_MODEL);
	CHECK_INT(normal_kind_of(STR("model"), STR("/v1beta/models/g:generateContent")), NORMAL_MODEL);
	CHECK_INT(normal_kind_of(STR("model"), STR("/search?of=/messages")), NORMAL_SERVICE);
	CHECK_INT(normal_kind_of(STR("mcp:files"), STR("")), NORMAL_MCP);
	CHECK_INT(normal_kind_of(STR("shell"), STR("<ws>")), NORMAL_PLAIN);
}

TEST(a_deep_body_is_taken_as_bytes)
{
	static char deep[4000];
	struct normal n;

	memset(deep, '[', 1999);
	memset(deep + 1999, ']', 1999);
	n = make(NORMAL_MODEL, deep);
	CHECK(!n.is_json);
	CHECK_INT(n.bytes.n, 3998);
}
