#include "flow/converter.h"

#include "dialect/target.h"
#include "harness/test.h"

/* What the converter does with its outputs, in words. */
struct log {
	struct buf text;
	bool refuse;
};

static bool open_one(void *context, struct str part, uint64_t run, struct err *err)
{
	struct log *l = context;

	(void)err;
	buf_printf(&l->text, "open %.*s %llu\n", STR_ARG(part), (unsigned long long)run);
	return true;
}

static bool put(void *context, struct str bytes, struct err *err)
{
	struct log *l = context;
	struct str left = bytes, line;

	if (l->refuse)
		return err_set(err, ERR_IO, "full");
	while (left.n) {
		size_t at;

		line = str_cut(left, '\n', &left);
		at = str_find(line, STR("\"event_type\":\"summary\""));
		buf_printf(&l->text, "%s\n", at != (size_t)-1 ? "summary" : "line");
	}
	return true;
}

static bool close_one(void *context, struct err *err)
{
	struct log *l = context;

	(void)err;
	buf_add_str(&l->text, STR("close\n"));
	return true;
}

static struct str convert_runs(struct arena *a, const char *to, bool per_run, unsigned runs)
{
	struct log l = { .refuse = false };
	const struct target *target = target_find(str_from(to));
	struct convert_options o = { .to = target->dialect, .variant = target->variant, .per_run = per_run };
	struct converter *c;
	struct err err = { .kind = ERR_NONE };
	struct str text;

	buf_init(&l.text);
	c = converter_open(&o, (struct convert_sink){ open_one, put, close_one, &l });
	for (unsigned i = 0; i < runs; i++) {
		struct event e[] = {
			{ .kind = EVENT_RUN_START, .run = arena_printf(a, "r%u", i), .index = -1 },
			{ .kind = EVENT_STEP, .step = STR("s"), .text = STR("t"), .index = -1 },
		};
		struct convert_tally tally;

		CHECK(converter_begin(c, dialect_find(STR("atif")), STR("file"), str_of(NULL, 0), &err));
		CHECK(converter_add(c, e, 2, &err));
		CHECK(converter_end(c, false, &tally, &err));
		CHECK_INT(tally.runs, 1);
		CHECK_INT(tally.events[EVENT_STEP], 1);
	}
	CHECK(converter_finish(c, &err));
	CHECK_INT(converter_tally(c)->runs, runs);
	converter_close(c);
	text = arena_copy(a, buf_str(&l.text));
	buf_free(&l.text);
	return text;
}

TEST(runs_of_one_output_follow_each_other)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "otutl", false, 2), STR("line\nline\nline\nline\nline\nline\n"));
	CHECK_STR(convert_runs(&a, "otutl", false, 0), STR(""));
	arena_free(&a);
}

TEST(each_run_may_have_an_output_of_its_own)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "otutl", true, 2),
		  STR("open file 1\nline\nline\nline\nclose\nopen file 1\nline\nline\nline\nclose\n"));
	arena_free(&a);
}

TEST(traces_of_several_runs_are_one_trace_with_one_summary)
{
	struct arena a;

	arena_init(&a);
	CHECK_STR(convert_runs(&a, "agent-trace", false, 1), STR("line\nsummary\n"));
	CHECK_STR(convert_runs(&a, "agent-trace", false, 2), STR("line\nline\nline\nline\nsummary\n"));
	CHECK_STR(convert_runs(&a, "agent-trace", true, 2),
		  STR("open file 1\nline\nsummary\nclose\nopen file 1\nline\nsummary\nclose\n"));
	arena_free(&a);
}

TEST(an_output_that_fails_stops_the_conversion)
{
	struct log l = { .refuse = true };
	struct convert_options o = { .to = dialect_find(STR("otutl")) };
	struct event e = { .kind = EVENT_STEP, .step = STR("s"), .index = -1 };
	struct err err = { .kind = ERR_NONE };
	struct converter *c = converter_open(&o, (struct convert_sink){ open_one, put, close_one, &l });

	CHECK(converter_begin(c, dialect_find(STR("atif")), STR("file"), str_of(NULL, 0), &err));
	CHECK(!(converter_add(c, &e, 1, &err) && converter_end(c, false, NULL, &err) && converter_finish(c, &err)));
	CHECK_INT(err.kind, ERR_IO);
	converter_close(c);
}
