#include "kit.h"

TEST(calls_of_all_runs_stand_on_one_clock)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 20, 21, MODEL("\"x\"", 600, 5, ",\"hash_ids\":[1, 2]"))
			NODE("\"b\"", "tool_call", "\"a\"", 1, 2, "")), "1");
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 18.5, 19, MODEL("\"x\"", 7, 0, ""))
			NODE("\"b\"", "model_call", "", 19, 20, MODEL("\"x\"", 8, 1, ",\"hash_ids\":[\"\\n\",{}]"))
			NODE("\"c\"", "model_call", "", 19, 20, ",\"model_call\":{\"model\":\"x\",\"input_tokens\":3}")), "2");
	CHECK_STR(kit_write(&k, "mooncake"), STR("{\"timestamp\":0,\"input_length\":7,\"output_length\":0}\n"
						 "{\"timestamp\":500,\"input_length\":8,\"output_length\":1}\n"
						 "{\"timestamp\":1500,\"input_length\":600,\"output_length\":5,\"hash_ids\":[1,2]}\n"));
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

/* Blocks of 64 tokens: each eighth stands for 512 tokens and all before it, the last for what is left. */
TEST(blocks_of_another_size_become_blocks_of_512_tokens)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 1, 2,
			     MODEL("\"x\"", 1120, 5, ",\"hash_ids\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]"))
			NODE("\"b\"", "model_call", "", 2, 3,
			     MODEL("\"x\"", 608, 5, ",\"hash_ids\":[1,2,3,4,5,6,7,8,9,30]"))), "1");
	CHECK_STR(kit_write(&k, "mooncake"),
		  STR("{\"timestamp\":0,\"input_length\":1120,\"output_length\":5,\"hash_ids\":[8,16,18]}\n"
		      "{\"timestamp\":1000,\"input_length\":608,\"output_length\":5,\"hash_ids\":[8,30]}\n"));
	kit_free(&k);
}

/* Blocks of 2048 tokens are divided; the parts of equal ones are equal. */
TEST(larger_blocks_are_divided)
{
	struct kit k;
	struct str text, first, second;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 1, 2, MODEL("\"x\"", 3072, 5, ",\"hash_ids\":[1,2]"))
			NODE("\"b\"", "model_call", "", 2, 3, MODEL("\"x\"", 3072, 5, ",\"hash_ids\":[1,3]"))), "1");
	text = kit_write(&k, "mooncake");
	first = str_cut(text, '\n', &second);
	first = str_of(first.p + str_find(first, STR("[")), first.n - str_find(first, STR("[")));
	second = str_of(second.p + str_find(second, STR("[")), second.n - str_find(second, STR("[")));
	for (size_t i = 0; i < 6; i++) /* four of the block that they share, two of their own */
		CHECK_INT(str_eq(str_cut(first, ',', &first), str_cut(second, ',', &second)), i < 4);
	CHECK_INT(first.n, 0);
	kit_free(&k);
}

TEST(a_number_of_tokens_that_cannot_be_is_not_followed)
{
	struct kit k;

	kit_open(&k);
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 1, 2, MODEL("\"x\"", 9007199254740991, 5, ",\"hash_ids\":[1]"))), "1");
	CHECK(str_has(kit_write(&k, "mooncake"), STR("\"hash_ids\":[1]}")));
	kit_add(&k, STR(NODE("\"a\"", "model_call", "", 1, 2, MODEL("\"x\"", 100, 5, ",\"hash_ids\":[ ]"))), "2");
	CHECK(str_has(kit_write(&k, "mooncake"), STR("\"hash_ids\":[]}")));
	kit_free(&k);
}
