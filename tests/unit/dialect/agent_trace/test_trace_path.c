#include "dialect/agent_trace/trace_path.h"
#include "harness/test.h"

#define HOME "/" "home"

static void check_path(const char *path, size_t own, const char *want)
{
	struct arena a;

	arena_init(&a);
	test_case("%s, %zu of it its user's own", path, own);
	CHECK_STR(trace_path_clean(&a, str_from(path), own), str_from(want));
	arena_free(&a);
}

TEST(words_of_apis_stay)
{
	static const char *const paths[] = {
		"", "/", "/v1", "/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat", "/openai/v1/chat/completions",
		"/v1beta/models/gemini-3.8-flash:streamGenerateContent", "/openai/deployments/gpt-4o-mini/chat/completions",
		"/inference/v1", "/v1alpha2/models", "/v2.1/chat/completions", "/v1/models/",
	};

	for (size_t i = 0; i < COUNT(paths); i++)
		check_path(paths[i], 0, paths[i]);
}

TEST(everything_else_is_dots)
{
	static const struct {
		const char *path, *want;
	} cases[] = {
		{ "/v1/sk-helicone-eu-abc1234-def5678/chat/completions", "/v1/.../chat/completions" },
		{ "/api/key=hunter2/v1/chat/completions", "/api/.../v1/chat/completions" },
		{ "/token/AbCdEf0123456789AbCdEf0123456789AbCdEf01/v1/messages", "/.../v1/messages" },
		{ "/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1/chat", "/.../chat" },
		{ "/users/bob@example.com/v1/chat/completions", "/.../v1/chat/completions" },
		{ HOME "/alice/x/v1/chat/completions", "/.../v1/chat/completions" },
		{ "/V1/chat", "/.../chat" },
		{ "/v1234/chat", "/.../chat" },
		{ "/%2fhome%2falice", "/..." },
		{ "/../chat", "/.../chat" },
		{ "/v1/models/bob@example.com", "/v1/models/..." },
		{ "/v1/models/0123456789abcdef0123:generateContent", "/v1/models/..." },
		{ "/v1/models/g:sayMyName:generateContent", "/v1/models/g:sayMyName:generateContent" },
		{ "/v1/threads/thread_abc/messages", "/v1/threads/.../messages" },
		{ "/v1/a/b/c", "/v1/..." },
		{ "/a\x1b[31m/chat", "/.../chat" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_path(cases[i].path, 0, cases[i].want);
}

TEST(the_address_that_the_user_gave_stays_unless_it_may_be_a_key)
{
	static const struct {
		const char *own, *path, *want;
	} cases[] = {
		{ "/team-a/llm.v2", "/team-a/llm.v2/chat/completions", "/team-a/llm.v2/chat/completions" },
		{ "/team-a", "/team-a/team-b/chat", "/team-a/.../chat" },
		{ "/team-a", "/team-abc/chat", "/.../chat" },
		{ "/sk-helicone-eu-abc1234/v1", "/sk-helicone-eu-abc1234/v1/chat", "/.../v1/chat" },
		{ "/g/AbCdEf0123456789AbCd", "/g/AbCdEf0123456789AbCd/chat", "/g/.../chat" },
		{ "/key=x", "/key=x/chat", "/.../chat" },
		{ "/key/x9", "/key/x9/chat", "/.../chat" },
		{ HOME "/alice/x", HOME "/alice/x/chat", "/.../chat" },
		{ "/Users/alice", "/Users/alice/chat", "/.../chat" },
		{ "/a@b.c", "/a@b.c/chat", "/.../chat" },
		{ "/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		  "/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/chat", "/.../chat" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_path(cases[i].path, strlen(cases[i].own), cases[i].want);
}

TEST(ids_stand_behind_collections)
{
	CHECK(trace_path_is_collection(STR("files")));
	CHECK(trace_path_is_collection(STR("models")));
	CHECK(!trace_path_is_collection(STR("chat")));
	CHECK(!trace_path_is_collection(STR("token")));
}
