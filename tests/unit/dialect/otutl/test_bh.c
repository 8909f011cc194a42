/* behavior_hash: what it does not see, what it does see, and the exact bytes that are hashed. */
#include "dialect/otutl/bh.h"

#include "unit/dialect/otutl_feed.h"
#include "unit/dialect/otutl_log_text.h"

static struct str behavior(struct log_text *l, struct arena *keep)
{
	struct feed f = { 0 };
	struct str hex;

	feed_log(&f, buf_str(&l->text));
	if (f.findings.errors)
		FAIL("unexpected: %.*s", STR_ARG(feed_list(&f, "")));
	CHECK(f.run_count == 1 && f.runs[0].has_behavior);
	hex = arena_copy(keep, feed_hex(&f, f.runs[0].behavior_hash));
	feed_free(&f);
	buf_free(&l->text);
	return hex;
}

static struct str hash_of(struct str bytes, struct arena *keep)
{
	struct sha256 s;
	char hex[SHA256_HEX];

	sha256_init(&s);
	digest_hex(hex, sha256_of(&s, bytes));
	sha256_free(&s);
	return arena_copy(keep, str_of(hex, sizeof(hex)));
}

TEST(the_hash_is_over_the_projections_in_their_order)
{
	struct log_text l = { .run_id = NULL };
	struct arena a;

	arena_init(&a);
	buf_init(&l.text);
	make(&l, 0, "run_start", ",\"agent\":\"x\",\"ext\":{\"a/1\":1},\"totals\":1");
	make(&l, 1, "model_step", ",\"text\":\"t\",\"usage\":{},\"latency_ms\":1,\"ttft_ms\":2,\"cost\":3,\"call_ids\":[\"q\",7,\"p\"]");
	make(&l, 2, "tool_call", ",\"call_id\":\"p\",\"tool\":\"b:1\",\"args\":{}");
	make(&l, 3, "tool_result", ",\"call_id\":\"p\",\"result\":1,\"duration_ms\":5,\"chunks\":[]");
	make(&l, 4, "error", ",\"message\":\"alone\"");
	make(&l, 5, "tool_call", ",\"call_id\":\"q\",\"tool\":\"a:1\",\"args\":{},\"parent_call_id\":\"p\"");
	make(&l, 6, "error", ",\"message\":\"answer\",\"call_id\":\"q\"");
	make(&l, 7, "cost", ",\"usd\":1");
	make(&l, 8, "error", ",\"message\":\"of nobody\",\"call_id\":\"z\"");
	make(&l, 9, "run_end", ",\"status\":\"success\"");
	CHECK_STR(behavior(&l, &a),
		  hash_of(STR("bh/v1\n"
			      "{\"agent\":\"x\",\"type\":\"run_start\"}"
			      "{\"call_ids\":[\"c0\",7,\"c1\"],\"text\":\"t\",\"type\":\"model_step\"}"
			      "{\"args\":{},\"call_id\":\"c0\",\"parent_call_id\":\"c1\",\"tool\":\"a:1\",\"type\":\"tool_call\"}"
			      "{\"args\":{},\"call_id\":\"c1\",\"tool\":\"b:1\",\"type\":\"tool_call\"}"
			      "{\"call_id\":\"c0\",\"message\":\"answer\",\"type\":\"error\"}"
			      "{\"call_id\":\"c1\",\"result\":1,\"type\":\"tool_result\"}"
			      "{\"message\":\"alone\",\"type\":\"error\"}"
			      "{\"call_id\":\"c2\",\"message\":\"of nobody\",\"type\":\"error\"}"
			      "{\"status\":\"success\",\"type\":\"run_end\"}"),
			  &a));
	arena_free(&a);
}

/* What is hashed of one model_step with this request or response, and of the call "k" that follows it. */
static void check_content(const char *member, const char *projected)
{
	struct log_text l = { .run_id = NULL };
	struct arena a;
	struct buf want;

	arena_init(&a);
	buf_init(&l.text);
	buf_init(&want);
	make(&l, 0, "run_start", "%s", "");
	make(&l, 1, "model_step", ",%s", member);
	make(&l, 2, "tool_call", ",\"call_id\":\"k\",\"tool\":\"a:1\",\"args\":{\"id\":\"k\"}");
	make(&l, 3, "tool_result", ",\"call_id\":\"k\",\"result\":{\"id\":7}");
	make(&l, 4, "run_end", "%s", "");
	buf_printf(&want,
		   "bh/v1\n{\"type\":\"run_start\"}{%s,\"type\":\"model_step\"}"
		   "{\"args\":{\"id\":\"k\"},\"call_id\":\"c0\",\"tool\":\"a:1\",\"type\":\"tool_call\"}"
		   "{\"call_id\":\"c0\",\"result\":{\"id\":7},\"type\":\"tool_result\"}{\"type\":\"run_end\"}",
		   projected);
	CHECK_STR(behavior(&l, &a), hash_of(buf_str(&want), &a));
	buf_free(&want);
	arena_free(&a);
}

TEST(of_requests_and_responses_the_words_are_hashed_without_ids_and_times)
{
	static const struct {
		const char *what, *member, *projected;
	} cases[] = {
		{ "the members that are dropped, and no others",
		  "\"request\":{\"id\":1,\"ts\":2,\"created\":3,\"created_at\":4,\"request_id\":5,\"response_id\":6,"
		  "\"system_fingerprint\":7,\"file_sha256\":8,\"ext\":9,\"idx\":10,\"temperature\":0}",
		  "\"request\":{\"idx\":10,\"temperature\":0}" },
		{ "a message and its blocks, in canonical order",
		  "\"request\":{\"messages\":[{\"ts\":1,\"role\":\"user\",\"content\":[{\"text\":\"k\",\"id\":2,\"at\":{\"id\":3}}]}]}",
		  "\"request\":{\"messages\":[{\"content\":[{\"at\":{\"id\":3},\"text\":\"k\"}],\"role\":\"user\"}]}" },
		{ "ids of calls of this log and of another one",
		  "\"request\":{\"messages\":[{\"tool_call_id\":\"old\"},{\"tool_call_id\":\"k\"},{\"toolCallId\":\"k\"},"
		  "{\"toolCallId\":\"older\"},{\"tool_use_id\":\"oldest\"},{\"call_id\":\"old\"}]}",
		  "\"request\":{\"messages\":[{\"tool_call_id\":\"x0\"},{\"tool_call_id\":\"c0\"},{\"toolCallId\":\"c0\"},"
		  "{\"toolCallId\":\"older\"},{\"tool_use_id\":\"x1\"},{\"call_id\":\"x0\"}]}" },
		{ "results stay to the letter",
		  "\"request\":{\"messages\":[{\"role\":\"tool\",\"content\":[{\"id\":\"k\"}]},{\"content\":[{\"content\":[{\"id\":1}]}]}]}",
		  "\"request\":{\"messages\":[{\"content\":[{\"id\":\"k\"}],\"role\":\"tool\"},{\"content\":[{\"content\":[{\"id\":1}]}]}]}" },
		{ "arguments stay to the letter",
		  "\"response\":{\"content\":[{\"input\":{\"id\":\"k\"},\"type\":\"tool_use\",\"id\":\"k\"}]}",
		  "\"response\":{\"content\":[{\"input\":{\"id\":\"k\"},\"type\":\"tool_use\"}]}" },
		{ "an answer of a chat API",
		  "\"response\":{\"id\":\"x\",\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"k\","
		  "\"function\":{\"arguments\":\"{}\",\"id\":1}}]}}]}",
		  "\"response\":{\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"tool_calls\":[{"
		  "\"function\":{\"arguments\":\"{}\",\"id\":1}}]}}]}" },
		{ "parts of Gemini",
		  "\"request\":{\"contents\":[{\"parts\":[{\"functionCall\":{\"id\":\"q\",\"args\":{\"id\":1}}}]}]}",
		  "\"request\":{\"contents\":[{\"parts\":[{\"functionCall\":{\"args\":{\"id\":1}}}]}]}" },
		{ "what is no object is kept", "\"request\":[{\"id\":1}],\"response\":\"k\"",
		  "\"request\":[{\"id\":1}],\"response\":\"k\"" },
		{ "empty ones", "\"request\":{\"id\":1},\"response\":{\"output\":[],\"message\":{}}",
		  "\"request\":{},\"response\":{\"message\":{},\"output\":[]}" },
		{ "members of the record that differ from run to run",
		  "\"source\":1,\"vendor_run_id\":1,\"step_id\":\"a\",\"request_id\":1,\"response_id\":1,\"endpoint\":1,"
		  "\"started_at\":1,\"output_sha256\":\"d\"",
		  "\"output_sha256\":\"d\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].what);
		check_content(cases[i].member, cases[i].projected);
	}
}

TEST(two_recordings_of_one_agent_have_the_same_hash)
{
	static const char *const recordings[] = { "otutl/recorded.jsonl", "otutl/recorded-again.jsonl" };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < 2; i++) {
		struct log_text l = { .run_id = NULL };

		test_case("%s", recordings[i]);
		buf_init(&l.text);
		buf_add_str(&l.text, test_data(recordings[i]));
		CHECK_STR(behavior(&l, &a), STR("6f07b4c0452184d26a6cca95703f4d758759d0f47a8e06acf2c313e63fd907f2"));
	}
	arena_free(&a);
}

/* Two calls in one step; the knobs are what a run may have different. */
struct knobs {
	bool other_ids, swapped, other_times, with_cost;
	const char *arg, *tool, *result;
};

static void make_run(struct log_text *l, struct knobs k)
{
	const char *a = k.other_ids ? "toolu_9" : "call_1", *b = k.other_ids ? "toolu_1" : "call_2";
	unsigned long long seq = k.other_times;

	buf_init(&l->text);
	l->run_id = k.other_times ? RUN_B : RUN_A;
	make(l, seq++, "run_start", "%s", "");
	make(l, seq++, "model_step", ",\"text\":\"go\"");
	for (int i = 0; i < 2; i++) {
		if (i == k.swapped)
			make(l, seq++, "tool_call", ",\"call_id\":\"%s\",\"tool\":\"%s\",\"args\":{\"n\":%s}", a,
			     k.tool ? k.tool : "a:x", k.arg ? k.arg : "1");
		else
			make(l, seq++, "tool_call", ",\"call_id\":\"%s\",\"tool\":\"b:y\",\"args\":{\"n\":12}", b);
	}
	if (k.with_cost)
		make(l, seq++, "cost", "%s", "");
	for (int i = 0; i < 2; i++) {
		if (i == k.swapped)
			make(l, seq++, "tool_result", ",\"call_id\":\"%s\",\"result\":\"%s\",\"duration_ms\":%llu", a,
			     k.result ? k.result : "r", 10ULL + k.other_times);
		else
			make(l, seq++, "tool_result", ",\"call_id\":\"%s\",\"result\":\"s\"", b);
	}
	make(l, seq++, "run_end", "%s", "");
}

TEST(a_faithful_replay_has_the_same_hash_and_another_act_has_not)
{
	static const struct {
		const char *what;
		struct knobs knobs;
		bool same;
	} cases[] = {
		{ "nothing", { .arg = NULL }, true },
		{ "other ids", { .other_ids = true }, true },
		{ "calls in the other order", { .swapped = true }, true },
		{ "other times, run id and numbering", { .other_times = true }, true },
		{ "cost recorded", { .with_cost = true }, true },
		{ "all of these", { .other_ids = true, .swapped = true, .other_times = true, .with_cost = true }, true },
		{ "an argument", { .arg = "2" }, false },
		{ "a tool", { .tool = "a:z" }, false },
		{ "a result", { .result = "R" }, false },
	};
	struct log_text l;
	struct arena a;
	struct str first;

	arena_init(&a);
	make_run(&l, (struct knobs){ .arg = NULL });
	first = behavior(&l, &a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].what);
		make_run(&l, cases[i].knobs);
		CHECK_INT(str_eq(behavior(&l, &a), first), cases[i].same);
	}
	arena_free(&a);
}

TEST(equal_calls_stay_in_their_order_and_answers_follow_their_calls)
{
	struct log_text l = { .run_id = NULL };
	struct arena a;
	struct buf want;

	arena_init(&a);
	buf_init(&l.text);
	buf_init(&want);
	make(&l, 0, "run_start", "%s", "");
	buf_add_str(&want, STR("bh/v1\n{\"type\":\"run_start\"}"));
	for (unsigned i = 0; i < 40; i++) {
		make(&l, 1 + i, "tool_call", ",\"call_id\":\"k%u\",\"tool\":\"a:x\",\"args\":1", i);
		buf_printf(&want, "{\"args\":1,\"call_id\":\"c%u\",\"tool\":\"a:x\",\"type\":\"tool_call\"}", i);
	}
	for (unsigned i = 0; i < 40; i++) {
		make(&l, 41 + i, "tool_result", ",\"call_id\":\"k%u\",\"result\":%u", 39 - i, 39 - i);
		buf_printf(&want, "{\"call_id\":\"c%u\",\"result\":%u,\"type\":\"tool_result\"}", i, i);
	}
	CHECK_STR(behavior(&l, &a), hash_of(buf_str(&want), &a));
	buf_free(&want);
	arena_free(&a);
}

/* 1 is a prefix of 12, and what follows it in C({args,tool}) is a comma, which sorts before a digit. */
TEST(calls_are_sorted_by_the_bytes_of_args_and_tool_together)
{
	struct log_text l = { .run_id = NULL };
	struct arena a;

	arena_init(&a);
	buf_init(&l.text);
	make(&l, 0, "run_start", "%s", "");
	make(&l, 1, "tool_call", ",\"call_id\":\"x\",\"tool\":\"a:x\",\"args\":12");
	make(&l, 2, "tool_call", ",\"call_id\":\"y\",\"tool\":\"b:x\",\"args\":1");
	make(&l, 3, "tool_call", ",\"call_id\":\"z\",\"tool\":\"a:x\",\"args\":1");
	CHECK_STR(behavior(&l, &a),
		  hash_of(STR("bh/v1\n{\"type\":\"run_start\"}"
			      "{\"args\":1,\"call_id\":\"c0\",\"tool\":\"a:x\",\"type\":\"tool_call\"}"
			      "{\"args\":1,\"call_id\":\"c1\",\"tool\":\"b:x\",\"type\":\"tool_call\"}"
			      "{\"args\":12,\"call_id\":\"c2\",\"tool\":\"a:x\",\"type\":\"tool_call\"}"),
			  &a));
	arena_free(&a);
}

TEST(a_group_above_the_limit_costs_only_this_hash)
{
	struct log_text l = { .run_id = NULL };
	struct feed small = { .group = 4000 }, large = { .group = 0 };

	buf_init(&l.text);
	make(&l, 0, "run_start", "%s", "");
	for (unsigned i = 0; i < 100; i++)
		make(&l, 1 + i, "error", ",\"message\":\"%u\"", i);
	make(&l, 101, "run_end", "%s", "");
	feed_log(&small, buf_str(&l.text));
	feed_log(&large, buf_str(&l.text));
	CHECK(large.runs[0].has_behavior && !small.runs[0].has_behavior);
	CHECK(small.runs[0].hashed);
	CHECK_STR(feed_hex(&small, small.runs[0].run_hash), feed_hex(&large, large.runs[0].run_hash));
	CHECK_STR(feed_list(&small, ""), STR("1:W_GROUP_LIMIT"));
	CHECK_INT(large.findings.kept_count, 0);
	feed_free(&small);
	feed_free(&large);
	buf_free(&l.text);
}
