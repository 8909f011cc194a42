#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/derive.h"
#include "harness/convert.h"
#include "harness/test.h"

struct setting {
	struct arena arena;
	struct str from, to, name;
	int dir;
	struct err err;
};

static void open_setting(struct setting *s, struct str text)
{
	*s = (struct setting){ .err = { .kind = ERR_NONE } };
	arena_init(&s->arena);
	s->from = arena_printf(&s->arena, "/tmp/trackway-derive-%ld.jsonl", (long)getpid());
	s->name = arena_printf(&s->arena, "trackway-derive-%ld.out", (long)getpid());
	s->to = arena_printf(&s->arena, "/tmp/%s", s->name.p);
	s->dir = open("/tmp", O_RDONLY | O_DIRECTORY);
	CHECK(s->dir >= 0);
	CHECK(file_replace(s->from, text, 0600, &s->err));
}

static void free_setting(struct setting *s)
{
	unlink(s->from.p);
	unlink(s->to.p);
	close(s->dir);
	arena_free(&s->arena);
}

TEST(a_trace_becomes_a_graph_with_an_arrow_from_each_parent)
{
	static const char trace[] =
		"{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"a\",\"parent_node_ids\":[],"
		"\"kind\":\"user_input\",\"timestamp_start\":1,\"timestamp_end\":1}\n"
		"{\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"b\",\"parent_node_ids\":[\"a\"],\"kind\":\"model_call\","
		"\"timestamp_start\":1,\"timestamp_end\":2,\"model_call\":{\"model\":\"m\\\"1\"}}\n"
		"not json\n"
		"{\"event_type\":\"node\",\"trace_id\":\"t\",\"node_id\":\"c\",\"parent_node_ids\":[\"a\",\"b\",3],\"kind\":\"tool_call\","
		"\"timestamp_start\":2,\"timestamp_end\":3,\"tool_call\":{\"name\":\"read\"}}\n"
		"{\"event_type\":\"summary\",\"trace_id\":\"t\"}\n";
	struct setting s;

	open_setting(&s, STR(trace));
	CHECK(derive_dot(s.from, s.dir, s.name, &s.err));
	CHECK_STR(test_read(s.to.p), STR("digraph run {\n  rankdir=LR; node [fontname=\"Helvetica\",fontsize=10];\n"
					 "  \"a\" [shape=oval,label=\"user_input\"];\n"
					 "  \"b\" [shape=box,label=\"m\\\"1\"];\n"
					 "  \"c\" [shape=component,label=\"read\"];\n"
					 "  \"a\" -> \"b\";\n"
					 "  \"a\" -> \"c\";\n"
					 "  \"b\" -> \"c\";\n"
					 "}\n"));
	free_setting(&s);
}

TEST(an_empty_trace_is_an_empty_graph)
{
	struct setting s;

	open_setting(&s, STR(""));
	CHECK(derive_dot(s.from, s.dir, s.name, &s.err));
	CHECK(str_ends(test_read(s.to.p), STR("fontsize=10];\n}\n")));
	free_setting(&s);
}

TEST(a_log_is_converted_to_a_file_that_only_its_owner_reads)
{
	static const char log[] =
		"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}\n"
		"{\"id\":\"1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
		"{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n";
	struct setting s;
	struct stat st;

	open_setting(&s, STR(log));
	CHECK(derive_convert(&s.arena, s.from, "otutl", STR(""), s.dir, s.name, &s.err));
	CHECK_INT(stat(s.to.p, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK(str_find(test_read(s.to.p), STR("\"hello\"")) != (size_t)-1);
	CHECK(derive_convert(&s.arena, s.from, "trajectory", STR(""), s.dir, s.name, &s.err));
	CHECK(str_starts(test_read(s.to.p), STR("{\"local_only\":true,\"version\":1,")));
	free_setting(&s);
}

TEST(members_for_the_first_line_stand_in_it)
{
	static const char log[] =
		"{\"id\":\"1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":"
		"{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n";
	struct setting s;

	open_setting(&s, STR(log));
	CHECK(derive_convert(&s.arena, s.from, "otutl", STR("\"budget\":{},"), s.dir, s.name, &s.err));
	CHECK(str_starts(test_read(s.to.p), STR("{\"local_only\":true,\"budget\":{},\"")));
	CHECK_INT(convert_errors(&s.arena, "otutl", test_read(s.to.p), NULL), 0);
	free_setting(&s);
}

TEST(what_cannot_be_read_makes_no_file)
{
	struct setting s;

	open_setting(&s, STR("{\"nobody\":\"knows\"}\n"));
	CHECK(!derive_convert(&s.arena, s.from, "otutl", STR(""), s.dir, s.name, &s.err));
	CHECK(s.err.kind != ERR_NONE);
	CHECK(access(s.to.p, F_OK) != 0);
	unlink(s.from.p);
	CHECK(!derive_dot(s.from, s.dir, s.name, &s.err));
	CHECK(access(s.to.p, F_OK) != 0);
	free_setting(&s);
}
