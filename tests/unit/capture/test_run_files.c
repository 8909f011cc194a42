#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/run_files.h"
#include "harness/test.h"

struct setting {
	struct arena arena;
	struct str root;
	struct run_files run;
	struct err err;
};

static void open_setting(struct setting *s)
{
	*s = (struct setting){ .run = { .run_id = STR("0193b3a1-7c00-7abc-8def-0123456789ab"), .program = STR("agent"),
					.argument_count = 2, .begun_ns = 1700000000123456789 } };
	arena_init(&s->arena);
	s->root = arena_printf(&s->arena, "/tmp/trackway-rundir-%ld", (long)getpid());
	s->run.path = arena_printf(&s->arena, "%s/a/b///", s->root.p);
}

static void free_setting(struct setting *s)
{
	if (system(arena_printf(&s->arena, "rm -rf %s", s->root.p).p) != 0)
		FAIL("cannot clean up");
	arena_free(&s->arena);
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) != (size_t)-1;
}

TEST(a_directory_is_made_with_those_above_it_and_never_used_twice)
{
	struct setting s;
	struct stat st;

	open_setting(&s);
	s.run.content = true;
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK_STR(s.run.path, arena_printf(&s.arena, "%s/a/b", s.root.p));
	CHECK_STR(s.run.absolute, s.run.path);
	CHECK_INT(stat(s.run.path.p, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0700);
	CHECK(run_files_make(&s.arena, &s.run, &s.err)); /* nothing is in it */
	CHECK(file_replace(run_files_file(&s.arena, &s.run, "agent-trace.jsonl"), STR("{}\n"), 0600, &s.err));
	CHECK(!run_files_make(&s.arena, &s.run, &s.err));
	CHECK_INT(s.err.kind, ERR_USAGE);
	CHECK(strstr(s.err.text, "holds a run already"));
	CHECK_INT(rename(run_files_file(&s.arena, &s.run, "agent-trace.jsonl").p,
			 run_files_file(&s.arena, &s.run, "meta.json").p),
		  0);
	CHECK(!run_files_make(&s.arena, &s.run, &s.err)); /* a file of the user's own is not written over */
	CHECK_INT(rename(run_files_file(&s.arena, &s.run, "meta.json").p,
			 run_files_file(&s.arena, &s.run, "agent-trace.jsonl").p),
		  0);
	s.run.path = ARENA_JOIN(&s.arena, s.run.path, STR("/agent-trace.jsonl/x"));
	CHECK(!run_files_make(&s.arena, &s.run, &s.err)); /* a file is in the way */
	CHECK_INT(s.err.kind, ERR_IO);
	free_setting(&s);
}

TEST(what_was_made_can_be_taken_back_and_what_was_there_stays)
{
	struct setting s;
	struct stat st;

	open_setting(&s);
	CHECK_INT(mkdir(s.root.p, 0700), 0);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK_INT(s.run.kept, s.root.n);
	run_files_remove(&s.arena, &s.run);
	CHECK(stat(arena_printf(&s.arena, "%s/a", s.root.p).p, &st) != 0);
	CHECK_INT(stat(s.root.p, &st), 0);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK(file_replace(arena_printf(&s.arena, "%s/a/theirs", s.root.p), STR("x"), 0600, &s.err));
	run_files_remove(&s.arena, &s.run);
	CHECK(stat(s.run.path.p, &st) != 0);
	CHECK_INT(stat(arena_printf(&s.arena, "%s/a/theirs", s.root.p).p, &st), 0);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	run_files_remove(&s.arena, &s.run); /* the second found it there */
	CHECK_INT(stat(s.run.path.p, &st), 0);
	free_setting(&s);
}

TEST(meta_tells_what_the_run_was_and_never_its_arguments)
{
	static const struct run_tag tags[] = { { { "task", 4 }, { "refund", 6 } }, { { "x\"y", 3 }, { "", 0 } } };
	struct run_files_end end = { .ended_ns = 1700000001000000000,
				     .status = 3,
				     .lost_lines = 4,
				     .engine_metrics = STR("{\"scrapes\":1}") };
	struct setting s;
	struct str meta;

	open_setting(&s);
	s.run.tags = tags, s.run.tag_count = 2;
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK(run_files_write_meta(&s.arena, &s.run, NULL, &s.err));
	meta = test_read(run_files_file(&s.arena, &s.run, "meta.json").p);
	CHECK(has(meta, "\"started\": \"2023-11-14T22:13:20.123Z\""));
	CHECK(has(meta, "\"program\": \"agent\""));
	CHECK(has(meta, "\"argument_count\": 2"));
	CHECK(has(meta, "\"task\": \"refund\""));
	CHECK(!has(meta, "ended"));
	CHECK(!has(meta, "content_saved"));
	CHECK(file_replace(run_files_file(&s.arena, &s.run, "agent-trace.jsonl"), STR("abc"), 0600, &s.err));
	CHECK(file_replace(run_files_file(&s.arena, &s.run, "summary.json"), STR("{}"), 0600, &s.err));
	run_files_wrote(&s.run, "agent-trace.jsonl");
	end.tally.counts[AT_MODEL_CALL] = 7;
	s.run.content = true;
	CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
	meta = test_read(run_files_file(&s.arena, &s.run, "meta.json").p);
	CHECK(has(meta, "\"ended\": \"2023-11-14T22:13:21.000Z\""));
	CHECK(has(meta, "\"code\": 3"));
	CHECK(has(meta, "\"signal\": null"));
	CHECK(has(meta, "\"model_call\": 7"));
	CHECK(has(meta, "\"lost_lines\": 4"));
	CHECK(has(meta, "\"engine_metrics\": {\"scrapes\":1}"));
	CHECK(has(meta, "\"content_saved\": true"));
	CHECK(has(meta, "\"local_only\": true"));
	CHECK(has(meta, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	CHECK(!has(meta, "summary.json")); /* it is there, and not ours */
	end.signal = 9;
	CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
	meta = test_read(run_files_file(&s.arena, &s.run, "meta.json").p);
	CHECK(has(meta, "\"code\": null") && has(meta, "\"signal\": 9"));
	free_setting(&s);
}

TEST(the_digest_of_a_file_is_sha256_and_a_missing_one_has_none)
{
	struct setting s;
	struct str hex;
	uint64_t size;

	open_setting(&s);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK(!run_files_digest(&s.arena, &s.run, "summary.json", &hex, &size));
	CHECK(file_replace(run_files_file(&s.arena, &s.run, "summary.json"), STR("abc"), 0600, &s.err));
	CHECK(run_files_digest(&s.arena, &s.run, "summary.json", &hex, &size));
	CHECK_INT(size, 3);
	CHECK_STR(hex, STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	free_setting(&s);
}

TEST(the_summary_has_a_line_for_each_member_and_the_same_values)
{
	struct setting s;

	open_setting(&s);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK(run_files_write_summary(&s.run, STR("{\"a\":\"x,{\\\"\",\"b\":{\"c\":[1,2],\"d\":3},\"e\":null}"),
				      &s.err));
	CHECK_STR(test_read(run_files_file(&s.arena, &s.run, "summary.json").p),
		  STR("{\n  \"a\":\"x,{\\\"\",\n  \"b\":{\"c\":[1,2],\"d\":3},\n  \"e\":null\n}\n"));
	free_setting(&s);
}

TEST(what_is_planted_in_a_run_is_replaced_and_never_followed)
{
	static const struct run_files_end end = { .status = 0 };
	struct setting s;
	struct stat st;
	struct str theirs, hex;
	uint64_t size;

	open_setting(&s);
	s.run.content = true;
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	theirs = arena_printf(&s.arena, "%s/theirs", s.root.p);
	CHECK(file_replace(theirs, STR("keep"), 0644, &s.err));
	CHECK_INT(symlink(theirs.p, run_files_file(&s.arena, &s.run, "summary.json").p), 0);
	CHECK(!run_files_digest(&s.arena, &s.run, "summary.json", &hex, &size));
	CHECK_INT(link(theirs.p, run_files_file(&s.arena, &s.run, "meta.json").p), 0);
	CHECK(run_files_write_summary(&s.run, STR("{}"), &s.err));
	CHECK(run_files_write_meta(&s.arena, &s.run, &end, &s.err));
	CHECK_STR(test_read(theirs.p), STR("keep"));
	CHECK_INT(lstat(run_files_file(&s.arena, &s.run, "summary.json").p, &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_INT(lstat(run_files_file(&s.arena, &s.run, "meta.json").p, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600); /* not that of what was there */
	CHECK_INT(unlink(run_files_file(&s.arena, &s.run, "summary.json").p), 0);
	CHECK_INT(mkfifo(run_files_file(&s.arena, &s.run, "summary.json").p, 0600), 0); /* nobody reads it */
	CHECK(!run_files_digest(&s.arena, &s.run, "summary.json", &hex, &size));
	CHECK(run_files_write_summary(&s.run, STR("{}"), &s.err));
	CHECK(run_files_is_in_place(&s.run));
	run_files_close(&s.run);
	free_setting(&s);
}

TEST(a_directory_that_is_replaced_is_still_the_one_that_is_written_to)
{
	struct setting s;
	struct stat st;

	open_setting(&s);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK_INT(rename(s.run.path.p, arena_printf(&s.arena, "%s/moved", s.root.p).p), 0);
	CHECK_INT(mkdir(s.run.path.p, 0700), 0);
	CHECK(!run_files_is_in_place(&s.run));
	CHECK(run_files_write_summary(&s.run, STR("{}"), &s.err));
	CHECK(stat(run_files_file(&s.arena, &s.run, "summary.json").p, &st) != 0);
	CHECK_INT(stat(arena_printf(&s.arena, "%s/moved/summary.json", s.root.p).p, &st), 0);
	run_files_close(&s.run);
	free_setting(&s);
}

TEST(a_link_of_our_names_is_seen_before_anything_is_written)
{
	struct setting s;

	open_setting(&s);
	CHECK(run_files_make(&s.arena, &s.run, &s.err));
	CHECK_INT(symlink("nowhere", run_files_file(&s.arena, &s.run, "trajectory.jsonl").p), 0);
	run_files_close(&s.run);
	CHECK(!run_files_make(&s.arena, &s.run, &s.err));
	CHECK(strstr(s.err.text, "files of its names"));
	run_files_close(&s.run);
	free_setting(&s);
}
