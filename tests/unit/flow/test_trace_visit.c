/* Runs of any log in memory, its lines one after the other and the payload made of them, its events as they are read. */
#include "flow/trace_load.h"

#include "dialect/formats.h"
#include "dialect/record/blocklist.h"
#include "harness/test.h"
#include "json/json.h"
#include "sink/telemetry/payload.h"
#include "source/memory.h"

struct visit {
	struct payload payload;
	uint64_t nodes, summaries, inputs, refused, seen;
};

static void visit_entry(void *context, const struct trace_entry *e)
{
	struct visit *v = context;

	v->nodes += e->row.type == TRACE_ROW_NODE;
	v->summaries += e->row.type == TRACE_ROW_SUMMARY;
	payload_add(&v->payload, e);
}

/* What `telemetry show` would print for this input alone must have nothing on the blocklist. */
static void check_clean(struct visit *v, struct str name)
{
	struct json_parser *parser = json_parser_open((struct json_options){ 0 });
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct blocked_list list = { .arena = &a };
	struct buf out;
	struct val root;

	arena_init(&a);
	buf_init(&out);
	test_case("%.*s", STR_ARG(name));
	if (v->payload.nodes) {
		if (!payload_write(&v->payload, &out, &err))
			FAIL("%s", err.text);
		CHECK(json_parse_copy(parser, buf_str(&out), &root, NULL));
		blocklist_check(&list, root);
		CHECK_INT(list.total, 0);
	}
	buf_free(&out);
	arena_free(&a);
	json_parser_close(parser);
}

static bool visit_input(void *context, const struct convert_input *input, struct err *err)
{
	struct visit *v = context;

	(void)err;
	v->inputs++;
	v->refused += !input->from || input->failure;
	payload_end_input(&v->payload);
	check_clean(v, input->name);
	payload_free(&v->payload);
	payload_init(&v->payload);
	return true;
}

static void visit_see(void *context, struct str bytes)
{
	((struct visit *)context)->seen += bytes.n;
}

static struct visit visit_all(struct str path, const struct source_io *io)
{
	struct visit v = { 0 };
	struct log_flow f = { .jobs = 2, .input = visit_input, .see = visit_see, .context = &v };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	payload_init(&v.payload);
	f.from = source_open(&a, &path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .file_groups = true, .io = io },
			     &err);
	if (!f.from || !trace_visit(&f, visit_entry, &err))
		FAIL("%s", err.text);
	source_close(f.from);
	payload_free(&v.payload);
	arena_free(&a);
	return v;
}

static struct visit visit_text(const char *text)
{
	struct memory_file file = { STR("log.jsonl"), str_from(text) };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);

	return visit_all(file.path, &io);
}

TEST(an_agent_trace_is_visited_as_it_is)
{
	static const char text[] =
		"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"n\","
		"\"parent_node_ids\":[],\"timestamp_start\":1,\"timestamp_end\":2,\"kind\":\"user_input\"}\n"
		"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"summary\",\"trace_id\":\"t\",\"total_seconds\":1}\n";
	struct visit v = visit_text(text);

	CHECK_INT(v.nodes, 1);
	CHECK_INT(v.summaries, 1);
	CHECK_INT(v.inputs, 1);
	CHECK_INT(v.refused, 0);
	CHECK_INT(v.seen, sizeof(text) - 1);
}

TEST(another_log_is_converted_on_the_way)
{
	struct visit v = visit_text("{\"role\":\"user\",\"content\":\"hi\"}\n"
				    "{\"role\":\"assistant\",\"content\":\"yes\"}\n");

	CHECK_INT(v.nodes, 2);
	CHECK_INT(v.summaries, 1);
	CHECK_INT(v.refused, 0);
	CHECK(v.seen > 0);
}

TEST(what_is_no_log_is_told)
{
	struct visit v = visit_text("{\"a\":1}\n{\"b\":2}\n");

	CHECK_INT(v.nodes, 0);
	CHECK_INT(v.refused, 1);
	CHECK_INT(v.seen, 0);
}

TEST(runs_in_memory_hold_what_a_visit_sees)
{
	struct memory_file file = { STR("log.jsonl"), STR("{\"role\":\"user\",\"content\":\"hi\"}\n"
							  "{\"role\":\"assistant\",\"content\":\"yes\"}\n") };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct log_flow f = { .jobs = 1 };
	struct err err = { .kind = ERR_NONE };
	struct trace_list list;
	struct arena a;

	arena_init(&a);
	trace_list_init(&list, &a);
	f.from = source_open(&a, &file.path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .io = &io }, &err);
	if (!f.from || !trace_load(&f, &list, &err))
		FAIL("%s", err.text);
	CHECK_INT(list.count, 1);
	CHECK_INT(list.items[0].count, 2);
	CHECK(list.items[0].has_summary);
	CHECK_STR(str_from(list.items[0].format), STR("conversation"));
	source_close(f.from);
	trace_list_free(&list);
	arena_free(&a);
}

static void check_samples(const char *dir)
{
	struct visit v = visit_all(str_from(test_shared(dir)), NULL);

	CHECK(v.inputs > v.refused);
	CHECK(v.nodes > 0);
}

TEST(the_payload_of_every_sample_of_an_agent_is_clean)
{
	check_samples("agents");
	check_samples("aec");
	check_samples("export-samples");
	check_samples("fresh");
}

TEST(the_payload_of_every_sample_of_a_vendor_is_clean)
{
	check_samples("vendors");
}

TEST(the_payload_of_every_sample_of_the_corpora_is_clean)
{
	check_samples("corpora");
}

/* ---- events as they are read ---- */

static bool count_event(void *context, const struct event *e, struct err *err)
{
	uint64_t *counts = context;

	(void)err;
	counts[e->kind]++;
	return true;
}

static void count_events(const char *text, const struct dialect *const *as_read, uint64_t counts[EVENT_KINDS])
{
	struct memory_file file = { STR("log.jsonl"), str_from(text) };
	struct memory memory = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&memory);
	struct log_flow f = { .jobs = 1, .as_read = as_read, .context = counts };
	struct err err = { .kind = ERR_NONE };
	struct arena a;

	arena_init(&a);
	f.from = source_open(&a, &file.path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .io = &io }, &err);
	if (!f.from || !event_load(&f, count_event, &err))
		FAIL("%s", err.text);
	source_close(f.from);
	arena_free(&a);
}

TEST(events_as_they_are_read_are_not_paired)
{
	static const struct dialect *const formats[] = { &trajectory_dialect, NULL };
	static const char text[] = "{\"version\":1,\"format\":\"aec-bench-trajectory\"}\n"
				   "{\"step\":1,\"role\":\"tool_result\",\"stdout\":\"x\",\"exit_code\":3}\n";
	uint64_t read[EVENT_KINDS] = { 0 }, finished[EVENT_KINDS] = { 0 };

	count_events(text, formats, read);
	CHECK_INT(read[EVENT_RESULT], 1);
	CHECK_INT(read[EVENT_ERROR], 0);
	CHECK_INT(read[EVENT_RUN_END], 0);
	count_events(text, NULL, finished);
	CHECK_INT(finished[EVENT_RESULT], 0);
	CHECK_INT(finished[EVENT_ERROR], 1); /* a result that no call asked for */
	CHECK_INT(finished[EVENT_RUN_END], 1);
}
