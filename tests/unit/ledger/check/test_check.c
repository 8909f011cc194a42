#include "ledger/check/check.h"

#include "unit/ledger/made_check.h"

/* Two trials, a review, an artifact, an erased trial; and a partial one. */
static struct made *make(void)
{
	struct made *m = made_new();

	made_trial(m, LEDGER_MAIN, "a");
	made_trial(m, LEDGER_MAIN, "b");
	made_review(m, LEDGER_MAIN, "r", made_ref(m, LEDGER_MAIN, 0, "a"));
	made_artifact(m, LEDGER_MAIN, "b/out.txt", made_ref(m, LEDGER_MAIN, 1, "b"), STR("out"));
	made_trial(m, LEDGER_DIAGNOSTIC, "c");
	made_publish(m);
	return m;
}

TEST(nothing_is_found_in_a_ledger_that_is_whole)
{
	struct made *m = make();

	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->findings.infos, 0);
}

TEST(the_report_says_what_there_is)
{
	struct made *m = make();
	struct digest root = made_subtree(m, LEDGER_MAIN, 0, 4);

	made_run(m);
	CHECK(m->report[0].there && m->report[1].there);
	CHECK_INT(m->report[0].size, 4);
	CHECK_INT(m->report[1].size, 1);
	CHECK(memcmp(m->report[0].root.b, root.b, sizeof(root.b)) == 0);
	CHECK_STR(m->report[0].origin, STR("example.org/l"));
	CHECK_STR(m->report[1].origin, STR("example.org/l/diagnostic"));
	CHECK_STR(m->report[1].where, STR("l/diagnostic"));
	CHECK_INT(m->report[0].kinds[ENTRY_TRIAL], 2);
	CHECK_INT(m->report[0].kinds[ENTRY_REVIEW], 1);
	CHECK_INT(m->report[0].objects, 4);
	CHECK_INT(m->report[0].erased, 0);
	CHECK_INT(m->report[0].unpublished, 0);
	CHECK(m->report[0].signed_well && m->report[0].key_is_trusted);
	CHECK(m->report[1].signed_well && m->report[1].key_is_trusted);
	CHECK(m->report[0].bytes > 4 * 300);
}

TEST(an_empty_ledger_is_whole)
{
	struct made *m = made_new();

	made_publish(m);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].size, 0);
}

TEST(without_a_key_of_ones_own_that_beside_the_log_is_taken_and_not_trusted)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	c.vkey = (struct str){ NULL, 0 };
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK(m->report[0].signed_well && !m->report[0].key_is_trusted && !m->report[1].key_is_trusted);
}

TEST(a_key_that_is_none_is_an_error_of_usage)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	struct err err = { .kind = ERR_NONE };

	c.vkey = STR("example.org/l+nonsense");
	CHECK(!ledger_check_run(&c, m->report, &err));
	CHECK_INT(err.kind, ERR_USAGE);
}

TEST(a_directory_without_a_log_is_an_error)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	struct err err = { .kind = ERR_NONE };

	c.where = STR("elsewhere");
	CHECK(!ledger_check_run(&c, m->report, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(strstr(err.text, "elsewhere") && strstr(err.text, "= help: "));
}

TEST(what_cannot_be_read_is_an_error_and_not_a_finding)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	struct err err = { .kind = ERR_NONE };

	findings_init(&m->findings, &m->arena, 0);
	m->disk->deny = EIO;
	CHECK(!ledger_check_run(&c, m->report, &err));
	CHECK_INT(err.kind, ERR_IO);
	CHECK_INT(m->findings.errors, 0);
}

TEST(a_second_log_that_is_gone_is_missed_by_its_key)
{
	struct made *m = make();

	for (size_t i = 0; i < m->disk->count; i++)
		if (strncmp(m->disk->files[i].path, "l/diagnostic/", 13) == 0)
			m->disk->files[i].gone = true;
	made_run(m);
	CHECK_INT(made_count(m, LG_NO_CHECKPOINT, "diagnostic/checkpoint: "), 1);
}

TEST(a_copy_without_the_second_log_and_without_the_state_is_whole)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);

	for (size_t i = 0; i < m->disk->count; i++)
		if (strncmp(m->disk->files[i].path, "l/diagnostic/", 13) == 0 ||
		    strncmp(m->disk->files[i].path, "l/.state/", 9) == 0)
			m->disk->files[i].gone = true;
	c.local = false;
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK(m->report[0].there && !m->report[1].there);
}

TEST(findings_about_the_second_log_name_its_directory)
{
	struct made *m = make();

	made_file(m, "l/diagnostic/tile/0/000.p/1")->bytes.p[3] ^= 1;
	made_run(m);
	CHECK_ONLY(m, LG_TILE, "diagnostic/tile/0/000.p/1: ");
}

static void count_ticks(void *context, uint64_t done, uint64_t of)
{
	CHECK(done <= of);
	++*(int *)context;
}

TEST(somebody_who_waits_is_told_how_far_it_is)
{
	struct made *m = make();
	struct ledger_check c = made_check(m);
	int ticks = 0;

	c.tick = count_ticks;
	c.context = &ticks;
	made_run_with(m, c);
	CHECK(ticks >= 2);
}

/* ---- a log behind an engine, of which there are only rows ---- */

struct engine {
	struct log log;
	struct made *made;
	bool no_tiles;
};

static bool engine_checkpoint(struct log *l, struct arena *a, struct str *note, struct err *err)
{
	struct engine *e = (struct engine *)l;

	(void)err;
	*note = arena_copy(a, buf_str(&made_file(e->made, "l/checkpoint")->bytes));
	return true;
}

static bool engine_tile(struct log *l, struct arena *a, const struct tile *t, struct str *bytes, struct err *err)
{
	struct engine *e = (struct engine *)l;
	char path[TILE_PATH_MAX];

	if (e->no_tiles)
		return err_set(err, ERR_DATA, "there is none");
	tile_path(path, t);
	*bytes = arena_copy(a, buf_str(&made_file(e->made, "l/%s", path)->bytes));
	return true;
}

static bool engine_object(struct log *l, struct arena *a, struct digest d, struct str *bytes, bool *found, struct err *err)
{
	struct engine *e = (struct engine *)l;
	char hex[SHA256_HEX], path[128];
	struct disk_file *f;

	(void)err;
	digest_hex(hex, d);
	snprintf(path, sizeof(path), "l/objects/sha256/%.2s/%.62s", hex, hex + 2);
	f = disk_find(e->made->disk, path);
	*found = f != NULL;
	if (f)
		*bytes = arena_copy(a, buf_str(&f->bytes));
	return true;
}

TEST(a_log_in_a_database_is_checked_by_its_rows)
{
	static const struct log_ops ops = { .checkpoint = engine_checkpoint, .tile = engine_tile, .object = engine_object };
	struct made *m = make();
	struct engine e = { .log = { .ops = &ops, .where = STR("postgres://h/db"), .key = m->key, .key_is_trusted = true },
			    .made = m };
	struct ledger l = { .logs = { &e.log }, .where = STR("postgres://h/db"), .arena = &m->arena };
	struct ledger_check c = made_check(m);

	c.ledger = &l;
	made_run_with(m, c);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].size, 4);
	CHECK_INT(m->report[0].objects, 4);
	CHECK_STR(m->report[0].where, STR("postgres://h/db"));
	CHECK(m->report[0].signed_well && m->report[0].key_is_trusted && !m->report[1].there);
	made_file(m, "l/tile/entries/000.p/4")->bytes.p[30] ^= 1;
	made_run_with(m, c);
	CHECK_ONLY(m, LG_BUNDLE, "tile/entries/000.p/4: entry 0 ");
	made_file(m, "l/tile/entries/000.p/4")->bytes.p[30] ^= 1;
	for (size_t i = 0; i < m->disk->count; i++)
		m->disk->files[i].gone = m->disk->files[i].gone || strstr(m->disk->files[i].path, "l/objects/");
	made_run_with(m, c);
	CHECK_INT(m->findings.errors, 4);
	CHECK_INT(made_count(m, LG_OBJECT_GONE, ""), 4);
	e.no_tiles = true;
	made_run_with(m, c);
	CHECK_INT(made_count(m, LG_BUNDLE_GONE, ""), 1);
	CHECK_INT(made_count(m, LG_TILE_GONE, ""), 1);
}
