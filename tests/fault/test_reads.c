/* Every read and every open is made to fail, one after another: nothing hangs, leaks or gives half a line. */
#include "flow/flow.h"
#include "harness/test.h"
#include "unit/source/feed.h"
#include "unit/source/pack.h"

#define LOG "{\"a\":1}\n{\"b\":22}\n\n{\"long\":\"0123456789012345678901234567890123456789\"}\n{\"c\":3}\n{\"open\":"

static struct buf clean, got;

static bool keep(void *worker, const struct chunk *in, void *result, struct err *err)
{
	(void)worker;
	(void)err;
	*(struct str *)result = in->bytes;
	return true;
}

static bool add(void *context, const struct chunk *in, void *result, struct err *err)
{
	(void)err;
	if (in->first)
		buf_printf(context, "<%.*s>", STR_ARG(in->input->name));
	buf_add_str(context, *(struct str *)result);
	if (in->last)
		buf_printf(context, "</>");
	return true;
}

static bool note(void *context, const struct input *input, const struct err *why)
{
	(void)input;
	buf_printf(context, "!%s\n", why->text);
	return true;
}

/* Two inputs, the first fed as told. With jobs through a flow, else by the source alone. */
static struct feed run(struct str stored, struct feed feed, enum source_shape shape, unsigned jobs, struct buf *out)
{
	const struct memory_file files[] = { { STR("x"), stored }, { STR("y"), STR("after\n") } };
	const struct str paths[] = { STR("x"), STR("y") };
	struct source_io io = feed_io(&feed, files, 2);
	struct source_options options = { .shape = shape, .chunk_size = 10, .io = &io };
	struct arena a;
	struct err err;

	arena_init(&a);
	if (jobs == 0) {
		CHECK(!feed_paths(&a, paths, 2, options, out));
	} else {
		struct flow f = { .jobs = jobs, .result_size = sizeof(struct str), .work = keep, .emit = add,
				  .input_failed = note, .context = out };

		buf_clear(out);
		f.from = source_open(&a, paths, 2, options, &err);
		CHECK(f.from && flow_run(&f, &err));
		source_close(f.from);
	}
	arena_free(&a);
	return feed;
}

/* What came before the message must be whole lines of the clean run, and the second input must follow. */
static void check_failed(bool lines)
{
	static const char said[] = "!x: cannot read at byte ";
	size_t bang = str_find(buf_str(&got), str_from(said));

	CHECK(bang != (size_t)-1);
	CHECK(str_starts(buf_str(&clean), str_of(got.p, bang)));
	CHECK(bang == 0 || (lines && got.p[bang - 1] == '\n'));
	CHECK(str_ends(buf_str(&got), STR(": Input/output error\n<y>after\n</>")));
}

static void fail_each_read(struct str stored, struct feed feed, enum source_shape shape, unsigned jobs)
{
	size_t reads = run(stored, feed, shape, jobs, &clean).reads;
	size_t of_second = run(STR(""), feed, shape, jobs, &got).reads - 1;

	CHECK(str_ends(buf_str(&clean), STR("</><y>after\n</>")));
	for (feed.fail_read = 1; feed.fail_read <= reads; feed.fail_read++) {
		struct feed after;

		test_case("read %zu of %zu, %u jobs, %s", feed.fail_read, reads, jobs,
			  shape == SOURCE_LINES ? "lines" : "document");
		feed.why = EINTR;
		run(stored, feed, shape, jobs, &got);
		CHECK_STR(buf_str(&got), buf_str(&clean));
		feed.why = EIO;
		after = run(stored, feed, shape, jobs, &got);
		CHECK_INT(after.closes, 2);
		if (feed.fail_read + of_second <= reads)
			check_failed(shape == SOURCE_LINES);
	}
}

TEST(any_read_may_fail_or_be_interrupted)
{
	static const struct feed ways[] = {
		{ .cut = FEED_WHOLE },
		{ .cut = FEED_PIECES, .size = 1 },
		{ .cut = FEED_PIECES, .size = 7 },
		{ .cut = FEED_PIECES, .size = 1, .is_stream = true },
	};
	struct buf packed[2];

	for (size_t i = 0; i < 2; i++)
		buf_init(&packed[i]);
	pack_gzip(&packed[0], STR(LOG));
	pack_zstd(&packed[1], STR(LOG));
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		for (unsigned jobs = 0; jobs <= 3; jobs++) {
			fail_each_read(STR(LOG), ways[i], SOURCE_LINES, jobs);
			fail_each_read(buf_str(&packed[0]), ways[i], SOURCE_LINES, jobs);
			fail_each_read(buf_str(&packed[1]), ways[i], SOURCE_LINES, jobs);
			fail_each_read(STR(LOG), ways[i], SOURCE_DOCUMENT, jobs);
			fail_each_read(buf_str(&packed[1]), ways[i], SOURCE_DOCUMENT, jobs);
		}
	for (size_t i = 0; i < 2; i++)
		buf_free(&packed[i]);
}

TEST(any_open_may_fail)
{
	static const struct { int why; const char *first, *second; } cases[] = {
		{ EACCES, "!x: cannot open: Permission denied\n<y>after\n</>",
		  "<x>1\n</>!y: cannot open: Permission denied\n" },
		{ EMFILE, "!x: cannot open: Too many open files\n<y>after\n</>",
		  "<x>1\n</>!y: cannot open: Too many open files\n" },
		{ EINTR, "<x>1\n</><y>after\n</>", "<x>1\n</><y>after\n</>" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned jobs = 0; jobs <= 3; jobs++) {
			struct feed feed = { .cut = FEED_WHOLE, .fail_open = 1, .why = cases[i].why };

			run(STR("1\n"), feed, SOURCE_LINES, jobs, &got);
			CHECK_STR(buf_str(&got), str_from(cases[i].first));
			feed.fail_open = 2;
			run(STR("1\n"), feed, SOURCE_LINES, jobs, &got);
			CHECK_STR(buf_str(&got), str_from(cases[i].second));
		}
}
