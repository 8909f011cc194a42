/* A cassette's calls: tokens of the agent, an advisor's apart, and what failed to the end. */
#include "trial/run/calls.h"

#include "base/file.h"
#include "harness/test.h"

#define HEAD "{\"v\":\"cassette/v1\",\"run_id\":\"01a1f04f-88d6-71ce-b8fc-e8fd50386ab6\",\"started\":" \
	     "\"2026-11-18T20:18:26.646236Z\",\"clock0_us\":1795033106646236}\n"
#define ASK(x, headers, model) "{\"x\":" x ",\"lane\":\"model\",\"group\":" x ",\"provider\":\"openai\",\"endpoint\":" \
	"\"http://127.0.0.1:1/v1/chat/completions\",\"base\":\"/v1\",\"req\":{\"method\":\"POST\",\"target\":" \
	"\"/v1/chat/completions\",\"headers\":{" headers "\"content-type\":\"application/json\"},\"body\":{\"size\":1," \
	"\"enc\":\"json\",\"inline\":{\"model\":\"" model "\",\"messages\":[{\"role\":\"user\",\"content\":\"q" x "\"}]}}},"
#define TIMES ",\"t_us\":179503310700000" "0,\"dur_us\":1000}\n"
#define GOOD(model, usage) "\"resp\":{\"status\":200,\"headers\":{\"content-type\":\"application/json\"},\"body\":{" \
	"\"size\":1,\"enc\":\"json\",\"inline\":{\"id\":\"i\",\"object\":\"chat.completion\",\"model\":\"" model "\"," \
	"\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"finish_reason\":\"stop\"}]" \
	usage "}},\"end\":\"eof\"}" TIMES
#define USAGE(in, out) ",\"usage\":{\"prompt_tokens\":" in ",\"completion_tokens\":" out ",\"total_tokens\":1," \
	"\"prompt_tokens_details\":{\"cached_tokens\":4}}"
#define BAD(status, end) "\"resp\":{\"status\":" status ",\"headers\":{},\"body\":{\"size\":2,\"enc\":\"json\",\"inline\":{}}," \
	"\"end\":\"" end "\"}" TIMES
#define ERROR "\"resp\":{\"status\":200,\"headers\":{\"content-type\":\"application/json\"},\"body\":{\"size\":1," \
	"\"enc\":\"json\",\"inline\":{\"error\":{\"message\":\"overloaded\",\"code\":502}}},\"end\":\"eof\"}" TIMES
#define ROLE "\"x-trackway-role\":\"advisor\","

static void read_calls(struct arena *a, const char *text, const char *advisor, struct calls *out)
{
	struct str path = ARENA_JOIN(a, str_from(test_dir()), STR("/cassette.jsonl"));
	struct err err = { .kind = ERR_NONE };

	CHECK(file_replace(path, str_from(text), 0600, &err));
	if (!calls_read(a, path, str_from(advisor), prices_new(a), out, &err))
		FAIL("%s", err.text);
}

TEST(tokens_of_an_advisor_are_apart_by_its_model_or_its_header)
{
	static const char text[] = HEAD ASK("0", "", "m") GOOD("m", USAGE("10", "2")) ASK("1", ROLE, "m")
		GOOD("m", USAGE("100", "20")) ASK("2", "", "w") GOOD("w", USAGE("1000", "200"));
	struct calls c;
	struct arena a;

	arena_init(&a);
	read_calls(&a, text, NULL, &c);
	CHECK_INT(c.agent, 2);
	CHECK_INT(c.advisor, 1);
	CHECK_INT(c.tokens_in.n, 1010);
	CHECK_INT(c.tokens_out.n, 202);
	CHECK_INT(c.cache_read.n, 8);
	CHECK_INT(c.advisor_in.n, 100);
	CHECK_INT(c.advisor_out.n, 20);
	CHECK(!c.tokens_in.unknown && !c.cache_read.unknown && c.cache_write.unknown && c.no_price && !c.failure.p);
	CHECK_INT(c.model_count, 2);
	read_calls(&a, text, "w", &c);
	CHECK_INT(c.agent, 1);
	CHECK_INT(c.advisor, 2);
	CHECK_INT(c.tokens_in.n, 10);
	CHECK_INT(c.advisor_in.n, 1100);
	CHECK_INT(c.model_count, 1);
	arena_free(&a);
}

TEST(an_answer_without_counts_makes_the_sum_unknown_and_a_failed_one_does_not)
{
	struct calls c;
	struct arena a;

	arena_init(&a);
	read_calls(&a, HEAD ASK("0", "", "m") GOOD("m", USAGE("10", "2")) ASK("1", "", "m") GOOD("m", ""), NULL, &c);
	CHECK(c.tokens_in.unknown && c.tokens_out.unknown);
	read_calls(&a, HEAD ASK("0", "", "m") BAD("500", "eof") ASK("1", "", "m") GOOD("m", USAGE("10", "2")), NULL, &c);
	CHECK(!c.tokens_in.unknown);
	CHECK_INT(c.tokens_in.n, 10);
	CHECK(c.failed == 1 && !c.failure.p);
	read_calls(&a, HEAD, NULL, &c);
	CHECK(!c.tokens_in.unknown && c.tokens_in.n == 0 && c.agent == 0 && !c.no_price);
	arena_free(&a);
}

TEST(the_last_request_says_whether_the_service_failed_to_the_end)
{
	static const struct { const char *last; bool failed; } cases[] = {
		{ BAD("429", "eof"), true },  { BAD("503", "eof"), true },      { BAD("401", "eof"), true },
		{ BAD("400", "eof"), false }, { BAD("404", "eof"), false },     { BAD("null", "refused"), true },
		{ BAD("200", "cut"), true },  { BAD("null", "client_left"), false },
		{ BAD("402", "eof"), true },  { ERROR, true },
		{ ERROR ASK("2", "", "m") GOOD("m", USAGE("1", "1")), false },
		{ ERROR ASK("2", ROLE, "m") GOOD("m", USAGE("1", "1")), false },
		{ ERROR ASK("2", "", "m") BAD("400", "eof"), false },
	};
	struct calls c;
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str first = STR(HEAD ASK("0", "", "m") GOOD("m", USAGE("1", "1")) ASK("1", "", "m"));

		test_case("%s", cases[i].last);
		read_calls(&a, ARENA_JOIN(&a, first, str_from(cases[i].last)).p, NULL, &c);
		CHECK_INT(c.failure.p != NULL, cases[i].failed);
		CHECK_INT(c.waited, str_has(str_from(cases[i].last), STR("client_left")));
	}
	arena_free(&a);
}

TEST(a_model_that_is_not_found_is_no_failure_of_the_agent_where_no_other_answered)
{
	struct calls c;
	struct arena a;

	arena_init(&a);
	read_calls(&a, HEAD ASK("0", "", "m") BAD("404", "eof") ASK("1", "", "m") BAD("404", "eof"), NULL, &c);
	CHECK(c.failure.p && c.failed == 2);
	read_calls(&a, HEAD ASK("0", "", "m") GOOD("m", USAGE("1", "1")) ASK("1", "", "m") BAD("404", "eof"), NULL, &c);
	CHECK(!c.failure.p && c.failed == 1);
	arena_free(&a);
}
