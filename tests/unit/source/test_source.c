#include <pthread.h>
#include <sys/wait.h>

#include "harness/test.h"
#include "source/source.h"
#include "unit/source/feed.h"
#include "unit/source/pack.h"
#include "unit/source/scratch.h"

static struct buf got;

/* One way through, compared with the transcript wanted. */
static void check_way(struct str stored, struct feed feed, struct source_options options, struct str want)
{
	struct memory_file file = { STR("x"), stored };
	struct source_io io = feed_io(&feed, &file, 1);
	struct arena a;
	const char *fault;

	options.io = &io;
	arena_init(&a);
	fault = feed_paths(&a, &STR("x"), 1, options, &got);
	if (fault)
		FAIL("expected that %s", fault);
	CHECK_STR(buf_str(&got), want);
	CHECK_INT(feed.closes, 1);
	arena_free(&a);
}

/* Whole, cut once at every byte (or at seeded places), in single bytes, as a file and as a pipe. */
static void check_cuts(struct str stored, struct source_options options, struct str want)
{
	static const struct feed ways[] = {
		{ .cut = FEED_WHOLE },
		{ .cut = FEED_WHOLE, .is_stream = true, .seed = 1 }, /* always ready */
		{ .cut = FEED_WHOLE, .is_stream = true },            /* never */
		{ .cut = FEED_PIECES, .size = 1 },
		{ .cut = FEED_PIECES, .size = 1, .is_stream = true },
		{ .cut = FEED_SEEDED, .seed = 7, .is_stream = true },
		{ .cut = FEED_SEEDED, .seed = 8 },
	};
	size_t cuts = stored.n <= 4096 ? stored.n : 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (stored.n < 100000 || ways[i].cut != FEED_PIECES)
			check_way(stored, ways[i], options, want);
	for (size_t i = 1; i < cuts; i++)
		check_way(stored, (struct feed){ .cut = FEED_ONCE, .size = i }, options, want);
}

static struct str transcript(struct str text)
{
	static struct buf out;

	buf_clear(&out);
	buf_printf(&out, "<x>");
	buf_add_str(&out, text);
	buf_printf(&out, "</>");
	return buf_str(&out);
}

/* Plain, gzip, zstd, and both in two members, through every cut. */
static void check_all_ways(struct str text, struct source_options options)
{
	size_t half = text.n / 2;
	struct buf packed[4];

	for (size_t i = 0; i < 4; i++)
		buf_init(&packed[i]);
	pack_gzip(&packed[0], text);
	pack_gzip(&packed[1], str_of(text.p, half));
	pack_gzip(&packed[1], str_of(text.p + half, text.n - half));
	pack_zstd(&packed[2], text);
	pack_zstd(&packed[3], str_of(text.p, half));
	pack_zstd(&packed[3], str_of(text.p + half, text.n - half));
	check_cuts(text, options, transcript(text));
	for (size_t i = 0; i < 4; i++) {
		check_cuts(buf_str(&packed[i]), options, transcript(text));
		buf_free(&packed[i]);
	}
}

TEST(every_byte_comes_once_and_in_whole_lines_whatever_the_cuts)
{
	static const struct str texts[] = {
		{ "", 0 }, { "\n", 1 }, { "a", 1 }, { "a\n", 2 }, { "a\nb", 3 }, { "\n\n\n", 3 },
		{ "one\r\ntwo\r\n", 10 }, { "nul\0nul\n\0", 9 },
		{ "a long line first, then short ones\nb\nc\nd\n", 41 },
		{ "short\nthen one that is much longer than the chunks are\nend", 58 },
	};
	static const size_t sizes[] = { 1, 2, 3, 8, 9, 40, 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			test_case("text %zu, chunks of %zu", i, sizes[k]);
			check_all_ways(texts[i], (struct source_options){ .shape = SOURCE_LINES, .chunk_size = sizes[k] });
			check_all_ways(texts[i], (struct source_options){ .shape = SOURCE_DOCUMENT, .chunk_size = sizes[k] });
		}
}

TEST(real_logs_come_through_unchanged_whatever_the_cuts)
{
	static const char *const paths[] = {
		"corpora/13-agent-trace-v1/dev/events.jsonl", "corpora/03-json-real/dev/amazon_cellphones.ndjson",
		"corpora/03-json-real/dev/twitter.json", "aec/trajectory_ok.jsonl",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct str text = test_read(test_shared(paths[i]));

		test_case("%s", paths[i]);
		for (size_t size = 1000; size <= 1000000; size *= 10)
			check_all_ways(text, (struct source_options){ .shape = SOURCE_LINES, .chunk_size = size });
		check_all_ways(text, (struct source_options){ .shape = SOURCE_DOCUMENT });
		free((void *)(uintptr_t)text.p);
	}
}

/* Of a stream every chunk ends behind whole events, unless an event is beyond the limit. */
TEST(chunks_of_events_end_behind_a_blank_line)
{
	static const struct { const char *text; size_t limit; } cases[] = {
		{ "data: a\ndata: b\n\ndata: c\n\ndata: d", 0 },
		{ "data: a\rdata: b\r\rdata: c\r\rdata: d", 0 },
		{ "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\ndata: d", 0 },
		{ "data: a\ndata: b\ndata: c\ndata: d\n\n", 18 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_file file = { STR("x"), str_from(cases[i].text) };
		struct feed feed = { .cut = FEED_PIECES, .size = 1, .is_stream = true };
		struct source_io io = feed_io(&feed, &file, 1);
		struct source_options options = {
			.shape = SOURCE_CONTENT, .chunk_size = 8, .record_limit = cases[i].limit, .io = &io,
		};
		struct arena a;
		struct buf into;
		struct chunk c;
		struct err err = { .kind = ERR_NONE };
		struct source *s;
		size_t chunks = 0, at = 0;

		test_case("case %zu", i);
		arena_init(&a);
		buf_init(&into);
		s = source_open(&a, &STR("x"), 1, options, &err);
		for (; source_next(s, &into, &c, &err) == NEXT_MORE; chunks++) {
			CHECK(c.input->events);
			CHECK_STR(c.bytes, str_of(cases[i].text + at, c.bytes.n));
			at += c.bytes.n;
			if (!c.last && !cases[i].limit)
				CHECK(strchr("\r\n", c.bytes.p[c.bytes.n - 2]) && c.bytes.p[c.bytes.n] != '\n');
		}
		CHECK_INT(err.kind, ERR_NONE);
		CHECK_INT(at, strlen(cases[i].text));
		CHECK(chunks > 1);
		source_close(s);
		buf_free(&into);
		arena_free(&a);
	}
}

TEST(chunks_are_about_the_size_asked_for)
{
	static const char line[] = "0123456789abcdef0123456789abcde\n";
	struct memory_file file = { STR("x.jsonl"), { NULL, 0 } };
	struct memory m = { .files = &file, .count = 1 };
	struct source_io io = memory_io(&m);
	struct buf text, into;
	struct source *s;
	struct chunk c;
	struct arena a;
	struct err err;
	size_t chunks = 0;

	buf_init(&text), buf_init(&into), arena_init(&a);
	for (size_t i = 0; i < 32768; i++)
		buf_add(&text, line, 32);
	file.bytes = buf_str(&text);
	s = source_open(&a, &file.path, 1, (struct source_options){ .io = &io }, &err);
	for (; source_next(s, &into, &c, &err) == NEXT_MORE; chunks++) {
		CHECK_INT(c.bytes.n, SOURCE_CHUNK);
		CHECK_INT(c.first_line, chunks * SOURCE_CHUNK / 32 + 1);
		CHECK_INT(c.last, chunks == 3);
	}
	CHECK_INT(chunks, 4);
	CHECK(into.cap <= 4 * SOURCE_CHUNK);
	source_close(s);
	arena_free(&a), buf_free(&text), buf_free(&into);
}

TEST(a_line_of_just_the_limit_passes_and_one_byte_more_fails)
{
#define LONGER " is longer than 8 bytes, the limit for one record\n"
	static const struct { const char *text, *want; } cases[] = {
		{ "12345678\n12345678", "<x>12345678\n12345678</>" },
		{ "12345678\n12345678\n", "<x>12345678\n12345678\n</>" },
		{ "a\nb\n123456789\nc\n", "<x>a\nb\n!x: line 3" LONGER },
		{ "a\nb\n123456789", "<x>a\nb\n!x: line 3" LONGER },
		{ "123456789\n", "!x: line 1" LONGER },
		{ "1234567\r\n", "<x>1234567\r\n</>" },
		{ "12345678\r\n", "!x: line 1" LONGER },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t size = 1; size <= 64; size *= 2) {
			test_case("case %zu, chunks of %zu", i, size);
			check_cuts(str_from(cases[i].text),
				   (struct source_options){ .shape = SOURCE_LINES, .record_limit = 8, .chunk_size = size },
				   str_from(cases[i].want));
		}
}

TEST(a_document_of_just_the_limit_passes_and_one_byte_more_fails)
{
	for (size_t size = 1; size <= 64; size *= 2) {
		struct source_options options = { .shape = SOURCE_DOCUMENT, .record_limit = 8, .chunk_size = size };

		check_cuts(STR("1\n345678"), options, STR("<x>1\n345678</>"));
		check_cuts(STR("1\n3456789"), options, STR("!x: the document" LONGER));
	}
}

TEST(a_giant_line_in_a_small_archive_meets_the_limit)
{
	struct source_options options = { .shape = SOURCE_LINES, .record_limit = 2 << 20 };
	struct str want = STR("!x: line 1 is longer than 2 MiB, the limit for one record\n");
	struct buf bomb, packed;

	buf_init(&bomb), buf_init(&packed);
	memset(buf_reserve(&bomb, 40 << 20), ' ', 40 << 20);
	bomb.n = 40 << 20;
	pack_zstd(&packed, buf_str(&bomb));
	CHECK(packed.n < 10000);
	check_way(buf_str(&packed), (struct feed){ .cut = FEED_WHOLE }, options, want);
	buf_clear(&packed);
	pack_gzip(&packed, buf_str(&bomb));
	check_way(buf_str(&packed), (struct feed){ .cut = FEED_WHOLE }, options, want);
	buf_free(&bomb), buf_free(&packed);
}

TEST(the_whole_lines_before_a_damaged_place_come_first)
{
	struct buf packed;

	buf_init(&packed);
	pack_gzip(&packed, STR("one\ntwo\n\nth"));
	packed.p[packed.n - 8] ^= 1;
	for (size_t size = 1; size <= 64; size *= 2) {
		check_cuts(buf_str(&packed), (struct source_options){ .shape = SOURCE_LINES, .chunk_size = size },
			   STR("<x>one\ntwo\n\n!x: the gzip stream is damaged at byte 27 (bad checksum)\n"));
		check_cuts(buf_str(&packed), (struct source_options){ .shape = SOURCE_DOCUMENT, .chunk_size = size },
			   STR("!x: the gzip stream is damaged at byte 27 (bad checksum)\n"));
	}
	buf_free(&packed);
}

TEST(after_a_failure_the_next_part_is_read)
{
	const struct memory_file files[] = { { STR("a"), STR("1\n2\n") }, { STR("b"), STR("\x1f\x8b") },
					     { STR("c"), STR("longer than the limit") }, { STR("d"), STR("3\n4") },
					     { STR("e"), STR("") } };
	const struct str paths[] = { STR("a"), STR("b"), STR("c"), STR("d"), STR("e"), STR("a") };
	struct memory m = { .files = files, .count = 5 };
	struct source_io io = memory_io(&m);
	struct arena a;

	arena_init(&a);
	CHECK(!feed_paths(&a, paths, 6, (struct source_options){ .shape = SOURCE_LINES, .record_limit = 9, .io = &io },
			  &got));
	CHECK_STR(buf_str(&got),
		  STR("<a>1\n2\n</>!b: the gzip stream is truncated: the file ends at byte 2 in the middle of the "
		      "compressed data\n!c: line 1 is longer than 9 bytes, the limit for one record\n"
		      "<d>3\n4</><e></><a>1\n2\n</>"));
	arena_free(&a);
}

TEST(a_name_decides_between_lines_and_document_unless_told)
{
	const struct memory_file files[] = { { STR("a.jsonl"), STR("1\n2\n") }, { STR("b.json"), STR("1\n2\n") },
					     { STR("c.ndjson.zst"), STR("1\n2\n") }, { STR("-"), STR("1\n2\n") } };
	static const bool want[3][4] = { { true, false, true, false }, { true, true, true, true }, { false } };
	const struct str paths[] = { files[0].path, files[1].path, files[2].path, files[3].path };
	struct memory m = { .files = files, .count = 4 };
	struct source_io io = memory_io(&m);
	struct buf into;
	struct arena a;
	struct err err;

	buf_init(&into), arena_init(&a);
	for (int shape = SOURCE_AUTO; shape <= SOURCE_DOCUMENT; shape++) {
		struct source_options options = { .shape = (enum source_shape)shape, .chunk_size = 2, .io = &io };
		struct source *s = source_open(&a, paths, 4, options, &err);
		struct chunk c;

		for (uint64_t input = 0; source_next(s, &into, &c, &err) == NEXT_MORE; input += c.last) {
			CHECK_INT(c.input->lines, want[shape][input]);
			CHECK_INT(c.input->index, input);
			CHECK_INT(c.bytes.n, c.input->lines ? 2 : 4);
		}
		source_close(s);
	}
	buf_free(&into), arena_free(&a);
}

TEST(progress_counts_stored_bytes)
{
	struct buf into, packed;
	struct source *s;
	struct chunk c;
	struct arena a;
	struct err err;
	struct memory_file files[2];
	const struct str paths[] = { STR("a"), STR("b"), STR("b") };
	struct feed feed = { .cut = FEED_WHOLE };
	struct source_io io;

	buf_init(&into), buf_init(&packed), arena_init(&a);
	pack_gzip(&packed, STR("1\n2\n3\n"));
	files[0] = (struct memory_file){ STR("a"), STR("12345\n") };
	files[1] = (struct memory_file){ STR("b"), buf_str(&packed) };
	io = feed_io(&feed, files, 2);
	s = source_open(&a, paths, 3, (struct source_options){ .shape = SOURCE_LINES, .io = &io }, &err);
	CHECK_INT(source_bytes_read(s), 0);
	CHECK_INT(source_bytes_total(s), 6 + 2 * packed.n);
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	CHECK_INT(source_bytes_read(s), 6);
	while (source_next(s, &into, &c, &err) == NEXT_MORE)
		;
	CHECK_INT(source_bytes_read(s), 6 + 2 * packed.n);
	source_close(s);
	feed.is_stream = true;
	s = source_open(&a, paths, 3, (struct source_options){ .shape = SOURCE_LINES, .io = &io }, &err);
	CHECK_INT(source_bytes_total(s), 0);
	source_close(s);
	buf_free(&into), buf_free(&packed), arena_free(&a);
}

/* Notes every group that it is asked for, and wants those whose names are not "b". */
static bool want_all_but_b(void *context, const struct source_group *g)
{
	buf_printf(context, "%.*s:%llu%s ", STR_ARG(g->below), (unsigned long long)g->size, g->is_known ? "" : "?");
	return !str_eq(g->below, STR("b"));
}

TEST(a_group_that_nobody_wants_is_passed_over_and_counts_as_read)
{
	struct memory_file files[] = {
		{ STR("d/a"), STR("12345\n") }, { STR("d/b"), STR("1\n2\n") }, { STR("d/c"), STR("7\n") },
	};
	const struct str paths[] = { STR("d/a"), STR("d/b"), STR("d/c"), STR("d/b") };
	struct feed feed = { .cut = FEED_WHOLE };
	struct source_io io = feed_io(&feed, files, 3);
	struct source_options how = { .shape = SOURCE_LINES, .io = &io, .want = want_all_but_b };
	struct buf into, asked, names;
	struct source *s;
	struct chunk c;
	struct arena a;
	struct err err;

	buf_init(&into), buf_init(&asked), buf_init(&names), arena_init(&a);
	how.want_context = &asked;
	s = source_open(&a, paths, 4, how, &err);
	CHECK_INT(source_groups_total(s), 4);
	CHECK_INT(source_groups_begun(s), 0);
	CHECK_INT(asked.n, 0); /* nobody is asked before it is time */
	while (source_next(s, &into, &c, &err) == NEXT_MORE)
		if (c.first)
			buf_add_str(&names, c.input->name);
	CHECK_STR(buf_str(&names), STR("d/ad/c"));
	CHECK(str_starts(buf_str(&asked), STR("a:6")));
	CHECK_INT(str_count(buf_str(&asked), ' '), 4);
	CHECK_INT(source_groups_begun(s), 4);
	CHECK_INT(source_bytes_passed(s), 8);
	CHECK_INT(source_bytes_read(s), source_bytes_total(s));
	source_close(s);
	buf_free(&into), buf_free(&asked), buf_free(&names), arena_free(&a);
}

/* The stamp of the only group. */
static bool want_stamp(void *context, const struct source_group *g)
{
	*(uint64_t *)context = g->is_known ? g->stamp : 0;
	return false;
}

static uint64_t stamp_of(struct arena *a, const char *path)
{
	uint64_t stamp = 1;
	struct source_options how = { .file_groups = true, .want = want_stamp, .want_context = &stamp };
	struct str paths[] = { str_from(path) };
	struct buf into;
	struct chunk c;
	struct err err;
	struct source *s = source_open(a, paths, 1, how, &err);

	buf_init(&into);
	CHECK(s && source_next(s, &into, &c, &err) == NEXT_END);
	source_close(s);
	buf_free(&into);
	return stamp;
}

TEST(a_stamp_changes_with_size_time_and_the_files_of_sub_agents)
{
	static const struct timespec times[2] = { { .tv_sec = 5 }, { .tv_sec = 5, .tv_nsec = 1 } };
	struct scratch dir = scratch_enter();
	uint64_t stamps[5];
	struct arena a;

	arena_init(&a);
	scratch_write("s.jsonl", STR("1\n"));
	stamps[0] = stamp_of(&a, "s.jsonl");
	CHECK(stamps[0] != 0 && stamps[0] == stamp_of(&a, "./s.jsonl"));
	CHECK(utimensat(AT_FDCWD, "s.jsonl", times, 0) == 0);
	stamps[1] = stamp_of(&a, "s.jsonl");
	scratch_write("s.jsonl", STR("12\n"));
	CHECK(utimensat(AT_FDCWD, "s.jsonl", times, 0) == 0);
	stamps[2] = stamp_of(&a, "s.jsonl");
	CHECK(mkdir("s", 0755) == 0 && mkdir("s/subagents", 0755) == 0);
	scratch_write("s/subagents/agent-1.jsonl", STR("1\n"));
	stamps[3] = stamp_of(&a, "s.jsonl");
	CHECK(rename("s/subagents/agent-1.jsonl", "s/subagents/agent-2.jsonl") == 0);
	stamps[4] = stamp_of(&a, "s.jsonl");
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < i; k++)
			CHECK(stamps[i] != stamps[k]);
	arena_free(&a);
	scratch_leave(&dir);
}

TEST(a_source_closed_in_the_middle_of_a_part_closes_the_file)
{
	struct memory_file file = { STR("x"), STR("1\n2\n3\n") };
	struct feed feed = { .cut = FEED_WHOLE };
	struct source_io io = feed_io(&feed, &file, 1);
	struct source *s;
	struct buf into;
	struct chunk c;
	struct arena a;
	struct err err;

	buf_init(&into), arena_init(&a);
	s = source_open(&a, &file.path, 1, (struct source_options){ .shape = SOURCE_LINES, .chunk_size = 2, .io = &io },
			&err);
	CHECK_INT(feed.opens, 0);
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	CHECK_STR(c.bytes, STR("1\n"));
	source_close(s);
	CHECK_INT(feed.closes, 1);
	buf_free(&into), arena_free(&a);
}

TEST(files_and_directories_are_read_from_the_disk)
{
	struct scratch dir = scratch_enter();
	const struct str paths[] = { STR("one.json"), STR("d"), STR("d/b.txt") };
	struct buf packed;
	struct arena a;

	buf_init(&packed), arena_init(&a);
	pack_zstd(&packed, STR("5\n6\n"));
	CHECK(mkdir("d", 0755) == 0 && mkdir("d/e", 0755) == 0 && symlink("gone", "d/c.jsonl") == 0);
	scratch_write("one.json", STR("[\n1]"));
	scratch_write("d/a.jsonl", STR("3\n4\n"));
	scratch_write("d/b.txt", STR("not walked"));
	scratch_write("d/e/f.jsonl.zst", buf_str(&packed));
	CHECK(!feed_paths(&a, paths, 3, (struct source_options){ .chunk_size = 2 }, &got));
	CHECK_STR(buf_str(&got), STR("<one.json>[\n1]</><d/a.jsonl>3\n4\n</>!d/c.jsonl: cannot open: No such file or "
				     "directory\n<d/e/f.jsonl.zst>5\n6\n</><d/b.txt>not walked</>"));
	CHECK(!feed_paths(&a, &STR("d/x"), 1, (struct source_options){ .chunk_size = 2 }, &got));
	CHECK_STR(buf_str(&got), STR("!d/x: cannot open: No such file or directory\n"));
	CHECK(!feed_paths(&a, paths, 0, (struct source_options){ .chunk_size = 2 }, &got));
	CHECK_STR(buf_str(&got), STR(""));
	buf_free(&packed), arena_free(&a);
	scratch_leave(&dir);
}

TEST(what_may_not_be_read_says_so_and_the_rest_is_read)
{
	struct scratch dir = scratch_enter();
	struct arena a;

	arena_init(&a);
	CHECK(mkdir("d", 0755) == 0 && mkdir("d/shut", 0) == 0);
	scratch_write("d/a.json", STR("1"));
	scratch_write("d/b.json", STR("2"));
	scratch_write("d/z.json", STR("3"));
	CHECK(chmod("d/b.json", 0) == 0);
	if (!scratch_drop_rights(&dir))
		SKIP("cannot give up the rights of the superuser");
	CHECK(!feed_paths(&a, &STR("d"), 1, (struct source_options){ .chunk_size = 0 }, &got));
	CHECK_STR(buf_str(&got), STR("<d/a.json>1</>!d/b.json: cannot open: Permission denied\n!d/shut: cannot list "
				     "the directory: Permission denied\n<d/z.json>3</>"));
	CHECK(seteuid(getuid()) == 0);
	arena_free(&a);
	scratch_leave(&dir);
}

struct writer {
	int fd;
	struct str bytes;
	size_t piece;
};

static void *write_pieces(void *argument)
{
	struct writer *w = argument;

	for (size_t at = 0; at < w->bytes.n;) {
		size_t n = w->bytes.n - at < w->piece ? w->bytes.n - at : w->piece;
		ssize_t put = write(w->fd, w->bytes.p + at, n);

		CHECK(put > 0);
		at += (size_t)put;
	}
	close(w->fd);
	return NULL;
}

TEST(a_real_pipe_gives_what_the_file_gives)
{
	static const size_t pieces[] = { 1, 100, 65536, 1 << 20 };
	struct str text = test_read(test_shared("corpora/13-agent-trace-v1/dev/events.jsonl"));
	struct buf want;
	struct arena a;

	buf_init(&want), arena_init(&a);
	buf_printf(&want, "<->%.*s</>", (int)text.n, text.p);
	for (size_t i = 0; i < 8; i++) {
		struct writer w = { .bytes = text, .piece = pieces[i / 2] };
		pthread_t thread;
		int ends[2];

		CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
		close(ends[0]);
		w.fd = ends[1];
		if (i % 2)
			CHECK(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0);
		pthread_create(&thread, NULL, write_pieces, &w);
		CHECK(!feed_paths(&a, &STR("-"), 1, (struct source_options){ .shape = SOURCE_LINES }, &got));
		CHECK_STR(buf_str(&got), buf_str(&want));
		pthread_join(thread, NULL);
	}
	free((void *)(uintptr_t)text.p);
	buf_free(&want), arena_free(&a);
}

TEST(a_named_pipe_can_be_read)
{
	struct scratch dir = scratch_enter();
	struct arena a;
	pid_t child;

	arena_init(&a);
	CHECK(mkfifo("p.jsonl", 0644) == 0);
	child = fork();
	if (child == 0) {
		scratch_write("p.jsonl", STR("1\n2\n"));
		_exit(0);
	}
	CHECK(!feed_paths(&a, &STR("p.jsonl"), 1, (struct source_options){ .chunk_size = 0 }, &got));
	CHECK_STR(buf_str(&got), STR("<p.jsonl>1\n2\n</>"));
	waitpid(child, NULL, 0);
	arena_free(&a);
	scratch_leave(&dir);
}

TEST(whole_lines_of_a_slow_writer_are_given_at_once)
{
	struct source *s;
	struct buf into;
	struct chunk c;
	struct arena a;
	struct err err;
	int ends[2];

	buf_init(&into), arena_init(&a);
	CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	s = source_open(&a, &STR("-"), 1, (struct source_options){ .shape = SOURCE_LINES }, &err);
	CHECK(s && source_is_ready(s));
	CHECK_INT(write(ends[1], "1\nseco", 6), 6);
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	CHECK_STR(c.bytes, STR("1\n"));
	CHECK(!source_is_ready(s));
	CHECK_INT(write(ends[1], "nd\n", 3), 3);
	CHECK(source_is_ready(s));
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	CHECK_STR(c.bytes, STR("second\n"));
	CHECK(!c.last);
	close(ends[1]);
	CHECK(source_is_ready(s));
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_MORE);
	CHECK_STR(c.bytes, STR(""));
	CHECK(c.last && !c.first);
	CHECK_INT(c.first_line, 3);
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_END);
	CHECK_INT(source_next(s, &into, &c, &err), NEXT_END);
	source_close(s);
	buf_free(&into), arena_free(&a);
}
