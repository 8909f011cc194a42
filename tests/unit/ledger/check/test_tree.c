#include "unit/ledger/made_check.h"

/* Enough for two full tiles, a partial one and a level above. */
#define MANY 600

static struct made *make(size_t count)
{
	struct made *m = made_new();

	for (size_t i = 0; i < count; i++) {
		char text[300];
		int n = snprintf(text, sizeof(text),
				 "{\"completeness\":\"complete\",\"experiment\":\"e\",\"id\":\"t%zu\",\"kind\":\"trial\","
				 "\"record\":{\"alg\":\"sha256\",\"hex\":\"%064zx\",\"media\":\"m\",\"size\":1},"
				 "\"sealed_at\":\"2026-07-01T10:00:00.000Z\",\"v\":\"ledger-entry/v1\"}", i, i);

		made_add_bytes(m, LEDGER_MAIN, str_of(text, (size_t)n));
	}
	made_publish_at(m, LEDGER_MAIN, count);
	return m;
}

/* Without the objects, which these have not. */
static void run(struct made *m)
{
	struct ledger_check c = made_check(m);

	c.objects = false;
	c.local = false;
	made_run_with(m, c);
}

TEST(a_tree_of_any_size_is_worked_out_as_it_was_signed)
{
	static const size_t sizes[] = { 1, 2, 3, 255, 256, 257, 511, 512, 513, MANY };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct made *m = make(sizes[i]);

		test_case("%zu entries", sizes[i]);
		run(m);
		CHECK_CLEAN(m);
		CHECK_INT(m->report[0].size, sizes[i]);
	}
}

TEST(a_changed_tile_is_named_and_nothing_that_follows_from_it)
{
	static const char *const tiles[] = { "tile/0/000", "tile/0/001", "tile/0/002.p/88", "tile/1/000.p/2" };

	for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
		struct made *m = make(MANY);

		test_case("%s", tiles[i]);
		made_file(m, "l/%s", tiles[i])->bytes.p[40] ^= 4;
		run(m);
		CHECK_ONLY(m, LG_TILE, tiles[i]);
		CHECK_ONLY(m, LG_TILE, "hash 1 ");
	}
}

TEST(a_changed_entry_is_named_and_nothing_that_follows_from_it)
{
	static const char *const bundles[] = { "tile/entries/000", "tile/entries/001", "tile/entries/002.p/88" };

	for (size_t i = 0; i < sizeof(bundles) / sizeof(bundles[0]); i++) {
		struct made *m = make(MANY);
		char entry[32];

		test_case("%s", bundles[i]);
		made_file(m, "l/%s", bundles[i])->bytes.p[20] ^= 1;
		run(m);
		snprintf(entry, sizeof(entry), ": entry %zu is not", 256 * i);
		CHECK_ONLY(m, LG_BUNDLE, bundles[i]);
		CHECK_ONLY(m, LG_BUNDLE, entry);
	}
}

TEST(what_is_missing_is_named)
{
	static const struct {
		const char *name;
		enum ledger_rule rule;
	} files[] = {
		{ "tile/0/000", LG_TILE_GONE },          { "tile/0/002.p/88", LG_TILE_GONE },
		{ "tile/1/000.p/2", LG_TILE_GONE },      { "tile/entries/001", LG_BUNDLE_GONE },
		{ "tile/entries/002.p/88", LG_BUNDLE_GONE },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct made *m = make(MANY);

		test_case("%s", files[i].name);
		made_file(m, "l/%s", files[i].name)->gone = true;
		run(m);
		CHECK_ONLY(m, files[i].rule, files[i].name);
	}
}

TEST(a_file_that_is_too_long_or_too_short_is_named)
{
	static const struct {
		const char *name;
		enum ledger_rule rule;
	} files[] = {
		{ "tile/0/000", LG_TILE },           { "tile/0/002.p/88", LG_TILE },   { "tile/1/000.p/2", LG_TILE },
		{ "tile/entries/001", LG_BUNDLE },   { "tile/entries/002.p/88", LG_BUNDLE },
	};

	for (size_t i = 0; i < 2 * sizeof(files) / sizeof(files[0]); i++) {
		struct made *m = make(MANY);
		struct disk_file *f = made_file(m, "l/%s", files[i / 2].name);

		test_case("%s, %s", files[i / 2].name, i % 2 ? "longer" : "shorter");
		if (i % 2)
			buf_add_byte(&f->bytes, 'x');
		else
			f->bytes.n--;
		run(m);
		CHECK_ONLY(m, files[i / 2].rule, files[i / 2].name);
	}
}

TEST(files_that_changed_places_are_both_named)
{
	static const char *const names[] = { "tile/0/%s", "tile/entries/%s" };

	for (size_t i = 0; i < 2; i++) {
		struct made *m = make(MANY);
		char a[32], b[32];
		struct disk_file *f, *g;
		struct buf kept;

		snprintf(a, sizeof(a), i ? "tile/entries/000" : "tile/0/000");
		snprintf(b, sizeof(b), i ? "tile/entries/001" : "tile/0/001");
		test_case("%s", names[i]);
		f = made_file(m, "l/%s", a);
		g = made_file(m, "l/%s", b);
		kept = f->bytes;
		f->bytes = g->bytes;
		g->bytes = kept;
		run(m);
		CHECK_INT(m->findings.errors, 2);
		CHECK_INT(made_count(m, i ? LG_BUNDLE : LG_TILE, a), 1);
		CHECK_INT(made_count(m, i ? LG_BUNDLE : LG_TILE, b), 1);
	}
}

/* Both files of the same entries changed, in step: only the hash above them knows better. */
TEST(an_entry_that_was_changed_together_with_its_tile_is_found_above)
{
	struct made *m = make(MANY);
	struct disk_file *bundle = made_file(m, "l/tile/entries/000");
	struct digest leaf;

	bundle->bytes.p[20] ^= 1;
	leaf = merkle_leaf(&m->sha, str_of(bundle->bytes.p + 2, m->logs[0].entries[0].n));
	memcpy(made_file(m, "l/tile/0/000")->bytes.p, leaf.b, sizeof(leaf.b));
	run(m);
	CHECK_INT(made_count(m, LG_TILE, "tile/1/000.p/2: hash 0 is not that of tile/0/000"), 1);
	CHECK_INT(made_count(m, LG_ROOT, "checkpoint: "), 1);
}

TEST(a_tree_made_anew_does_not_have_the_signed_root)
{
	struct made *m = make(MANY), *other = make(MANY);

	made_add_bytes(m, LEDGER_MAIN, STR("{}"));
	m->logs[0].entries[3] = m->logs[0].entries[MANY];
	m->logs[0].leaves[3] = m->logs[0].leaves[MANY];
	made_publish_at(m, LEDGER_MAIN, MANY);
	made_put(m, buf_str(&made_file(other, "l/checkpoint")->bytes), "l/checkpoint");
	made_put(m, buf_str(&made_file(other, "l/checkpoint")->bytes), "l/checkpoints/600");
	run(m);
	CHECK_INT(made_count(m, LG_ROOT, "checkpoint: "), 1);
}

TEST(bundle_and_tile_lost_together_are_stepped_over)
{
	struct made *m = make(MANY);

	made_file(m, "l/tile/entries/001")->gone = true;
	made_file(m, "l/tile/0/001")->gone = true;
	run(m);
	CHECK_INT(m->findings.errors, 2);
	CHECK_INT(made_count(m, LG_BUNDLE_GONE, "tile/entries/001: "), 1);
	CHECK_INT(made_count(m, LG_TILE_GONE, "tile/0/001: "), 1);
}

TEST(older_partial_tiles_are_how_the_full_one_begins)
{
	static const struct {
		const char *name;
		enum ledger_rule rule;
	} files[] = {
		{ "tile/0/000.p/7", LG_TILE },       { "tile/entries/000.p/7", LG_BUNDLE },
		{ "tile/0/002.p/80", LG_TILE },      { "tile/entries/002.p/80", LG_BUNDLE },
		{ "tile/1/000.p/1", LG_TILE },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct made *m = make(MANY);
		static const uint64_t older[] = { 7, 256, 592 };

		test_case("%s", files[i].name);
		for (size_t j = 0; j < 3; j++)
			made_publish_at(m, LEDGER_MAIN, older[j]);
		made_publish_at(m, LEDGER_MAIN, MANY);
		run(m);
		CHECK_CLEAN(m);
		made_file(m, "l/%s", files[i].name)->bytes.p[21] ^= 1;
		run(m);
		CHECK_ONLY(m, files[i].rule, files[i].name);
	}
}

TEST(a_log_that_grew_while_we_looked_has_a_full_tile_instead_of_a_partial_one)
{
	struct made *m = make(MANY), *older = make(100);

	made_put(m, buf_str(&made_file(older, "l/checkpoint")->bytes), "l/checkpoint");
	made_file(m, "l/checkpoints/600")->gone = true;
	run(m);
	CHECK_ONLY(m, LG_OLDER, "checkpoint: it is of 100 entries, and its key signed 600");
	CHECK_INT(m->report[0].size, 100);
}

/* A key that is not trusted may sign any size. */
TEST(a_size_that_is_a_lie_is_not_looked_for_to_its_end)
{
	struct made *m = make(3);
	struct checkpoint c = { .origin = m->key.name, .size = UINT64_C(1) << 60 };
	struct err err = { .kind = ERR_NONE };
	struct buf note;

	buf_init(&note);
	CHECK(checkpoint_sign(&note, &c, &m->logs[0].signer, &err));
	made_put(m, buf_str(&note), "l/checkpoint");
	run(m);
	CHECK_INT(made_count(m, LG_BUNDLE_GONE, "the rest was not checked"), 1);
	buf_free(&note);
}
