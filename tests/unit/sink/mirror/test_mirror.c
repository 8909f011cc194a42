/* A mirror from its first job to its next: what is wanted, what takes its place, what the index says. */
#include "sink/mirror/mirror.h"

#include "base/buf.h"
#include "harness/test.h"
#include "unit/source/scratch.h"

struct fixture {
	struct scratch dir;
	struct arena arena;
	struct mirror *mirror;
	struct mirror_options options;
	struct buf told; /* "source>output" and "-output" for one that was removed, "=source" for one that stayed */
	struct err err;
};

static void tell_wrote(void *context, struct str source, struct str output)
{
	buf_printf(context, "%.*s>%.*s ", STR_ARG(source), STR_ARG(output));
}

static void tell_stale(void *context, struct str source, struct str output, bool is_removed)
{
	(void)source;
	buf_printf(context, "%c%.*s ", is_removed ? '-' : '?', STR_ARG(output));
}

static void tell_stayed(void *context, struct str source)
{
	buf_printf(context, "=%.*s ", STR_ARG(source));
}

static void begin(struct fixture *x)
{
	*x = (struct fixture){ .dir = scratch_enter() };
	arena_init(&x->arena);
	buf_init(&x->told);
	CHECK(mkdir("out", 0755) == 0 && mkdir("in", 0755) == 0);
	x->options = (struct mirror_options){
		.dir = STR("out/"), .format = STR("otutl"), .suffix = STR(".otutl.jsonl"), .maker = STR("m"),
		.update = true, .wrote = tell_wrote, .stale = tell_stale, .stayed = tell_stayed, .context = &x->told,
	};
	x->mirror = mirror_open(&x->arena, &x->options, &x->err);
	CHECK(x->mirror);
}

static void end_job(struct fixture *x, bool whole)
{
	CHECK(mirror_finish(x->mirror, whole, &x->err));
	mirror_close(x->mirror);
	CHECK(access("out/.unfinished", F_OK) != 0);
}

static void next_job(struct fixture *x)
{
	end_job(x, true);
	buf_clear(&x->told);
	x->mirror = mirror_open(&x->arena, &x->options, &x->err);
	CHECK(x->mirror);
}

static void end(struct fixture *x)
{
	buf_free(&x->told);
	arena_free(&x->arena);
	scratch_leave(&x->dir);
}

static bool wants(struct fixture *x, const char *name, const char *below, uint64_t stamp)
{
	struct mirror_source s = {
		.name = str_from(name), .below = str_from(below), .size = 3, .stamp = stamp, .is_known = true,
	};

	return mirror_wants(x->mirror, &s);
}

static void put_runs(struct fixture *x, const char *source, unsigned runs)
{
	for (unsigned i = 0; i < runs; i++) {
		CHECK(mirror_begin_run(x->mirror, str_from(source), &x->err));
		CHECK(mirror_put(x->mirror, STR("{\"run_id\":\"r\"}\n"), &x->err));
		CHECK(mirror_end_run(x->mirror, &x->err));
	}
}

static void convert(struct fixture *x, const char *source, const char *below, uint64_t stamp, unsigned runs)
{
	scratch_write(source, STR("x"));
	CHECK(wants(x, source, below, stamp));
	put_runs(x, source, runs);
	CHECK(mirror_end_source(x->mirror, str_from(source), STR("codex"), true, false, &x->err));
}

TEST(what_is_unchanged_is_not_wanted_again)
{
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 1);
	convert(&x, "in/b", "b", 1, 2);
	CHECK_STR(buf_str(&x.told),
		  STR("in/a>a.otutl.jsonl in/b>b.1.otutl.jsonl in/b>b.2.otutl.jsonl "));
	CHECK_INT(mirror_sums(x.mirror)->files, 3);
	next_job(&x);
	CHECK(!wants(&x, "in/a", "a", 1) && !wants(&x, "in/b", "b", 1));
	CHECK_INT(mirror_sums(x.mirror)->unchanged, 2);
	next_job(&x);
	CHECK(wants(&x, "in/a", "a", 2)); /* changed */
	CHECK(!wants(&x, "in/a", "a", 2)); /* it comes once */
	CHECK(unlink("out/b.2.otutl.jsonl") == 0);
	CHECK(wants(&x, "in/b", "b", 1));
	x.options.maker = STR("other");
	next_job(&x);
	CHECK(wants(&x, "in/a", "a", 1));
	x.options.update = false;
	x.options.maker = STR("m");
	next_job(&x);
	CHECK(wants(&x, "in/a", "a", 1));
	end_job(&x, true);
	end(&x);
}

TEST(outputs_appear_when_their_source_is_over_and_a_stopped_job_drops_the_rest)
{
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 1);
	scratch_write("in/b", STR("x"));
	CHECK(wants(&x, "in/b", "b", 1));
	put_runs(&x, "in/b", 2);
	CHECK(access("out/a.otutl.jsonl", F_OK) == 0 && access("out/b.1.otutl.jsonl", F_OK) != 0);
	end_job(&x, false);
	CHECK(access("out/b.1.otutl.jsonl", F_OK) != 0);
	CHECK(str_count(test_read("out/index.jsonl"), '\n') == 1);
	end(&x);
}

TEST(parts_of_one_name_are_one_source)
{
	struct fixture x;

	begin(&x);
	scratch_write("in/z", STR("x"));
	CHECK(wants(&x, "in/z", "z", 1));
	for (int part = 0; part < 3; part++) {
		put_runs(&x, "in/z", part == 1 ? 0 : 1);
		CHECK(mirror_end_source(x.mirror, STR("in/z"), STR("codex"), true, true, &x.err));
		CHECK_INT(x.told.n, 0);
	}
	convert(&x, "in/a", "a", 1, 1);
	CHECK_STR(buf_str(&x.told),
		  STR("in/z>z.1.otutl.jsonl in/z>z.2.otutl.jsonl in/a>a.otutl.jsonl "));
	end_job(&x, true);
	end(&x);
}

TEST(a_source_that_failed_is_wanted_again)
{
	struct fixture x;

	begin(&x);
	scratch_write("in/a", STR("x"));
	CHECK(wants(&x, "in/a", "a", 1));
	put_runs(&x, "in/a", 1);
	CHECK(mirror_end_source(x.mirror, STR("in/a"), STR("codex"), false, false, &x.err));
	next_job(&x);
	CHECK(wants(&x, "in/a", "a", 1));
	end_job(&x, true);
	end(&x);
}

TEST(two_sources_of_one_name_have_two_outputs_and_keep_them)
{
	struct str first, second;
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 1);
	CHECK(mkdir("in2", 0755) == 0);
	convert(&x, "in2/a", "a", 1, 1);
	first = arena_copy(&x.arena, buf_str(&x.told));
	CHECK(str_starts(first, STR("in/a>a.otutl.jsonl in2/a>a~")));
	x.options.update = false;
	next_job(&x); /* the other way round, and again */
	convert(&x, "in2/a", "a", 1, 1);
	convert(&x, "in/a", "a", 1, 1);
	second = arena_copy(&x.arena, buf_str(&x.told));
	CHECK(str_ends(second, STR("in/a>a.otutl.jsonl ")) && str_starts(second, STR("in2/a>a~")));
	next_job(&x); /* one is gone: the other keeps its name */
	CHECK(unlink("in/a") == 0);
	convert(&x, "in2/a", "a", 1, 1);
	end_job(&x, true);
	CHECK(str_starts(buf_str(&x.told), STR("in2/a>a~")));
	CHECK(str_ends(buf_str(&x.told), STR("=in/a ")));
	end(&x);
}

TEST(the_output_of_a_source_that_is_gone_is_not_replaced_by_another)
{
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 1);
	next_job(&x);
	CHECK(unlink("in/a") == 0 && mkdir("in2", 0755) == 0);
	convert(&x, "in2/a", "a", 1, 1);
	end_job(&x, true);
	CHECK(str_starts(buf_str(&x.told), STR("in2/a>a~")) && str_ends(buf_str(&x.told), STR("=in/a ")));
	CHECK(str_has(test_read("out/index.jsonl"), STR("in/a")));
	end(&x);
}

TEST(outputs_that_are_no_more_are_removed_unless_somebody_changed_them)
{
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 3);
	next_job(&x);
	scratch_write("out/a.3.otutl.jsonl", STR("mine"));
	convert(&x, "in/a", "a", 2, 1);
	CHECK_STR(buf_str(&x.told),
		  STR("-a.1.otutl.jsonl -a.2.otutl.jsonl ?a.3.otutl.jsonl in/a>a.otutl.jsonl "));
	CHECK_STR(test_read("out/a.3.otutl.jsonl"), STR("mine"));
	end_job(&x, true);
	end(&x);
}

TEST(an_index_cannot_make_us_remove_another_file)
{
	static const char line[] = "{\"source\":\"in/a\",\"output\":\"../in/b\",\"format\":\"otutl\",\"run\":1,\"runs\":1,"
				   "\"output_size\":1,\"source_stamp\":\"0000000000000001\",\"maker\":\"m\",\"complete\":true}\n";
	struct fixture x;

	begin(&x);
	end_job(&x, true);
	scratch_write("out/index.jsonl", str_from(line));
	scratch_write("in/b", STR("x"));
	x.mirror = mirror_open(&x.arena, &x.options, &x.err);
	CHECK(x.mirror);
	convert(&x, "in/a", "a", 1, 1); /* what it names is not what the source would have: it is wanted */
	end_job(&x, true);
	CHECK_STR(test_read("in/b"), STR("x"));
	CHECK_STR(buf_str(&x.told), STR("in/a>a.otutl.jsonl "));
	end(&x);
}

TEST(a_killed_job_leaves_what_it_had_finished)
{
	struct fixture x;

	begin(&x);
	convert(&x, "in/a", "a", 1, 2);
	scratch_write("in/b", STR("x"));
	CHECK(wants(&x, "in/b", "b", 1));
	put_runs(&x, "in/b", 1);
	mirror_close(x.mirror); /* without mirror_finish */
	CHECK(access("out/index.jsonl", F_OK) != 0);
	x.mirror = mirror_open(&x.arena, &x.options, &x.err);
	CHECK(x.mirror);
	CHECK(!wants(&x, "in/a", "a", 1) && wants(&x, "in/b", "b", 1));
	end_job(&x, true);
	CHECK_INT(str_count(test_read("out/index.jsonl"), '\n'), 2);
	end(&x);
}

TEST(the_id_is_that_of_the_output_or_of_the_source_or_null)
{
	struct fixture x;

	begin(&x);
	scratch_write("in/a", STR("x"));
	CHECK(wants(&x, "in/a", "a", 1));
	for (int i = 0; i < 3; i++) {
		CHECK(mirror_begin_run(x.mirror, STR("in/a"), &x.err));
		if (i < 2)
			mirror_set_id(x.mirror, STR("source"));
		CHECK(mirror_put(x.mirror, i == 0 ? STR("{\"run_id\":\"out") : STR("[1]"), &x.err));
		CHECK(mirror_put(x.mirror, i == 0 ? STR("put\"}\n{}\n") : STR("\n"), &x.err));
		CHECK(mirror_end_run(x.mirror, &x.err));
	}
	CHECK(mirror_end_source(x.mirror, STR("in/a"), STR("codex"), true, false, &x.err));
	end_job(&x, true);
	CHECK(str_has(test_read("out/index.jsonl"), STR("\"run_id\":\"output\"")));
	CHECK(str_has(test_read("out/index.jsonl"), STR("\"run_id\":\"source\"")));
	CHECK(str_has(test_read("out/index.jsonl"), STR("\"run_id\":null")));
	end(&x);
}

TEST(an_index_of_somebody_else_is_refused)
{
	struct fixture x;

	begin(&x);
	end_job(&x, true);
	scratch_write("out/index.jsonl", STR("{\"title\":1}\n"));
	CHECK(!mirror_open(&x.arena, &x.options, &x.err));
	CHECK_INT(x.err.kind, ERR_DATA);
	CHECK_STR(test_read("out/index.jsonl"), STR("{\"title\":1}\n"));
	end(&x);
}
