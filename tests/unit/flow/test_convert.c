#include "flow/convert.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#include "harness/convert.h"
#include "harness/test.h"

/* Two runs of a format whose lines are short. */
static struct str two_runs(struct arena *a, int lines)
{
	struct buf b;
	struct str text;

	buf_init(&b);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < lines; i++)
			buf_printf(&b, "{\"parentUuid\":null,\"sessionId\":\"s%d\",\"uuid\":\"%d-%d\",\"type\":\"assistant\","
				   "\"timestamp\":\"2026-01-01T00:00:%02d.000Z\",\"isSidechain\":false,\"version\":\"1\","
				   "\"message\":{\"id\":\"m%d-%d\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
				   "\"content\":[{\"type\":\"text\",\"text\":\"t%d\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}}\n",
				   run, run, i, i % 60, run, i, i);
	}
	text = arena_copy(a, buf_str(&b));
	buf_free(&b);
	return text;
}

TEST(neither_the_size_of_chunks_nor_the_number_of_threads_changes_a_byte)
{
	static const size_t chunks[] = { 1, 300, 1000, 4096 };
	struct arena a;
	struct str text, whole;

	arena_init(&a);
	text = two_runs(&a, 150);
	whole = convert_with(&a, text, (struct convert_how){ .from = "claude-code", .to = "otutl" }).out;
	CHECK(whole.n > 1000);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		for (unsigned jobs = 1; jobs <= 3; jobs++) {
			struct convert_how how = { .from = jobs == 2 ? NULL : "claude-code", .to = "otutl", .chunk = chunks[i], .jobs = jobs };

			test_case("chunks of %zu, %u threads", chunks[i], jobs);
			CHECK_STR(convert_with(&a, text, how).out, whole);
		}
	}
	arena_free(&a);
}

TEST(a_text_in_no_format_converts_to_nothing)
{
	static const char *const texts[] = { "", "\n\n", "{\"a\":1}\n", "hello\n", "[1,2,3]", "{\"a\":" };
	struct arena a;

	arena_init(&a);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct converted c = convert_with(&a, str_from(texts[i]), (struct convert_how){ .to = "otutl" });

		test_case("%s", texts[i]);
		CHECK(c.done && !c.from);
		CHECK_INT(c.out.n, 0);
	}
	arena_free(&a);
}

TEST(the_tally_counts_what_came_out)
{
	struct arena a;
	struct converted c;

	arena_init(&a);
	c = convert_with(&a, two_runs(&a, 5), (struct convert_how){ .to = "otutl" });
	CHECK_INT(c.tally.runs, convert_count(c.out).runs);
	CHECK_INT(c.tally.events[EVENT_STEP], 10);
	CHECK_INT(c.tally.bytes_out, c.out.n);
	CHECK_INT(c.coverage.records, 10);
	CHECK_INT(c.coverage.leaves.left, 0);
	arena_free(&a);
}

static bool refuse(void *context, struct str bytes, struct err *err)
{
	(void)context, (void)bytes;
	return err_set(err, ERR_IO, "the disk is full");
}

static bool any_part(void *context, const struct convert_input *input, struct err *err)
{
	(void)context, (void)input, (void)err;
	return true;
}

TEST(an_output_that_fails_is_the_failure_that_is_told_not_a_file_that_cannot_be_read)
{
	struct convert_options o = { .to = dialect_find(STR("otutl")) };
	struct convert_flow f = { .jobs = 1, .options = &o, .input = any_part };
	struct arena a;
	struct err err = { .kind = ERR_NONE };
	struct str dir, good, bad;

	arena_init(&a);
	dir = arena_printf(&a, "/tmp/trackway-convert-%ld", (long)getpid());
	good = arena_printf(&a, "%s/a.jsonl", dir.p), bad = arena_printf(&a, "%s/b.jsonl", dir.p);
	CHECK_INT(mkdir(dir.p, 0700), 0);
	CHECK(file_replace(good, two_runs(&a, 1), 0600, &err));
	CHECK(file_replace(bad, two_runs(&a, 1), 0600, &err));
	CHECK_INT(truncate(bad.p, 5000), 0); /* zeros without a line end */
	f.from = source_open(&a, &dir, 1, (struct source_options){ .shape = SOURCE_LINES, .record_limit = 1000 }, &err);
	f.to = pipeline_open(&o, (struct convert_sink){ .put = refuse });
	CHECK(!convert_flow_run(&f, &err));
	CHECK_STR(str_from(err.text), STR("the disk is full"));
	pipeline_close(f.to);
	source_close(f.from);
	unlink(good.p), unlink(bad.p), rmdir(dir.p);
	arena_free(&a);
}
