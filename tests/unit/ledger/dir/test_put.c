#include "unit/ledger/log_dir_kit.h"

#include "ledger/dir/put.h"

/* What the disk was asked for, in order: 'w'rite, 's'ync of a file or directory, 'a'll synced, 'r'ename. */
struct recorder {
	char what[4000];
	size_t n;
	bool no_sync_all;
};

static void note_op(void *own, char what)
{
	struct recorder *r = own;

	CHECK(r->n < sizeof(r->what) - 1);
	r->what[r->n++] = what;
}

static int64_t rec_write(void *own, int fd, const void *p, size_t n, uint64_t at)
{
	note_op(own, 'w');
	return io_system.ops->write(NULL, fd, p, n, at);
}

static int rec_sync(void *own, int fd)
{
	note_op(own, 's');
	return io_system.ops->sync(NULL, fd);
}

static int rec_sync_all(void *own, int fd)
{
	struct recorder *r = own;

	if (r->no_sync_all)
		return -ENOTSUP;
	note_op(own, 'a');
	return io_system.ops->sync_all(NULL, fd);
}

static int rec_rename(void *own, const char *from, const char *to)
{
	note_op(own, 'r');
	return io_system.ops->rename(NULL, from, to);
}

struct bench {
	struct kit kit;
	struct recorder recorder;
	struct io_ops ops;
	struct io io;
	struct log *log;
};

static void begin(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	kit_begin(&b->kit);
	b->ops = *io_system.ops;
	b->ops.write = rec_write;
	b->ops.sync = rec_sync;
	b->ops.sync_all = rec_sync_all;
	b->ops.rename = rec_rename;
	b->io = (struct io){ .ops = &b->ops, .own = &b->recorder };
	b->kit.options.io = &b->io;
	b->log = kit_make(&b->kit);
	b->recorder.n = 0;
}

static void end(struct bench *b)
{
	log_close(b->log);
	kit_end(&b->kit);
}

static void put(struct bench *b, unsigned count, unsigned expected)
{
	bool was_there = kit_exists(&b->kit, "objects/sha256/00/0");
	struct err err = { .kind = ERR_NONE };
	struct dir_puts p;

	kit_must(dir_puts_begin(&p, dir_of(b->log), "objects", expected, &err), &err);
	for (unsigned i = 0; i < count; i++)
		kit_must(dir_puts_add(&p, arena_printf(&b->kit.arena, "objects/sha256/%02u/%u", i % 2, i),
				      arena_printf(&b->kit.arena, "%u", i), 0444, &err), &err);
	CHECK(was_there || !kit_exists(&b->kit, "objects/sha256/00/0")); /* nothing has its name before everything is synced */
	kit_must(dir_puts_end(&p, &err), &err);
	for (unsigned i = 0; i < count; i++)
		CHECK_STR(kit_read(&b->kit, arena_printf(&b->kit.arena, "objects/sha256/%02u/%u", i % 2, i).p),
			  arena_printf(&b->kit.arena, "%u", i));
}

/* Two new directories below objects/sha256, which is synced for each; then the files; then names, then directories. */
TEST(a_few_files_are_synced_one_by_one)
{
	struct bench b;

	begin(&b);
	put(&b, 3, 3);
	CHECK_STR(str_of(b.recorder.what, b.recorder.n), STR("swsswsws" "rrr" "ss"));
	b.recorder.n = 0;
	put(&b, 3, 3); /* the directories are known now */
	CHECK_STR(str_of(b.recorder.what, b.recorder.n), STR("wswsws" "rrr" "ss"));
	end(&b);
}

TEST(many_files_are_synced_together_before_and_after_they_get_their_names)
{
	struct bench b;

	begin(&b);
	put(&b, 9, 9);
	CHECK_STR(str_of(b.recorder.what, b.recorder.n), STR("wwwwwwwww" "a" "rrrrrrrrr" "a"));
	end(&b);
}

TEST(a_system_that_cannot_sync_all_syncs_each)
{
	struct bench b;

	begin(&b);
	b.recorder.no_sync_all = true;
	put(&b, 9, 9);
	CHECK_STR(str_of(b.recorder.what, b.recorder.n), STR("wwwwwwwww" "sssssssss" "rrrrrrrrr" "ssss"));
	end(&b);
}

TEST(what_was_begun_and_given_up_leaves_nothing)
{
	struct err err = { .kind = ERR_NONE };
	struct dir_puts p;
	struct bench b;

	begin(&b);
	kit_must(dir_puts_begin(&p, dir_of(b.log), "objects", 1, &err), &err);
	kit_must(dir_puts_add(&p, STR("objects/sha256/aa/b"), STR("x"), 0444, &err), &err);
	dir_puts_abort(&p);
	CHECK(!kit_exists(&b.kit, "objects/sha256/aa/b"));
	CHECK_INT(system(arena_printf(&b.kit.arena, "test -z \"$(find '%s' -name '.tmp*')\"", b.kit.dir.p).p), 0);
	CHECK(!dir_puts_begin(&p, dir_of(b.log), "gone", 1, &err));
	end(&b);
}

TEST(a_file_that_is_there_already_has_its_directory_synced)
{
	struct err err = { .kind = ERR_NONE };
	struct dir_puts p;
	struct bench b;

	begin(&b);
	put(&b, 1, 1);
	b.recorder.n = 0;
	kit_must(dir_puts_begin(&p, dir_of(b.log), "objects", 1, &err), &err);
	kit_must(dir_puts_touch(&p, STR("objects/sha256/00/0"), &err), &err);
	kit_must(dir_puts_end(&p, &err), &err);
	CHECK_STR(str_of(b.recorder.what, b.recorder.n), STR("s"));
	end(&b);
}
