#include "flow/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dialect/formats.h"
#include "harness/test.h"

#define PARTS 8

struct seen {
	struct arena arena;
	struct validate_input inputs[PARTS];
	struct str list[PARTS]; /* "3:AT041", one for each finding */
	uint64_t errors[PARTS];
	size_t count, ticks;
};

static bool add_part(void *context, const struct validate_input *input, struct err *err)
{
	struct seen *s = context;
	struct str list = STR("");

	(void)err;
	CHECK(s->count < PARTS);
	for (size_t i = 0; i < input->findings->kept_count; i++)
		list = arena_printf(&s->arena, "%.*s%s%llu:%s", STR_ARG(list), i ? " " : "",
				    (unsigned long long)input->findings->kept[i].at.line,
				    input->findings->kept[i].code);
	s->inputs[s->count] = *input;
	s->inputs[s->count].name = arena_copy(&s->arena, input->name);
	s->list[s->count] = list;
	s->errors[s->count] = input->findings->errors;
	s->count++;
	return true;
}

static void tick(void *context, const struct source *from)
{
	(void)from;
	((struct seen *)context)->ticks++;
}

static void validate_files(struct seen *s, const char *const *paths, size_t count, struct source_options how,
			   struct validate_flow f)
{
	struct str names[PARTS];
	struct err err = { .kind = ERR_NONE };

	*s = (struct seen){ .count = 0 };
	arena_init(&s->arena);
	for (size_t i = 0; i < count; i++)
		names[i] = str_from(paths[i]);
	f.input = add_part;
	f.tick = tick;
	f.context = s;
	f.from = source_open(&s->arena, names, count, how, &err);
	CHECK(f.from != NULL);
	CHECK(validate_flow_run(&f, &err));
	source_close(f.from);
}

/* A file with this text; the caller unlinks it. */
static const char *file_with(char *path, struct str text)
{
	int fd;

	strcpy(path, "/tmp/test-validate-XXXXXX");
	fd = mkstemp(path);
	CHECK(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
	close(fd);
	return path;
}

static const struct source_options by_content = { .shape = SOURCE_CONTENT };

TEST(files_are_known_by_what_is_in_them_and_checked_in_one_go)
{
	static const char *const paths[] = {
		"tests/data/agent-trace/minimal.jsonl",
		"tests/data/otutl/valid.jsonl",
		"tests/data/json/accept",
	};
	struct seen s;

	for (unsigned jobs = 1; jobs <= 3; jobs++) {
		validate_files(&s, paths, 2, by_content, (struct validate_flow){ .jobs = jobs });
		CHECK_INT(s.count, 2);
		CHECK(s.inputs[0].dialect == &agent_trace_dialect);
		CHECK_INT(s.inputs[0].tally.records, 2);
		CHECK_INT(s.errors[0], 0);
		CHECK(s.inputs[1].dialect == &otutl_dialect);
		CHECK_INT(s.errors[1], 0);
		CHECK(s.inputs[1].tally.records > 2 && !s.inputs[1].tally.interrupted);
		CHECK(s.ticks >= 2);
		arena_free(&s.arena);
	}
}

TEST(what_no_format_fits_is_said_with_what_it_looks_like)
{
	static const struct {
		const char *text, *list, *looks_like;
	} cases[] = {
		{ "", "0:V002", NULL },
		{ "hello\n", "0:V001", NULL },
		{ "{\"a\":1}\n", "0:V001", NULL },
		{ "{\"resourceSpans\":[]}", "0:V001", "an OpenTelemetry trace" },
		{ "{\"type\":\"user\",\"message\":{}}\n", "0:V001", "an Anthropic message log" },
		{ "{\"id\":\"x\",\"choices\":[],\"model\":\"m\"}\n", "0:V001", "an OpenAI chat log" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[64];
		const char *name = file_with(path, str_from(cases[i].text));
		struct seen s;

		test_case("%s", cases[i].text);
		validate_files(&s, &name, 1, by_content, (struct validate_flow){ .jobs = 1 });
		unlink(path);
		CHECK_INT(s.count, 1);
		CHECK(s.inputs[0].dialect == NULL);
		CHECK_STR(s.list[0], str_from(cases[i].list));
		CHECK_STR(str_from(s.inputs[0].looks_like), str_from(cases[i].looks_like));
		arena_free(&s.arena);
	}
}

/* A trace of `count` nodes, the first the parent of all, without a summary. */
static struct str make_trace(struct arena *a, size_t count, const char *extra)
{
	struct buf out;
	struct str text;

	buf_init(&out);
	for (size_t i = 0; i < count; i++) {
		buf_printf(&out,
			   "{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"node\",\"trace_id\":"
			   "\"0192d3f4-0000-7000-8000-000000000001\",\"node_id\":\"0192d3f4-0000-7000-8000-%012zx\","
			   "\"parent_node_ids\":[%s],\"timestamp_start\":1730000000.5,\"timestamp_end\":1730000001.5,"
			   "\"kind\":\"retry\",\"framework\":\"unknown\"}\n",
			   i, i ? "\"0192d3f4-0000-7000-8000-000000000000\"" : "");
		if (i == count / 2)
			buf_add_str(&out, str_from(extra));
	}
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	return text;
}

TEST(a_trace_in_many_chunks_gives_the_same_findings_on_any_number_of_threads)
{
	static const char extra[] =
		"\n{\"schema_version\":\"agent-trace/v1\",\"event_type\":\"other\"}\n{\"role\":\"user\",\"content\":\"x\"}\n";
	struct arena a;
	char path[64];
	const char *name;

	arena_init(&a);
	name = file_with(path, make_trace(&a, 3000, extra));
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct source_options how = { .shape = SOURCE_CONTENT, .chunk_size = 4096 };
		struct seen s;

		validate_files(&s, &name, 1, how, (struct validate_flow){ .jobs = jobs });
		CHECK_INT(s.count, 1);
		CHECK_STR(s.list[0], STR("1502:AT113 1503:AT011 1504:AT010 0:AT107"));
		CHECK_INT(s.inputs[0].tally.records, 3002);
		CHECK(s.inputs[0].tally.interrupted);
		arena_free(&s.arena);
	}
	unlink(path);
	arena_free(&a);
}

TEST(a_format_that_is_given_is_not_looked_for)
{
	char path[64];
	const char *name = file_with(path, STR("{\"a\":1,\"a\":2}\n"));
	struct seen s;

	validate_files(&s, &name, 1, by_content, (struct validate_flow){ .jobs = 1, .as = &json_dialect });
	CHECK_STR(s.list[0], STR(""));
	arena_free(&s.arena);
	validate_files(&s, &name, 1, by_content, (struct validate_flow){ .jobs = 1, .as = &agent_trace_dialect });
	CHECK_STR(s.list[0], STR("1:AT003"));
	arena_free(&s.arena);
	unlink(path);
}

TEST(keys_are_looked_for_anywhere_when_asked)
{
	char path[64];
	const char *name = file_with(path, STR("{\"role\":\"user\",\"content\":\"use ghp_"
					       "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5 please\"}\n"));
	struct seen s;

	validate_files(&s, &name, 1, by_content, (struct validate_flow){ .jobs = 1 });
	CHECK_STR(s.list[0], STR(""));
	arena_free(&s.arena);
	validate_files(&s, &name, 1, by_content, (struct validate_flow){ .jobs = 1, .options = { .secrets = true } });
	CHECK_STR(s.list[0], STR("1:V003"));
	arena_free(&s.arena);
	unlink(path);
}
