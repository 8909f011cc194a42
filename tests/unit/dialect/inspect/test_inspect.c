#include "dialect/formats.h"
#include "dialect/record/field.h"
#include "unit/dialect/expect_run.h"
#include "unit/source/pack_zip.h"

#define SAMPLE(more) "{\"id\":1,\"epoch\":1,\"target\":\"\",\"messages\":[]" more "}"
#define EVENTS(list) ",\"events\":[" list "]"
#define OUTPUT(content, more) "\"output\":{\"model\":\"m\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":" content \
			      "},\"stop_reason\":\"stop\"}]" more "}"
#define MODEL(more) "{\"event\":\"model\",\"model\":\"p/m\",\"timestamp\":\"2026-01-02T03:04:05.000Z\"," more "}"
#define LOG "\"version\":2,\"status\":\"success\",\"eval\":{\"eval_id\":\"ev\",\"task\":\"t\",\"model\":\"p/m\"},\"plan\":{\"a\":1}"

static struct arena arena;
static struct buf archive;

static struct str to_otutl(struct str text)
{
	return convert_valid(&arena, "inspect", text, "otutl");
}

static struct str get(struct str out, const char *type, size_t n, const char *pointer)
{
	return convert_get(&arena, convert_record(out, type, n), pointer);
}

/* ---- the samples ---- */

TEST(samples_have_the_figures_that_were_counted)
{
	expect_folder("vendors/inspect_ai", "inspect", 10);
}

/* The log of one run of several, by the id and epoch that the run's extras have. */
static struct str run_of(struct str out, struct str id, struct str epoch)
{
	struct str left = out, run = STR("");

	while (left.n) {
		struct str line = str_cut(left, '\n', &left);

		if (str_eq(convert_get(&arena, line, "/type"), STR("run_start"))) {
			if (run.n)
				break;
			if (str_eq(convert_get(&arena, line, "/ext/inspect~11/id"), id) &&
			    str_eq(convert_get(&arena, line, "/ext/inspect~11/epoch"), epoch))
				run = line;
		}
		if (run.n)
			run.n = (size_t)(line.p + line.n + 1 - run.p);
	}
	return run;
}

static void check_runs(struct str out, struct str row)
{
	for (int i = 0; i < 100; i++) {
		struct str one = convert_get(&arena, row, arena_printf(&arena, "/per_run/%d", i).p), run;
		struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
		struct convert_figures f;
		struct buf wrong;
		struct val v;

		if (one.n) {
			run = run_of(out, convert_get(&arena, one, "/id"), convert_get(&arena, one, "/epoch"));
			f = convert_count(run);
			buf_init(&wrong);
			CHECK(run.n > 0 && json_parse_copy(p, one, &v, NULL));
			convert_compare(&wrong, &f, v);
			if (wrong.n)
				FAIL("%.*s: %.*s", STR_ARG(one), (int)wrong.n, wrong.p);
			buf_free(&wrong);
		}
		json_parser_close(p);
	}
}

TEST(each_run_of_the_samples_has_the_figures_that_were_counted)
{
	const char *folder = test_shared("vendors/inspect_ai");
	struct str left = test_read(arena_printf(&arena, "%s/EXPECT.jsonl", folder).p);
	size_t n = 0;

	while (left.n) {
		struct str line = str_cut(left, '\n', &left), file = convert_get(&arena, line, "/file");

		if (!convert_get(&arena, line, "/per_run/0").n)
			continue;
		test_case("%.*s", STR_ARG(file));
		check_runs(convert_file(&arena, arena_printf(&arena, "%s/dev/%.*s", folder, STR_ARG(file)).p,
					(struct convert_how){ .to = "otutl" }).out, line);
		n++;
	}
	CHECK(n >= 8);
}

/* ---- a log of our own ---- */

TEST(a_sample_is_a_run_with_steps_calls_and_results_in_the_order_of_time)
{
	struct str out = to_otutl(test_data("inspect/log.json"));
	struct convert_figures f = convert_count(out);
	static const struct { const char *type; size_t n; const char *pointer, *want; } cases[] = {
		{ "run_start", 0, "/vendor_run_id", "u1" },
		{ "run_start", 0, "/ext/inspect~11/input", "one and two" },
		{ "run_start", 0, "/ext/inspect~11/log/plan/name", "plan" },
		{ "run_start", 1, "/vendor_run_id", "ev1/one/2" },
		{ "run_start", 1, "/ext/inspect~11/log/eval/task", "sums" },
		{ "run_start", 1, "/ext/inspect~11/log/plan", NULL },
		{ "model_step", 0, "/ts", "2026-01-02T03:04:06.350000+00:00" },
		{ "model_step", 0, "/latency_ms", "1250" },
		{ "model_step", 0, "/model", "model-a-1" },
		{ "model_step", 0, "/provider", "prov" },
		{ "model_step", 0, "/text", "let me see" },
		{ "model_step", 0, "/request/messages/0/content", "one and two" },
		{ "model_step", 1, "/parent_call_id", "c1" },
		{ "model_step", 1, "/text", "one and two" },
		{ "model_step", 2, "/stop_reason", "error" },
		{ "model_step", 3, "/request", NULL },
		{ "tool_call", 0, "/args/x", "1+2" },
		{ "tool_call", 0, "/step_id", "e1" },
		{ "tool_result", 0, "/result", "the sum is 3" },
		{ "tool_result", 0, "/duration_ms", "2000" },
		{ "tool_result", 0, "/ts", "2026-01-02T03:04:08.390000+00:00" },
		{ "tool_result", 1, "/ext/inspect~11/error/type", "timeout" },
		{ "error", 0, "/message", "overloaded" },
		{ "run_end", 0, "/ext/inspect~11/scores/match/value", "NaN" },
		{ "run_end", 0, "/output", "3" },
		{ "run_end", 0, "/status", "success" },
		{ "run_end", 1, "/status", "error" },
		{ "run_end", 1, "/reason", "broke" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = get(out, cases[i].type, cases[i].n, cases[i].pointer);

		test_case("%s %zu %s", cases[i].type, cases[i].n, cases[i].pointer);
		if (cases[i].want)
			CHECK_STR(got, str_from(cases[i].want));
		else
			CHECK(got.p == NULL);
	}
	CHECK_INT(f.runs, 2);
	CHECK_INT(f.model_steps, 4);
	CHECK_INT(f.tool_calls, 3);
	CHECK_INT(f.tool_results, 2);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.orphan_calls, 1); /* the one that is pending */
	CHECK_INT(f.input_total, 110 + 200); /* an answer out of the cache costs nothing */
	CHECK_INT(f.output_total, 5 + 1);
	CHECK_INT(f.cache_read, 60 + 150);
	CHECK_INT(f.cache_write, 40);
}

TEST(the_total_says_whether_the_cache_is_part_of_the_input)
{
	static const struct { const char *usage; int64_t input; } cases[] = {
		{ "{\"input_tokens\":10,\"output_tokens\":1,\"total_tokens\":11,\"input_tokens_cache_read\":4}", 10 },
		{ "{\"input_tokens\":10,\"output_tokens\":1,\"total_tokens\":15,\"input_tokens_cache_read\":4}", 14 },
		{ "{\"input_tokens\":10,\"output_tokens\":1,\"input_tokens_cache_read\":4}", 14 },
		{ "{\"input_tokens\":10,\"output_tokens\":1,\"total_tokens\":11,\"input_tokens_cache_read\":0}", 10 },
		{ "{\"input_tokens\":10,\"output_tokens\":1,\"total_tokens\":99,\"input_tokens_cache_write\":5}", 15 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str text = arena_printf(&arena, SAMPLE(EVENTS(MODEL(OUTPUT("\"\"", ",\"usage\":%s")))), cases[i].usage);

		test_case("%s", cases[i].usage);
		CHECK_INT(convert_count(to_otutl(text)).input_total, cases[i].input);
	}
}

TEST(messages_that_inputs_refer_to_are_put_in_once)
{
#define POOL "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"user\",\"content\":\"v\"}]"
	static const char *const pools[] = { "\"message_pool\":" POOL, "\"events_data\":{\"messages\":" POOL ",\"calls\":[]}" };

	for (size_t i = 0; i < 2; i++) {
		struct str text = arena_printf(&arena, SAMPLE(",%s" EVENTS(
			MODEL("\"input\":[],\"input_refs\":[[0,2]]," OUTPUT("\"a\"", "")) ","
			MODEL("\"input\":[],\"input_refs\":[[0,2],[2,3],[7,9],[1],3]," OUTPUT("\"b\"", "")))), pools[i]);
		struct str out = to_otutl(text);

		test_case("%s", pools[i]);
		CHECK_STR(get(out, "model_step", 0, "/request/messages/1/content"), STR("u"));
		CHECK(!get(out, "model_step", 0, "/request/messages/2").p);
		CHECK_STR(get(out, "model_step", 1, "/request/messages/0/content"), STR("v"));
		CHECK(!get(out, "model_step", 1, "/request/messages/1").p);
	}
}

TEST(events_inside_a_tool_of_an_old_log_have_it_as_parent)
{
	struct str out = to_otutl(STR(SAMPLE(EVENTS("{\"event\":\"tool\",\"id\":\"c\",\"function\":\"f\",\"arguments\":{},\"result\":\"r\","
		"\"events\":[" MODEL(OUTPUT("\"deep\"", "")) ",{\"event\":\"tool\",\"id\":\"d\",\"function\":\"g\",\"arguments\":{},\"result\":1,"
		"\"events\":[{\"event\":\"info\",\"data\":1}]}]}"))));

	CHECK_STR(get(out, "model_step", 0, "/parent_call_id"), STR("c"));
	CHECK_STR(get(out, "tool_call", 1, "/parent_call_id"), STR("c"));
	CHECK_INT(convert_count(out).tool_results, 2);
	CHECK_INT(convert_count(out).orphan_calls, 0);
}

TEST(without_events_the_messages_tell)
{
	struct str out = to_otutl(STR("{\"id\":1,\"epoch\":1,\"target\":\"\",\"messages\":["
		"{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"assistant\",\"content\":\"example\",\"source\":\"input\"},"
		"{\"role\":\"assistant\",\"content\":\"go\",\"source\":\"generate\","
		"\"tool_calls\":[{\"id\":\"c\",\"function\":\"f\",\"arguments\":{}}]},"
		"{\"role\":\"tool\",\"content\":\"no\",\"tool_call_id\":\"c\",\"error\":{\"type\":\"x\",\"message\":\"y\"}},"
		"{\"role\":\"tool\",\"content\":\"lost\",\"tool_call_id\":\"z\"}],"
		"\"model_usage\":{\"m\":{\"input_tokens\":7,\"output_tokens\":2,\"total_tokens\":9}}}"));
	struct convert_figures f = convert_count(out);

	CHECK_INT(f.model_steps, 1);
	CHECK_INT(f.tool_calls, 1);
	CHECK_INT(f.tool_results, 1);
	CHECK_INT(f.tool_errors, 1);
	CHECK_INT(f.input_total, 7);
	CHECK_STR(get(out, "error", 0, "/code"), STR("orphan_result"));
	CHECK_STR(get(out, "cost", 0, "/scope"), STR("run"));
}

TEST(logs_of_the_first_year_have_a_transcript)
{
	struct str out = to_otutl(STR(SAMPLE(",\"transcript\":{\"events\":[" MODEL(OUTPUT("\"tc://1\"", "")) "],\"content\":{\"1\":\"long\"}}")));

	CHECK_STR(get(out, "model_step", 0, "/text"), STR("long"));
}

/* ---- archives ---- */

TEST(an_archive_is_read_by_its_header_and_its_samples)
{
	static const struct zipped all[] = {
		{ .name = WORD("_journal/start.json"), .bytes = WORD("{}"), .method = 8 },
		{ .name = WORD("samples/b_epoch_1.json"), .bytes = WORD(SAMPLE(",\"uuid\":\"b\"")), .method = 93, .frames = 2 },
		{ .name = WORD("samples/a_epoch_1.json"), .bytes = WORD(SAMPLE("")), .method = 8 },
		{ .name = WORD("summaries.json"), .bytes = WORD("[]"), .method = 8 },
		{ .name = WORD("header.json"), .bytes = WORD("{" LOG "}"), .method = 93 },
		{ .name = { NULL, 0 } },
	};
	struct str out = to_otutl(zip_make(&archive, all, false, STR("")));

	CHECK_INT(convert_count(out).runs, 2);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("ev/1/1"));
	CHECK_STR(get(out, "run_start", 0, "/ext/inspect~11/log/plan/a"), STR("1"));
	CHECK_STR(get(out, "run_start", 1, "/vendor_run_id"), STR("b"));
	CHECK_STR(get(out, "run_start", 1, "/ext/inspect~11/log/eval/eval_id"), STR("ev"));
	CHECK(!get(out, "run_start", 1, "/ext/inspect~11/log/plan").p);
}

TEST(a_log_that_broke_off_before_its_first_sample_is_a_run_of_nothing)
{
	static const struct zipped all[] = {
		{ .name = WORD("_journal/start.json"),
		  .bytes = WORD("{\"version\":2,\"eval\":{\"eval_id\":\"ev\",\"task\":\"t\"}}"), .method = 8 },
		{ .name = { NULL, 0 } },
	};
	struct str out = to_otutl(zip_make(&archive, all, false, STR("")));

	CHECK_INT(convert_count(out).runs, 1);
	CHECK_STR(get(out, "run_start", 0, "/vendor_run_id"), STR("ev"));
	CHECK_STR(get(out, "run_end", 0, "/status"), STR("interrupted"));
}

/* ---- detection ---- */

TEST(logs_and_samples_are_recognised_and_other_files_are_not)
{
	static const struct { const char *text; bool fits; } cases[] = {
		{ "{" LOG "}", true },
		{ "{\"version\":2,\"eval\":{\"task\":\"t\"}}", true },
		{ SAMPLE(""), true },
		{ "{\"eval\":{\"task\":\"t\"}}", false },
		{ "{\"version\":2,\"eval\":{}}", false },
		{ "{\"description\":\"x\",\"events\":[],\"expected\":{}}", false },
		{ "{\"id\":1,\"messages\":[],\"target\":1}", false },
		{ "3", false },
	};
	struct json_parser *p = dialect_detect_open();
	struct val v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].text);
		CHECK(json_parse_copy(p, str_from(cases[i].text), &v, NULL));
		CHECK_INT(inspect_dialect.fits(v) > 0, cases[i].fits);
	}
	json_parser_close(p);
}
