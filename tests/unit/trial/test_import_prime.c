/* Every row of the table in doc/import.md, and where samples come from. */
#include "dialect/formats.h"
#include "import_kit.h"

#define GOOD "{\"info\":{},\"reward\":1}" /* the least that a sample can be */
#define ID(id) "{\"sample_id\":\"" id "\",\"reward\":1}"
#define EVALUATION "{\"evaluation_id\":\"e1\",\"model_name\":\"m\"}"

/* ---- the table ---- */

static const struct {
	const char *evaluation, *sample, *pointer, *want;
} rows[] = {
	/* experiment_id, trial_id */
	{ "{\"evaluation_id\":\" a/b c! \"}", "{}", "/experiment_id", "\"prime-eval-a-b-c\"" },
	{ "{\"id\":\"x\"}", "{}", "/experiment_id", "\"prime-eval-x\"" },
	{ "{}", "{}", "/experiment_id", "\"prime-eval-unknown\"" },
	{ "{\"evaluation_id\":\"//\"}", "{}", "/experiment_id", "\"prime-eval-unknown\"" },
	{ "{\"evaluation_id\":7}", "{}", "/experiment_id", "\"prime-eval-7\"" },
	{ EVALUATION, "{\"sample_id\":\"s/1 x\"}", "/trial_id", "\"prime-e1-s-1-x\"" },
	{ EVALUATION, "{\"sample_id\":0}", "/trial_id", "\"prime-e1-0\"" },
	{ EVALUATION, "{\"sample_id\":null}", "/trial_id", "\"prime-e1-sample-1\"" },
	{ EVALUATION, "{}", "/trial_id", "\"prime-e1-sample-1\"" },
	/* dataset_id */
	{ EVALUATION, "{\"info\":{\"dataset\":{\"name\":\"d\",\"version\":\"2\"}}}", "/dataset_id", "\"d@2\"" },
	{ EVALUATION, "{\"info\":{\"dataset\":{\"name\":\"d\"}}}", "/dataset_id", "null" },
	{ EVALUATION, "{\"info\":{\"dataset\":{\"version\":\"2\"}}}", "/dataset_id", "null" },
	{ EVALUATION, "{}", "/dataset_id", "null" },
	/* timestamp */
	{ EVALUATION, "{\"created_at\":\"2026-05-08T21:13:35.662468Z\"}", "/timestamp", "\"2026-05-08T21:13:35.662468Z\"" },
	{ EVALUATION, "{\"created_at\":\"2026-05-08T21:13:35+02:00\"}", "/timestamp", "\"2026-05-08T21:13:35+02:00\"" },
	{ EVALUATION, "{\"created_at\":\"2026-05-08T21:13:35\"}", "/timestamp", "\"2026-05-08T21:13:35Z\"" },
	{ EVALUATION, "{\"created_at\":\"2026-05-08 21:13:35\"}", "/timestamp", "\"2026-05-08T21:13:35Z\"" },
	{ EVALUATION, "{\"timing\":{\"start_time\":1794858904.25,\"total\":1.5}}", "/timestamp",
	  "\"2026-11-16T19:55:05.750Z\"" },
	{ EVALUATION, "{\"timing\":{\"start_time\":8e9,\"total\":999999999}}", "/timestamp", "\"2255-03-14T15:59:59.000Z\"" },
	{ EVALUATION, "{\"timing\":{\"start_time\":1794858904,\"total\":1e300}}", "/timestamp",
	  "\"2026-11-16T19:55:04.000Z\"" },
	/* task */
	{ EVALUATION, "{\"info\":{\"task_id\":\"t\"},\"answer\":\"a\",\"example_id\":3}", "/task/task_id", "\"t\"" },
	{ EVALUATION, "{\"info\":{\"task_id\":\"\"},\"answer\":\"a\",\"example_id\":3}", "/task/task_id", "\"prime/3\"" },
	{ EVALUATION, "{\"answer\":\"a\"}", "/task/task_id", "\"prime/unknown\"" },
	{ EVALUATION, "{\"exampleId\":4}", "/task/task_id", "\"prime/4\"" },
	{ EVALUATION, "{\"example_id\":3}", "/task/task_id", "\"prime/3\"" },
	{ EVALUATION, "{}", "/task/task_id", "\"prime/unknown\"" },
	{ EVALUATION, "{\"info\":{\"task_revision\":\"r\"}}", "/task/task_revision", "\"r\"" },
	{ EVALUATION, "{}", "/task/task_revision", "\"prime-hosted\"" },
	/* agent */
	{ EVALUATION, "{}", "/agent/adapter", "\"prime-hosted\"" },
	{ EVALUATION, "{}", "/agent/adapter_revision", "null" },
	{ "{\"model_name\":\"a\",\"inference_model\":\"b\"}", "{}", "/agent/model", "\"a\"" },
	{ "{\"model_name\":null,\"inference_model\":\"b\"}", "{}", "/agent/model", "\"b\"" },
	{ "{\"modelName\":\"camel\"}", "{}", "/agent/model", "\"camel\"" },
	{ "{\"metadata\":{\"model\":\"c\"}}", "{}", "/agent/model", "\"c\"" },
	{ "{}", "{}", "/agent/model", "\"unknown\"" },
	{ EVALUATION, "{}", "/agent/configuration/source", "\"prime-eval-samples\"" },
	{ EVALUATION, "{}", "/agent/configuration/evaluation_id", "\"e1\"" },
	{ "{\"name\":\"n\"}", "{}", "/agent/configuration/evaluation_name", "\"n\"" },
	{ "{\"viewer_url\":\"u\"}", "{}", "/agent/configuration/viewer_url", "\"u\"" },
	{ "{}", "{}", "/agent/configuration/viewer_url", "null" },
	{ "{\"eval_config\":{\"x\":1.50}}", "{}", "/agent/configuration/eval_config/x", "1.50" },
	{ "{}", "{}", "/agent/configuration/eval_config", "null" },
	/* environment */
	{ EVALUATION, "{}", "/environment/runtime_image", "\"prime-hosted\"" },
	{ EVALUATION, "{}", "/environment/compute_backend", "\"prime-hosted\"" },
	{ EVALUATION, "{}", "/environment/tool_versions", "null" },
	/* instruction */
	{ EVALUATION, "{\"info\":{\"instruction\":\"do\"},\"prompt\":[{\"role\":\"user\",\"content\":\"u\"}]}",
	  "/inputs/instruction", "\"do\"" },
	{ EVALUATION, "{\"prompt\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"\"},"
		      "{\"role\":\"user\",\"content\":\"u\"}]}", "/inputs/instruction", "\"u\"" },
	{ EVALUATION, "{\"prompt\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\"},"
		      "{\"type\":\"text\",\"text\":\"b\"}]}]}", "/inputs/instruction", "\"a\\nb\"" },
	{ EVALUATION, "{\"prompt\":\"alone\"}", "/inputs/instruction", "\"alone\"" },
	{ EVALUATION, "{}", "/inputs/instruction", "\"Prime hosted evaluation sample\"" },
	{ EVALUATION, "{}", "/inputs/input_files", "null" },
	{ EVALUATION, "{}", "/inputs/system_prompt", "null" },
	{ EVALUATION, "{\"prompt\":[{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"system\",\"content\":\"\"},"
		      "{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"system\",\"content\":\"t\"}]}",
	  "/inputs/system_prompt", "\"s\"" },
	{ EVALUATION, "{\"completion\":[{\"role\":\"system\",\"content\":\"late\"}]}", "/inputs/system_prompt", "\"late\"" },
	/* reward */
	{ EVALUATION, "{\"reward\":0.50,\"aec_bench_reward\":0.25}", "/evaluation/reward", "0.50" },
	{ EVALUATION, "{\"reward\":null,\"aec_bench_reward\":0.25}", "/evaluation/reward", "0.25" },
	{ EVALUATION, "{\"metrics\":{\"aec_bench_reward\":0.125}}", "/evaluation/reward", "0.125" },
	{ EVALUATION, "{\"metrics\":{\"reward\":0.25,\"aec_bench_reward\":0.125}}", "/evaluation/reward", "0.125" },
	{ EVALUATION, "{\"info\":{\"metrics\":{\"reward\":0.25}}}", "/evaluation/reward", "0.25" },
	{ EVALUATION, "{\"reward\":\"1\",\"metrics\":{\"reward\":0.25}}", "/evaluation/reward", "0.25" },
	{ EVALUATION, "{\"reward\":-0.1}", "/evaluation/reward", "0.0" },
	{ EVALUATION, "{\"reward\":-0.1}", "/evaluation/breakdown/raw_reward", "-0.1" },
	{ EVALUATION, "{\"reward\":1.25e0}", "/evaluation/reward", "1.0" },
	{ EVALUATION, "{\"reward\":1.25e0}", "/evaluation/breakdown/raw_reward", "1.25e0" },
	{ EVALUATION, "{\"reward\":2,\"metrics\":{\"raw_reward\":1}}", "/evaluation/breakdown/raw_reward_of_sample", "2" },
	{ EVALUATION, "{\"reward\":1}", "/evaluation/breakdown", "{}" },
	/* outputs */
	{ EVALUATION, "{\"reward\":0.5}", "/outputs/agent_output/status", "\"completed\"" },
	{ EVALUATION, "{\"reward\":0}", "/outputs/agent_output/status", "\"failed\"" },
	{ EVALUATION, "{\"reward\":-1}", "/outputs/agent_output/status", "\"failed\"" },
	{ EVALUATION, "{}", "/outputs/agent_result/source", "\"prime-eval-samples\"" },
	{ EVALUATION, "{}", "/outputs/agent_result/prime_evaluation_id", "\"e1\"" },
	{ EVALUATION, "{\"sample_id\":\"s\"}", "/outputs/agent_result/prime_sample_id", "\"s\"" },
	{ EVALUATION, "{}", "/outputs/agent_result/prime_sample_id", "null" },
	{ EVALUATION, "{\"example_id\":4}", "/outputs/agent_result/example_id", "4" },
	{ EVALUATION, "{\"rollout_number\":2}", "/outputs/agent_result/rollout_number", "2" },
	{ EVALUATION, "{\"info\":{\"stop_condition\":\"i\"},\"stop_condition\":\"s\"}", "/outputs/agent_result/stop_condition",
	  "\"i\"" },
	{ EVALUATION, "{\"stop_condition\":\"s\"}", "/outputs/agent_result/stop_condition", "\"s\"" },
	{ EVALUATION, "{\"info\":{\"is_completed\":true}}", "/outputs/agent_result/is_completed", "true" },
	{ EVALUATION, "{\"is_completed\":false}", "/outputs/agent_result/is_completed", "false" },
	{ EVALUATION, "{\"error\":{\"error\":\"X\"}}", "/outputs/agent_result/error/error", "\"X\"" },
	{ EVALUATION, "{\"metrics\":{\"turns\":2.0,\"odd\":{\"a\":[]}}}", "/outputs/agent_result/turns", "2.0" },
	{ EVALUATION, "{\"metrics\":{\"odd\":{\"a\":[]}}}", "/outputs/agent_result/odd/a", "[]" },
	{ EVALUATION, "{\"metrics\":{\"error\":5}}", "/outputs/agent_result/error", "5" },
	/* validity */
	{ EVALUATION, "{\"reward\":0.5}", "/evaluation/validity/output_parseable", "true" },
	{ EVALUATION, "{\"reward\":0.5}", "/evaluation/validity/schema_valid", "true" },
	{ EVALUATION, "{\"reward\":0}", "/evaluation/validity/output_parseable", "false" },
	{ EVALUATION, "{\"reward\":0}", "/evaluation/validity/schema_valid", "false" },
	{ EVALUATION, "{\"reward\":0}", "/evaluation/validity/verifier_completed", "true" },
	{ EVALUATION, "{\"error\":{\"error\":\"E\",\"error_chain_str\":\"E -> F\"}}", "/evaluation/validity/errors/0",
	  "\"E -> F\"" },
	{ EVALUATION, "{\"info\":{\"error\":{\"error_chain\":[\"a\",\"b\"]}}}", "/evaluation/validity/errors/1", "\"b\"" },
	{ EVALUATION, "{\"error\":\"plain\"}", "/evaluation/validity/errors/0", "\"plain\"" },
	{ EVALUATION, "{\"error\":\"plain\"}", "/outputs/agent_output/error_message", "\"plain\"" },
	{ EVALUATION, "{\"error\":\"plain\",\"reward\":1}", "/evaluation/validity/errors", "[]" },
	{ EVALUATION, "{\"error\":\"plain\",\"reward\":1}", "/outputs/agent_output/error_message", "null" },
	{ EVALUATION, "{\"error\":{}}", "/evaluation/validity/errors", "[]" },
	/* where */
	{ EVALUATION, "{\"info\":{\"metrics\":{\"a\":1}},\"metrics\":{\"a\":2}}", "/evaluation/breakdown/a", "1" },
	{ EVALUATION, "{\"metrics\":{\"a\":2}}", "/evaluation/breakdown/a", "2" },
	{ EVALUATION, "{\"info\":\"{\\\"metrics\\\":{\\\"a\\\":3}}\"}", "/evaluation/breakdown/a", "3" },
	/* paths */
	{ EVALUATION, "{}", "/outputs/conversation_path", "\"artifacts/prime-eval-e1/prime-e1-sample-1/conversation.jsonl\"" },
	{ EVALUATION, "{}", "/outputs/raw_output_path", "null" },
	{ EVALUATION, "{}", "/outputs/agent_output/output_path", "\"output.md\"" },
	{ EVALUATION, "{}", "/outputs/agent_output/output_format", "\"markdown\"" },
	{ EVALUATION, "{}", "/outputs/trajectory_path", "null" },
	/* timing */
	{ EVALUATION, "{\"total_time\":12.50,\"timing\":{\"total_ms\":1}}", "/timing/total_seconds", "12.50" },
	{ EVALUATION, "{\"info\":{\"timing\":{\"total_ms\":1500}},\"latency_ms\":7}", "/timing/total_seconds", "1.5" },
	{ EVALUATION, "{\"latency_ms\":250}", "/timing/total_seconds", "0.25" },
	{ EVALUATION, "{\"timing\":{\"total\":0.61},\"latency_ms\":7}", "/timing/total_seconds", "0.61" },
	{ EVALUATION, "{\"timing\":{\"total\":0.61,\"total_ms\":700}}", "/timing/total_seconds", "0.7" },
	{ EVALUATION, "{\"timing\":{\"setup\":{\"duration\":0.5}}}", "/timing/setup_seconds", "0.5" },
	{ EVALUATION, "{\"total_time\":-1}", "/timing/total_seconds", "0.0" },
	{ EVALUATION, "{}", "/timing/total_seconds", "0.0" },
	{ EVALUATION, "{\"timing\":{\"generation_ms\":500}}", "/timing/agent_seconds", "0.5" },
	{ EVALUATION, "{\"timing\":{\"scoring_ms\":500}}", "/timing/verification_seconds", "0.5" },
	{ EVALUATION, "{\"timing\":{\"generation\":{\"duration\":1.250}}}", "/timing/agent_seconds", "1.250" },
	{ EVALUATION, "{\"timing\":{\"scoring\":{\"duration\":0.5}}}", "/timing/verification_seconds", "0.5" },
	{ EVALUATION, "{}", "/timing/agent_seconds", "null" },
	{ EVALUATION, "{}", "/timing/setup_seconds", "null" },
	/* cost */
	{ EVALUATION, "{\"info\":{\"token_usage\":{\"input_tokens\":10,\"output_tokens\":20}}}", "/cost/tokens_in", "10" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":10,\"output_tokens\":20}}", "/cost/tokens_out", "20" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":10.75}}", "/cost/tokens_in", "10" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":10.0}}", "/cost/tokens_in", "10.0" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":1e-400}}", "/cost/tokens_in", "0" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":1e300}}", "/cost/tokens_in", "null" },
	{ EVALUATION, "{\"token_usage\":{\"input_tokens\":-1}}", "/cost/tokens_in", "null" },
	{ EVALUATION, "{\"token_usage\":{}}", "/cost/estimated_cost_usd", "null" },
	{ EVALUATION, "{}", "/cost", "null" },
	{ EVALUATION, "{}", "/adaptation", "null" },
	/* completeness */
	{ EVALUATION, "{\"reward\":1,\"is_completed\":true}", "/completeness", "\"partial\"" },
};

TEST(each_row_of_the_table_is_kept)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kit k;

		test_case("%s %s%s", rows[i].pointer, rows[i].evaluation, rows[i].sample);
		kit_begin(&k);
		CHECK_STR(told_at(&k, told_record(&k, rows[i].evaluation, rows[i].sample), rows[i].pointer),
			  str_from(rows[i].want));
		kit_end(&k);
	}
}

TEST(a_record_is_indented_by_two_and_has_its_fields_in_order)
{
	static const char *const order[] = {
		"\n  \"trial_id\": ", "\n  \"experiment_id\": ", "\n  \"dataset_id\": ", "\n  \"timestamp\": ", "\n  \"task\": {",
		"\n  \"agent\": {", "\n    \"configuration\": {\n      \"source\": ", "\n  \"environment\": {", "\n  \"inputs\": {",
		"\n  \"outputs\": {", "\n  \"evaluation\": {", "\n  \"timing\": {", "\n  \"cost\": null,", "\n  \"adaptation\": null,",
		"\n  \"completeness\": \"partial\"\n}\n",
	};
	struct str record;
	struct kit k;
	size_t at = 0;

	kit_begin(&k);
	record = told_record(&k, EVALUATION, "{}");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t found = str_find(str_of(record.p + at, record.n - at), str_from(order[i]));

		test_case("%s", order[i]);
		CHECK(found != (size_t)-1);
		at += found + 1;
	}
	kit_end(&k);
}

/* ---- what was said ---- */

#define CALL(name, arguments) \
	"{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":" arguments "}}"
#define SAYS(calls) "{\"completion\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}]}"

TEST(the_conversation_is_prompt_then_completion_with_calls_as_objects)
{
	struct kit k;

	kit_begin(&k);
	told_record(&k, EVALUATION,
		    "{\"prompt\":[{\"role\":\"user\",\"content\":\"hi\",\"tool_calls\":[],\"tool_call_id\":\"\"}],"
		    "\"completion\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[\"{\\\"id\\\": \\\"c\\\", "
		    "\\\"function\\\": {\\\"name\\\": \\\"f\\\", \\\"arguments\\\": \\\"{}\\\"}}\",\"no JSON\",7]},"
		    "{\"role\":\"tool\",\"content\":\"1.0\",\"tool_call_id\":\"c\",\"name\":\"f\"},\"stray\","
		    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"tool_calls\":[{\"id\":\"d\"}]}]}");
	CHECK_STR(told_object(&k, "prime-e1-sample-1/conversation.jsonl"),
		  STR("{\"role\":\"user\",\"content\":\"hi\"}\n"
		      "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\","
		      "\"arguments\":\"{}\"}}]}\n"
		      "{\"role\":\"tool\",\"content\":\"1.0\",\"tool_call_id\":\"c\",\"name\":\"f\"}\n"
		      "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"tool_calls\":[{\"id\":\"d\"}]}\n"));
	kit_end(&k);
}

TEST(a_prompt_and_a_completion_may_be_text_alone)
{
	struct kit k;

	kit_begin(&k);
	told_record(&k, EVALUATION, "{\"prompt\":\"ask\",\"completion\":\"answer\"}");
	CHECK_STR(told_object(&k, "prime-e1-sample-1/conversation.jsonl"),
		  STR("{\"role\":\"user\",\"content\":\"ask\"}\n{\"role\":\"assistant\",\"content\":\"answer\"}\n"));
	kit_end(&k);
}

TEST(the_sample_is_kept_byte_for_byte)
{
	static const char sample[] = "{ \"sample_id\":\"a\",\n\t\"reward\" : 1, \"x\":1.50 }";
	struct kit k;

	kit_begin(&k);
	told_record(&k, EVALUATION, sample);
	CHECK_STR(told_object(&k, "prime-e1-a/prime_sample.json"), str_from(sample));
	kit_end(&k);
}

TEST(the_first_answer_with_content_is_what_was_submitted)
{
	static const struct {
		const char *sample, *name, *bytes, *path;
	} cases[] = {
		{ SAYS(CALL("submit_answer", "{\"path\":\"a.md\",\"content\":\"x\"}")), "a.md", "x", "\"a.md\"" },
		{ SAYS(CALL("submit_answer", "\"{\\\"content\\\": \\\"x\\\"}\"")), "output.md", "x", "\"output.md\"" },
		{ SAYS(CALL("other", "{\"content\":\"no\"}") "," CALL("submit_answer", "{\"content\":\"\"}") ","
		       CALL("submit_answer", "{\"path\":\"b\",\"content\":\"1\"}") ","
		       CALL("submit_answer", "{\"path\":\"c\",\"content\":\"2\"}")), "b", "1", "\"b\"" },
		{ SAYS(CALL("submit_answer", "{\"path\":\"./out/a.md\",\"content\":\"x\"}")), "out/a.md", "x", "\"a.md\"" },
		{ SAYS(CALL("submit_answer", "{\"path\":\"conversation.jsonl\",\"content\":\"x\"}")),
		  "submitted/conversation.jsonl", "x", "\"conversation.jsonl\"" },
		{ SAYS("{\"name\":\"submit_answer\",\"arguments\":{\"content\":\"flat\"}}"), "output.md", "flat", "\"output.md\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str record, id;
		struct kit k;

		test_case("%s", cases[i].name);
		kit_begin(&k);
		record = told_record(&k, EVALUATION, cases[i].sample);
		id = arena_printf(&k.arena, "prime-e1-sample-1/%s", cases[i].name);
		CHECK_STR(told_object(&k, id.p), str_from(cases[i].bytes));
		CHECK_STR(told_at(&k, record, "/outputs/agent_output/output_path"), str_from(cases[i].path));
		CHECK(str_starts(told_at(&k, record, "/outputs/raw_output_path"), STR("\"artifacts/prime-eval-e1/prime-e1-sample-1/")));
		kit_end(&k);
	}
}

/* ---- refused, known ---- */

TEST(a_sample_that_cannot_be_taken_is_refused_and_the_others_are_not)
{
	static const struct {
		const char *sample, *why;
	} cases[] = {
		{ SAYS(CALL("submit_answer", "{\"path\":\"/etc/x\",\"content\":\"x\"}")), "absolute" },
		{ SAYS(CALL("submit_answer", "{\"path\":\"a/../../x\",\"content\":\"x\"}")), "'..'" },
		{ SAYS(CALL("submit_answer", "\"{\\\"path\\\":\\\"..\\\",\\\"content\\\":\\\"x\\\"}\"")), "'..'" },
		{ "{\"created_at\":\"yesterday\"}", "created_at is not a time: \"yesterday\"; a time is like" },
		{ "{\"created_at\":17}", "created_at is not a time: 17" },
		{ "7", "a sample must be a JSON object" },
		{ "null", "a sample must be a JSON object" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct str all, one;
		struct told *t;
		struct kit k;

		test_case("%s", cases[i].sample);
		kit_begin(&k);
		one = str_from(cases[i].sample);
		all = ARENA_JOIN(&k.arena, STR("{\"samples\":[" GOOD ",\n"), one.p[0] == '{' ? told_fill(&k, one) : one,
				 STR("," GOOD "]}"));
		t = told_begin(&k, false);
		kit_must(told_samples(t, EVALUATION, all, all.n, &err), &err);
		told_end(t);
		CHECK_INT(t->tally.imported, 2);
		CHECK_INT(t->tally.refused, 1);
		CHECK_STR(t->items[0].outcome == IMPORT_REFUSED ? t->items[0].name : STR("?"), STR("samples:2: sample sample-2"));
		if (str_find(t->items[0].why, str_from(cases[i].why)) == (size_t)-1)
			FAIL("%.*s", STR_ARG(t->items[0].why));
		CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 6);
		kit_end(&k);
	}
}

TEST(what_was_imported_is_skipped_and_counted_whatever_its_time)
{
	const struct str all = STR("{\"samples\":[" ID("a") "," ID("b") "," ID("a") "]}");
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	kit_must(told_samples(t, EVALUATION, all, all.n, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 2);
	CHECK_INT(t->tally.duplicates, 1);
	t = told_begin(&k, false);
	kit_must(told_samples(t, EVALUATION, all, all.n, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 0);
	CHECK_INT(t->tally.duplicates, 3);
	CHECK_INT(t->tally.refused, 0);
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 6);
	kit_end(&k);
}

/* What became of samples after others. */
static struct told *import_after(struct kit *k, const char *first, const char *second)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t = told_begin(k, false);

	kit_must(told_samples(t, EVALUATION, str_from(first), strlen(first), &err), &err);
	told_end(t);
	t = told_begin(k, false);
	kit_must(told_samples(t, EVALUATION, str_from(second), strlen(second), &err), &err);
	told_end(t);
	return t;
}

TEST(a_known_id_with_another_sample_is_refused)
{
	static const char old[] = "[{\"sample_id\":\"a\",\"prompt\":\"p\",\"reward\":0}]";
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_after(&k, old, "[{\"sample_id\":\"a\",\"prompt\":\"q\",\"reward\":1}]");
	CHECK_INT(t->tally.duplicates, 0);
	CHECK_INT(t->tally.refused, 1);
	CHECK_STR(t->items[0].name, STR("samples:1: sample a"));
	CHECK_STR(t->items[0].why, STR("the ledger has the trial prime-e1-a (entry 0) with another prime_sample.json, and "
				       "nothing is rewritten; import it under another experiment"));
	CHECK_STR(told_object(&k, "prime-e1-a/prime_sample.json"), str_of(old + 1, sizeof(old) - 3));
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 3);
	kit_end(&k);
}

TEST(the_same_sample_in_other_words_of_json_is_skipped)
{
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = import_after(&k, "[{\"sample_id\":\"a\",\"prompt\":\"p\",\"reward\":1}]",
			 "{\"samples\": [\n {\"reward\": 1.0, \"prompt\": \"\\u0070\", \"sample_id\": \"a\"}]}");
	CHECK_INT(t->tally.duplicates, 1);
	CHECK_INT(t->tally.refused, 0);
	kit_end(&k);
}

TEST(two_samples_with_one_id_in_one_file_are_not_taken_for_one)
{
	static const char two[] = "[{\"sample_id\":\"a\",\"reward\":1},{\"sample_id\":\"a\",\"reward\":0}]";
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	kit_must(told_samples(t, EVALUATION, str_from(two), sizeof(two) - 1, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 1);
	CHECK_INT(t->tally.refused, 1);
	kit_end(&k);
}

TEST(what_is_no_sample_or_has_no_reward_is_refused)
{
	static const struct {
		const char *sample, *why;
	} cases[] = {
		{ "{}", "this is not a sample of Prime or verifiers: " },
		{ "{\"hello\":1}", "this is not a sample of Prime or verifiers: " },
		{ "{\"reward\":1}", "this is not a sample of Prime or verifiers: " },
		{ "{\"step\":4,\"reward\":0.5}", "this is not a sample of Prime or verifiers: " },
		{ "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}",
		  "this is not a sample of Prime or verifiers: " },
		{ "{\"prompt\":\"p\"}", "it has no reward: " },
		{ "{\"prompt\":\"p\",\"reward\":null}", "it has no reward: " },
		{ "{\"prompt\":\"p\",\"reward\":\"1\"}", "it has no reward: " },
		{ "{\"prompt\":\"p\",\"info\":{\"metrics\":{\"score\":1}}}", "it has no reward: " },
		{ "{\"prompt\":\"p\",\"info\":{\"reward\":1}}", "it has no reward: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned source = PRIME_HOSTED; source <= PRIME_VERIFIERS; source++) {
			struct err err = { .kind = ERR_NONE };
			struct prime *p = prime_open(source, STR("e"), STR(EVALUATION), (struct str){ NULL, 0 }, &err);
			struct told *t;
			struct kit k;

			test_case("%s", cases[i].sample);
			kit_begin(&k);
			kit_put(&k, "a.jsonl", ARENA_JOIN(&k.arena, STR(GOOD "\n\n"), str_from(cases[i].sample), STR("\n")));
			t = told_begin(&k, false);
			kit_must(prime_import_file(p, t->import, str_from(kit_path(&k, "a.jsonl")), &err), &err);
			told_end(t);
			prime_close(p);
			CHECK_INT(t->tally.imported, 1);
			CHECK_INT(t->tally.refused, 1);
			CHECK(str_ends(t->items[0].name, STR("/a.jsonl:3: sample sample-2")));
			CHECK(str_starts(t->items[0].why, str_from(cases[i].why)));
			CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 3);
			kit_end(&k);
		}
}

TEST(a_sample_whose_artifacts_are_missing_is_finished)
{
	const struct str all = STR("[" ID("a") "]");
	struct err err = { .kind = ERR_NONE };
	struct str record;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	record = kit_replace(&k, kit_record(&k, "\"prime-e1-a\""), "\"complete\"", "\"partial\"");
	record = kit_replace(&k, record, "\"e-1\"", "\"prime-eval-e1\"");
	t = told_begin(&k, false);
	kit_must(import_add(t->import, STR("a"), record, NULL, 0, &err), &err);
	told_end(t);
	t = told_begin(&k, false);
	kit_must(told_samples(t, EVALUATION, all, all.n, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.duplicates, 1);
	CHECK_INT(t->tally.refused, 0);
	CHECK_STR(told_object(&k, "prime-e1-a"), record);
	CHECK_STR(told_object(&k, "prime-e1-a/prime_sample.json"), STR(ID("a")));
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 3);
	kit_end(&k);
}

TEST(two_samples_that_come_to_one_id_are_not_taken_for_one)
{
	const struct str all = STR("[" ID("a/b") "," ID("a b") "]");
	struct err err = { .kind = ERR_NONE };
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	kit_must(told_samples(t, EVALUATION, all, all.n, &err), &err);
	told_end(t);
	CHECK_INT(t->tally.imported, 1);
	CHECK_INT(t->tally.refused, 1);
	kit_end(&k);
}

/* ---- documents ---- */

TEST(samples_are_the_same_however_the_document_is_cut)
{
	static const char text[] = " {\"total\":2,\"page\":{\"samples\":[1]},\"samples\":[{\"sample_id\":\"a\",\"reward\":1},"
				   "{\"sample_id\":\"b\",\"reward\":0}],\"total_pages\":3}";

	for (size_t piece = 1; piece < sizeof(text); piece += piece < 8 ? 1 : 17) {
		struct pieced from = { .left = STR(text), .piece = piece };
		struct err err = { .kind = ERR_NONE };
		struct prime *p = prime_open(PRIME_HOSTED, STR("e"), STR(EVALUATION), STR("mine"), &err);
		uint64_t n = 5, pages = 1;
		struct told *t;
		struct kit k;

		test_case("%zu", piece);
		kit_begin(&k);
		t = told_begin(&k, true);
		CHECK_STR(prime_experiment(p), STR("mine"));
		CHECK_STR(prime_id(p), STR("e1"));
		kit_must(prime_import_samples(p, t->import, STR("s"), (struct prime_bytes){ pieced_read, &from }, &n, &pages, &err),
			 &err);
		told_end(t);
		prime_close(p);
		CHECK_INT(n, 7);
		CHECK_INT(pages, 3);
		CHECK_INT(t->tally.imported, 2);
		CHECK_STR(t->items[1].trial_id, STR("prime-e1-b"));
		CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 0);
		kit_end(&k);
	}
}

TEST(a_document_without_samples_or_that_breaks_off_is_an_error_with_a_place)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "{}", "samples: there are no samples in it" },
		{ "{\"samples\":{}}", "samples: there are no samples in it" },
		{ "", "samples: line 1, column 1: " },
		{ "7", "samples: there are no samples in it" },
		{ "{\"samples\":[{\"a\":1},\n {\"a\":]}", "samples: line 2, column 7: " },
		{ "{\"samples\":[{\"a\":1}", "samples: line 1, column 20: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = { .kind = ERR_NONE };
		struct told *t;
		struct kit k;

		test_case("%s", cases[i].text);
		kit_begin(&k);
		t = told_begin(&k, false);
		CHECK(!told_samples(t, EVALUATION, str_from(cases[i].text), 100, &err));
		CHECK_INT(err.kind, ERR_DATA);
		if (!str_starts(str_from(err.text), str_from(cases[i].error)))
			FAIL("%s", err.text);
		told_end(t);
		kit_end(&k);
	}
}

TEST(an_evaluation_must_be_an_object)
{
	const struct str none = { NULL, 0 };
	struct err err = { .kind = ERR_NONE };

	CHECK(prime_open(PRIME_HOSTED, STR("e.json"), STR("[]"), none, &err) == NULL);
	CHECK_STR(str_from(err.text), STR("e.json: this is not an evaluation: a JSON object is expected"));
	CHECK(prime_open(PRIME_HOSTED, STR("e.json"), STR("{"), none, &err) == NULL);
	CHECK(str_starts(str_from(err.text), STR("e.json: line 1, column ")));
	CHECK_INT(err.kind, ERR_DATA);
	prime_close(NULL);
}

TEST(a_file_has_a_document_or_lines_by_its_name)
{
	struct err err = { .kind = ERR_NONE };
	struct prime *p = prime_open(PRIME_HOSTED, STR("e"), STR(EVALUATION), (struct str){ NULL, 0 }, &err);
	struct told *t;
	struct kit k;

	kit_begin(&k);
	kit_put(&k, "a.json", STR("{\"samples\":[" GOOD "," GOOD "]}"));
	kit_put(&k, "a.jsonl", STR(ID("x") "\n\n{broken\n" ID("y") "\nversion https://git-lfs.github.com/spec/v1\n"));
	t = told_begin(&k, false);
	kit_must(prime_import_file(p, t->import, str_from(kit_path(&k, "a.json")), &err), &err);
	kit_must(prime_import_file(p, t->import, str_from(kit_path(&k, "a.jsonl")), &err), &err);
	CHECK(!prime_import_file(p, t->import, str_from(kit_path(&k, "none.json")), &err));
	CHECK(!prime_import_file(p, t->import, str_from(kit_path(&k, "none.jsonl")), &err));
	told_end(t);
	CHECK_INT(t->tally.imported, 4);
	CHECK_INT(t->tally.refused, 2);
	CHECK(str_ends(t->items[0].name, STR("/a.jsonl:3")));
	CHECK(str_starts(t->items[0].why, STR("column 2: ")) && str_ends(t->items[0].why, STR("; take the line out, or write it again")));
	CHECK(str_starts(t->items[1].why, STR("the file is not here, only what Git LFS put in its place")));
	prime_close(p);
	kit_end(&k);
}

/* ---- the command line tool ---- */

/* A stand-in for the tool: what it was asked goes to `asked`, what it answers comes from files. */
static const char fake[] =
	"#!/bin/sh\necho \"$*\" >>\"$FAKE/asked\"\n"
	"case \"$2 $*\" in\n"
	"'get '*) cat \"$FAKE/evaluation\" ;;\n"
	"'samples '*' -p 2 '*) cat \"$FAKE/page2\" ;;\n"
	"'samples '*) cat \"$FAKE/page1\" ;;\n"
	"esac || { echo 'not signed in' >&2; exit 4; }\n";

static void make_fake(struct kit *k)
{
	kit_put(k, "prime", str_from(fake));
	CHECK(chmod(kit_path(k, "prime"), 0700) == 0);
	CHECK(setenv("FAKE", k->root.p, 1) == 0);
	CHECK(setenv("PATH", ARENA_JOIN(&k->arena, k->root, STR(":/usr/bin:/bin")).p, 1) == 0);
}

TEST(a_hosted_evaluation_is_asked_for_page_by_page)
{
	struct err err = { .kind = ERR_NONE };
	struct prime *p;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	make_fake(&k);
	kit_put(&k, "evaluation", STR("{\"evaluation_id\":\"ev 1\",\"model_name\":\"m\"}"));
	kit_put(&k, "page1", STR("{\"samples\":[" ID("a") "," GOOD "],\"total_pages\":2}"));
	kit_put(&k, "page2", STR("{\"samples\":[" GOOD "],\"total_pages\":9}"));
	t = told_begin(&k, false);
	kit_must(prime_import_hosted(t->import, STR("ev 1"), (struct str){ NULL, 0 }, &p, &err), &err);
	told_end(t);
	CHECK_STR(prime_experiment(p), STR("prime-eval-ev-1"));
	prime_close(p);
	CHECK_INT(t->tally.imported, 3);
	CHECK_STR(t->items[2].trial_id, STR("prime-ev-1-sample-3"));
	CHECK_STR(test_read(kit_path(&k, "asked")),
		  STR("eval get ev 1 --plain -o json\neval samples ev 1 --plain -n 100 -o json\n"
		      "eval samples ev 1 --plain -n 100 -p 2 -o json\n"));
	kit_end(&k);
}

TEST(a_tool_that_fails_or_is_absent_is_told_with_what_to_do)
{
	const struct str none = { NULL, 0 };
	struct err err = { .kind = ERR_NONE };
	struct prime *p;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	t = told_begin(&k, false);
	CHECK(setenv("PATH", k.root.p, 1) == 0);
	CHECK(!prime_import_hosted(t->import, STR("e"), none, &p, &err));
	CHECK(p == NULL);
	CHECK(str_starts(str_from(err.text), STR("the program 'prime' is not installed\n= help: ")));
	make_fake(&k);
	CHECK(!prime_import_hosted(t->import, STR("e"), none, &p, &err));
	CHECK(str_find(str_from(err.text), STR("prime eval get failed with status 4: ")) == 0);
	CHECK(str_find(str_from(err.text), STR("not signed in")) != (size_t)-1);
	kit_put(&k, "evaluation", STR("{\"id\":\"e\"}"));
	CHECK(!prime_import_hosted(t->import, STR("e"), none, &p, &err));
	CHECK(str_find(str_from(err.text), STR("prime eval samples failed with status 4: ")) == 0);
	CHECK(p != NULL);
	prime_close(p);
	CHECK(!prime_import_hosted(t->import, STR("--help"), none, &p, &err));
	CHECK_INT(err.kind, ERR_USAGE);
	told_end(t);
	kit_end(&k);
}

/* ---- the samples that were published ---- */

static void check_valid(struct str record)
{
	const struct check_options how = { .mode = MODE_DEFAULT };
	const struct check_ops *ops = trial_dialect.ops;
	void *scanner = ops->scanner_open(&trial_dialect, &how), *batch = ops->batch_open(&trial_dialect);
	void *fold = ops->fold_open(&trial_dialect, &how);
	struct check_chunk chunk = { .bytes = { NULL, record.n }, .first_line = 1 };
	struct check_tally tally;
	struct findings list;
	struct arena a;
	struct err err;
	char *copy = test_alloc(record.n + JSON_PAD);

	memcpy(copy, record.p, record.n);
	chunk.bytes.p = copy;
	arena_init(&a);
	findings_init(&list, &a, 0);
	ops->begin(fold, &list);
	ops->scan(scanner, &chunk, batch);
	CHECK(ops->fold(fold, batch, &err));
	ops->finish(fold, &tally);
	if (list.errors)
		FAIL("%s %.*s", list.kept[0].code, STR_ARG(list.kept[0].message));
	ops->fold_close(fold);
	ops->batch_close(batch);
	ops->scanner_close(scanner);
	arena_free(&a);
}

TEST(the_published_sample_gives_a_valid_record)
{
	struct str evaluation = test_read(test_shared("prime/prime_eval_get.json"));
	const char *samples = test_shared("prime/prime_eval_samples.json");
	struct err err = { .kind = ERR_NONE };
	struct str record;
	struct prime *p;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	p = prime_open(PRIME_HOSTED, STR("e"), evaluation, (struct str){ NULL, 0 }, &err);
	kit_must(p != NULL, &err);
	t = told_begin(&k, false);
	kit_must(prime_import_file(p, t->import, str_from(samples), &err), &err);
	told_end(t);
	prime_close(p);
	CHECK_INT(t->tally.imported, 1);
	CHECK_STR(t->items[0].trial_id, STR("prime-eval-123-hosted-7"));
	record = told_object(&k, "prime-eval-123-hosted-7");
	check_valid(record);
	CHECK_STR(told_at(&k, record, "/dataset_id"), STR("\"prime-50-suite@0.1.0\""));
	CHECK_STR(told_at(&k, record, "/agent/model"), STR("\"Qwen/Qwen3.5-4B:adapter-123\""));
	CHECK_STR(told_at(&k, record, "/timing/total_seconds"), STR("12.5"));
	CHECK_STR(told_at(&k, record, "/evaluation/breakdown/submit_answer_calls"), STR("1.0"));
	CHECK_STR(told_at(&k, record, "/cost/tokens_in"), STR("1000"));
	CHECK_STR(told_object(&k, "prime-eval-123-hosted-7/output.md"), STR("# Solution\n\n```json\n{\"answer\": 42}\n```"));
	kit_end(&k);
}
