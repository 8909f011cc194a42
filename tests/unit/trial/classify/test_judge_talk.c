/* What a judge is sent and what it may answer; the asking itself is tried against the mock server. */
#include "harness/test.h"
#include "trial/classify/judge.h"

static struct turns turns_of(struct turn *items, size_t count)
{
	return (struct turns){ .items = items, .count = count };
}

TEST(a_question_has_three_turns_of_context_and_hides_keys)
{
	struct turn items[9] = { { .text = { NULL, 0 } } };
	struct turn_call call = { STR("bash"), STR("{\"command\":\"ls\"}") };
	struct turns t = turns_of(items, 9);
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < 9; i++)
		items[i].text = arena_printf(&a, "t%zu", i + 1);
	items[6].text = STR("use Bearer abcdefgh0123456789");
	items[6].calls = &call;
	items[6].call_count = 1;
	items[6].result = STR("\"out\"");
	items[6].errors = 1;
	CHECK_STR(judge_question(&a, &t, 5, 7),
		  STR("{\"context\":["
		      "{\"turn_index\":3,\"text\":\"t3\",\"tool_calls\":[],\"errors\":0},"
		      "{\"turn_index\":4,\"text\":\"t4\",\"tool_calls\":[],\"errors\":0},"
		      "{\"turn_index\":5,\"text\":\"t5\",\"tool_calls\":[],\"errors\":0}],\"turns\":["
		      "{\"turn_index\":6,\"text\":\"t6\",\"tool_calls\":[],\"errors\":0},"
		      "{\"turn_index\":7,\"text\":\"use Bearer \xe2\x80\xa6\",\"tool_calls\":[{\"tool\":\"bash\","
		      "\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}],\"result\":\"\\\"out\\\"\",\"errors\":1}]}"));
	CHECK(str_starts(judge_question(&a, &t, 0, 5), STR("{\"context\":[],\"turns\":[{\"turn_index\":1,")));
	arena_free(&a);
}

#define ENTRY(n, bond, conf) "{\"turn_index\":" n ",\"bond_type\":" bond ",\"confidence\":" conf "}"

/* Of turns 6 and 7: "e.5 v1", or the error. */
static void check_reply(const char *reply, const char *want)
{
	struct classify_turn out[2];
	struct err err;
	struct arena a;

	arena_init(&a);
	test_case("%s", reply);
	if (judge_read_reply(&a, str_from(reply), 5, 7, out, &err))
		CHECK_STR(arena_printf(&a, "%s %g %s %g", bond_names[out[0].bond], out[0].confidence,
				       bond_names[out[1].bond], out[1].confidence), str_from(want));
	else
		CHECK_STR(str_from(err.text), str_from(want));
	arena_free(&a);
}

TEST(a_reply_is_read_and_malformed_entries_are_skipped)
{
	static const char good[] = "execution 0.5 verification 1";

	check_reply("{\"classifications\":[" ENTRY("6", "\"execution\"", "0.5") "," ENTRY("7", "\"verification\"", "1") "]}", good);
	check_reply("Here:\n```json\n{\"classifications\":[" ENTRY("7", "\"Verification \"", "1") ","
		    ENTRY("6", "\"execution\"", "0.5") "]}\n```", good);
	/* none of these are of any use, nor do they harm; the first good one counts */
	check_reply("{\"classifications\":[7,null,{}," ENTRY("5", "\"execution\"", "0.1") "," ENTRY("8", "\"execution\"", "0.1") ","
		    ENTRY("6.5", "\"execution\"", "0.1") "," ENTRY("-6", "\"execution\"", "0.1") "," ENTRY("6", "\"acting\"", "0.1") ","
		    ENTRY("6", "\"execution\"", "1.1") "," ENTRY("6", "\"execution\"", "\"1\"") "," ENTRY("6", "3", "0.1") ","
		    ENTRY("6", "\"execution\"", "0.5") "," ENTRY("6", "\"exploration\"", "0.9") "," ENTRY("7", "\"verification\"", "1") "]}", good);
}

TEST(a_reply_that_leaves_out_a_turn_or_is_none_is_an_error)
{
	check_reply("{\"classifications\":[" ENTRY("6", "\"execution\"", "0.5") "]}",
		    "the judge's reply says nothing usable of turn 7");
	check_reply("{\"classifications\":[]}", "the judge's reply says nothing usable of turn 6");
	check_reply("{\"classifications\":{}}", "the judge's reply about turns 6 to 7 is no list of classifications");
	check_reply("I cannot do that.", "the judge's reply about turns 6 to 7 is no list of classifications");
	check_reply("", "the judge's reply about turns 6 to 7 is no list of classifications");
	check_reply("}{", "the judge's reply about turns 6 to 7 is no list of classifications");
	check_reply("{\"classifications\":[", "the judge's reply about turns 6 to 7 is no list of classifications");
}

TEST(a_rationale_is_kept_and_keys_in_it_are_hidden)
{
	struct classify_turn out[1];
	struct err err;
	struct arena a;

	arena_init(&a);
	CHECK(judge_read_reply(&a, STR("{\"classifications\":[{\"turn_index\":1,\"bond_type\":\"exploration\",\"confidence\":0,"
				       "\"rationale\":\"Bearer abcdefgh0123456789 it asks\"}]}"), 0, 1, out, &err));
	CHECK(out[0].rationale.n && !str_has(out[0].rationale, STR("abcdefgh")));
	arena_free(&a);
}

TEST(the_digest_is_of_the_instructions)
{
	struct arena a;

	arena_init(&a);
	CHECK_INT(classify_judge_digest(&a).n, 71);
	CHECK(str_starts(classify_judge_digest(&a), STR("sha256:")));
	arena_free(&a);
}
