#include "provider/mock_script.h"
#include "provider/provider_row.h"
#include "unit/provider/asking.h"

TEST(the_mock_says_the_prompt_again_without_a_script)
{
	const struct provider_answer *a;
	struct asking k;

	asking_begin(&k, "mock", (struct provider_options){ .connect_ms = 0 });
	CHECK(str_starts(provider_address(k.client), STR("http://127.0.0.1:")));
	CHECK(str_ends(provider_address(k.client), STR("/v1")));
	a = asking_ask(&k, (struct provider_question){ .model = STR("m"), .prompt = STR("Say this again.") });
	CHECK_INT(a->status, PROVIDER_OK);
	CHECK_STR(a->text, STR("Say this again."));
	CHECK_STR(a->model, STR("m"));
	CHECK(a->events > 2 && a->content_ns > 0 && a->usage.output.n > 0);
	asking_end(&k);
}

TEST(the_mock_answers_by_its_script)
{
	static const char text[] = "{\"schema\":\"trackway.mock/1\",\"rules\":[{\"match\":{\"nth\":1},\"fault\":{\"status\":503}},"
				   "{\"reply\":{\"text\":\"Yes.\",\"tool_calls\":[{\"name\":\"look\",\"arguments\":{\"at\":1}}]}}]}";
	const struct provider_answer *a;
	struct mock_script script;
	struct err err = { .kind = ERR_NONE };
	struct arena arena;
	struct asking k;

	arena_init(&arena);
	CHECK(mock_script_parse(&arena, STR(text), STR("script"), &script, &err));
	asking_begin(&k, "mock", (struct provider_options){ .script = &script });
	a = asking_ask(&k, (struct provider_question){ .model = STR("m"), .prompt = STR("p") });
	CHECK_INT(a->status, PROVIDER_ERROR);
	CHECK_STR(str_from(a->failure), STR("http_503"));
	CHECK(a->retryable);
	a = asking_ask(&k, (struct provider_question){ .model = STR("m"), .prompt = STR("p"), .thinking = STR("high") });
	CHECK_INT(a->status, PROVIDER_OK);
	CHECK_STR(a->text, STR("Yes."));
	CHECK_INT(a->call_count, 1);
	CHECK_STR(a->calls[0].name, STR("look"));
	CHECK_STR(a->calls[0].arguments, STR("{\"at\":1}"));
	asking_end(&k);
	arena_free(&arena);
}

TEST(the_mock_needs_no_key_and_is_built_in)
{
	CHECK(provider_mock.built_in && provider_mock.key_env == NULL && provider_mock.api == &openai_chat_api);
}
