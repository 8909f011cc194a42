#include "replay/service.h"

#include "harness/test.h"

static struct tape_line line(const char *provider, const char *target)
{
	return (struct tape_line){ .lane = TAPE_MODEL, .http = { .provider = str_from(provider), .target = str_from(target) } };
}

TEST(the_interface_is_told_by_the_end_of_the_path)
{
	static const struct { const char *target, *api; } cases[] = {
		{ "/v1/chat/completions", "chat completions" }, { "/v1/responses", "responses" },
		{ "/v1/messages?beta=true", "messages" },       { "/v1beta/models/m:streamGenerateContent?alt=sse", "generateContent" },
		{ "/api/chat", "chat" },                        { "/v1/models", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tape_line l = line("openai", cases[i].target);
		struct tape t = { .lines = &l, .count = 1 };

		test_case("%s", cases[i].target);
		CHECK_STR(service_api(&t), str_from(cases[i].api));
		CHECK_STR(service_provider(&t), STR("openai"));
	}
}

TEST(a_run_with_two_services_is_of_several)
{
	struct tape_line lines[] = { line("openai", "/v1/responses"), line("anthropic", "/v1/messages"), { .lane = TAPE_SHELL } };
	struct tape t = { .lines = lines, .count = 3 };

	CHECK_STR(service_provider(&t), STR("several"));
	CHECK_STR(service_api(&t), STR("several"));
	t.lines = &lines[2];
	t.count = 1;
	CHECK(!service_provider(&t).p && !service_api(&t).p);
}
