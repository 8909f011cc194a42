/* Lines of a trace with what was learnt late; whole files are tested with the run graph (run_graph_seen.h). */
#include "capture/amend.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

static const struct id node = { { 1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16 } };

static void check_line(const char *line, struct amendment m, const char *want)
{
	struct buf out;

	buf_init(&out);
	m.node = node;
	amend_line(&out, str_from(line), &m);
	CHECK_STR(buf_str(&out), str_from(want));
	buf_free(&out);
}

TEST(what_is_amended_is_replaced_and_all_else_stays)
{
	static const char line[] = "{\"node_id\":\"x\",\"parent_node_ids\":[\"a\",\"b\"],\"timestamp_start\":1.000000,"
				   "\"timestamp_end\":9.500000,\"inferred\":true,\"known_by\":[\"proxy\"],"
				   "\"tool_call\":{\"name\":\"n\",\"wall_time_seconds\":8.5,\"stall_seconds\":null,"
				   "\"wall_time_source\":\"inferred\",\"call_id\":\"c\",\"partial\":true}}";

	check_line(line, (struct amendment){ .moved = true }, line);
	check_line(line, (struct amendment){ .layers = 7, .is_tool = true },
		   "{\"node_id\":\"x\",\"parent_node_ids\":[\"a\",\"b\"],\"timestamp_start\":1.000000,"
		   "\"timestamp_end\":9.500000,\"inferred\":true,\"known_by\":[\"hook\",\"otlp\",\"proxy\"],"
		   "\"tool_call\":{\"name\":\"n\",\"wall_time_seconds\":8.5,\"stall_seconds\":null,"
		   "\"wall_time_source\":\"inferred\",\"call_id\":\"c\",\"partial\":true}}");
	check_line(line,
		   (struct amendment){ .exact = true, .from_us = 2000001, .to_us = 2250001, .wall = 0.25, .stall = -1 },
		   "{\"node_id\":\"x\",\"parent_node_ids\":[\"a\",\"b\"],\"timestamp_start\":2.000001,"
		   "\"timestamp_end\":2.250001,\"known_by\":[\"proxy\"],"
		   "\"tool_call\":{\"name\":\"n\",\"wall_time_seconds\":0.25,\"stall_seconds\":null,\"call_id\":\"c\"}}");
	check_line(line, (struct amendment){ .parents = (struct id[]){ node }, .parent_count = 1 },
		   "{\"node_id\":\"x\",\"parent_node_ids\":[\"01020304-0506-7008-800a-0b0c0d0e0f10\"],"
		   "\"timestamp_start\":1.000000,\"timestamp_end\":9.500000,\"inferred\":true,\"known_by\":[\"proxy\"],"
		   "\"tool_call\":{\"name\":\"n\",\"wall_time_seconds\":8.5,\"stall_seconds\":null,"
		   "\"wall_time_source\":\"inferred\",\"call_id\":\"c\",\"partial\":true}}");
}

TEST(a_name_inside_a_string_is_no_member)
{
	check_line("{\"agent_id\":\"\\\"known_by\\\":[1]\",\"known_by\":[\"proxy\"]}",
		   (struct amendment){ .layers = 2 },
		   "{\"agent_id\":\"\\\"known_by\\\":[1]\",\"known_by\":[\"hook\"]}");
	check_line("{\"agent_id\":\"],}\\\\\",\"known_by\":[\"proxy\"]}", (struct amendment){ .layers = 2 },
		   "{\"agent_id\":\"],}\\\\\",\"known_by\":[\"hook\"]}");
}

TEST(a_member_that_is_not_there_stays_away)
{
	check_line("{\"node_id\":\"x\"}", (struct amendment){ .layers = 1, .exact = true, .parents = (struct id[]){ node },
							       .parent_count = 1 }, "{\"node_id\":\"x\"}");
}

/* Somebody else may write into the file. */
TEST(a_line_that_is_not_ours_harms_nothing)
{
	check_line("\"inferred\":true,1", (struct amendment){ .exact = true }, "\"inferred\":true,1");
	check_line("\"known_by\":\"\\", (struct amendment){ .exact = true, .layers = 1 }, "\"known_by\":\"\\");
}

TEST(amendments_are_found_by_their_node_and_made_once)
{
	struct amendments a;

	amendments_init(&a);
	CHECK(!amendments_find(&a, node));
	CHECK(amendments_get(&a, node) == amendments_get(&a, node));
	CHECK(amendments_find(&a, node) == a.list[0]);
	CHECK_INT(a.count, 1);
	amendments_free(&a);
}

/* To open a pipe that nobody writes to would wait for ever, and what is in another file is not ours to keep. */
TEST(a_trace_that_was_replaced_is_not_read)
{
	int dir = open(test_dir(), O_RDONLY | O_DIRECTORY);
	struct line_file file;
	struct amendments a;
	struct err err;

	CHECK(dir >= 0 && line_file_open(&file, dir, "agent-trace.jsonl", 0600, &err));
	line_file_add(&file, STR("{\"node_id\":\"x\"}\n"));
	CHECK(line_file_flush(&file));
	CHECK_INT(unlinkat(dir, "agent-trace.jsonl", 0), 0);
	CHECK_INT(mkfifoat(dir, "agent-trace.jsonl", 0600), 0);
	amendments_init(&a);
	amendments_get(&a, node)->layers = 1;
	CHECK(!amend_trace(&file, &a, &err));
	CHECK(str_has(str_from(err.text), STR("replaced")));
	CHECK(faccessat(dir, "agent-trace.jsonl.new", F_OK, 0) != 0);
	amendments_free(&a);
	line_file_close(&file);
	CHECK(file.moved);
	unlinkat(dir, "agent-trace.jsonl", 0);
	close(dir);
}
