#include "bench/run/target.h"

#include "dialect/bench/rules.h"
#include "harness/test.h"

static struct target parse(struct arena *a, const char *text)
{
	struct err err = { .kind = ERR_NONE };
	struct target t;

	if (!target_parse(a, str_from(text), &t, &err))
		FAIL("%s: %s", text, err.text);
	return t;
}

TEST(every_provider_may_stand_in_the_configuration)
{
	const struct words *words = BENCH_PROVIDERS;
	size_t rows = 0;

	for (; provider_rows[rows]; rows++) {
		struct str name = str_from(provider_name(provider_rows[rows]));
		size_t at = 0;

		test_case("%s", name.p);
		while (at < words->count && !str_eq(words->items[at], name))
			at++;
		CHECK(at < words->count);
	}
	CHECK_INT(rows, words->count);
}

#define FIFTY "/a/path/of/just/fifty/bytes/to/a/model/in/a/folder"

TEST(a_target_is_a_provider_a_model_and_perhaps_a_level)
{
	static const struct {
		const char *text, *provider, *model, *thinking, *tag;
	} cases[] = {
		{ "mock:echo", "mock", "echo", NULL, "mock__echo__none" },
		{ "ollama_openai:llama3.2:3b", "ollama_openai", "llama3.2:3b", NULL, "ollama_openai__llama3.2_3b__none" },
		{ "openai_responses:gpt-5@xhigh", "openai_responses", "gpt-5", "xhigh", "openai_responses__gpt-5__xhigh" },
		{ "ollama_openai:hf.co/a//b:c d@none", "ollama_openai", "hf.co/a//b:c d", NULL, "ollama_openai__hf.co_a_b_c_d__none" },
		{ "anthropic_messages:claude@20250219@none", "anthropic_messages", "claude@20250219", NULL,
		  "anthropic_messages__claude_20250219__none" },
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t;

		test_case("%s", cases[i].text);
		t = parse(&a, cases[i].text);
		CHECK_STR(str_from(provider_name(t.provider)), str_from(cases[i].provider));
		CHECK_STR(t.model, str_from(cases[i].model));
		CHECK_STR(t.thinking, str_from(cases[i].thinking));
		CHECK((t.thinking.p != NULL) == (cases[i].thinking != NULL));
		CHECK_STR(t.tag, str_from(cases[i].tag));
	}
	arena_free(&a);
}

TEST(what_is_no_target_is_refused_with_what_is_right)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "names no model" },
		{ "mock", "names no model" },
		{ "mock:", "names no model" },
		{ "mock:@none", "names no model" },
		{ ":m", "names no model" },
		{ "mokc:m", "did you mean 'mock'?" },
		{ "somebody_else:m", "it is one of openai, openai-chat" },
		{ "openai_responses:gpt-5@max", "'max' is not a thinking level" },
		{ "openai_responses:gpt-5@", "'' is not a thinking level" },
		{ "openai_responses:gpt-5@High", "'High' is not a thinking level" },
		{ "mock:" FIFTY FIFTY FIFTY FIFTY, "200 bytes is the most" }, /* with the rest, no name of a file */
	};
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct target t;

		test_case("%s", cases[i].text);
		CHECK(!target_parse(&a, str_from(cases[i].text), &t, &err));
		CHECK_INT(err.kind, ERR_USAGE);
		CHECK(strstr(err.text, cases[i].says) != NULL);
		CHECK(strstr(err.text, "= help: ") != NULL);
	}
	arena_free(&a);
}

TEST(a_short_name_is_the_long_one_in_rows_and_files)
{
	struct err err = { .kind = ERR_NONE };
	struct target t;
	struct arena a;

	arena_init(&a);
	CHECK(target_parse(&a, STR("vllm:llama3:8b@high"), &t, &err));
	CHECK_STR(t.tag, STR("ollama_openai__llama3_8b__high"));
	CHECK_STR(str_from(provider_name(t.provider)), STR("ollama_openai"));
	CHECK_STR(target_long_name(&a, STR("openai:gpt-5@low")), STR("openai_responses:gpt-5@low"));
	CHECK_STR(target_long_name(&a, STR("mock:m")), STR("mock:m"));
	CHECK_STR(target_long_name(&a, STR("openai")), STR("openai")); /* a model may have that name */
	CHECK_STR(target_long_name(&a, STR("llama3:8b")), STR("llama3:8b"));
	arena_free(&a);
}

TEST(a_name_can_be_parsed_again)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(target_name(&a, STR("mock"), STR("m"), STR("low")), STR("mock:m@low"));
	CHECK_STR(target_name(&a, STR("mock"), STR("m"), str_of(NULL, 0)), STR("mock:m"));
	CHECK_STR(target_tag(&a, STR("a"), STR("\xC3\xA9/\n"), str_of(NULL, 0)), STR("a___" "__none"));
	arena_free(&a);
}
