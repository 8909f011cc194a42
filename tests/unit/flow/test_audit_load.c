#include "flow/audit_load.h"

#include "base/file.h"
#include "harness/convert.h"
#include "harness/test.h"

/* A text as a file, for the paths that the loader takes. */
static struct str write_text(struct arena *a, const char *name, struct str text)
{
	struct str path = arena_printf(a, "%s/%s", test_dir(), name);
	struct err err;

	CHECK(file_replace(path, text, 0600, &err));
	return path;
}

static struct audit_list load(struct arena *a, struct str path)
{
	struct log_flow f = { .jobs = 1, .prices = prices_new(a) };
	struct audit_list list = { .arena = a };
	struct err err = { .kind = ERR_NONE };

	f.from = source_open(a, &path, 1, (struct source_options){ .shape = SOURCE_CONTENT, .file_groups = true }, &err);
	if (!f.from || !audit_load(&f, &list, &err))
		FAIL("%s", err.text);
	source_close(f.from);
	return list;
}

/* All that was counted, with seqs and names. */
static struct str show(struct arena *a, const struct audit_list *list)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		const struct audit_run *run = list->runs[i];

		buf_printf(&b, "run %.*s, %d records\n", STR_ARG(run->run_id), (int)run->records);
		for (size_t u = 0; u < run->use_count; u++)
			buf_printf(&b, "%d %d %x %.*s %d %d\n", (int)run->uses[u].seq, run->uses[u].kind, run->uses[u].flags,
				   STR_ARG(run->names[run->uses[u].name]), (int)run->uses[u].tokens, (int)run->uses[u].nano_usd);
	}
	return arena_take(a, &b);
}

TEST(a_log_and_its_conversion_to_otutl_count_alike_with_the_same_seqs)
{
	static const char *const logs[] = {
		"agent-trace/convert.jsonl", "claude-code/main.jsonl",  "claude-code/session.jsonl", "claude-code/stream.jsonl",
		"openai-chat/stream.sse",    "show/full.jsonl", "show/interrupted.jsonl", "audit/kept.otutl.jsonl",    "audit/two_runs.otutl.jsonl",
		"audit/several.otutl.jsonl", "audit/no_end.otutl.jsonl",
	};
	size_t calls = 0;

	for (size_t i = 0; i < COUNT(logs); i++) {
		char path[200] = "tests/data/";
		struct converted made;
		struct audit_list first, second;
		struct arena a;

		test_case("%s", logs[i]);
		arena_init(&a);
		strcat(path, logs[i]);
		first = load(&a, str_from(path));
		made = convert_file(&a, path, (struct convert_how){ .to = "otutl" });
		CHECK(made.done && first.count > 0);
		second = load(&a, write_text(&a, "made.otutl.jsonl", made.out));
		CHECK_STR(show(&a, &second), show(&a, &first));
		CHECK_INT(str_count(made.out, '\n') >= first.runs[0]->records, 1);
		for (size_t u = 0; u < first.runs[0]->use_count; u++)
			calls += first.runs[0]->uses[u].kind == AUDIT_USE_CALL;
		arena_free(&a);
	}
	CHECK(calls > 10);
}

TEST(the_seq_of_an_otutl_log_is_its_own_also_when_it_begins_with_1_or_has_gaps)
{
	static const char text[] =
		"{\"type\":\"run_start\",\"ts\":\"2026-11-16T09:00:00.000Z\",\"run_id\":\"01a1e395-ae80-7000-8000-000000000001\",\"seq\":1}\n"
		"{\"type\":\"tool_call\",\"ts\":\"2026-11-16T09:00:00.000Z\",\"run_id\":\"01a1e395-ae80-7000-8000-000000000001\",\"seq\":2,"
		"\"call_id\":\"a\",\"tool\":\"tool://v/a\",\"args\":{}}\n"
		"{\"type\":\"tool_call\",\"ts\":\"2026-11-16T09:00:00.000Z\",\"run_id\":\"01a1e395-ae80-7000-8000-000000000001\",\"seq\":40,"
		"\"call_id\":\"b\",\"tool\":\"tool://v/b\",\"args\":{}}\n";
	struct audit_list list;
	struct arena a;

	arena_init(&a);
	list = load(&a, write_text(&a, "x.jsonl", STR(text)));
	CHECK_INT(list.count, 1);
	CHECK_INT(list.runs[0]->uses[0].seq, 2);
	CHECK_INT(list.runs[0]->uses[1].seq, 40);
	CHECK(!list.runs[0]->complete);
	arena_free(&a);
}

TEST(lines_that_cannot_be_read_and_a_torn_end_are_known)
{
	struct str text = test_data("audit/calls.otutl.jsonl"), rest;
	struct audit_list list;
	struct arena a;

	arena_init(&a);
	list = load(&a, write_text(&a, "x.jsonl", text));
	CHECK(list.runs[0]->complete && list.runs[0]->unreadable == 0);
	CHECK_STR(list.runs[0]->run_id, STR("01a1e395-ae80-7000-8000-000000000002"));
	str_cut(text, '\n', &rest);
	text = ARENA_JOIN(&a, str_of(text.p, text.n - rest.n), STR("{oops}\n"), rest);
	list = load(&a, write_text(&a, "y.jsonl", text));
	CHECK_INT(list.runs[0]->unreadable, 1);
	text.n -= 20;
	list = load(&a, write_text(&a, "z.jsonl", text));
	CHECK(!list.runs[0]->complete);
	arena_free(&a);
}

TEST(what_is_no_log_is_an_error)
{
	struct log_flow f = { .jobs = 1 };
	struct audit_list list;
	struct err err = { .kind = ERR_NONE };
	struct arena a;
	struct str path;

	arena_init(&a);
	list = (struct audit_list){ .arena = &a };
	path = write_text(&a, "x.json", STR("{\"a\":1}"));
	f.from = source_open(&a, &path, 1, (struct source_options){ .shape = SOURCE_CONTENT }, &err);
	CHECK(!audit_load(&f, &list, &err));
	CHECK_INT(err.kind, ERR_DATA);
	source_close(f.from);
	arena_free(&a);
}
