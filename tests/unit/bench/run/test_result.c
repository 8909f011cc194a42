#include "bench/run/result.h"

#include "harness/convert.h"
#include "harness/test.h"

#define NONE str_of(NULL, 0)

static struct result sample(void)
{
	static const struct str tools[] = { { "free", 4 }, { "free", 4 } };

	return (struct result){
		.run_id = STR("r1"), .provider = STR("mock"), .model = STR("m1"), .thinking = STR("low"),
		.prompt_id = STR("P1"), .prompt_name = STR("greets"), .status = PROVIDER_OK,
		.started_at_ms = 1000, .ended_at_ms = 1900, .e2e_ms = 880, .ttft_ms = 120, .success = true,
		.pass = VERDICT_FALSE, .violation = STR("exact_mismatch want='ok'"), .input_tokens = 7, .output_tokens = 3,
		.output = STR("gr\xc3\xbc\xc3\x9f dich\n"), .parsed = STR("{\"text\":\"x\"}"), .tools = tools, .tool_count = 2,
		.tool_success = true, .attempts = 2, .repetition = 3, .scheduled_at_ms = 990, .cache_read_tokens = 4,
		.reasoning_tokens = 0, .ttfb_ms = 100, .tool_source = TOOLS_FROM_API, .expects = true, .usd = 0.25,
		.usd_estimated = true,
	};
}

/* With nothing that need not be there. */
static struct result bare(enum provider_status status, const char *failure)
{
	return (struct result){
		.run_id = STR("r1"), .provider = STR("mock"), .model = STR("m1"), .prompt_id = STR("P1"), .prompt_name = STR(""),
		.status = status, .failure = failure ? str_from(failure) : NONE, .success = !failure, .ttft_ms = -1,
		.input_tokens = -1, .output_tokens = -1, .output = STR(""), .attempts = 1, .repetition = 1,
		.scheduled_at_ms = -1, .cache_read_tokens = -1, .reasoning_tokens = -1, .ttfb_ms = -1,
		.tool_source = TOOLS_FROM_TEXT, .usd = -1,
	};
}

static struct str written(const struct result *r)
{
	struct buf *out = test_alloc(sizeof(*out)); /* what a test keeps lives as long as it does */

	buf_init(out);
	result_write(out, r);
	return buf_str(out);
}

static bool parse(struct result *r, struct str line)
{
	struct json_parser **p = test_alloc(sizeof(*p)); /* texts of the row may be its own */
	struct arena *a = test_alloc(sizeof(*a));
	struct json_issue issue;
	struct val v;

	arena_init(a);
	*p = json_parser_open((struct json_options){ .allow_lone = true });
	if (!json_parse_copy(*p, line, &v, &issue))
		FAIL("%.*s: %s", STR_ARG(line), issue.message);
	return result_read(r, a, v);
}

static void check_valid(struct str lines)
{
	struct arena a;
	struct str first = NONE;
	uint64_t errors;

	arena_init(&a);
	errors = convert_errors(&a, "results", lines, &first);
	if (errors)
		FAIL("%.*s\n%.*s", STR_ARG(first), STR_ARG(lines));
	arena_free(&a);
}

static void check_same(const struct result *x, const struct result *y)
{
	const struct str a[] = { x->run_id, x->provider, x->model, x->thinking, x->prompt_id, x->prompt_name, x->failure,
				 x->violation, x->output, x->parsed };
	const struct str b[] = { y->run_id, y->provider, y->model, y->thinking, y->prompt_id, y->prompt_name, y->failure,
				 y->violation, y->output, y->parsed };
	const int64_t m[] = { x->status, x->started_at_ms, x->ended_at_ms, x->e2e_ms, x->ttft_ms, x->success, x->pass,
			      x->input_tokens, x->output_tokens, x->tool_success, x->attempts, x->repetition,
			      x->scheduled_at_ms, x->cache_read_tokens, x->reasoning_tokens, x->ttfb_ms, x->tool_source,
			      x->expects, x->usd_estimated, (int64_t)x->tool_count };
	const int64_t n[] = { y->status, y->started_at_ms, y->ended_at_ms, y->e2e_ms, y->ttft_ms, y->success, y->pass,
			      y->input_tokens, y->output_tokens, y->tool_success, y->attempts, y->repetition,
			      y->scheduled_at_ms, y->cache_read_tokens, y->reasoning_tokens, y->ttfb_ms, y->tool_source,
			      y->expects, y->usd_estimated, (int64_t)y->tool_count };

	for (size_t i = 0; i < COUNT(a); i++) {
		test_case("text %zu", i);
		CHECK_STR(a[i], b[i]);
		CHECK_INT(a[i].p != NULL, b[i].p != NULL);
	}
	for (size_t i = 0; i < COUNT(m); i++) {
		test_case("number %zu", i);
		CHECK_INT(m[i], n[i]);
	}
	for (size_t i = 0; i < x->tool_count; i++)
		CHECK_STR(x->tools[i], y->tools[i]);
	CHECK(x->usd == y->usd);
}

TEST(a_row_has_its_members_in_the_order_of_the_text_and_then_ours)
{
	struct result r = sample();

	CHECK_STR(written(&r),
		  STR("{\"record_type\":\"result\",\"run_id\":\"r1\",\"provider\":\"mock\",\"model\":\"m1\",\"thinking_level\":"
		      "\"low\",\"prompt_id\":\"P1\",\"prompt_name\":\"greets\",\"availability_status\":\"ok\",\"started_at_ms\":1000,"
		      "\"ended_at_ms\":1900,\"e2e_ms\":880,\"ttft_ms\":120,\"success\":true,\"failure_type\":null,"
		      "\"objective_pass\":false,\"violation\":\"exact_mismatch want='ok'\",\"input_tokens\":7,\"output_tokens\":3,"
		      "\"raw_output\":\"gr\xc3\xbc\xc3\x9f dich\\n\",\"parsed_output\":{\"text\":\"x\"},\"tool_calls\":[\"free\","
		      "\"free\"],\"tool_call_count\":2,\"tool_use_success\":true,\"attempts\":2,\"repetition\":3,"
		      "\"scheduled_at_ms\":990,\"cache_read_tokens\":4,\"reasoning_tokens\":0,\"ttfb_ms\":100,"
		      "\"tool_call_source\":\"api\",\"expects_tools\":true,\"cost_usd\":0.25,\"cost_estimated\":true}\n"));
}

TEST(what_is_not_known_is_null)
{
	struct result r = bare(PROVIDER_UNAVAILABLE, "connect_error");

	CHECK_STR(written(&r),
		  STR("{\"record_type\":\"result\",\"run_id\":\"r1\",\"provider\":\"mock\",\"model\":\"m1\",\"thinking_level\":null,"
		      "\"prompt_id\":\"P1\",\"prompt_name\":\"\",\"availability_status\":\"skipped_unavailable\",\"started_at_ms\":0,"
		      "\"ended_at_ms\":0,\"e2e_ms\":0,\"ttft_ms\":null,\"success\":false,\"failure_type\":\"connect_error\","
		      "\"objective_pass\":null,\"violation\":null,\"input_tokens\":null,\"output_tokens\":null,\"raw_output\":\"\","
		      "\"parsed_output\":null,\"tool_calls\":[],\"tool_call_count\":0,\"tool_use_success\":false,\"attempts\":1,"
		      "\"repetition\":1,\"scheduled_at_ms\":null,\"cache_read_tokens\":null,\"reasoning_tokens\":null,"
		      "\"ttfb_ms\":null,\"tool_call_source\":null,\"expects_tools\":false}\n"));
}

TEST(a_row_of_another_harness_expects_tools_when_they_were_looked_for)
{
	struct result got;

	CHECK(parse(&got, STR("{\"model\":\"m\",\"prompt_id\":\"P\",\"parsed_output\":{\"detected_tools\":[],"
			      "\"count\":0}}")));
	CHECK(got.expects);
	CHECK(parse(&got, STR("{\"model\":\"m\",\"prompt_id\":\"P\",\"parsed_output\":{\"text\":\"x\"}}")));
	CHECK(!got.expects);
	CHECK(parse(&got, STR("{\"model\":\"m\",\"prompt_id\":\"P\",\"parsed_output\":null}")));
	CHECK(!got.expects);
	CHECK(parse(&got, STR("{\"model\":\"m\",\"prompt_id\":\"P\",\"parsed_output\":{\"detected_tools\":[],"
			      "\"count\":0},\"expects_tools\":false}"))); /* a row that says it is believed */
	CHECK(!got.expects);
}

TEST(rows_of_every_kind_are_valid_and_are_read_as_they_were_written)
{
	struct result rows[16], got;
	struct buf all;
	size_t n = 0;

	rows[n++] = sample();
	rows[n++] = bare(PROVIDER_OK, NULL);
	rows[n++] = bare(PROVIDER_OK, "empty_response");
	rows[n++] = bare(PROVIDER_UNAVAILABLE, "claude_cli_missing");
	rows[n++] = bare(PROVIDER_AUTH, "openai_api_key_missing");
	rows[n++] = bare(PROVIDER_LIMITED, "http_429");
	rows[n++] = bare(PROVIDER_ERROR, "timeout");
	rows[n] = bare(PROVIDER_OK, NULL);
	rows[n++].pass = VERDICT_TRUE;
	rows[n] = sample();
	rows[n++].output = STR("\0\x1b[31m\x7f\xc2\x9f\xe2\x80\xa8\"\\\xf0\x9f\x98\x80\t\r\n");
	rows[n] = sample();
	rows[n].violation = STR("a \"quoted\" | violation\nwith lines");
	rows[n++].prompt_name = STR("\xe6\x97\xa5\xe6\x9c\xac");
	rows[n] = sample();
	rows[n++].usd_estimated = false;
	rows[n] = bare(PROVIDER_OK, NULL);
	rows[n++].attempts = 0;
	buf_init(&all);
	for (size_t i = 0; i < n; i++) {
		rows[i].repetition = (int64_t)i + 1;
		test_case("row %zu", i);
		CHECK(parse(&got, written(&rows[i])));
		check_same(&rows[i], &got);
		buf_add_str(&all, written(&rows[i]));
	}
	check_valid(buf_str(&all));
	buf_free(&all);
}

TEST(a_row_that_contradicts_itself_is_put_right_when_it_is_written)
{
	struct result r = sample(), got;

	r.ended_at_ms = r.started_at_ms - 5; /* the clock was set back */
	r.ttft_ms = r.e2e_ms + 1;
	r.status = PROVIDER_ERROR;
	check_valid(written(&r));
	CHECK(parse(&got, written(&r)));
	CHECK_INT(got.ended_at_ms, got.started_at_ms);
	CHECK_INT(got.ttft_ms, got.e2e_ms);
	CHECK(!got.success);
	CHECK_STR(got.failure, STR("exception"));
	CHECK_INT(got.pass, VERDICT_NULL);
	CHECK(!got.violation.p);
	r = sample();
	r.failure = STR("timeout");
	r.pass = VERDICT_TRUE;
	r.model = STR("  ");
	r.usd = -0.0 / 0.0;
	r.input_tokens = -77;
	r.parsed = STR("{\n  \"a\": [1,\r\n2]\n}");
	check_valid(written(&r));
	CHECK(parse(&got, written(&r)));
	CHECK(got.success && !got.failure.p && !got.violation.p);
	CHECK_STR(got.model, STR("unknown"));
	CHECK(got.usd < 0);
	CHECK_INT(got.input_tokens, -1);
	CHECK_STR(got.parsed, STR("{   \"a\": [1,  2] }"));
}

static char *filled(size_t n, char c)
{
	char *p = test_alloc(n + 8);

	memset(p, c, n);
	return p;
}

TEST(a_long_output_is_cut_between_characters_and_says_so)
{
	static const struct {
		const char *name, *tail; /* behind so many x */
		size_t before, want;
		bool cut;
	} cases[] = {
		{ "as long as may be", "", 65536, 65536, false },
		{ "a byte more", "y", 65536, 65536, true },
		{ "a character of two bytes over the border", "\xc3\xbc", 65535, 65535, true },
		{ "of three", "\xe2\x82\xac", 65534, 65534, true },
		{ "of four", "\xf0\x9f\x98\x80", 65533, 65533, true },
		{ "of four that just fits", "\xf0\x9f\x98\x80", 65532, 65536, false },
		{ "a byte that is no character becomes three", "\xff", 65533, 65536, false },
		{ "and then there is no room", "\xff", 65534, 65534, true },
		{ "the beginning of a character at the end", "\xf0\x9f\x98", 65533, 65536, true },
	};
	struct result r = sample(), got, again;

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t n = strlen(cases[i].tail);
		char *text = filled(cases[i].before + n, 'x');

		test_case("%s", cases[i].name);
		memcpy(text + cases[i].before, cases[i].tail, n);
		r.output = str_of(text, cases[i].before + n);
		check_valid(written(&r));
		CHECK_INT(str_find(written(&r), STR("\"raw_output_truncated\":true")) != (size_t)-1, cases[i].cut);
		CHECK(parse(&got, written(&r)));
		CHECK_INT(got.output.n, cases[i].want);
		CHECK_INT(got.truncated, cases[i].cut);
		/* written again, as rescoring does, it is still the same row */
		check_valid(written(&got));
		CHECK(parse(&again, written(&got)));
		CHECK_INT(again.truncated, got.truncated);
		CHECK_STR(again.output, got.output);
	}
}

TEST(what_is_no_utf8_in_any_text_does_not_make_a_row_invalid)
{
	struct result r = sample();
	struct str bad[] = { STR("a\xff""b"), STR("\xed\xa0\x80"), STR("\xc0\xaf") };

	r.run_id = r.provider = r.model = r.prompt_id = r.prompt_name = r.violation = r.output = bad[0];
	r.tools = bad;
	r.tool_count = COUNT(bad);
	check_valid(written(&r));
}

TEST(rows_of_the_harness_that_set_the_format_are_read_with_values_as_text)
{
	struct result r;

	CHECK(parse(&r, STR("{\"model\": \"a:7b\", \"prompt_id\": \"P1\", \"e2e_ms\": \"22145\", \"success\": \"True\", "
			    "\"objective_pass\": \"False\", \"input_tokens\": \"25\", \"output_tokens\": \"\", \"failure_type\": \"\"}")));
	CHECK_STR(r.provider, STR("unknown"));
	CHECK_STR(r.prompt_name, STR("P1"));
	CHECK_INT(r.status, PROVIDER_OK);
	CHECK_INT(r.e2e_ms, 22145);
	CHECK_INT(r.input_tokens, 25);
	CHECK_INT(r.output_tokens, -1);
	CHECK_INT(r.pass, VERDICT_FALSE);
	CHECK_INT(r.attempts, 1);
	CHECK_INT(r.repetition, 1);
	CHECK(r.success && !r.failure.p && !r.thinking.p);
	check_valid(written(&r));
	CHECK(parse(&r, STR("{\"model\":\"a\",\"prompt_id\":\"P1\",\"success\":\"False\",\"objective_pass\":\"False\","
			    "\"failure_type\":\"exception\"}")));
	CHECK_INT(r.status, PROVIDER_ERROR);
	CHECK_INT(r.pass, VERDICT_NULL);
	CHECK(parse(&r, STR("{\"model\":\"a\",\"prompt_id\":\"P1\",\"success\":false,\"failure_type\":\"http_429\"}")));
	CHECK_INT(r.status, PROVIDER_LIMITED);
	CHECK(parse(&r, STR("{\"model\":\"a\",\"prompt_id\":\"P1\",\"success\":false,\"failure_type\":\"empty_response\"}")));
	CHECK_INT(r.status, PROVIDER_OK);
}

TEST(every_row_of_the_original_data_is_read)
{
	struct str text = test_read(test_shared("openclaw/benchmark_results_2026_02_14.rows.jsonl"));
	size_t rows = 0;

	while (text.n) {
		struct str line = str_cut(text, '\n', &text);
		struct result r;

		if (line.n == 0)
			continue;
		CHECK(parse(&r, line));
		check_valid(written(&r));
		rows++;
	}
	CHECK(rows > 10);
}

TEST(odd_numbers_are_not_taken_for_what_they_are_not)
{
	struct result r;

	CHECK(parse(&r, STR("{\"model\":\"a\",\"prompt_id\":\"p\",\"success\":true,\"e2e_ms\":1e300,\"ttft_ms\":\"x\","
			    "\"input_tokens\":-3,\"output_tokens\":12.0,\"attempts\":\"1e400\",\"cost_usd\":-1,\"repetition\":0,"
			    "\"tool_calls\":[1,\"a\",null],\"parsed_output\":[1]}")));
	CHECK_INT(r.e2e_ms, 0);
	CHECK_INT(r.ttft_ms, -1);
	CHECK_INT(r.input_tokens, -1);
	CHECK_INT(r.output_tokens, 12);
	CHECK_INT(r.attempts, 1);
	CHECK_INT(r.repetition, 1);
	CHECK_INT(r.tool_count, 1);
	CHECK(r.usd < 0 && !r.parsed.p);
}

TEST(what_is_no_result_is_refused)
{
	static const char *const texts[] = { "1", "[]", "{}", "{\"record_type\":\"event\",\"model\":\"m\",\"prompt_id\":\"p\"}",
					     "{\"model\":\"m\"}", "{\"prompt_id\":\"p\"}", "{\"model\":\" \",\"prompt_id\":\"p\"}",
					     "{\"model\":1,\"prompt_id\":\"p\"}" };
	struct result r;

	for (size_t i = 0; i < COUNT(texts); i++) {
		test_case("%s", texts[i]);
		CHECK(!parse(&r, str_from(texts[i])));
	}
}

TEST(no_two_rows_have_the_same_key)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(result_key(&a, STR("mock"), STR("m"), NONE, STR("P1"), 2), STR("4:mock1:m0:2:P1#2"));
	CHECK(!str_eq(result_key(&a, STR("a"), STR("bc"), NONE, STR("P"), 1), result_key(&a, STR("ab"), STR("c"), NONE, STR("P"), 1)));
	CHECK(!str_eq(result_key(&a, STR("a"), STR("b"), NONE, STR("P#1"), 2), result_key(&a, STR("a"), STR("b"), NONE, STR("P"), 12)));
	arena_free(&a);
}
