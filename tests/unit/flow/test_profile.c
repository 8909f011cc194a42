#include "flow/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "flow/profile_fold.h"
#include "harness/test.h"
#include "source/memory.h"

static struct arena arena;

/* Everything lives as long as the test. */
static struct profile *profile_of(struct str text, struct profile_flow f, size_t chunk)
{
	struct memory_file file = { STR("t.jsonl"), text };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct source_options how = { .shape = SOURCE_LINES, .io = &io, .chunk_size = chunk };
	struct err err = { .kind = ERR_NONE };
	struct profile *p;

	if (!arena.block_size)
		arena_init(&arena);
	p = arena_new(&arena, struct profile);
	f.from = source_open(&arena, &file.path, 1, how, &err);
	CHECK(f.from && profile_run(&arena, &f, p, &err));
	source_close(f.from);
	return p;
}

static const struct profile_flow forty = { .jobs = 1, .row_limit = 40 };

/* One line for each row: kind, level, label. */
static struct str rows_text(const struct profile *p)
{
	struct str text = STR("");

	for (size_t i = 0; i < p->row_count; i++)
		text = arena_printf(&arena, "%.*s%s%.*s/%u", STR_ARG(text), i ? " " : "", STR_ARG(p->rows[i].label), p->rows[i].level);
	return text;
}

#define CALL(model, usd) "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\"," \
	"\"node_id\":\"" model "\",\"kind\":\"model_call\",\"timestamp_start\":1790000000.0,\"timestamp_end\":1790000001.0," \
	"\"model_call\":{\"model\":\"" model "\",\"input_tokens\":1000,\"output_tokens\":10" usd "}}\n"
#define END(usd) "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\"," \
	"\"exit_status\":\"success\"" usd "}\n"
#define USD(n, source) ",\"estimated_cost_usd\":" n ",\"cost_source\":\"" source "\""

TEST(a_cost_is_stated_or_estimated_and_a_stated_total_wins)
{
	static const struct {
		const char *text;
		double usd; /* 0: none */
		enum figure_source source;
		uint64_t priced, unpriced;
	} cases[] = {
		{ CALL("gpt-4o", "") CALL("homemade", "") END(""), 0, FIGURE_API, 0, 2 },
		{ CALL("gpt-4o", "") CALL("homemade", USD("0.5", "api")) END(""), 0.5, FIGURE_API, 1, 1 },
		{ CALL("gpt-4o", USD("0.25", "estimated")) CALL("homemade", USD("0.5", "api")), 0.75, FIGURE_ESTIMATED, 2, 0 },
		{ CALL("gpt-4o", "") END(USD("0.125", "api")), 0.125, FIGURE_API, 0, 0 },
		{ CALL("gpt-4o", USD("0.25", "estimated")) END(USD("0.125", "api")), 0.125, FIGURE_API, 1, 0 },
		{ CALL("gpt-4o", USD("0.25", "estimated")) END(USD("0.25", "estimated")), 0.25, FIGURE_ESTIMATED, 1, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct profile *p = profile_of(str_from(cases[i].text), forty, 0);

		CHECK_INT(amount_is_known(p->usd), cases[i].usd > 0);
		CHECK(!amount_is_known(p->usd) || (fabs(p->usd.n - cases[i].usd) < 1e-9 && p->usd.source == cases[i].source));
		CHECK_INT(p->priced, cases[i].priced);
		CHECK_INT(p->unpriced, cases[i].unpriced);
	}
}

TEST(time_is_counted_once_however_many_run_at_once)
{
	struct profile *p = profile_of(test_data("show/full.jsonl"), forty, 0);

	CHECK_INT(p->verdict, PROFILE_SUCCESS);
	CHECK(p->has_summary && p->total == 12.0 && p->damaged == 0 && !p->torn && !p->mixed);
	CHECK_INT(p->lines, 10);
	CHECK_INT(p->nodes, 9);
	CHECK_INT(p->busy_us[UNION_MODEL], 9300000);
	CHECK_INT(p->sum_us[UNION_MODEL], 9300000);
	CHECK_INT(p->busy_us[UNION_FIRST], 1700000);
	CHECK_INT(p->busy_us[UNION_TOOL], 2980000); /* two side by side */
	CHECK_INT(p->sum_us[UNION_TOOL], 4460000);
	CHECK_INT(p->both_us, 2200000);
	CHECK_INT(p->busy_us[UNION_ALL], 10080000);
	CHECK_INT(p->idle_us, 1920000);
	CHECK_INT(p->stall_us, 400000);
	CHECK_INT(p->stalls, 1);
	profile_free(p);
}

TEST(tokens_are_counted_by_their_source)
{
	struct profile *p = profile_of(test_data("show/full.jsonl"), forty, 0);

	CHECK_INT(p->input[FIGURE_API], 15420);
	CHECK_INT(p->input[FIGURE_ESTIMATED], 0);
	CHECK_INT(p->output[FIGURE_API], 698);
	CHECK_INT(p->output[FIGURE_ESTIMATED], 300);
	CHECK(p->has_cache && p->cache_read == 7100 && p->cache_write == 500 && p->has_reasoning && p->reasoning == 20);
	CHECK(p->priced == 2 && fabs(p->usd.n - 0.0574) < 1e-9);
	CHECK(p->unpriced == 2 && p->models.list[0]->unpriced == 1 && p->models.list[1]->unpriced == 1);
	CHECK(fabs(p->models.list[0]->usd.n - 0.0574) < 1e-9 && !amount_is_known(p->models.list[1]->usd));
	CHECK_INT(p->models.count, 2);
	CHECK_STR(p->models.list[0]->name, STR("example-large-1"));
	CHECK(p->models.list[0]->calls == 3 && p->models.list[0]->failed == 1 && !p->models.list[0]->about_output);
	CHECK(p->models.list[1]->about_output && !p->models.list[1]->about_input);
	CHECK(fabs(quantile_get(&p->models.list[0]->latency, 0.95) - 4.1) < 1e-9);
	CHECK_INT(p->tools.count, 2);
	CHECK(p->tools.list[0]->external == 1 && p->tools.list[1]->external == 0);
	CHECK(p->counts[AT_RETRY] == 1 && p->fan_outs == 1);
	profile_free(p);
}

/* A tool call of a trace, from and to in seconds; `more` are further members of its tool_call. */
static struct str tool_line(struct str name, double from, double to, const char *of_node, const char *more)
{
	return arena_printf(&arena,
			    "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%.*s%f\","
			    "\"parent_node_ids\":[],\"timestamp_start\":%f,\"timestamp_end\":%f,\"kind\":\"tool_call\"%s,"
			    "\"tool_call\":{\"name\":\"%.*s\",\"is_external\":true%s}}\n",
			    STR_ARG(name), from, from, to, of_node, STR_ARG(name), more);
}

#define BETWEEN ",\"inferred\":true", ",\"wall_time_source\":\"inferred\""

TEST(the_time_of_a_fan_out_counts_once_and_is_a_bound)
{
	struct profile *p;
	struct str text;

	arena_init(&arena);
	text = ARENA_JOIN(&arena, tool_line(STR("a"), 1, 3, BETWEEN), tool_line(STR("a"), 1, 3, BETWEEN),
			  tool_line(STR("b"), 1, 3, BETWEEN), tool_line(STR("a"), 5, 6, BETWEEN),
			  tool_line(STR("c"), 7, 8, "", ""),
			  tool_line(STR("d"), 8, 9, ",\"inferred\":true", ",\"wall_time_source\":\"timestamps\""));
	p = profile_of(text, forty, 0);
	CHECK_INT(p->tools.list[0]->calls, 3);
	CHECK_INT(p->tools.list[0]->sum_us, 3000000);
	CHECK_INT(p->tools.list[0]->each_us, 5000000);
	CHECK_INT(p->tools.list[0]->length, TRACE_LENGTH_AT_MOST);
	CHECK(p->tools.list[0]->guessed == 3 && p->tools.list[2]->guessed == 0);
	CHECK_INT(p->tools.list[2]->length, TRACE_LENGTH_MEASURED);
	CHECK_INT(p->tools.list[3]->length, TRACE_LENGTH_ABOUT);
	CHECK_INT(p->sum_us[UNION_TOOL], 5000000);
	CHECK_INT(p->busy_us[UNION_TOOL], 5000000);
	CHECK_INT(p->length[UNION_TOOL], TRACE_LENGTH_AT_MOST);
	CHECK(!p->rows[0].same && p->rows[1].same && p->rows[2].same && !p->rows[3].same);
	profile_free(p);
}

TEST(a_tool_call_without_a_result_is_no_busy_time)
{
	struct profile *p;

	arena_init(&arena);
	p = profile_of(ARENA_JOIN(&arena, tool_line(STR("a"), 1, 9, ",\"partial\":true", ""), tool_line(STR("b"), 1, 2, "", "")),
		       forty, 0);
	CHECK(p->tools.list[0]->calls == 1 && p->tools.list[0]->timed == 0 && p->tools.list[0]->partial == 1);
	CHECK_INT(p->busy_us[UNION_TOOL], 1000000);
	CHECK_INT(p->sum_us[UNION_TOOL], 1000000);
	CHECK_INT(p->tools.list[0]->latency.seen, 0);
	profile_free(p);
}

#define NODE(id, from, to, more, out) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"" id \
	"\",\"parent_node_ids\":[],\"timestamp_start\":" #from ",\"timestamp_end\":" #to ",\"kind\":\"model_call\"," more \
	"\"model_call\":{\"model\":\"m\",\"input_tokens\":0,\"output_tokens\":" #out ",\"latency_seconds\":2,\"ttft_seconds\":1}}\n"

/* It has tokens, and neither time nor a place among the calls. */
TEST(a_node_that_is_only_a_total_is_no_call)
{
	struct profile *p = profile_of(STR(NODE("a", 10, 12, "", 3) NODE("b", 5, 30, "\"inferred\":true,\"total_only\":true,", 84)),
				       forty, 0);

	CHECK_INT(p->counts[AT_MODEL_CALL], 2);
	CHECK_INT(p->total_only, 1);
	CHECK_INT(p->models.count, 1);
	CHECK_INT(p->models.list[0]->calls, 1);
	CHECK_INT(p->models.list[0]->output, 87);
	CHECK_INT(p->models.list[0]->latency.seen, 1);
	CHECK_INT(p->models.list[0]->ttft.seen, 1);
	CHECK_INT(p->busy_us[UNION_MODEL], 2000000);
	CHECK_INT(p->busy_us[UNION_ALL], 2000000);
	CHECK(p->rows[0].total_only && !p->rows[1].total_only);
	profile_free(p);
}

TEST(gaps_and_waits_are_the_longest_first)
{
	struct profile *p = profile_of(test_data("show/full.jsonl"), forty, 0);

	CHECK_INT(p->gap_count, 5);
	CHECK_INT(p->gaps[0].to_us - p->gaps[0].from_us, 1100000);
	CHECK_INT(p->gaps[1].to_us - p->gaps[1].from_us, 500000);
	CHECK_INT(p->gaps[2].to_us, p->to_us);
	CHECK_INT(p->wait_count, 1);
	CHECK(p->waits[0].stall_us == 400000);
	CHECK_STR(p->waits[0].tool->name, STR("grep"));
	profile_free(p);
}

TEST(tools_stand_below_their_model_and_a_sub_agent_below_its_tool)
{
	struct profile *p = profile_of(test_data("show/full.jsonl"), forty, 0);

	CHECK_STR(rows_text(p), STR("user input/0 example-large-1/0 fan-out/1 grep/2 ask_helper/2 example-small-1/3 example-large-1/0 "
				    "retry/1 example-large-1/0"));
	profile_free(p);
}

TEST(of_many_nodes_the_longest_have_rows)
{
	struct profile_flow f = { .jobs = 1, .row_limit = 3 };
	struct profile *p = profile_of(test_data("show/full.jsonl"), f, 0);

	CHECK_STR(rows_text(p), STR("example-large-1/0 ask_helper/0 example-large-1/0"));
	profile_free(p);
	f.row_limit = 0;
	p = profile_of(test_data("show/full.jsonl"), f, 0);
	CHECK(p->row_count == 0 && p->nodes == 9);
	profile_free(p);
	f.row_limit = SIZE_MAX;
	p = profile_of(test_data("show/full.jsonl"), f, 0);
	CHECK_INT(p->row_count, 9);
	profile_free(p);
}

TEST(a_trace_without_an_end_is_interrupted_or_failed)
{
	static const struct {
		const char *path;
		enum profile_verdict verdict;
		bool torn;
		uint64_t nodes;
	} cases[] = {
		{ "show/interrupted.jsonl", PROFILE_INTERRUPTED, true, 6 },
		{ "show/failed.jsonl", PROFILE_ERROR, false, 7 },
		{ "show/empty.jsonl", PROFILE_INTERRUPTED, false, 0 },
		{ "show/hostile.jsonl", PROFILE_ERROR, false, 3 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct profile *p = profile_of(test_data(cases[i].path), forty, 0);

		test_case("%s", cases[i].path);
		CHECK_INT(p->verdict, cases[i].verdict);
		CHECK_INT(p->torn, cases[i].torn);
		CHECK_INT(p->nodes, cases[i].nodes);
		CHECK_INT(p->damaged, 0);
		profile_free(p);
	}
}

TEST(damaged_lines_are_counted_and_the_rest_is_read)
{
	struct profile *p = profile_of(test_data("show/damaged.jsonl"), forty, 0);

	CHECK_INT(p->damaged, 4);
	CHECK_INT(p->first_damaged, 3);
	CHECK_INT(p->nodes, 9);
	CHECK_INT(p->lines, 14);
	profile_free(p);
}

TEST(other_versions_are_read_when_asked)
{
	struct profile_flow f = { .jobs = 1, .row_limit = 40, .permissive = true };
	struct profile *p = profile_of(test_data("show/version.jsonl"), forty, 0);

	CHECK(p->other_versions == 10 && p->nodes == 0 && p->damaged == 0);
	CHECK_STR(p->version, STR("agent-trace/v2"));
	profile_free(p);
	p = profile_of(test_data("show/version.jsonl"), f, 0);
	CHECK(p->other_versions == 10 && p->nodes == 9 && p->has_summary);
	profile_free(p);
}

TEST(two_traces_in_a_file_are_noticed)
{
	struct str a = test_data("show/full.jsonl"), b = test_data("agent-trace/minimal.jsonl");
	struct profile *p;

	arena_init(&arena);
	p = profile_of(ARENA_JOIN(&arena, a, b), forty, 0);
	CHECK(p->mixed);
	profile_free(p);
}

/* However the trace is cut into chunks, and whatever the number of threads. */
TEST(chunks_and_threads_make_no_difference)
{
	static const size_t chunks[] = { 1, 700, 5000 };
	struct str text = test_data("show/full.jsonl");
	struct profile *want = profile_of(text, forty, 0);

	for (size_t i = 0; i < COUNT(chunks); i++)
		for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
			struct profile_flow f = { .jobs = jobs, .row_limit = 40 };
			struct profile *p = profile_of(text, f, chunks[i]);

			CHECK(memcmp(p->busy_us, want->busy_us, sizeof(p->busy_us)) == 0 && p->idle_us == want->idle_us);
			CHECK_STR(rows_text(p), rows_text(want));
			profile_free(p);
		}
	profile_free(want);
}

TEST(circles_among_parents_and_hostile_times_do_no_harm)
{
	static const char line[] = "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%d\","
				   "\"parent_node_ids\":[\"%d\"],\"timestamp_start\":%s,\"timestamp_end\":%s,\"kind\":\"tool_call\","
				   "\"tool_call\":{\"name\":\"x%d\",\"wall_time_seconds\":9e11,\"stall_seconds\":9e11}}\n";
	struct profile *p;
	struct buf b;

	buf_init(&b);
	for (int i = 0; i < 300; i++)
		buf_printf(&b, line, i, (i + 1) % 300, i % 2 ? "-1e12" : "5", "1e12", i % 7);
	p = profile_of(buf_str(&b), forty, 0);
	CHECK_INT(p->nodes, 300);
	CHECK(p->stall_us > 0 && p->sum_us[UNION_TOOL] > 0);
	profile_free(p);
	buf_free(&b);
}

TEST(very_many_names_share_a_group)
{
	static const char line[] = "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"%d\","
				   "\"parent_node_ids\":[],\"timestamp_start\":%d,\"timestamp_end\":%d,\"kind\":\"tool_call\","
				   "\"tool_call\":{\"name\":\"x%d\"}}\n";
	struct profile *p;
	struct buf b;

	buf_init(&b);
	for (int i = 0; i < 3 * PROFILE_GROUPS; i++)
		buf_printf(&b, line, i, i, i + 1, i);
	p = profile_of(buf_str(&b), forty, 0);
	CHECK(p->tools.others && p->tools.count == PROFILE_GROUPS + 1);
	CHECK_STR(p->tools.list[PROFILE_GROUPS]->name, STR("(others)"));
	CHECK_INT(p->tools.list[PROFILE_GROUPS]->calls, 2 * PROFILE_GROUPS);
	profile_free(p);
	buf_free(&b);
}

/* The fold without a flow: memory for a million nodes. */
TEST(memory_does_not_grow_with_the_number_of_nodes)
{
	struct trace_row r = { .type = TRACE_ROW_NODE, .kind = AT_MODEL_CALL, .latency = 0.5, .ttft = 0.1, .stall = -1, .wall = -1,
			       .id = STR("id"), .model = STR("m"), .trace = STR("t") };
	struct profile_fold f;
	struct profile p;
	size_t used;

	arena_init(&arena);
	p = (struct profile){ .arena = &arena };
	profile_fold_init(&f, &p, 40);
	for (int64_t i = 0; i < 200000; i++) {
		r.from_us = i * 1000000 + i % 13;
		r.to_us = r.from_us + 500000 + i % 17;
		profile_fold_add(&f, &r);
	}
	used = arena.used;
	for (int64_t i = 200000; i < 1200000; i++) {
		r.from_us = i * 1000000 + i % 13;
		r.to_us = r.from_us + 500000 + i % 17;
		profile_fold_add(&f, &r);
	}
	CHECK_INT(arena.used, used);
	CHECK_INT(f.rows.n, 40 * sizeof(struct profile_row));
	for (size_t i = 0; i < UNIONS; i++)
		CHECK(f.spans[i].list.cap <= 2 * SPANS_MAX * sizeof(struct span));
	CHECK_INT(p.models.list[0]->latency.values.n, PROFILE_VALUES * sizeof(double));
	profile_fold_finish(&f);
	CHECK(p.about && quantile_is_estimated(&p.models.list[0]->latency));
	CHECK_INT(p.nodes, 1200000);
	CHECK_INT(p.busy_us[UNION_MODEL], p.sum_us[UNION_MODEL]);
	profile_fold_free(&f);
	profile_free(&p);
	arena_free(&arena);
}
