#include <unistd.h>

#include "ledger/ids.h"
#include "unit/ledger/made_check.h"

/* Six entries, of which `published` are. */
static struct made *make(uint64_t published)
{
	struct made *m = made_new();

	for (int i = 0; i < 6; i++)
		made_trial(m, LEDGER_MAIN, (char[]){ (char)('a' + i), 0 });
	made_publish_at(m, LEDGER_DIAGNOSTIC, 0);
	made_publish_at(m, LEDGER_MAIN, published);
	return m;
}

TEST(entries_that_are_committed_and_not_published_are_a_note)
{
	struct made *m = make(4);

	made_put_frame(m, LEDGER_MAIN, 3, 4); /* of before */
	made_put_frame(m, LEDGER_MAIN, 4, 6);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(made_count(m, LG_UNPUBLISHED, ".state/wal: 2 entries from 4 on"), 1);
	CHECK_INT(m->report[0].unpublished, 2);
	CHECK_INT(m->report[0].size, 4);
	CHECK_INT(m->report[0].kinds[ENTRY_TRIAL], 6);
}

TEST(a_frame_may_be_published_in_part)
{
	struct made *m = make(4);

	made_put_frame(m, LEDGER_MAIN, 2, 6);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].unpublished, 2);
}

TEST(a_head_that_is_ahead_of_the_checkpoint_is_right_when_the_frames_are_there)
{
	struct made *m = make(4);

	made_put_frame(m, LEDGER_MAIN, 4, 6);
	made_put_head(m, LEDGER_MAIN, made_sign(m, LEDGER_MAIN, 6));
	made_run(m);
	CHECK_CLEAN(m);
	made_put(m, STR(""), "l/.state/wal");
	for (size_t i = 0; i < m->disk->count; i++) /* the records of the two go too: they are not what this is about */
		if (strstr(m->disk->files[i].path, "/records/") || strstr(m->disk->files[i].path, "/objects/"))
			m->disk->files[i].gone = true;
	made_run(m);
	CHECK_INT(made_count(m, LG_ROLLBACK, "the log has 4 entries, and its key signed 6"), 1);
}

TEST(entries_of_frames_are_held_to_the_same_rules)
{
	struct made *m = make(6);

	made_add_bytes(m, LEDGER_MAIN, STR("{}"));
	made_review(m, LEDGER_MAIN, "r", made_ref(m, LEDGER_MAIN, 6, "x"));
	made_put_frame(m, LEDGER_MAIN, 6, 8);
	made_run(m);
	CHECK_INT(made_count(m, LG_ENTRY, ".state/wal: entry 6: "), 1);
	CHECK_INT(m->report[0].unpublished, 2);
}

TEST(a_torn_frame_is_a_warning)
{
	struct made *m = make(4);
	struct disk_file *wal = made_file(m, "l/.state/wal");

	made_put_frame(m, LEDGER_MAIN, 4, 6);
	wal->bytes.n -= 5;
	for (int i = 4; i < 6; i++) {
		char path[64];

		snprintf(path, sizeof(path), "l/records/exp/%c.json", 'a' + i);
		disk_find(m->disk, path)->gone = true;
	}
	made_run(m);
	CHECK_INT(made_count(m, LG_TORN, ".state/wal: "), 1);
	CHECK_INT(m->findings.errors, 0);
	CHECK_INT(m->report[0].unpublished, 0);
}

TEST(zeros_behind_the_last_frame_were_written_ahead_and_are_no_finding)
{
	struct made *m = make(6);
	struct disk_file *wal = made_file(m, "l/.state/wal");

	made_put_frame(m, LEDGER_MAIN, 4, 6);
	memset(buf_reserve(&wal->bytes, 100), 0, 100);
	wal->bytes.n += 100;
	made_run(m);
	CHECK_CLEAN(m);
}

TEST(a_frame_that_does_not_continue_the_log_is_an_error)
{
	struct made *m = make(4);

	made_put_frame(m, LEDGER_MAIN, 5, 6);
	made_run(m);
	CHECK_INT(made_count(m, LG_WAL, ".state/wal: a frame begins at entry 5, and the log ends at 4"), 1);
}

TEST(a_frame_with_fewer_entries_than_it_says_is_an_error)
{
	struct made *m = make(6);
	struct wal_key key;
	struct buf bundle;

	buf_init(&bundle);
	bundle_add(&bundle, STR("{}"));
	wal_key_init(&key, m->logs[LEDGER_MAIN].signer.seed, m->key.name);
	wal_add_frame(&made_file(m, "l/.state/wal")->bytes, &m->sha, &key, 6, 3, buf_str(&bundle));
	made_run(m);
	CHECK_INT(made_count(m, LG_WAL, ".state/wal: the frame at entry 6 does not hold the 3 entries"), 1);
	buf_free(&bundle);
}

/* ---- whose frames they are ---- */

/* The names and objects of entries that are not the log's would be findings of their own. */
static void drop_files_of(struct made *m, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		char path[96], hex[SHA256_HEX];
		struct digest d;

		snprintf(path, sizeof(path), "{\"trial_id\":\"%c\"}", (char)('a' + i));
		d = sha256_of(&m->sha, str_from(path));
		digest_hex(hex, d);
		snprintf(path, sizeof(path), "l/objects/sha256/%.2s/%.62s", hex, hex + 2);
		disk_find(m->disk, path)->gone = true;
		snprintf(path, sizeof(path), "l/records/exp/%c.json", (char)('a' + i));
		disk_find(m->disk, path)->gone = true;
	}
}

TEST(a_frame_that_was_not_written_with_the_key_is_an_error_and_names_its_entries)
{
	struct made *m = make(4);

	made_put_frame(m, LEDGER_MAIN, 4, 5);
	made_put_frame_of(m, LEDGER_MAIN, 5, 6, &m->logs[LEDGER_DIAGNOSTIC].signer);
	drop_files_of(m, 5, 6);
	made_run(m);
	CHECK_ONLY(m, LG_FRAME_FALSE, ".state/wal: the frame of entry 5 (the trial 'f') was not written with the log's key");
	CHECK_INT(made_count(m, LG_UNPUBLISHED, ".state/wal: 1 entry from 4 on is not published yet"), 1);
	CHECK_INT(made_count(m, LG_UNPUBLISHED, ".state/wal: 1 entry stands in frames that do not verify: not published"), 1);
	CHECK_INT(m->report[0].unpublished, 1);
	CHECK_INT(m->report[0].unproven, 1);
	CHECK_INT(m->report[0].kinds[ENTRY_TRIAL], 5);
}

/* Writers refuse such a log, so it must not be called right. */
TEST(a_frame_of_somebody_else_is_named_even_when_no_entry_of_it_waits)
{
	static const struct { uint64_t first; uint32_t count; } cases[] = { { 9, 0 }, { 0, 1000 }, { UINT64_MAX, 2 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made *m = make(6);
		struct wal_key foreign;
		struct buf bundle;

		test_case("%d", (int)i);
		buf_init(&bundle);
		if (cases[i].count == 1000)
			bundle_add(&bundle, STR("{}"));
		wal_key_init(&foreign, m->logs[LEDGER_MAIN].signer.seed, STR("another.example.org"));
		wal_add_frame(&made_file(m, "l/.state/wal")->bytes, &m->sha, &foreign, cases[i].first, cases[i].count,
			      buf_str(&bundle));
		made_run(m);
		CHECK_INT(made_count(m, LG_FRAME_FALSE, ".state/wal: a frame at entry "), 1);
		buf_free(&bundle);
	}
}

TEST(a_frame_of_an_earlier_version_is_named_when_it_waits_and_else_is_nothing)
{
	struct made *m = make(4);

	made_put_old_frame(m, LEDGER_MAIN, 2, 4);
	made_run(m);
	drop_files_of(m, 4, 6);
	made_run(m);
	CHECK_CLEAN(m);
	made_put_old_frame(m, LEDGER_MAIN, 4, 6);
	made_run(m);
	CHECK_INT(m->findings.errors, 2);
	CHECK_INT(m->findings.warnings, 0);
	CHECK_INT(made_count(m, LG_FRAME_OLD, ".state/wal: the frame of entry 5 (the trial 'f') has no code"), 1);
	CHECK_INT(m->report[0].unpublished, 0);
	CHECK_INT(m->report[0].unproven, 2);
}

/* It was ended between the head beside the key and the checkpoint: the head vouches for the frame. */
TEST(a_frame_of_an_earlier_version_below_a_head_that_the_key_signed_is_proven_by_it)
{
	struct made *m = make(4);

	made_put_old_frame(m, LEDGER_MAIN, 4, 6);
	made_put_head(m, LEDGER_MAIN, made_sign(m, LEDGER_MAIN, 6));
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[0].unpublished, 2);
}

TEST(frames_cannot_be_checked_without_the_private_key_and_that_is_said)
{
	struct made *m = make(4);
	struct ledger_check c = made_check(m);

	made_put_frame(m, LEDGER_MAIN, 3, 6);
	c.signer = NULL;
	made_run_with(m, c);
	CHECK_ONLY(m, LG_FRAME_UNCHECKED, ".state/wal: 2 entries from 4 on cannot be checked: the private key is not here");
	CHECK_INT(m->report[0].unpublished, 2);
	CHECK_INT(m->report[0].unchecked, 2);
}

TEST(frames_of_the_second_log_are_proven_under_its_own_name)
{
	struct made *m = make(6);

	made_trial(m, LEDGER_DIAGNOSTIC, "p");
	made_put_frame(m, LEDGER_DIAGNOSTIC, 0, 1);
	made_run(m);
	CHECK_CLEAN(m);
	CHECK_INT(m->report[LEDGER_DIAGNOSTIC].unpublished, 1);
}

TEST(a_write_ahead_file_that_is_missing_is_an_error)
{
	struct made *m = make(6);

	made_file(m, "l/.state/wal")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_WAL, ".state/wal: it is missing");
}

TEST(a_version_that_is_not_known_is_an_error)
{
	struct made *m = make(6);

	made_put(m, STR("2\n"), "l/.state/version");
	made_run(m);
	CHECK_ONLY(m, LG_VERSION, ".state/version: ");
	made_file(m, "l/.state/version")->gone = true;
	made_run(m);
	CHECK_ONLY(m, LG_VERSION, ".state/version: it is missing");
}

/* ---- the table of ids, written by its own code to a real file ---- */

static struct str table_of(struct made *m, uint64_t count, bool with_all)
{
	char dir[] = "/tmp/trackway-ids-XXXXXX", path[64];
	struct err err = { .kind = ERR_NONE };
	struct str bytes;
	struct ids *t;

	CHECK(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/ids.idx", dir);
	t = ids_open(&io_system, path);
	for (uint64_t i = 0; i < count; i++) {
		char id = (char)('a' + i);
		struct entry e = { .kind = ENTRY_TRIAL, .experiment = STR("exp"), .id = str_of(&id, 1) };

		if (!with_all && i == 1)
			e.id = STR("another");
		ids_add(t, entry_ident(&m->arena, &e), i);
	}
	CHECK(ids_save(t, made_subtree(m, LEDGER_MAIN, 0, count), &err));
	ids_close(t);
	bytes = test_read(path);
	unlink(path);
	rmdir(dir);
	return bytes;
}

TEST(a_table_of_ids_that_fits_is_no_finding)
{
	struct made *m = make(6);

	made_put(m, table_of(m, 4, true), "l/.state/ids.idx");
	made_run(m);
	CHECK_CLEAN(m);
}

TEST(a_table_of_ids_that_does_not_fit_is_a_warning)
{
	struct made *m = make(6), *other = made_new();

	made_put(m, table_of(m, 4, false), "l/.state/ids.idx");
	made_run(m);
	CHECK_ONLY(m, LG_IDS, ".state/ids.idx: it does not lead to entry 1 (1 in all)");
	made_trial(other, LEDGER_MAIN, "a");
	made_trial(other, LEDGER_MAIN, "other");
	made_put(m, table_of(other, 2, true), "l/.state/ids.idx");
	made_run(m);
	CHECK(made_count(m, LG_IDS, ".state/ids.idx: it is of a log that had another root at 2 entries") == 1);
	made_put(m, STR("garbage"), "l/.state/ids.idx");
	made_run(m);
	CHECK_ONLY(m, LG_IDS, ".state/ids.idx: it is not a table of ids");
	CHECK_INT(m->findings.errors, 0);
}
