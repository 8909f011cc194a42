#include "flow/trace_load.h"

#include "harness/test.h"
#include "unit/flow/trace_text.h"

#define NODE(trace, id, parents, from, to, rest) \
	"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"" trace "\",\"node_id\":\"" id \
	"\",\"parent_node_ids\":[" parents "],\"timestamp_start\":" from ",\"timestamp_end\":" to \
	",\"framework\":\"langgraph\"," rest "}\n"
#define SYSTEM "\"kind\":\"system\""
#define MODEL(more) "\"kind\":\"model_call\",\"model_call\":{\"model\":\"m\"" more "}"

TEST(an_agent_trace_is_taken_digit_by_digit)
{
	struct trace_list l = trace_text(STR(NODE("t", "a", "", "1777550400.123456789", "1777550401.5", SYSTEM)));

	CHECK_INT(l.count, 1);
	CHECK_INT(l.items[0].count, 1);
	CHECK_INT(l.items[0].nodes[0].from_ns, 1777550400123456789);
	CHECK_INT(l.items[0].nodes[0].to_ns, 1777550401500000000);
	CHECK_STR(str_from(l.items[0].format), STR("agent-trace"));
	CHECK_STR(l.items[0].source, STR("t.jsonl"));
	CHECK_STR(l.items[0].framework, STR("langgraph"));
}

TEST(edges_are_places_and_those_to_nobody_lead_nowhere)
{
	struct trace_list l = trace_text(STR(NODE("t", "b", "\"a\",\"zz\",\"b\"", "2", "3", SYSTEM)
					     NODE("t", "a", "", "1", "2", SYSTEM)));
	const struct trace *t = &l.items[0];

	CHECK_INT(t->nodes[0].parent_count, 3);
	CHECK_INT(t->parents[0][0], 1); /* it comes later in the file */
	CHECK_INT(t->parents[0][1], TRACE_NOWHERE);
	CHECK_INT(t->parents[0][2], TRACE_NOWHERE); /* its own */
	CHECK_INT(t->nodes[1].parent_count, 0);
}

TEST(a_file_of_several_traces_is_several_runs)
{
	struct trace_list l = trace_text(STR(NODE("t", "a", "", "1", "2", SYSTEM) NODE("u", "a", "", "3", "4", SYSTEM)
					     NODE("t", "b", "\"a\"", "5", "6", SYSTEM)));

	CHECK_INT(l.count, 2);
	CHECK_STR(l.items[0].id, STR("t"));
	CHECK_INT(l.items[0].count, 2);
	CHECK_INT(l.items[1].count, 1);
	CHECK_INT(l.items[0].parents[1][0], 0);
}

TEST(a_run_without_its_end_failed_when_its_last_node_did_and_was_interrupted_else)
{
	struct trace_list failed = trace_text(STR(NODE("t", "a", "", "1", "2", MODEL(",\"stop_reason\":\"error\""))));
	struct trace_list cut = trace_text(STR(NODE("t", "a", "", "3", "2", MODEL(""))));

	CHECK_INT(failed.items[0].status, TRACE_ERROR);
	CHECK_INT(failed.items[0].from_ns, 1000000000);
	CHECK_INT(failed.items[0].to_ns, 2000000000);
	CHECK_INT(cut.items[0].status, TRACE_INTERRUPTED);
	CHECK(cut.items[0].to_ns >= cut.items[0].from_ns);
}

TEST(the_summary_says_how_a_run_ended_and_when)
{
	struct trace_list l = trace_text(test_data("show/full.jsonl"));

	CHECK(l.count == 1 && l.items[0].has_summary);
	CHECK_INT(l.items[0].status, TRACE_SUCCESS);
	CHECK_INT(l.items[0].to_ns - l.items[0].from_ns, 12000000000);
}

TEST(another_version_is_refused_with_its_line_unless_it_may_be_read)
{
	struct str text = STR(NODE("t", "a", "", "1", "2", SYSTEM)
			      "{\"schema_version\":\"agent-trace/v2\",\"event_type\":\"node\",\"trace_id\":\"t\","
			      "\"node_id\":\"b\",\"parent_node_ids\":[],\"timestamp_start\":1,\"timestamp_end\":2,"
			      "\"kind\":\"system\",\"framework\":\"unknown\"}\n");
	struct err err = { .kind = ERR_NONE };
	struct trace_list l;

	CHECK(!trace_text_try(text, 0, (struct log_flow){ .jobs = 1 }, &l, &err));
	CHECK(str_has(str_from(err.text), STR("t.jsonl:2: the version 'agent-trace/v2' is not known here")));
	CHECK(trace_text_try(text, 0, (struct log_flow){ .permissive = true }, &l, &err));
	CHECK_INT(l.items[0].count, 2);
}

static struct convert_input last_input;

static bool keep_input(void *context, const struct convert_input *input, struct err *err)
{
	(void)context;
	(void)err;
	last_input = *input;
	return true;
}

TEST(lines_that_are_no_nodes_are_counted_and_a_last_one_that_breaks_off_is_torn)
{
	struct str text = STR(NODE("t", "a", "", "1", "2", SYSTEM) "{\"hello\":1}\nnonsense\n{\"schema_ver");
	struct err err = { .kind = ERR_NONE };
	struct trace_list l;

	for (size_t chunk = 1; chunk < 400; chunk += 13) {
		CHECK(trace_text_try(text, chunk, (struct log_flow){ .input = keep_input }, &l, &err));
		CHECK_INT(l.items[0].count, 1);
		CHECK_INT(last_input.unreadable, 2);
		CHECK(last_input.torn);
	}
}

TEST(every_other_log_is_converted_on_the_way)
{
	struct trace_list l = trace_text(test_data("otutl/recorded.jsonl"));

	CHECK(l.count >= 1 && l.items[0].count > 0 && l.items[0].has_summary);
	CHECK_STR(str_from(l.items[0].format), STR("otutl"));
}

TEST(what_is_no_log_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct trace_list l;

	CHECK(!trace_text_try(STR("{\"hello\":1}\n"), 0, (struct log_flow){ .jobs = 1 }, &l, &err));
	CHECK(str_has(str_from(err.text), STR("t.jsonl is in no format that can be read")));
	CHECK(!trace_text_try(STR(""), 0, (struct log_flow){ .jobs = 1 }, &l, &err));
	CHECK(str_has(str_from(err.text), STR("t.jsonl is empty")));
}

TEST(arguments_and_results_are_digested_where_that_is_asked_for)
{
	struct err err = { .kind = ERR_NONE };
	struct trace_list l;
	size_t with_args = 0, with_result = 0;

	CHECK(trace_text_try(test_data("otutl/recorded.jsonl"), 0, (struct log_flow){ .hashes = true }, &l, &err));
	for (size_t i = 0; i < l.items[0].count; i++) {
		const struct trace_entry *e = &l.items[0].nodes[i];

		with_args += str_starts(e->args_hash, STR("sha256:")) && e->args_hash.n == 71;
		with_result += str_starts(e->result_hash, STR("sha256:"));
	}
	CHECK(with_args > 0 && with_result > 0);
	l = trace_text(test_data("otutl/recorded.jsonl"));
	for (size_t i = 0; i < l.items[0].count; i++)
		CHECK(!l.items[0].nodes[i].args_hash.p);
}

struct events {
	size_t kinds[EVENT_KINDS];
};

static bool count_event(void *context, const struct event *e, struct err *err)
{
	struct events *n = context;

	(void)err;
	n->kinds[e->kind]++;
	if (e->kind == EVENT_RUN_START)
		CHECK(e->run.n || e->extras);
	return true;
}

TEST(any_log_comes_as_finished_events)
{
	struct memory_file file = { STR("t.jsonl"), test_data("otutl/recorded.jsonl") };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct events n = { { 0 } };
	struct err err = { .kind = ERR_NONE };
	struct log_flow f = { .jobs = 1, .context = &n };
	struct arena a;

	arena_init(&a);
	f.from = source_open(&a, &file.path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .io = &io }, &err);
	CHECK(f.from && event_load(&f, count_event, &err));
	source_close(f.from);
	CHECK_INT(n.kinds[EVENT_RUN_START], 1);
	CHECK_INT(n.kinds[EVENT_RUN_END], 1);
	CHECK(n.kinds[EVENT_STEP] > 0);
	arena_free(&a);
}
