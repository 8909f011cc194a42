/*
 * A ledger on a real disk that fails: full, over quota, out of descriptors, read-only, with syncs that do not come
 * through, with calls that are interrupted or do one byte at a time. Each operation of a mixed piece of work fails in
 * turn, once or from then on. What was acknowledged is there afterwards, the message says where and why, the next open
 * goes well, and the same work done again completes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/test.h"
#include "ledger/dir/log_dir.h"
#include "ledger/entry.h"

#define TRIALS 6

enum op {
	OP_OPEN = 1,
	OP_WRITE = 2,
	OP_SYNC = 4,
	OP_NAME = 8, /* create, rename, link, unlink, mkdir, rmdir, truncate */
};

struct faulty {
	unsigned kinds;  /* of operations that are counted, and fail */
	uint64_t at;     /* the one that fails; 0: none */
	bool for_good;   /* and all of them after it */
	int why;
	bool interrupts; /* every call is interrupted twice before it is made */
	bool one_byte;   /* writes and reads */
	unsigned interrupted;
	uint64_t count;
	bool has_failed;
};

/* 0 when the operation is to be made, else -errno. */
static int may(void *own, unsigned kind)
{
	struct faulty *f = own;

	if (f->interrupts && kind != OP_NAME && f->interrupted++ % 3 != 2)
		return -EINTR;
	if (!(f->kinds & kind))
		return 0;
	f->count++;
	if (f->at == 0 || (f->for_good ? f->count < f->at : f->count != f->at))
		return 0;
	f->has_failed = true;
	return -f->why;
}

static int fault_open(void *own, const char *path, enum io_open how, unsigned mode)
{
	bool makes = how == IO_NEW || (how == IO_CREATE && access(path, F_OK) != 0);
	int r = may(own, OP_OPEN);

	if (r == 0 && makes)
		r = may(own, OP_NAME);
	return r ? r : io_system.ops->open(NULL, path, how, mode);
}

static void fault_close(void *own, int fd)
{
	(void)own;
	io_system.ops->close(NULL, fd);
}

static int64_t fault_read(void *own, int fd, void *p, size_t n, uint64_t at)
{
	const struct faulty *f = own;
	int r = may(own, 0);

	return r ? r : io_system.ops->read(NULL, fd, p, f->one_byte && n ? 1 : n, at);
}

static int64_t fault_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	const struct faulty *f = own;
	int r = may(own, OP_WRITE);

	/* A disk that is becoming full takes what it has room for first. */
	if (r && r != -EINTR && n > 1)
		io_system.ops->write(NULL, fd, p, n / 2, at);
	return r ? r : io_system.ops->write(NULL, fd, p, f->one_byte && n ? 1 : n, at);
}

static int fault_truncate(void *own, int fd, uint64_t size)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->truncate(NULL, fd, size);
}

/* The disk stays on: what is not really synced is there all the same, and the tests are fast. */
static int fault_sync(void *own, int fd)
{
	(void)fd;
	return may(own, OP_SYNC);
}

static int fault_stat_fd(void *own, int fd, struct io_stat *out)
{
	(void)own;
	return io_system.ops->stat_fd(NULL, fd, out);
}

static int fault_stat(void *own, const char *path, struct io_stat *out)
{
	(void)own;
	return io_system.ops->stat(NULL, path, out);
}

static int fault_lock(void *own, int fd, bool wait)
{
	int r = may(own, 0);

	return r ? r : io_system.ops->lock(NULL, fd, wait);
}

static int fault_unlock(void *own, int fd)
{
	(void)own;
	return io_system.ops->unlock(NULL, fd);
}

static int fault_rename(void *own, const char *from, const char *to)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->rename(NULL, from, to);
}

static int fault_link(void *own, const char *from, const char *to)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->link(NULL, from, to);
}

static int fault_unlink(void *own, const char *path)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->unlink(NULL, path);
}

static int fault_mkdir(void *own, const char *path, unsigned mode)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->mkdir(NULL, path, mode);
}

static int fault_rmdir(void *own, const char *path)
{
	int r = may(own, OP_NAME);

	return r ? r : io_system.ops->rmdir(NULL, path);
}

static int fault_list(void *own, const char *path, bool (*each)(void *context, const char *name), void *context)
{
	(void)own;
	return io_system.ops->list(NULL, path, each, context);
}

static const char *fault_network(void *own, const char *path)
{
	(void)own;
	(void)path;
	return NULL;
}

static int64_t fault_now(void *own)
{
	(void)own;
	return io_system.ops->now_ns(NULL);
}

static struct io faulty_io(struct faulty *f)
{
	static const struct io_ops ops = {
		.open = fault_open, .close = fault_close, .read = fault_read, .write = fault_write,
		.truncate = fault_truncate, .sync = fault_sync, .sync_all = fault_sync, .stat_fd = fault_stat_fd,
		.stat = fault_stat, .lock = fault_lock, .unlock = fault_unlock, .rename = fault_rename, .link = fault_link,
		.unlink = fault_unlink, .mkdir = fault_mkdir, .rmdir = fault_rmdir, .list = fault_list,
		.network = fault_network, .now_ns = fault_now,
	};

	return (struct io){ .ops = &ops, .own = f };
}

/* ---- the work ---- */

struct trial {
	struct str object, entry, ident;
	struct digest digest, leaf;
};

struct acks {
	bool object[TRIALS], entry[TRIALS];
	uint64_t index[TRIALS], published;
};

struct place {
	char top[200], dir[220], keys[220];
	struct arena arena;
	struct sha256 sha;
	struct signer signer;
	struct trial trials[TRIALS];
	unsigned failures; /* calls that failed */
};

static void make_trial(struct place *p, size_t number)
{
	struct trial *t = &p->trials[number];
	struct entry e = { .kind = ENTRY_TRIAL, .experiment = STR("e"), .completeness = STR("complete"),
			   .sealed_at = STR("2026-01-02T03:04:05.006Z") };
	struct buf text;
	struct err err;

	t->object = arena_printf(&p->arena, "{\"trial\":%zu,\"text\":\"%0*d\"}", number, (int)(100 + number * 400), 7);
	t->digest = sha256_of(&p->sha, t->object);
	e.id = arena_printf(&p->arena, "t%zu", number);
	e.record.given = true;
	e.record.digest = t->digest;
	e.record.size = t->object.n;
	e.record.media = STR(ENTRY_MEDIA_TRIAL);
	buf_init(&text);
	CHECK(entry_add_text(&text, &e, &err));
	t->entry = arena_copy(&p->arena, buf_str(&text));
	t->ident = entry_ident(&p->arena, &e);
	t->leaf = merkle_leaf(&p->sha, t->entry);
	buf_free(&text);
}

static struct place *place_new(void)
{
	static const uint8_t seed[ED25519_SEED] = { 9 };
	/* The faults are ours, not the disk's: memory does, and is many times as fast. */
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
	struct place *p = test_alloc(sizeof(*p));
	struct err err;

	snprintf(p->top, sizeof(p->top), "%s/fault-ledger-XXXXXX", tmp ? tmp : "/tmp");
	CHECK(mkdtemp(p->top) != NULL);
	snprintf(p->dir, sizeof(p->dir), "%s/l", p->top);
	snprintf(p->keys, sizeof(p->keys), "%s/k", p->top);
	arena_init(&p->arena);
	sha256_init(&p->sha);
	CHECK(signer_init(&p->signer, STR("fault.example/log"), KEY_LOG, seed, &err));
	for (size_t i = 0; i < TRIALS; i++)
		make_trial(p, i);
	return p;
}

static bool remove_name(void *context, const char *name);

/* Of trees of our own making only, a few levels deep. */
static void remove_tree(const char *path)
{
	char copy[400];

	snprintf(copy, sizeof(copy), "%s", path);
	if (unlink(path) == 0 || errno == ENOENT)
		return;
	io_system.ops->list(NULL, path, remove_name, copy);
	rmdir(path);
}

static bool remove_name(void *context, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/%s", (const char *)context, name);
	remove_tree(path);
	return true;
}

static void place_end(struct place *p)
{
	remove_tree(p->top);
	sha256_free(&p->sha);
	arena_free(&p->arena);
}

static struct log_dir_options options_of(struct place *p, const struct io *io)
{
	return (struct log_dir_options){ .io = io, .dir = str_from(p->dir), .keys = str_from(p->keys), .signer = &p->signer,
					 .wal_limit = 900 };
}

/* A new empty log, made by an io that does not fail. */
static void place_fresh(struct place *p)
{
	struct faulty none = { .at = 0 };
	struct io io = faulty_io(&none);
	struct log_dir_options o;
	struct err err;

	remove_tree(p->dir);
	remove_tree(p->keys);
	CHECK_INT(io.ops->mkdir(io.own, p->keys, 0700), 0);
	o = options_of(p, &io);
	if (!log_dir_make(&o, p->signer.key.name, &err))
		FAIL("%s", err.text);
	p->failures = 0;
}

/* A call failed: it must have been made to, and its message must name a file of ours and what the system said. */
static void check_message(struct place *p, const struct faulty *f, const struct err *err)
{
	p->failures++;
	if (!f->has_failed)
		FAIL("a call failed before anything was made to: %s", err->text);
	if (!strstr(err->text, p->top))
		FAIL("the message does not say where: %s", err->text);
	if (p->failures == 1 && !strstr(err->text, strerror(f->why)))
		FAIL("the message does not say why (%s): %s", strerror(f->why), err->text);
}

static void put(struct place *p, struct log *l, const struct faulty *f, size_t from, size_t to, struct acks *acks)
{
	struct str bytes[TRIALS] = { { NULL, 0 } };
	struct digest got[TRIALS];
	struct err err;

	for (size_t i = from; i < to; i++)
		bytes[i - from] = p->trials[i].object;
	if (!l->ops->put_objects(l, bytes, to - from, got, &err)) {
		check_message(p, f, &err);
		return;
	}
	for (size_t i = from; i < to; i++)
		acks->object[i] = true;
}

static void append(struct place *p, struct log *l, const struct faulty *f, size_t from, size_t to, struct acks *acks)
{
	struct log_item items[TRIALS];
	struct err err;

	for (size_t i = from; i < to; i++)
		items[i - from] = (struct log_item){ .ident = p->trials[i].ident, .digest = p->trials[i].digest,
						     .entry = p->trials[i].entry };
	if (!log_append(l, items, to - from, &err)) {
		check_message(p, f, &err);
		return;
	}
	for (size_t i = from; i < to; i++) {
		CHECK(items[i - from].outcome != LOG_CONFLICT);
		if (acks->entry[i])
			CHECK_INT(items[i - from].index, acks->index[i]);
		acks->entry[i] = true;
		acks->index[i] = items[i - from].index;
	}
}

static void publish(struct place *p, struct log *l, const struct faulty *f, struct acks *acks)
{
	struct log_head head;
	struct err err;

	if (!log_publish(l, &err))
		check_message(p, f, &err);
	else if (l->ops->head(l, &head, &err))
		acks->published = head.size;
}

/* Objects and entries singly and together, published now and then; a failed call does not keep the next from trying. */
static void work(struct place *p, struct faulty *f, struct acks *acks)
{
	struct io io = faulty_io(f);
	struct log_dir_options o = options_of(p, &io);
	struct err err;

	for (size_t round = 0; round < TRIALS / 3; round++) {
		size_t from = round * 3;
		struct log *l = log_dir_open(&o, &err);

		if (!l) {
			check_message(p, f, &err);
			continue;
		}
		put(p, l, f, from, from + 1, acks);
		append(p, l, f, from, from + 1, acks);
		publish(p, l, f, acks);
		put(p, l, f, from + 1, from + 3, acks);
		append(p, l, f, from + 1, from + 3, acks);
		append(p, l, f, from, from + 1, acks);
		publish(p, l, f, acks);
		log_close(l);
	}
}

/* The published log, all of it. Gives its size. */
static uint64_t check_published(struct place *p, struct log *l, const struct acks *acks)
{
	struct checkpoint c;
	struct log_entries it;
	struct merkle m;
	struct arena a;
	struct str entry;
	uint64_t index;
	struct err err = { .kind = ERR_NONE };

	arena_init(&a);
	merkle_init(&m);
	if (!log_read_checkpoint(l, &a, &c, NULL, &err))
		FAIL("%s", err.text);
	log_entries_begin(&it, l, 0, c.size, c.size);
	while (log_entries_next(&it, &entry, &index, &err)) {
		for (size_t i = 0; i < TRIALS; i++)
			if (acks->entry[i] && acks->index[i] == index)
				CHECK_STR(entry, p->trials[i].entry);
		merkle_add(&m, &p->sha, merkle_leaf(&p->sha, entry));
	}
	log_entries_end(&it);
	if (err.kind != ERR_NONE)
		FAIL("%s", err.text);
	CHECK_INT(m.count, c.size);
	CHECK(memcmp(merkle_root(&m, &p->sha).b, c.root.b, SHA256_SIZE) == 0);
	arena_free(&a);
	return c.size;
}

static void check_acks(struct place *p, struct log *l, const struct acks *acks)
{
	struct arena a;
	struct str bytes;
	struct err err;
	bool found;

	arena_init(&a);
	for (size_t i = 0; i < TRIALS; i++) {
		if (acks->object[i]) {
			CHECK(l->ops->object(l, &a, p->trials[i].digest, &bytes, &found, &err) && found);
			CHECK_STR(bytes, p->trials[i].object);
		}
		if (acks->entry[i]) {
			if (!l->ops->entry(l, &a, acks->index[i], &bytes, &err))
				FAIL("entry %d was acknowledged: %s", (int)acks->index[i], err.text);
			CHECK_STR(bytes, p->trials[i].entry);
		}
	}
	arena_free(&a);
}

/* After the fault: what was acknowledged is there, and the work completes. */
static void check_after(struct place *p, struct acks *acks)
{
	struct faulty none = { .at = 0 };
	struct io io = faulty_io(&none);
	struct log_dir_options o = options_of(p, &io);
	struct log_head head;
	struct err err;
	struct log *l = log_dir_open(&o, &err);

	if (!l)
		FAIL("the next open failed: %s", err.text);
	CHECK(check_published(p, l, acks) >= acks->published);
	check_acks(p, l, acks);
	log_close(l);
	work(p, &none, acks);
	l = log_dir_open(&o, &err);
	CHECK(l && l->ops->head(l, &head, &err));
	CHECK_INT(head.size, TRIALS);
	CHECK_INT(check_published(p, l, acks), TRIALS);
	for (size_t i = 0; i < TRIALS; i++)
		CHECK(acks->object[i] && acks->entry[i]);
	check_acks(p, l, acks);
	log_close(l);
}

/* Every operation of these kinds fails in turn, alone and with all that follow. */
static void fail_each(unsigned kinds, int why)
{
	struct place *p = place_new();

	for (unsigned for_good = 0; for_good < 2; for_good++) {
		uint64_t most = 0;
		unsigned failures = 0;

		for (uint64_t k = 0; k <= most; k++) {
			struct faulty f = { .kinds = kinds, .at = k, .for_good = for_good, .why = why };
			struct acks acks = { .published = 0 };

			place_fresh(p);
			test_case("operation %d%s", (int)k, for_good ? " and all after it" : "");
			work(p, &f, &acks);
			if (k == 0)
				most = f.count;
			else
				CHECK(f.has_failed);
			failures += p->failures;
			check_after(p, &acks);
		}
		/* Some operations are allowed to fail unheard; not most of them. */
		CHECK(most > 10);
		CHECK(failures > most / 2);
	}
	place_end(p);
}

TEST(a_full_disk_at_each_write_loses_nothing)
{
	fail_each(OP_WRITE, ENOSPC);
}

TEST(a_quota_reached_at_each_write_loses_nothing)
{
	fail_each(OP_WRITE, EDQUOT);
}

TEST(a_disk_without_room_for_a_name_loses_nothing)
{
	fail_each(OP_NAME, ENOSPC);
}

TEST(a_sync_that_fails_loses_nothing)
{
	fail_each(OP_SYNC, EIO);
}

TEST(a_process_out_of_descriptors_loses_nothing)
{
	fail_each(OP_OPEN, EMFILE);
}

TEST(a_disk_that_becomes_read_only_loses_nothing)
{
	fail_each(OP_WRITE | OP_NAME | OP_SYNC, EROFS);
}

/* What is no fault at all: everything must be answered as if nothing had happened. */
static void complete_with(struct faulty f)
{
	struct place *p = place_new();
	struct acks acks = { .published = 0 };

	place_fresh(p);
	work(p, &f, &acks);
	CHECK_INT(p->failures, 0);
	CHECK_INT(acks.published, TRIALS);
	check_after(p, &acks);
	place_end(p);
}

TEST(calls_that_are_interrupted_are_made_again)
{
	complete_with((struct faulty){ .interrupts = true });
}

TEST(reads_and_writes_of_one_byte_add_up)
{
	complete_with((struct faulty){ .one_byte = true });
}

TEST(interrupted_calls_of_one_byte_add_up)
{
	complete_with((struct faulty){ .interrupts = true, .one_byte = true });
}

/* Recovery itself on a disk that fails: it must be possible to try again. */
static void fail_recovery(struct place *p, uint64_t sync, uint64_t at, bool *has_failed)
{
	struct faulty before = { .kinds = OP_SYNC, .at = sync, .for_good = true, .why = EIO };
	struct faulty f = { .kinds = OP_WRITE | OP_SYNC | OP_NAME, .at = at, .why = ENOSPC };
	struct io io = faulty_io(&f);
	struct log_dir_options o = options_of(p, &io);
	struct acks acks = { .published = 0 };
	struct err err;
	struct log *l;

	place_fresh(p);
	test_case("sync %d failed before, operation %d of recovery", (int)sync, (int)at);
	work(p, &before, &acks);
	l = log_dir_open(&o, &err);
	if (!l) {
		p->failures = 0;
		check_message(p, &f, &err);
	}
	log_close(l);
	*has_failed = f.has_failed;
	check_after(p, &acks);
}

TEST(recovery_on_a_full_disk_loses_nothing_and_can_be_tried_again)
{
	struct place *p = place_new();
	unsigned count = 0;

	for (uint64_t sync = 4; sync <= 16; sync += 4) {
		bool has_failed = true;

		for (uint64_t at = 1; has_failed; at++, count++)
			fail_recovery(p, sync, at, &has_failed);
	}
	CHECK(count > 20);
	place_end(p);
}
