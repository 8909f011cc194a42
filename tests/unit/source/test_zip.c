#include "dialect/record/field.h"
#include "harness/test.h"
#include "source/memory.h"
#include "source/zip.h"
#include "unit/source/feed.h"
#include "unit/source/pack_zip.h"

#define TEXT "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"

static struct buf archive, got;

/* Everything in it: "<name>bytes</>", "!message" where it failed, "(name)" for what a later one hides. */
static struct str unpack(struct str bytes, struct feed feed, size_t piece)
{
	struct memory_file file = { STR("x.zip"), bytes };
	struct source_io io = feed_io(&feed, &file, 1);
	struct err err = { .kind = ERR_NONE };
	const struct zip_entry *all = NULL;
	struct raw raw;
	struct zip *z;
	size_t count = 0, n;
	char *into = test_alloc(piece);
	enum next more;

	if (!feed.is_stream)
		io.read_at = memory_io(&feed.memory).read_at, io.context = &feed.memory, io.read = feed.under.read,
		io.open = feed.under.open, io.look = feed.under.look, io.close = feed.under.close;
	buf_clear(&got);
	CHECK(raw_open(&raw, &io, STR("x.zip"), &err));
	z = zip_open(&raw, &err);
	if (!z)
		buf_printf(&got, "!%s\n", err.text);
	else
		all = zip_entries(z, &count);
	for (size_t i = 0; i < count; i++) {
		if (all[i].hidden) {
			buf_printf(&got, "(%.*s)", STR_ARG(all[i].name));
			continue;
		}
		if (!zip_begin(z, &all[i], &err)) {
			buf_printf(&got, "!%s\n", err.text);
			continue;
		}
		buf_printf(&got, "<%.*s>", STR_ARG(all[i].name));
		while ((more = zip_read(z, into, piece, &n, &err)) == NEXT_MORE) {
			CHECK(n > 0 && n <= piece);
			buf_add(&got, into, n);
		}
		buf_printf(&got, more == NEXT_END ? "</>" : "!%s\n", err.text);
	}
	zip_close(z);
	raw_close(&raw);
	return buf_str(&got);
}

static void check(struct str bytes, struct str want)
{
	static const size_t pieces[] = { 1, 7, 65536 };

	for (size_t i = 0; i < 3; i++) {
		CHECK_STR(unpack(bytes, (struct feed){ .cut = FEED_WHOLE }, pieces[i]), want);
		CHECK_STR(unpack(bytes, (struct feed){ .cut = FEED_SEEDED, .seed = i, .is_stream = true }, pieces[i]),
			  want);
	}
}

TEST(members_of_each_packing_are_read_from_files_and_pipes)
{
	static const struct zipped all[] = {
		{ .name = WORD("stored"), .bytes = WORD(TEXT) },
		{ .name = WORD("deflated"), .bytes = WORD(TEXT), .method = 8 },
		{ .name = WORD("zstd"), .bytes = WORD(TEXT), .method = 93 },
		{ .name = WORD("frames"), .bytes = WORD(TEXT), .method = 93, .frames = 2 },
		{ .name = WORD("empty"), .bytes = WORD("") },
		{ .name = WORD("none"), .bytes = WORD(""), .method = 8 },
		{ .name = WORD("wide"), .bytes = WORD(TEXT), .method = 8, .wide = true },
		{ .name = WORD("../up"), .bytes = WORD("x") },
		{ .name = { NULL, 0 } },
	};
	struct str want = STR("<stored>" TEXT "</><deflated>" TEXT "</><zstd>" TEXT "</><frames>" TEXT "</><empty></>"
			      "<none></><wide>" TEXT "</><../up>x</>");

	check(zip_make(&archive, all, false, STR("")), want);
	check(zip_make(&archive, all, true, STR("a comment, with PK\5\6 in it")), want);
}

TEST(a_large_member_comes_in_pieces)
{
	struct buf text;
	struct zipped all[] = { { .name = WORD("a"), .method = 8 }, { .name = WORD("b"), .method = 93 },
				{ .name = { NULL, 0 } } };

	buf_init(&text);
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "{\"number\":%d}\n", i * 7919);
	all[0].bytes = all[1].bytes = buf_str(&text);
	unpack(zip_make(&archive, all, false, STR("")), (struct feed){ .cut = FEED_WHOLE }, 1000);
	CHECK_INT(got.n, 2 * (text.n + 6));
	CHECK(memcmp(got.p + 3, text.p, text.n) == 0);
	CHECK(memcmp(got.p + text.n + 9, text.p, text.n) == 0);
	buf_free(&text);
}

TEST(of_members_with_one_name_the_last_counts)
{
	static const struct zipped all[] = {
		{ .name = WORD("a"), .bytes = WORD("1") },
		{ .name = WORD("b"), .bytes = WORD("2") },
		{ .name = WORD("a"), .bytes = WORD("3") },
		{ .name = { NULL, 0 } },
	};

	check(zip_make(&archive, all, false, STR("")), STR("(a)<b>2</><a>3</>"));
}

TEST(a_member_that_is_not_what_it_says_fails_alone)
{
	static const struct { struct zipped bad; const char *want; } cases[] = {
		{ { .bytes = WORD(TEXT), .bad_crc = 1 },
		  "<bad>" TEXT "!x.zip: bad in this zip archive is damaged: bad checksum\n" },
		{ { .bytes = WORD(TEXT), .lie = 1 },
		  "<bad>" TEXT "!x.zip: bad in this zip archive is damaged: it has fewer bytes than it says\n" },
		{ { .bytes = WORD("aaa"), .method = 8, .lie = (unsigned)-1 },
		  "<bad>!x.zip: bad in this zip archive is damaged: it has more bytes than it says\n" },
		{ { .bytes = WORD("a"), .flags = 1 }, "!x.zip: bad in this zip archive is encrypted\n" },
		{ { .bytes = WORD("a"), .method = 12 },
		  "!x.zip: bad in this zip archive uses an unknown compression (12); pack it with "
		  "deflate or zstd\n" },
		{ { .bytes = WORD("a"), .local = "bat" },
		  "!x.zip: bad in this zip archive is damaged: its header has another name\n" },
		{ { .bytes = WORD("a"), .local = "longer" },
		  "!x.zip: bad in this zip archive is damaged: its header is invalid\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct zipped all[] = { cases[i].bad, { .name = WORD("good"), .bytes = WORD("ok"), .method = 8 },
					{ .name = { NULL, 0 } } };
		struct buf want;

		test_case("%zu", i);
		all[0].name = STR("bad");
		buf_init(&want);
		buf_printf(&want, "%s<good>ok</>", cases[i].want);
		CHECK_STR(unpack(zip_make(&archive, all, false, STR("")), (struct feed){ .cut = FEED_WHOLE }, 4096),
			  buf_str(&want));
		buf_free(&want);
	}
}

static void poke(size_t from_end, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		archive.p[archive.n - from_end + (size_t)i] = (char)(v >> 8 * i & 0xff);
}

/* The directory of one member named "a" is 47 bytes long and stands before the 22 of the end. */
TEST(a_directory_that_lies_is_refused)
{
	static const struct { size_t from_end; uint64_t v; int bytes; const char *want; } cases[] = {
		{ 6, 0xfffffff0, 4, "its directory is not where its end record says" },
		{ 10, 0x7fffffff, 4, "its directory is not where its end record says" },
		{ 12, 9, 2, "its directory is not where its end record says" },
		{ 22 + 47, 0, 1, "an entry of its directory is invalid" },
		{ 22 + 47 - 28, 60000, 2, "an entry of its directory is invalid" },
		{ 22 + 47 - 20, 0x7fffffff, 4, "an entry of its directory is invalid" },
		{ 22 + 47 - 42, 0x7fffffff, 4, "an entry of its directory is invalid" },
		{ 22, 0, 1, "it has no directory at its end; it may have been cut off" },
	};
	static const struct zipped one[] = { { .name = WORD("a"), .bytes = WORD("1") }, { .name = { NULL, 0 } } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf want;

		test_case("%zu", i);
		zip_make(&archive, one, false, STR(""));
		poke(cases[i].from_end, cases[i].v, cases[i].bytes);
		buf_init(&want);
		buf_printf(&want, "!x.zip: the zip archive is damaged: %s\n", cases[i].want);
		check(buf_str(&archive), buf_str(&want));
		buf_free(&want);
	}
}

TEST(an_archive_in_several_pieces_is_refused)
{
	static const struct zipped one[] = { { .name = WORD("a"), .bytes = WORD("1") }, { .name = { NULL, 0 } } };

	zip_make(&archive, one, false, STR(""));
	poke(18, 1, 2);
	check(buf_str(&archive), STR("!x.zip: a zip archive in several pieces cannot be read\n"));
}

TEST(members_that_share_bytes_are_refused)
{
	static const struct zipped two[] = {
		{ .name = WORD("a"), .bytes = WORD("1") },
		{ .name = WORD("b"), .bytes = WORD("2") },
		{ .name = { NULL, 0 } },
	};

	zip_make(&archive, two, false, STR(""));
	poke(22 + 47 - 42, 0, 4); /* the second begins where the first does */
	check(buf_str(&archive), STR("!x.zip: the zip archive is damaged: two of its members share bytes\n"));
}

TEST(every_beginning_of_an_archive_is_refused_and_every_flipped_byte_survived)
{
	static const struct zipped all[] = {
		{ .name = WORD("a"), .bytes = WORD(TEXT), .method = 8 },
		{ .name = WORD("b"), .bytes = WORD(TEXT), .method = 93, .wide = true },
		{ .name = { NULL, 0 } },
	};
	struct str whole = zip_make(&archive, all, true, STR(""));

	for (size_t n = 0; n < whole.n; n++)
		CHECK(str_starts(unpack(str_of(whole.p, n), (struct feed){ .cut = FEED_WHOLE }, 64), STR("!")));
	for (size_t i = 0; i < whole.n; i++) {
		archive.p[i] ^= (char)0x81;
		unpack(whole, (struct feed){ .cut = FEED_WHOLE }, 64);
		archive.p[i] ^= (char)0x81;
	}
	CHECK(str_starts(unpack(whole, (struct feed){ .cut = FEED_WHOLE }, 64), STR("<a>")));
}

TEST(an_archive_is_known_by_its_first_bytes)
{
	CHECK(zip_matches(STR("PK\3\4")));
	CHECK(zip_matches(STR("PK\5\6")));
	CHECK(!zip_matches(STR("PK\1\2")));
	CHECK(!zip_matches(STR("PK")));
	CHECK(!zip_matches(STR("{\"a\"")));
}
