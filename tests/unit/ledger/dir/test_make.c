#include "unit/ledger/log_dir_kit.h"

TEST(a_new_log_has_what_the_layout_says)
{
	struct checkpoint c;
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct key key;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	CHECK_STR(kit_read(&k, ".state/version"), STR("1\n"));
	CHECK_INT(kit_read(&k, ".state/wal").n, 0);
	CHECK(kit_exists(&k, ".state/lock"));
	CHECK(kit_exists(&k, "tile") && kit_exists(&k, "objects/sha256"));
	CHECK_STR(kit_read(&k, "checkpoints/0"), kit_read(&k, "checkpoint"));
	CHECK(key_parse(kit_read(&k, "vkey"), &key));
	CHECK(memcmp(key.id, k.signer.key.id, KEY_ID) == 0);
	kit_must(log_read_checkpoint(l, &k.arena, &c, NULL, &err), &err);
	CHECK_INT(c.size, 0);
	log_close(l);
	kit_end(&k);
}

TEST(directories_above_are_made_and_slashes_at_the_end_do_not_matter)
{
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	kit_begin(&k);
	k.options.dir = ARENA_JOIN(&k.arena, k.root, STR("/a/b/ledger//"));
	log_close(kit_make(&k));
	CHECK(chdir(k.root.p) == 0);
	k.options.dir = STR("c/d");
	k.options.keys = (struct str){ NULL, 0 };
	log_close(kit_make(&k));
	CHECK(log_dir_is_one(NULL, STR("c/d")));
	k.options.dir = STR("plain");
	log_close(kit_make(&k));
	kit_must(err.kind == ERR_NONE, &err);
	CHECK(chdir("/") == 0);
	kit_end(&k);
}

TEST(a_log_is_not_made_where_one_is)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	CHECK(!log_dir_make(&k.options, KIT_ORIGIN, &err));
	CHECK(strstr(err.text, "is a ledger already"));
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	log_close(l);
	CHECK(unlink(kit_path(&k, "checkpoint")) == 0);
	CHECK(!log_dir_make(&k.options, KIT_ORIGIN, &err));
	CHECK(strstr(err.text, "has entries of a ledger whose checkpoint is gone"));
	kit_end(&k);
}

TEST(a_log_that_was_not_finished_is_made_again)
{
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	CHECK(unlink(kit_path(&k, "checkpoint")) == 0);
	log_close(kit_make(&k));
	kit_end(&k);
}

TEST(a_key_that_has_signed_more_makes_no_second_log)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1);
	kit_publish(l);
	log_close(l);
	k.options.dir = ARENA_JOIN(&k.arena, k.root, STR("/second"));
	CHECK(!log_dir_make(&k.options, KIT_ORIGIN, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_ROLLBACK)));
	kit_end(&k);
}

TEST(a_log_needs_the_key_of_its_origin)
{
	struct err err = { .kind = ERR_NONE };
	struct kit k;

	kit_begin(&k);
	CHECK(!log_dir_make(&k.options, STR("ledger.example/other"), &err));
	CHECK_INT(err.kind, ERR_USAGE);
	k.options.signer = NULL;
	CHECK(!log_dir_make(&k.options, KIT_ORIGIN, &err));
	CHECK(str_starts(str_from(err.text), STR(LOG_E_NO_KEY)));
	CHECK(!log_dir_is_one(NULL, k.dir));
	kit_end(&k);
}

TEST(the_state_tells_what_waits_and_what_is_torn)
{
	struct err err = { .kind = ERR_NONE };
	struct log_dir_state state;
	struct log *l, *r;
	struct kit k;
	FILE *f;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	kit_publish(l);
	kit_append(&k, l, 2, 3);
	k.options.read_only = true;
	r = kit_open(&k);
	kit_must(log_dir_state(r, &state, &err), &err);
	CHECK(state.published == 2 && state.committed == 5 && state.has_head && state.head_size == 2);
	CHECK(state.wal_torn == 0);
	f = fopen(kit_path(&k, ".state/wal"), "r+");
	CHECK(f && fseek(f, (long)state.wal_bytes + 4, SEEK_SET) == 0 && fputc('x', f) == 'x' && fclose(f) == 0);
	kit_must(log_dir_state(r, &state, &err), &err);
	CHECK_INT(state.wal_torn, 5);
	CHECK(unlink(kit_path(&k, ".state/wal")) == 0);
	kit_must(log_dir_state(r, &state, &err), &err);
	CHECK(state.published == 2 && state.committed == 2 && state.wal_bytes == 0);
	log_close(r);
	log_close(l);
	kit_end(&k);
}
