#include "ledger/tile.h"

#include "harness/test.h"
#include "json/json.h"

static const struct {
	struct tile tile;
	const char *path;
} paths[] = {
	{ { 0, 0, 256 }, "tile/0/000" },
	{ { 0, 0, 1 }, "tile/0/000.p/1" },
	{ { 0, 0, 255 }, "tile/0/000.p/255" },
	{ { 1, 7, 44 }, "tile/1/007.p/44" },
	{ { 0, 999, 256 }, "tile/0/999" },
	{ { 0, 1000, 256 }, "tile/0/x001/000" },
	{ { 0, 1234067, 256 }, "tile/0/x001/x234/067" },
	{ { TILE_ENTRIES, 1234067, 12 }, "tile/entries/x001/x234/067.p/12" },
	{ { TILE_ENTRIES, 0, 256 }, "tile/entries/000" },
	{ { 7, 0, 255 }, "tile/7/000.p/255" },
	{ { TILE_ENTRIES, UINT64_MAX / 256, 255 }, "tile/entries/x072/x057/x594/x037/x927/935.p/255" },
};

TEST(a_tile_has_one_path_and_the_path_is_of_that_tile)
{
	for (size_t i = 0; i < COUNT(paths); i++) {
		char out[TILE_PATH_MAX];
		struct tile t;

		test_case("%s", paths[i].path);
		CHECK_INT(tile_path(out, &paths[i].tile), strlen(paths[i].path));
		CHECK_STR(str_from(out), str_from(paths[i].path));
		CHECK(tile_parse_path(str_from(paths[i].path), &t));
		CHECK_INT(t.level, paths[i].tile.level);
		CHECK(t.n == paths[i].tile.n);
		CHECK_INT(t.width, paths[i].tile.width);
	}
}

TEST(another_spelling_is_no_path_of_a_tile)
{
	static const char *const cases[] = {
		"", "tile", "tile/", "tile/0", "tile/0/", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/000/", "/tile/0/000", "tile//000",
		"tile/8/000", "tile/00/000", "tile/-1/000", "tile/x/000", "tile/0/x000/000", "tile/0/x000/001", "tile/0/x001", "tile/0/x001/",
		"tile/0/001/001", "tile/0/x001/x001", "tile/0/xx01/001", "tile/0/000.p", "tile/0/000.p/", "tile/0/000.p/0", "tile/0/000.p/01",
		"tile/0/000.p/256", "tile/0/000.p/1000", "tile/0/000.p/-1", "tile/0/000.p/1/", "tile/0/000p/1", "tile/0/000.p/1 ",
		"tile/entries", "tile/entries/0", "tile/data/000", "Tile/0/000", "tile/0/a00", "tile/0/x00a/000", "tile/0/ 00", "tile/8/0/000",
		/* of more entries than a number counts */
		"tile/entries/x072/x057/x594/x037/x927/936", "tile/entries/x072/x057/x594/x037/x927/935", "tile/7/000", "tile/7/001.p/1",
		"tile/1/x072/x057/x594/x037/x927/935.p/1", "tile/0/x999/x999/x999/x999/x999/x999/x999/x999/999",
	};
	struct tile t;

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("'%s'", cases[i]);
		CHECK(!tile_parse_path(str_from(cases[i]), &t));
	}
	CHECK(!tile_parse_path(STR("tile/0/000\0"), &t));
}

TEST(the_right_edge_is_as_wide_as_the_size_says)
{
	static const struct {
		unsigned level;
		uint64_t size, full;
		unsigned width;
	} cases[] = {
		{ 0, 0, 0, 0 }, { TILE_ENTRIES, 0, 0, 0 }, { 0, 1, 0, 1 }, { 0, 255, 0, 255 }, { 0, 256, 1, 0 }, { 1, 255, 0, 0 },
		{ 1, 256, 0, 1 }, { 0, 70000, 273, 112 }, { 1, 70000, 1, 17 }, { 2, 70000, 0, 1 }, { 3, 70000, 0, 0 },
		{ TILE_ENTRIES, 70000, 273, 112 }, { 7, UINT64_MAX, 0, 255 }, { 7, UINT64_C(1) << 56, 0, 1 }, { 8, UINT64_MAX, 0, 0 },
		{ 0, UINT64_MAX, UINT64_MAX / 256, 255 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("level %u of %llu", cases[i].level, (unsigned long long)cases[i].size);
		CHECK_INT(tile_partial_width(cases[i].level, cases[i].size), cases[i].width);
		CHECK(tile_full_count(cases[i].level, cases[i].size) == cases[i].full);
	}
}

TEST(a_hash_is_in_the_full_tile_or_in_the_partial_one_of_the_edge)
{
	static const struct {
		unsigned level;
		uint64_t i, size, n;
		unsigned width;
	} cases[] = {
		{ 0, 0, 1, 0, 1 }, { 0, 0, 256, 0, 256 }, { 0, 255, 300, 0, 256 }, { 0, 256, 300, 1, 44 }, { TILE_ENTRIES, 299, 300, 1, 44 },
		{ 1, 0, 300, 0, 1 }, { 1, 272, 70000, 1, 17 }, { 2, 0, 70000, 0, 1 }, { 0, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX / 256, 255 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tile t = tile_of(cases[i].level, cases[i].i, cases[i].size);

		test_case("%zu", i);
		CHECK_INT(t.level, cases[i].level);
		CHECK(t.n == cases[i].n);
		CHECK_INT(t.width, cases[i].width);
	}
}

TEST(a_bundle_gives_back_the_entries_that_were_added)
{
	struct str big = { test_alloc(ENTRY_MAX), ENTRY_MAX }, rest, entry;
	struct buf b;
	bool broken;

	buf_init(&b);
	bundle_add(&b, STR("one"));
	bundle_add(&b, STR(""));
	bundle_add(&b, big);
	CHECK_INT(b.n, 2 + 3 + 2 + 2 + ENTRY_MAX);
	CHECK(memcmp(b.p, "\0\3one\0\0\xff\xff", 9) == 0);
	rest = buf_str(&b);
	CHECK(bundle_next(&rest, &entry, &broken) && !broken);
	CHECK_STR(entry, STR("one"));
	CHECK(bundle_next(&rest, &entry, &broken) && !broken);
	CHECK_INT(entry.n, 0);
	CHECK(bundle_next(&rest, &entry, &broken) && !broken);
	CHECK_STR(entry, big);
	CHECK(!bundle_next(&rest, &entry, &broken) && !broken);
	buf_free(&b);
}

TEST(a_bundle_that_does_not_come_out_even_is_broken)
{
	static const struct str cases[] = { { "\0", 1 }, { "\0\1", 2 }, { "\0\3on", 4 }, { "\xff\xff...", 5 } };
	struct str entry;
	bool broken;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str rest = cases[i];

		test_case("%zu", i);
		CHECK(!bundle_next(&rest, &entry, &broken));
		CHECK(broken);
	}
}

/*
 * Go's paths have the height of tiles in front; ours is always 8. Those of other heights are no paths of ours, whatever
 * Go says to them, and both refuse what is misspelled.
 */
static bool check_go_path(struct arena *a, struct val c)
{
	struct str path = val_text(val_get(c, STR("path")), a);
	bool is_height_8 = str_starts(path, STR("tile/8/"));
	struct tile t;
	bool want = val_text_is(val_get(c, STR("expect")), STR("accept"));
	struct str ours = is_height_8 ? ARENA_JOIN(a, STR("tile/"), str_of(path.p + 7, path.n - 7)) : path;

	test_case("%.*s", STR_ARG(path));
	if (!is_height_8 && want) {
		CHECK(!tile_parse_path(path, &t));
		return false;
	}
	CHECK_INT(tile_parse_path(ours, &t), want);
	return true;
}

TEST(paths_that_go_takes_are_taken_without_their_height)
{
	struct str rest = test_read(test_shared("corpora/06-merkle-notes/dev/notes/cases.jsonl"));
	struct json_parser *p = json_parser_open((struct json_options){ .max_depth = 0 });
	struct arena a;
	size_t n = 0;
	struct val v;

	arena_init(&a);
	while (rest.n > 0) {
		CHECK(json_parse_copy(p, str_cut(rest, '\n', &rest), &v, NULL));
		if (val_text_is(val_get(v, STR("kind")), STR("tilepath"))) {
			check_go_path(&a, v);
			n++;
		}
	}
	CHECK(n > 0);
	json_parser_close(p);
	arena_free(&a);
}
