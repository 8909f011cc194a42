#include "unit/ledger/log_dir_kit.h"

#include <fcntl.h>

/* A copy of the whole directory, as a backup would have it. */
static void copy_dir(struct kit *k, const char *from, const char *to)
{
	CHECK_INT(system(arena_printf(&k->arena, "rm -rf '%s/%s' && cp -a '%s/%s' '%s/%s'", k->root.p, to, k->root.p, from,
				      k->root.p, to).p), 0);
}

TEST(a_torn_frame_of_any_length_is_as_if_it_had_never_been)
{
	struct err err = { .kind = ERR_NONE };
	struct str good, whole;
	size_t frame;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	k.options.keys = (struct str){ NULL, 0 }; /* the log goes back to its beginning each time */
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	{
		struct log_dir_state state;

		kit_must(log_dir_state(l, &state, &err), &err);
		good = kit_read(&k, ".state/wal");
		good.n = (size_t)state.wal_bytes;
		kit_append(&k, l, 2, 1);
		kit_must(log_dir_state(l, &state, &err), &err);
		whole = kit_read(&k, ".state/wal");
		frame = (size_t)state.wal_bytes - good.n;
		log_close(l);
	}
	copy_dir(&k, "ledger", "before");
	/* Each costs a copy and a dozen syncs: every byte of what is around the entry, and some of the entry. */
	for (size_t n = 0; n <= frame; n += n < 24 || n + 70 > frame ? 1 : 11) {
		struct log_dir_state state;

		test_case("%zu of %zu bytes", n, frame);
		copy_dir(&k, "before", "ledger");
		kit_write(&k, ".state/wal", str_of(whole.p, good.n + n));
		l = kit_open(&k);
		kit_check_numbers(&k, l, n < frame ? 2 : 3);
		kit_must(log_dir_state(l, &state, &err), &err);
		CHECK_INT(state.wal_torn, 0); /* it is in a new file */
		kit_append(&k, l, n < frame ? 2 : 3, 1);
		log_close(l);
		l = kit_open(&k);
		kit_check_numbers(&k, l, n < frame ? 3 : 4);
		log_close(l);
	}
	kit_end(&k);
}

TEST(zeros_behind_the_last_frame_were_written_ahead)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_state state;
	struct stat before, after;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	kit_must(log_dir_state(l, &state, &err), &err);
	CHECK_INT(kit_read(&k, ".state/wal").n, 256 << 10);
	CHECK(state.wal_torn == 0 && state.wal_bytes < 1000);
	log_close(l);
	CHECK(stat(kit_path(&k, ".state/wal"), &before) == 0);
	l = kit_open(&k); /* published, synced, clean: the file is good enough */
	CHECK(stat(kit_path(&k, ".state/wal"), &after) == 0 && before.st_ino == after.st_ino);
	kit_append(&k, l, 1, 1);
	CHECK_INT(kit_read(&k, ".state/wal").n, 256 << 10);
	log_close(l);
	kit_end(&k);
}

TEST(what_was_committed_and_not_published_is_published_by_the_next)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 300);
	kit_check_published(&k, 0);
	log_close(l);
	l = kit_open(&k);
	kit_check_published(&k, 300);
	kit_check_numbers(&k, l, 300);
	log_close(l);
	kit_end(&k);
}

TEST(an_older_copy_in_the_place_of_the_log_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item item;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	copy_dir(&k, "ledger", "old");
	kit_append(&k, l, 2, 2);
	kit_publish(l);
	copy_dir(&k, "old", "ledger"); /* below an open handle */
	item = kit_number(&k, 9);
	CHECK(!log_append(l, &item, 1, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_ROLLBACK)));
	log_close(l);
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_ROLLBACK)));
	CHECK(strstr(err.text, k.dir.p) && strstr(err.text, "= help: "));
	k.options.keys = (struct str){ NULL, 0 }; /* without a memory of what was signed nobody can tell */
	log_close(kit_open(&k));
	kit_end(&k);
}

TEST(a_second_history_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_options forgetful;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	copy_dir(&k, "ledger", "old");
	l = kit_open(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	log_close(l);
	copy_dir(&k, "old", "ledger");
	forgetful = k.options;
	forgetful.keys = (struct str){ NULL, 0 };
	l = log_dir_open(&forgetful, &err);
	kit_must(l != NULL, &err);
	kit_append(&k, l, 5, 3);
	kit_publish(l);
	log_close(l);
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_FORK)));
	kit_end(&k);
}

/* The signer's memory was renewed while we had the log open: we must not sign either. */
TEST(a_signer_does_not_sign_what_does_not_continue_what_it_signed)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_options elsewhere;
	struct log *l, *other;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	copy_dir(&k, "ledger", "other");
	elsewhere = k.options;
	elsewhere.dir = ARENA_JOIN(&k.arena, k.root, STR("/other"));
	other = log_dir_open(&elsewhere, &err);
	kit_must(other != NULL, &err);
	kit_append(&k, other, 50, 1);
	kit_publish(other);
	log_close(other);
	kit_append(&k, l, 0, 1);
	CHECK(!log_publish(l, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_FORK)));
	kit_check_published(&k, 0);
	log_close(l);
	kit_end(&k);
}

TEST(a_checkpoint_older_than_the_frames_is_a_rollback_even_without_a_head)
{
	struct err err = { .kind = ERR_NONE };
	struct str old;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	k.options.keys = (struct str){ NULL, 0 };
	k.options.wal_limit = 1;
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	old = kit_read(&k, "checkpoint");
	kit_append(&k, l, 2, 2);
	kit_publish(l);
	kit_append(&k, l, 4, 1);
	log_close(l);
	kit_write(&k, "checkpoint", old);
	CHECK(!log_dir_open(&k.options, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_ROLLBACK)));
	kit_end(&k);
}

TEST(tiles_that_do_not_fit_the_checkpoint_stop_a_writer)
{
	static const char *const names[] = { "tile/0/000.p/3", "tile/entries/000.p/3" };

	for (size_t i = 0; i < 2; i++) {
		struct err err = { .kind = ERR_NONE };
		struct str bytes;
		char *changed;
		struct log *l;
		struct kit k;

		kit_begin(&k);
		l = kit_make(&k);
		kit_append(&k, l, 0, 3);
		kit_publish(l);
		log_close(l);
		bytes = kit_read(&k, names[i]);
		changed = test_alloc(bytes.n);
		memcpy(changed, bytes.p, bytes.n);
		changed[40] ^= 1;
		kit_write(&k, names[i], str_of(changed, bytes.n));
		test_case("%s", names[i]);
		CHECK(!log_dir_open(&k.options, &err));
		CHECK(strstr(err.text, "of the checkpoint of 3 entries"));
		kit_end(&k);
	}
}

TEST(leftovers_of_the_dead_are_removed_when_they_are_old)
{
	static const char *const names[] = { ".tmp4194999.0", ".state/.tmp4194999.1", "tile/.tmp4194999.2",
					     "objects/.tmp4194999.3" };
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct str own;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	own = arena_printf(&k.arena, ".tmp%ld.0", (long)getpid());
	for (size_t i = 0; i < 4; i++) {
		kit_write(&k, names[i], STR("left"));
		CHECK(utimensat(AT_FDCWD, kit_path(&k, names[i]), old, 0) == 0);
	}
	kit_write(&k, own.p, STR("mine"));
	CHECK(utimensat(AT_FDCWD, kit_path(&k, own.p), old, 0) == 0);
	kit_write(&k, ".tmp4194999.9", STR("young"));
	kit_write(&k, ".tmpdir", STR("not one of ours"));
	CHECK(utimensat(AT_FDCWD, kit_path(&k, ".tmpdir"), old, 0) == 0);
	l = kit_open(&k);
	for (size_t i = 0; i < 4; i++)
		CHECK(!kit_exists(&k, names[i]));
	CHECK(kit_exists(&k, own.p));
	CHECK(kit_exists(&k, ".tmp4194999.9"));
	CHECK(kit_exists(&k, ".tmpdir"));
	log_close(l);
	kit_end(&k);
}

TEST(a_wal_that_is_gone_is_made_again)
{
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	log_close(l);
	CHECK(unlink(kit_path(&k, ".state/wal")) == 0);
	l = kit_open(&k);
	kit_append(&k, l, 1, 1);
	log_close(l);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 2);
	log_close(l);
	kit_end(&k);
}
