#include "kit.h"

TEST(calls_of_all_runs_stand_on_one_clock)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 20, 21, MODEL("\"x\"", 100, 5, ",\"hash_ids\":[1, 2]"))
			NODE("\"b\"", "tool_call", "\"a\"", 1, 2, "")), "1");
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 18.5, 19, MODEL("\"x\"", 7, 0, ""))
			NODE("\"b\"", "model_call", "", 19, 20, MODEL("\"x\"", 8, 1, ",\"hash_ids\":[\"\\n\",{}]"))
			NODE("\"c\"", "model_call", "", 19, 20, ",\"model_call\":{\"model\":\"x\",\"input_tokens\":3}")), "2");
	CHECK_STR(kit_write(&k, "mooncake"), STR("{\"timestamp\":0,\"input_length\":7,\"output_length\":0}\n"
						 "{\"timestamp\":500,\"input_length\":8,\"output_length\":1}\n"
						 "{\"timestamp\":1500,\"input_length\":100,\"output_length\":5,\"hash_ids\":[1,2]}\n"));
	CHECK(str_has(buf_str(&k.notes), STR("note: 2 calls without hash_ids")));
	CHECK_INT(losses_count(k.losses), 1); /* the call without output_tokens */
	kit_free(&k);
}

TEST(estimates_are_told_and_no_calls_are_no_lines)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"b\"", "tool_call", "", 1, 2, "")), "1");
	CHECK_STR(kit_write(&k, "mooncake"), STR(""));
	CHECK_STR(buf_str(&k.notes), STR(""));
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 5, 4, ",\"model_call\":{\"model\":\"x\",\"input_tokens\":3,\"output_tokens\":4,"
			     "\"input_tokens_source\":\"estimated\",\"output_tokens_source\":\"api\"}")), "2");
	CHECK_STR(kit_write(&k, "mooncake"), STR("{\"timestamp\":0,\"input_length\":3,\"output_length\":4}\n"));
	CHECK(str_has(buf_str(&k.notes), STR("note: 1 call with an estimated number of tokens\n")));
	kit_free(&k);
}
