#include "unit/ledger/log_dir_kit.h"

TEST(the_same_again_gives_the_same_place)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item first, again;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 5);
	for (int published = 0; published < 2; published++) {
		first = kit_number(&k, 3);
		again = first;
		kit_must(log_append(l, &again, 1, &err), &err);
		CHECK_INT(again.outcome, LOG_SAME);
		CHECK_INT(again.index, 3);
		first.leaf = merkle_leaf(&k.sha, first.entry);
		CHECK(memcmp(again.leaf.b, first.leaf.b, SHA256_SIZE) == 0);
		CHECK_INT(kit_size(l), 5);
		kit_publish(l);
	}
	log_close(l);
	l = kit_open(&k);
	again = kit_number(&k, 4);
	kit_must(log_append(l, &again, 1, &err), &err);
	CHECK(again.outcome == LOG_SAME && again.index == 4);
	log_close(l);
	kit_end(&k);
}

TEST(another_digest_under_the_same_ident_is_a_conflict)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item items[6];
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 2);
	items[0] = kit_item(&k, "trial-1", "another body"); /* against the log */
	items[1] = kit_item(&k, "new", "body");
	items[2] = kit_item(&k, "new", "body");     /* against its own batch */
	items[3] = kit_item(&k, "new", "other");
	items[4] = kit_number(&k, 0);
	items[5] = kit_item(&k, "newer", "body");
	kit_must(log_append(l, items, 6, &err), &err);
	CHECK(items[0].outcome == LOG_CONFLICT && items[0].index == 1);
	CHECK(items[1].outcome == LOG_ADDED && items[1].index == 2);
	CHECK(items[2].outcome == LOG_SAME && items[2].index == 2);
	CHECK(items[3].outcome == LOG_CONFLICT && items[3].index == 2);
	CHECK(items[4].outcome == LOG_SAME && items[4].index == 0);
	CHECK(items[5].outcome == LOG_ADDED && items[5].index == 3);
	CHECK(memcmp(items[3].leaf.b, items[1].leaf.b, SHA256_SIZE) == 0);
	CHECK_INT(kit_size(l), 4);
	log_close(l);
	l = kit_open(&k);
	items[0] = kit_item(&k, "newer", "else");
	kit_must(log_append(l, items, 1, &err), &err);
	CHECK(items[0].outcome == LOG_CONFLICT && items[0].index == 3);
	log_close(l);
	kit_end(&k);
}

TEST(the_same_id_in_another_experiment_is_another_trial)
{
	struct err err = { .kind = ERR_NONE };
	struct entry e = { .kind = ENTRY_TRIAL, .id = STR("trial-0"), .experiment = STR("e2") };
	struct log_item item;
	uint64_t index;
	struct log *l;
	struct kit k;
	bool found;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1);
	item = kit_number(&k, 0);
	kit_must(l->ops->find(l, item.ident, &found, &index, &err), &err);
	CHECK(found && index == 0);
	kit_must(l->ops->find(l, entry_ident(&k.arena, &e), &found, &index, &err), &err);
	CHECK(!found);
	log_close(l);
	kit_end(&k);
}

/* The table of idents is written when the log is closed; a new handle must find old entries in it, and new ones. */
TEST(entries_are_found_through_the_table_and_when_it_is_gone_or_wrong)
{
	static const struct str garbage = { "garbage", 7 };
	struct err err = { .kind = ERR_NONE };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	kit_append(&k, l, 0, 1500);
	kit_publish(l);
	CHECK(!kit_exists(&k, ".state/ids.idx"));
	log_close(l);
	CHECK(kit_exists(&k, ".state/ids.idx"));
	for (int what = 0; what < 4; what++) {
		struct str table = kit_read(&k, ".state/ids.idx");
		struct log_item items[3];

		test_case("%d", what);
		if (what == 1)
			unlink(kit_path(&k, ".state/ids.idx"));
		if (what == 2)
			kit_write(&k, ".state/ids.idx", garbage);
		if (what == 3) { /* in every block, and not in the head */
			char *changed = test_alloc(table.n);

			memcpy(changed, table.p, table.n);
			for (size_t at = 1024; at < table.n; at += 1024)
				changed[at + 3] ^= 1;
			kit_write(&k, ".state/ids.idx", str_of(changed, table.n));
		}
		l = kit_open(&k);
		items[0] = kit_number(&k, 7);
		items[1] = kit_item(&k, "trial-1400", "other");
		items[2] = kit_number(&k, 1500 + (unsigned)what);
		kit_must(log_append(l, items, 3, &err), &err);
		CHECK(items[0].outcome == LOG_SAME && items[0].index == 7);
		CHECK(items[1].outcome == LOG_CONFLICT && items[1].index == 1400);
		CHECK(items[2].outcome == LOG_ADDED && items[2].index == 1500 + (unsigned)what);
		log_close(l);
		kit_write(&k, ".state/ids.idx", table);
	}
	kit_end(&k);
}

TEST(a_table_of_another_log_is_not_used)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item item;
	struct str table;
	struct kit a, b;
	struct log *l;

	kit_begin(&a);
	l = kit_make(&a);
	kit_append(&a, l, 0, 1100);
	kit_publish(l);
	log_close(l);
	table = kit_read(&a, ".state/ids.idx");
	kit_begin(&b);
	l = kit_make(&b);
	kit_append(&b, l, 5000, 1200);
	kit_publish(l);
	log_close(l);
	kit_write(&b, ".state/ids.idx", table);
	l = kit_open(&b);
	item = kit_number(&b, 5001);
	kit_must(log_append(l, &item, 1, &err), &err);
	CHECK(item.outcome == LOG_SAME && item.index == 1);
	log_close(l);
	kit_end(&a);
	kit_end(&b);
}

TEST(an_entry_must_fit)
{
	struct err err = { .kind = ERR_NONE };
	char *long_text = test_alloc(ENTRY_MAX + 1);
	struct log_item item;
	struct str entry;
	struct log *l;
	struct kit k;

	kit_begin(&k);
	l = kit_make(&k);
	item = kit_number(&k, 0);
	item.entry = str_of(long_text, ENTRY_MAX + 1);
	CHECK(!log_append(l, &item, 1, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	item.entry.n = 0;
	CHECK(!log_append(l, &item, 1, &err));
	CHECK_INT(kit_size(l), 0);
	item.entry.n = ENTRY_MAX;
	kit_must(log_append(l, &item, 1, &err), &err);
	kit_publish(l);
	kit_must(l->ops->entry(l, &k.arena, 0, &entry, &err), &err);
	CHECK_INT(entry.n, ENTRY_MAX);
	CHECK(!l->ops->entry(l, &k.arena, 1, &entry, &err));
	CHECK(strstr(err.text, "there is no entry 1"));
	kit_must(log_append(l, NULL, 0, &err), &err);
	log_close(l);
	kit_end(&k);
}

/* ---- a disk that fails ---- */

struct bad_disk {
	int sync_at, write_at; /* the call that fails; 0: none */
	int syncs, writes;
	bool cut; /* writes do half of it */
};

static int bad_sync(void *own, int fd)
{
	struct bad_disk *b = own;

	return ++b->syncs == b->sync_at ? -EIO : io_system.ops->sync(NULL, fd);
}

static int64_t bad_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	struct bad_disk *b = own;

	if (++b->writes == b->write_at) {
		io_system.ops->write(NULL, fd, p, n / 2, at);
		return -ENOSPC;
	}
	return io_system.ops->write(NULL, fd, p, b->cut && n > 1 ? n / 2 : n, at);
}

TEST(after_a_failed_write_or_sync_nothing_more_is_written_and_nothing_is_lost)
{
	struct io_ops ops = *io_system.ops;

	ops.sync = bad_sync;
	ops.write = bad_write;
	for (int kind = 0; kind < 2; kind++) {
		struct bad_disk bad = { .sync_at = 0 };
		struct io io = { .ops = &ops, .own = &bad };
		struct err err = { .kind = ERR_NONE };
		struct log_item item;
		struct log *l;
		struct kit k;

		kit_begin(&k);
		k.options.io = &io;
		l = kit_make(&k);
		kit_append(&k, l, 0, 3);
		item = kit_number(&k, 3);
		bad.syncs = bad.writes = 0;
		*(kind ? &bad.sync_at : &bad.write_at) = 1;
		CHECK(!log_append(l, &item, 1, &err));
		CHECK(strstr(err.text, ".state/wal") && strstr(err.text, kind ? "Input/output error" : "No space left"));
		CHECK(!log_append(l, &item, 1, &err));
		CHECK(strstr(err.text, "nothing more is written after a write that failed"));
		CHECK_INT(kit_size(l), 3);
		log_close(l);
		l = kit_open(&k);
		kit_check_numbers(&k, l, 3);
		kit_must(log_append(l, &item, 1, &err), &err);
		CHECK(item.outcome == LOG_ADDED && item.index == 3);
		log_close(l);
		kit_end(&k);
	}
}

TEST(a_handle_that_fails_makes_the_others_recover)
{
	struct bad_disk bad = { .sync_at = 0 };
	struct io_ops ops = *io_system.ops;
	struct io io = { .ops = &ops, .own = &bad };
	struct err err = { .kind = ERR_NONE };
	struct stat before, after;
	struct log_item item;
	struct log *l, *other;
	struct kit k;

	ops.sync = bad_sync;
	kit_begin(&k);
	other = kit_make(&k);
	k.options.io = &io;
	l = kit_open(&k);
	kit_append(&k, other, 0, 1);
	CHECK(stat(kit_path(&k, ".state/wal"), &before) == 0);
	item = kit_number(&k, 1);
	bad.sync_at = bad.syncs + 1;
	CHECK(!log_append(l, &item, 1, &err));
	kit_append(&k, other, 1, 1); /* to a new file: the old one may have lost what it seems to hold */
	CHECK(stat(kit_path(&k, ".state/wal"), &after) == 0);
	CHECK(before.st_ino != after.st_ino);
	kit_check_numbers(&k, other, 2);
	log_close(l);
	log_close(other);
	kit_end(&k);
}

TEST(short_writes_add_up)
{
	struct bad_disk bad = { .cut = true };
	struct io_ops ops = *io_system.ops;
	struct io io = { .ops = &ops, .own = &bad };
	struct log *l;
	struct kit k;

	ops.write = bad_write;
	kit_begin(&k);
	k.options.io = &io;
	l = kit_make(&k);
	kit_append(&k, l, 0, 300);
	kit_publish(l);
	kit_append(&k, l, 300, 1);
	log_close(l);
	l = kit_open(&k);
	kit_check_numbers(&k, l, 301);
	log_close(l);
	kit_check_published(&k, 301);
	kit_end(&k);
}
