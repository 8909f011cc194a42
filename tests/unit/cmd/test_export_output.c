#include "cmd/export_output.h"

#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

struct setting {
	struct arena arena;
	struct frame frame;
	struct logs logs;
	struct export_options options;
	struct export_output output;
	struct trace_list runs;
	struct err err;
};

static bool open_setting(struct setting *s, const char *format, struct str path)
{
	*s = (struct setting){ .frame = { .quiet = true }, .options = { .version = "1" } };
	arena_init(&s->arena);
	CHECK(logs_init(&s->logs, &s->arena, &s->frame, "export", NULL, 0, &s->err));
	s->output = (struct export_output){
		.arena = &s->arena, .frame = &s->frame, .logs = &s->logs, .format = export_find(str_from(format)),
		.options = &s->options, .path = path,
	};
	trace_list_init(&s->runs, &s->arena);
	trace_list_open(&s->runs, STR("x"), "agent-trace");
	trace_list_begin(&s->runs);
	trace_list_finish(&s->runs);
	return export_output_init(&s->output, &s->err);
}

static void free_setting(struct setting *s)
{
	export_output_free(&s->output);
	trace_list_free(&s->runs);
	arena_free(&s->arena);
}

TEST(a_directory_gets_the_trace_and_the_metadata_or_is_not_there)
{
	struct setting s;
	struct arena a;
	struct str dir;

	arena_init(&a);
	dir = ARENA_JOIN(&a, str_from(test_dir()), STR("/crate/"));
	CHECK(open_setting(&s, "ro-crate", dir));
	CHECK(export_output_keep(&s.output, 0, true, STR("line\n"), &s.err));
	free_setting(&s); /* given up */
	CHECK(!file_is_dir(dir));
	CHECK(open_setting(&s, "ro-crate", dir));
	CHECK(export_output_keep(&s.output, 0, true, STR("line\n"), &s.err));
	CHECK(export_output_write(&s.output, &s.runs, &s.err));
	CHECK_STR(test_read(ARENA_JOIN(&a, dir, STR("agent-trace.jsonl")).p), STR("line\n"));
	CHECK(str_has(test_read(ARENA_JOIN(&a, dir, STR("ro-crate-metadata.json")).p), STR("\"contentSize\":\"5\"")));
	free_setting(&s);
	CHECK(!open_setting(&s, "ro-crate", dir) && s.err.kind == ERR_DATA); /* it is not empty */
	free_setting(&s);
	CHECK(!open_setting(&s, "dot", dir) && s.err.kind == ERR_USAGE);
	free_setting(&s);
	arena_free(&a);
}

TEST(a_file_is_replaced_when_all_is_written)
{
	struct setting s;
	struct arena a;
	struct str file;

	arena_init(&a);
	file = ARENA_JOIN(&a, str_from(test_dir()), STR("/run.dot"));
	CHECK(open_setting(&s, "dot", file));
	CHECK(access(file.p, F_OK) != 0);
	CHECK(export_output_write(&s.output, &s.runs, &s.err));
	CHECK(str_starts(test_read(file.p), STR("digraph run {\n")));
	CHECK_INT(s.output.bytes, test_read(file.p).n);
	free_setting(&s);
	arena_free(&a);
}
