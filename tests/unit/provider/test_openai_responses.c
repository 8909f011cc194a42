#include "unit/provider/row_sample.h"

TEST(models_that_reason_are_told_no_temperature_unless_somebody_wants_it)
{
	struct provider_question q = { .model = STR("m"), .prompt = STR("p"), .thinking = STR("xhigh"), .temperature = -1 };
	struct made *m = made_by(&provider_openai_responses, &q, STR("abc"));

	CHECK_STR(provider_path(&provider_openai_responses), STR("/responses"));
	CHECK_STR(m->r.headers[0].value, STR("Bearer abc"));
	CHECK(!made_has(m, "temperature"));
	CHECK(made_has(m, "\"reasoning\":{\"effort\":\"xhigh\"}"));
	CHECK(made_has(m, "\"instructions\":\"" PROVIDER_SYSTEM "\",\"input\":\"p\""));
	CHECK(!made_has(m, "max_output_tokens"));
	made_free(m);
}
