/* Facts of runs: from rows, and from directories with more or fewer of the files a run may have. */
#include "flow/run_facts.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "harness/test.h"

#define NODE(model, tokens, more) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\"," \
	"\"timestamp_start\":100.0,\"timestamp_end\":101.5,\"kind\":\"model_call\",\"framework\":\"codex\"," \
	"\"model_call\":{\"model\":\"" model "\",\"input_tokens\":" tokens ",\"input_tokens_source\":\"api\"," \
	"\"output_tokens\":1,\"output_tokens_source\":\"api\",\"stop_reason\":\"end_turn\"" more "}}\n"
#define SUMMARY \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\"," \
	"\"started_at\":\"1970-01-01T00:01:40.000Z\",\"completed_at\":\"1970-01-01T00:01:43.000Z\",\"total_seconds\":3," \
	"\"total_tokens\":{\"input\":7,\"output\":2},\"exit_status\":\"success\",\"estimated_cost_usd\":0.5}\n"

static struct arena arena;
static const char *directory; /* of the test: each is a process of its own */

static const char *dir(void)
{
	if (!directory)
		directory = test_dir();
	return directory;
}

static void put(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir(), name);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static struct run_facts facts(void)
{
	struct run_facts_reader *r;
	struct run_facts f;

	arena_init(&arena);
	CHECK(run_facts_is_run(str_from(dir())));
	r = run_facts_open(&arena);
	run_facts_read(r, str_from(dir()), &f);
	run_facts_close(r);
	return f;
}

TEST(a_trace_alone_gives_all_facts)
{
	struct run_facts f;

	put("agent-trace.jsonl", NODE("a", "5", ",\"estimated_cost_usd\":0.25") NODE("b", "2", "") "no json\n" SUMMARY);
	f = facts();
	CHECK_STR(f.id, STR("t"));
	CHECK_STR(f.agent, STR("codex"));
	CHECK(strcmp(f.verdict, "success") == 0 && strcmp(f.kind, "trace") == 0);
	CHECK(f.has_models && f.models.count == 2 && f.unpriced.count == 1);
	CHECK_STR(f.unpriced.list[0], STR("b"));
	CHECK(f.input.n == 7 && f.output.n == 2 && f.model_calls == 2 && f.usd.n == 0.25);
	CHECK(f.is_whole == TRUTH_FALSE && f.seconds == 3 && f.from_us == 100000000 && f.to_us == 103000000);
	arena_free(&arena);
}

TEST(a_run_without_an_end_was_interrupted_or_failed)
{
	struct run_facts f;

	put("agent-trace.jsonl", NODE("a", "5", ""));
	f = facts();
	CHECK(strcmp(f.verdict, "interrupted") == 0 && f.seconds == 1.5 && !f.is_over);
	arena_free(&arena);
	put("agent-trace.jsonl", "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\","
		"\"timestamp_start\":1.0,\"timestamp_end\":2.0,\"kind\":\"model_call\",\"model_call\":{\"model\":\"a\","
		"\"stop_reason\":\"error\"}}\n");
	f = facts();
	CHECK(strcmp(f.verdict, "error") == 0 && f.unpriced.count == 0);
	arena_free(&arena);
	put("meta.json", "{\"schema\":\"trackway.run/1\",\"run_id\":\"r\",\"exit\":{\"code\":0,\"signal\":null}}");
	f = facts();
	CHECK(strcmp(f.verdict, "success") == 0);
	CHECK_STR(f.id, STR("r"));
	arena_free(&arena);
}

TEST(a_summary_and_a_meta_that_names_models_need_no_trace)
{
	struct run_facts f;

	put("agent-trace.jsonl", NODE("never read", "5", ""));
	put("summary.json", SUMMARY);
	put("meta.json", "{\"schema\":\"trackway.run/1\",\"run_id\":\"r\",\"program\":\"p\",\"started\":\"1970-01-01T00:01:40.000Z\","
		"\"tags\":{\"k\":\"v\",\"n\":1},\"captured\":{\"model_call\":4},\"framework\":\"codex\",\"models\":[\"a\",\"b\"],"
		"\"unpriced_models\":[]}");
	f = facts();
	CHECK(f.models.count == 2 && f.usd.n == 0.5 && f.is_whole == TRUTH_TRUE && f.model_calls == 4);
	CHECK(f.input.n == 7 && f.tag_count == 1 && strcmp(f.kind, "record") == 0);
	CHECK_STR(f.tags[0].key, STR("k"));
	CHECK_STR(f.program, STR("p"));
	arena_free(&arena);
	put("meta.json", "{\"schema\":\"trackway.run/1\",\"run_id\":\"r\"}");
	f = facts();
	CHECK_STR(f.models.list[0], STR("never read")); /* now it is */
	arena_free(&arena);
}

TEST(a_benchmark_is_complete_when_every_row_is_there)
{
	struct run_facts f;

	put("config.json", "{\"schema\":\"trackway.bench-config/1\",\"run_id\":\"b\",\"created_at\":\"1970-01-01T00:00:01.000Z\","
		"\"suites\":[{\"path\":\"d/s.json\"}],\"prompts\":[1,2],\"targets\":[1],\"repeat\":2}");
	put("summary.json", "{\"run_wall_clock_ms\":1500,\"models\":[{\"model\":\"m\",\"n_total\":4,\"n_ok\":4,\"input_tokens\":8,"
		"\"output_tokens\":3,\"objective_pass_rate_all\":0.75,\"objective_pass_all_n\":4,\"cost\":{\"usd\":1,\"n\":3}}]}");
	f = facts();
	CHECK(strcmp(f.verdict, "complete") == 0 && f.rows_wanted == 4 && f.passed.n == 3 && f.judged.n == 4);
	CHECK(f.seconds == 1.5 && f.usd.n == 1 && f.is_whole == TRUTH_FALSE && f.from_us == 1000000);
	CHECK_STR(f.agent, STR("s.json"));
	arena_free(&arena);
	put("summary.json", "{}");
	f = facts();
	CHECK(strcmp(f.verdict, "stopped") == 0 && !figure_is_known(f.judged) && isnan(f.seconds));
	arena_free(&arena);
}

TEST(names_are_kept_once_and_not_without_end)
{
	struct run_facts_names n = { 0 };

	arena_init(&arena);
	for (size_t i = 0; i < 3 * RUN_FACTS_MODELS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%zu", i / 2);
		run_facts_add_name(&n, &arena, str_from(name));
	}
	CHECK_INT(n.count, RUN_FACTS_MODELS);
	CHECK_STR(n.list[1], STR("1"));
	arena_free(&arena);
}

TEST(another_directory_is_no_run)
{
	put("meta.json", "{\"schema\":\"other/1\"}");
	put("config.json", "{}");
	CHECK(!run_facts_is_run(str_from(dir())));
	CHECK(!run_facts_is_run(STR("tests/no such directory")));
}
