#include "unit/ledger/log_dir_kit.h"

#include <signal.h>

TEST(two_handles_of_one_process_take_turns)
{
	struct log *a, *b;
	struct kit k;

	kit_begin(&k);
	a = kit_make(&k);
	b = kit_open(&k);
	for (unsigned i = 0; i < 60; i += 3) {
		kit_append(&k, a, i, 1);
		kit_append(&k, b, i + 1, 2);
		if (i % 4 == 0)
			kit_publish(i % 8 ? a : b);
	}
	CHECK_INT(kit_size(a), 60);
	kit_check_numbers(&k, a, 60);
	kit_check_numbers(&k, b, 60);
	kit_publish(b);
	kit_append(&k, a, 60, 1);
	kit_publish(a);
	kit_check_published(&k, 61);
	log_close(a);
	log_close(b);
	kit_end(&k);
}

TEST(what_one_handle_adds_the_other_finds)
{
	struct err err = { .kind = ERR_NONE };
	struct log_item item;
	struct log *a, *b;
	uint64_t index;
	struct kit k;
	bool found;

	kit_begin(&k);
	a = kit_make(&k);
	b = kit_open(&k);
	kit_append(&k, a, 0, 3);
	item = kit_number(&k, 1);
	kit_must(log_append(b, &item, 1, &err), &err);
	CHECK(item.outcome == LOG_SAME && item.index == 1);
	item = kit_item(&k, "trial-2", "other");
	kit_must(log_append(b, &item, 1, &err), &err);
	CHECK(item.outcome == LOG_CONFLICT && item.index == 2);
	kit_append(&k, b, 3, 1);
	kit_must(a->ops->find(a, kit_number(&k, 3).ident, &found, &index, &err), &err);
	CHECK(found && index == 3);
	log_close(a);
	log_close(b);
	kit_end(&k);
}

/* The WAL is replaced under the feet of the other handle at every publishing. */
TEST(a_wal_that_another_replaced_is_opened_again)
{
	struct log *a, *b;
	struct kit k;

	kit_begin(&k);
	k.options.wal_limit = 1;
	a = kit_make(&k);
	b = kit_open(&k);
	for (unsigned i = 0; i < 20; i += 2) {
		kit_append(&k, a, i, 1);
		kit_publish(a);
		kit_append(&k, b, i + 1, 1);
		kit_publish(b);
	}
	kit_check_numbers(&k, a, 20);
	kit_check_numbers(&k, b, 20);
	log_close(a);
	log_close(b);
	kit_check_published(&k, 20);
	kit_end(&k);
}

/* As if a process had been killed between its write and its sync: nobody was told, and it may not be on the disk. */
TEST(a_frame_that_nobody_vouches_for_goes_to_a_new_file)
{
	struct log_item item;
	struct stat before, after;
	struct sha256 sha;
	struct buf frame, bundle;
	struct wal_key key;
	struct str wal;
	struct log *a;
	size_t end;
	struct kit k;

	kit_begin(&k);
	a = kit_make(&k);
	kit_append(&k, a, 0, 1);
	wal = kit_read(&k, ".state/wal");
	sha256_init(&sha);
	{
		struct str rest = wal;
		struct wal_frame f;

		CHECK(wal_next(&rest, &sha, NULL, &f));
		end = f.size;
	}
	item = kit_number(&k, 1);
	buf_init(&frame);
	buf_init(&bundle);
	bundle_add(&bundle, item.entry);
	wal_key_init(&key, k.signer.seed, KIT_ORIGIN);
	wal_add_frame(&frame, &sha, &key, 1, 1, buf_str(&bundle));
	{
		FILE *f = fopen(kit_path(&k, ".state/wal"), "r+");

		CHECK(f && fseek(f, (long)end, SEEK_SET) == 0 && fwrite(frame.p, frame.n, 1, f) == 1 && fclose(f) == 0);
	}
	CHECK(stat(kit_path(&k, ".state/wal"), &before) == 0);
	kit_append(&k, a, 2, 1);
	CHECK(stat(kit_path(&k, ".state/wal"), &after) == 0);
	CHECK(before.st_ino != after.st_ino);
	kit_check_numbers(&k, a, 3);
	log_close(a);
	sha256_free(&sha);
	buf_free(&frame);
	buf_free(&bundle);
	kit_end(&k);
}

TEST(a_claim_that_is_garbage_costs_a_recovery_and_nothing_else)
{
	static const char *const claims[] = { "", "LCL1", "garbage that is as long as a claim would be, and then some" };
	struct log *a;
	struct kit k;

	kit_begin(&k);
	a = kit_make(&k);
	for (unsigned i = 0; i < 6; i++) {
		FILE *f = fopen(kit_path(&k, ".state/lock"), "r+"); /* never replaced: the lock is the file's */

		CHECK(f && ftruncate(fileno(f), 0) == 0 && fputs(claims[i % 3], f) >= 0 && fclose(f) == 0);
		kit_append(&k, a, i, 1);
	}
	kit_check_numbers(&k, a, 6);
	log_close(a);
	kit_end(&k);
}

static void writer(struct kit *k, unsigned who, unsigned count)
{
	struct err err = { .kind = ERR_NONE };
	struct log *l = kit_open(k);

	for (unsigned i = 0; i < count; i++) {
		struct log_item items[2];

		items[0] = kit_item(k, arena_printf(&k->arena, "w%u-%u", who, i).p, "x");
		items[1] = kit_item(k, arena_printf(&k->arena, "shared-%u", i).p, "x");
		kit_must(log_append(l, items, 2, &err), &err);
		CHECK_INT(items[0].outcome, LOG_ADDED);
		CHECK(items[1].outcome != LOG_CONFLICT);
		if (i % 7 == who)
			kit_publish(l);
	}
	log_close(l);
	_exit(0);
}

TEST(many_processes_lose_nothing_and_add_nothing_twice)
{
	enum { WRITERS = 6, EACH = 40 };
	struct log *l;
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	for (unsigned i = 0; i < WRITERS; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			writer(&k, i, EACH);
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		int status;

		CHECK(wait(&status) > 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	l = kit_open(&k);
	CHECK_INT(kit_size(l), WRITERS * EACH + EACH);
	log_close(l);
	kit_check_published(&k, WRITERS * EACH + EACH);
	kit_end(&k);
}

/* Killed at random moments: what a writer was told is committed, it wrote down, and that must be there. */
TEST(writers_that_are_killed_lose_nothing_they_were_told)
{
	struct err err = { .kind = ERR_NONE };
	unsigned next = 0;
	struct kit k;

	kit_begin(&k);
	log_close(kit_make(&k));
	for (unsigned round = 0; round < 25; round++) {
		struct log *l;
		int told[2], status;
		unsigned acked = next;
		pid_t pid;

		CHECK(pipe(told) == 0);
		pid = fork();
		CHECK(pid >= 0);
		if (pid == 0) {
			l = kit_open(&k);
			for (unsigned i = next; i < next + 100000; i++) {
				kit_append(&k, l, i, 1);
				if (write(told[1], &i, sizeof(i)) != sizeof(i))
					_exit(1);
				if (i % 3 == 0)
					kit_publish(l);
			}
			_exit(1);
		}
		close(told[1]);
		for (unsigned n = 0; n < round % 5 + 1; n++) {
			unsigned i;

			CHECK(read(told[0], &i, sizeof(i)) == sizeof(i));
			acked = i + 1;
		}
		usleep(round * 37 % 500);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		for (unsigned i; read(told[0], &i, sizeof(i)) == sizeof(i);)
			acked = i + 1;
		close(told[0]);
		l = kit_open(&k);
		next = (unsigned)kit_size(l);
		CHECK(next == acked || next == acked + 1); /* one that was committed and not yet told of */
		kit_check_numbers(&k, l, next);
		log_close(l);
		kit_check_published(&k, next);
	}
	kit_must(err.kind == ERR_NONE, &err);
	kit_end(&k);
}

/* "It is only a stale lock file": then both would write, each under a lock that the other does not see. */
TEST(a_handle_whose_lock_file_was_removed_takes_the_new_one)
{
	pid_t child;
	struct log *a, *b;
	struct kit k;
	int fd, status;

	kit_begin(&k);
	a = kit_make(&k);
	kit_append(&k, a, 0, 1);
	CHECK(unlink(kit_path(&k, ".state/lock")) == 0);
	b = kit_open(&k);
	kit_append(&k, b, 1, 1);
	fd = io_open(&io_system, kit_path(&k, ".state/lock"), IO_CREATE, 0644);
	CHECK(fd >= 0 && io_system.ops->lock(NULL, fd, true) == 0);
	child = fork();
	if (child == 0) {
		kit_append(&k, a, 2, 1);
		_exit(0);
	}
	usleep(100000);
	CHECK_INT(waitpid(child, &status, WNOHANG), 0);
	CHECK(io_system.ops->unlock(NULL, fd) == 0);
	io_close(&io_system, fd);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	kit_check_numbers(&k, b, 3);
	log_close(a);
	log_close(b);
	kit_end(&k);
}

static int rename_unclaimed(void *own, const char *from, const char *to)
{
	struct kit *k = own;
	struct str claim;

	if (str_ends(str_from(to), STR("/.state/wal"))) {
		claim = kit_read(k, ".state/lock");
		for (size_t i = 4; i < claim.n; i++)
			CHECK_INT(claim.p[i], 0);
	}
	return io_system.ops->rename(NULL, from, to);
}

/* The number of a file that was removed is given to a new one soon: an old claim could seem to vouch for it. */
TEST(nobody_vouches_for_a_new_wal_before_it_has_its_name)
{
	struct io_ops ops = *io_system.ops;
	struct kit k;
	struct io io = { .ops = &ops, .own = &k };
	struct log *a;

	kit_begin(&k);
	ops.rename = rename_unclaimed;
	k.options.wal_limit = 1;
	a = kit_make(&k);
	log_close(a);
	k.options.io = &io;
	a = kit_open(&k);
	kit_append(&k, a, 0, 1);
	kit_publish(a);
	kit_append(&k, a, 1, 1);
	kit_publish(a);
	kit_check_numbers(&k, a, 2);
	log_close(a);
	kit_end(&k);
}
