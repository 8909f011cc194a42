#include "import_kit.h"

static const struct str none = { NULL, 0 };

static void make_dir(struct kit *k, const char *name)
{
	CHECK(mkdir(kit_path(k, name), 0700) == 0);
}

static struct told *import_all(struct kit *k, const char *path, const char *metadata, struct str *experiment)
{
	struct err err = { .kind = ERR_NONE };
	struct told *t = told_begin(k, false);
	struct str beside = metadata ? str_from(kit_path(k, metadata)) : none;
	struct prime *p;

	kit_must(verifiers_import(t->import, str_from(kit_path(k, path)), beside, none, &p, &err), &err);
	*experiment = arena_copy(&k->arena, prime_experiment(p));
	prime_close(p);
	told_end(t);
	return t;
}

#define RESULT "{\"id\":3,\"prompt\":[{\"role\":\"user\",\"content\":\"q\"}],\"completion\":[],\"task\":\"default\"," \
	       "\"generation_ms\":1500,\"scoring_ms\":250.0,\"total_ms\":1750,\"info\":{\"oai_tools\":[]},\"reward\":0.5," \
	       "\"turns\":3.0,\"judge\":0.25}\n"

TEST(a_directory_of_results_is_an_evaluation)
{
	struct str experiment, record;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	make_dir(&k, "run7");
	kit_put(&k, "run7/results.jsonl", STR(RESULT RESULT));
	kit_put(&k, "run7/metadata.json", STR("{\"env_id\":\"wiki\",\"model\":\"org/m\",\"temperature\":0.70}"));
	t = import_all(&k, "run7", NULL, &experiment);
	CHECK_INT(t->tally.imported, 2); /* rollouts of one example are two trials */
	CHECK_STR(experiment, STR("prime-eval-wiki--org-m-run7"));
	record = told_object(&k, "prime-wiki--org-m-run7-sample-2");
	CHECK_STR(told_at(&k, record, "/agent/model"), STR("\"org/m\""));
	CHECK_STR(told_at(&k, record, "/agent/configuration/source"), STR("\"verifiers-results\""));
	CHECK_STR(told_at(&k, record, "/agent/configuration/evaluation_id"), STR("\"wiki--org/m/run7\""));
	CHECK_STR(told_at(&k, record, "/agent/configuration/evaluation_name"), STR("\"wiki\""));
	CHECK_STR(told_at(&k, record, "/agent/configuration/eval_config/temperature"), STR("0.70"));
	CHECK_STR(told_at(&k, record, "/task/task_id"), STR("\"prime/3\""));
	CHECK_STR(told_at(&k, record, "/outputs/agent_result/example_id"), STR("3"));
	CHECK_STR(told_at(&k, record, "/evaluation/reward"), STR("0.5"));
	CHECK_STR(told_at(&k, record, "/evaluation/breakdown"), STR("{\n      \"turns\": 3.0,\n      \"judge\": 0.25\n    }"));
	CHECK_STR(told_at(&k, record, "/outputs/agent_result/judge"), STR("0.25"));
	CHECK_STR(told_at(&k, record, "/timing/total_seconds"), STR("1.75"));
	CHECK_STR(told_at(&k, record, "/timing/agent_seconds"), STR("1.5"));
	CHECK_STR(told_at(&k, record, "/timing/verification_seconds"), STR("0.25"));
	CHECK_INT(import_all(&k, "run7/results.jsonl", NULL, &experiment)->tally.duplicates, 2);
	kit_end(&k);
}

TEST(a_file_of_results_is_known_by_its_own_name)
{
	struct str experiment;
	struct kit k;

	kit_begin(&k);
	kit_put(&k, "math.results.jsonl", STR(RESULT));
	kit_put(&k, "math.metadata.json", STR("{\"env\":\"math\",\"model\":\"m\"}"));
	kit_put(&k, "other.jsonl", STR(RESULT));
	kit_put(&k, "more.json", STR("{\"evaluation_id\":\"ev\",\"model\":\"m\"}"));
	CHECK_INT(import_all(&k, "math.results.jsonl", NULL, &experiment)->tally.imported, 1);
	CHECK_STR(experiment, STR("prime-eval-math--m-math"));
	CHECK_INT(import_all(&k, "other.jsonl", NULL, &experiment)->tally.imported, 1);
	CHECK_STR(experiment, STR("prime-eval-other"));
	CHECK_INT(import_all(&k, "other.jsonl", "more.json", &experiment)->tally.imported, 1);
	CHECK_STR(experiment, STR("prime-eval-ev"));
	kit_end(&k);
}

TEST(a_metric_object_wins_over_columns)
{
	struct str experiment, record;
	struct kit k;

	kit_begin(&k);
	kit_put(&k, "a.jsonl", STR("{\"example_id\":5,\"reward\":1,\"judge\":1,\"metrics\":{\"judge\":2},\"timing\":{\"total_ms\":1}}\n"));
	import_all(&k, "a.jsonl", NULL, &experiment);
	record = told_object(&k, "prime-a-sample-1");
	CHECK_STR(told_at(&k, record, "/evaluation/breakdown/judge"), STR("2"));
	CHECK_STR(told_at(&k, record, "/timing/total_seconds"), STR("0.001"));
	CHECK_STR(told_at(&k, record, "/outputs/agent_result/example_id"), STR("5"));
	kit_end(&k);
}

TEST(what_cannot_be_read_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct prime *p;
	struct told *t;
	struct kit k;

	kit_begin(&k);
	make_dir(&k, "d");
	t = told_begin(&k, false);
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err));
	prime_close(p);
	kit_put(&k, "d/results.jsonl", STR(RESULT));
	kit_put(&k, "d/metadata.json", STR("[]"));
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err));
	CHECK(p == NULL);
	CHECK_INT(err.kind, ERR_DATA);
	kit_put(&k, "d/metadata.json", STR("{"));
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), none, none, &p, &err));
	CHECK(!verifiers_import(t->import, str_from(kit_path(&k, "d")), STR("/none/such.json"), none, &p, &err));
	CHECK_INT(err.kind, ERR_IO);
	told_end(t);
	kit_end(&k);
}

TEST(the_published_results_are_imported_whole)
{
	static const struct {
		const char *file;
		unsigned count;
	} files[] = {
		{ "prime/verifiers_math_python_dict_toolcalls.results.jsonl", 15 },
		{ "prime/verifiers_math_python_string_toolcalls.results.jsonl", 15 },
		{ "prime/verifiers_tool_test.results.jsonl", 15 },
		{ "prime/verifiers_wiki_search_gpt5.results.jsonl", 50 },
	};
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	kit_begin(&k);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct told *t = told_begin(&k, false);
		struct prime *p;

		test_case("%s", files[i].file);
		kit_must(verifiers_import(t->import, str_from(test_shared(files[i].file)), none, none, &p, &err), &err);
		prime_close(p);
		told_end(t);
		CHECK_INT(t->tally.imported, files[i].count);
		CHECK_INT(t->tally.refused, 0);
	}
	CHECK_INT(kit_size(&k, LEDGER_DIAGNOSTIC), 3 * 95);
	kit_end(&k);
}
