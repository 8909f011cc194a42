#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "ledger/io.h"

static struct arena arena;
static struct err err;

static void begin(void)
{
	arena_init(&arena);
	err.kind = ERR_NONE;
	CHECK(chdir(test_dir()) == 0);
}

static void end(void)
{
	char path[4096];

	CHECK(getcwd(path, sizeof(path)) != NULL);
	CHECK(chdir("/") == 0);
	CHECK_INT(system(arena_printf(&arena, "rm -rf '%s'", path).p), 0);
	arena_free(&arena);
}

static bool count_name(void *context, const char *name)
{
	unsigned *n = context;

	CHECK(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
	return ++*n < 2;
}

TEST(a_file_is_put_whole_with_its_mode_and_replaced)
{
	struct stat st;
	struct str text;
	unsigned names = 0;
	bool found;

	begin();
	CHECK(io_put(&io_system, "a", STR("one"), 0444, false, &err));
	CHECK(io_put(&io_system, "./a", STR("two"), 0444, false, &err));
	CHECK(io_read_file(&io_system, &arena, "a", 3, &text, &found, &err) && found);
	CHECK_STR(text, STR("two"));
	CHECK(stat("a", &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0444);
	CHECK_INT(io_system.ops->list(NULL, ".", count_name, &names), 0);
	CHECK_INT(names, 1); /* nothing temporary is left */
	end();
}

TEST(a_file_that_has_the_bytes_is_left_alone_when_asked_so)
{
	struct stat before, after;

	begin();
	CHECK(io_put(&io_system, "a", STR("one"), 0644, true, &err));
	CHECK(stat("a", &before) == 0);
	CHECK(io_put(&io_system, "a", STR("one"), 0644, true, &err));
	CHECK(stat("a", &after) == 0 && before.st_ino == after.st_ino);
	CHECK(io_put(&io_system, "a", STR("other"), 0644, true, &err));
	CHECK(stat("a", &after) == 0 && before.st_ino != after.st_ino);
	end();
}

TEST(a_put_that_fails_leaves_the_old_file_and_nothing_else)
{
	unsigned names = 0;

	begin();
	CHECK(mkdir("d", 0700) == 0 && mkdir("d/x", 0700) == 0);
	CHECK(!io_put(&io_system, "d/x", STR("one"), 0644, false, &err));
	CHECK_STR(str_from(err.text), STR("cannot replace d/x: Is a directory"));
	CHECK_INT(io_system.ops->list(NULL, "d", count_name, &names), 0);
	CHECK_INT(names, 1);
	CHECK(!io_put(&io_system, "none/x", STR("one"), 0644, false, &err));
	CHECK_STR(str_from(err.text), STR("cannot make a file in none: No such file or directory"));
	end();
}

TEST(reading_tells_what_is_wrong)
{
	struct str text;
	bool found = true;

	begin();
	CHECK(io_read_file(&io_system, &arena, "a", 10, &text, &found, &err) && !found);
	CHECK(!io_read_file(&io_system, &arena, "a", 10, &text, NULL, &err));
	CHECK_STR(str_from(err.text), STR("cannot open a: No such file or directory"));
	CHECK(io_put(&io_system, "a", STR("12345678901"), 0644, false, &err));
	CHECK(!io_read_file(&io_system, &arena, "a", 10, &text, &found, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	CHECK(mkdir("d", 0700) == 0);
	CHECK(!io_read_file(&io_system, &arena, "d", 10, &text, &found, &err));
	CHECK_STR(str_from(err.text), STR("cannot read d: Is a directory"));
	CHECK_INT(system("mkfifo p"), 0); /* does not hang */
	CHECK(!io_read_file(&io_system, &arena, "p", 10, &text, &found, &err) || text.n == 0);
	end();
}

TEST(directories_are_made_on_the_way_and_may_be_there)
{
	struct stat st;

	begin();
	CHECK(mkdir("base", 0700) == 0);
	CHECK(io_make_dirs(&io_system, "base", "base/a/b//c", 0755, &err));
	CHECK(io_make_dirs(&io_system, "base", "base/a/b/c/d", 0755, &err));
	CHECK(io_make_dirs(&io_system, "base", "base", 0755, &err));
	CHECK(stat("base/a/b/c/d", &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(!io_make_dirs(&io_system, "base", "basement/x", 0755, &err));
	CHECK(!io_make_dirs(&io_system, "gone", "gone/x", 0755, &err));
	end();
}

TEST(temporary_files_get_names_of_their_own)
{
	char one[IO_TMP_PATH], two[IO_TMP_PATH];
	int a, b;

	begin();
	CHECK(io_new_tmp(&io_system, STR("."), 0600, 0, one, &a, &err));
	CHECK(io_new_tmp(&io_system, STR("."), 0600, 0, two, &b, &err));
	CHECK(strcmp(one, two) != 0);
	CHECK(strncmp(one, "./" IO_TMP, 2 + strlen(IO_TMP)) == 0);
	io_close(&io_system, a);
	io_close(&io_system, b);
	end();
}

TEST(a_lock_is_of_the_open_file_and_not_of_the_process)
{
	int a, b;

	begin();
	a = io_open(&io_system, "lock", IO_CREATE, 0644);
	b = io_open(&io_system, "lock", IO_WRITE, 0);
	CHECK(a >= 0 && b >= 0);
	CHECK_INT(io_system.ops->lock(NULL, a, false), 0);
	CHECK_INT(io_system.ops->lock(NULL, b, false), -EWOULDBLOCK);
	CHECK_INT(io_system.ops->unlock(NULL, a), 0);
	CHECK_INT(io_system.ops->lock(NULL, b, true), 0);
	io_close(&io_system, a);
	io_close(&io_system, b);
	end();
}

TEST(operations_answer_as_the_door_says)
{
	struct io_stat by_path, by_fd;
	unsigned names = 0;
	char text[10];
	int fd;

	begin();
	CHECK_INT(io_open(&io_system, "a", IO_WRITE, 0), -ENOENT);
	fd = io_open(&io_system, "a", IO_NEW, 0640);
	CHECK(fd >= 0);
	CHECK_INT(io_open(&io_system, "a", IO_NEW, 0640), -EEXIST);
	CHECK(io_write_all(&io_system, fd, STR("hello"), 2, "a", &err));
	CHECK_INT(io_system.ops->truncate(NULL, fd, 6), 0);
	CHECK(io_sync(&io_system, fd, "a", &err));
	CHECK_INT(io_system.ops->link(NULL, "a", "b"), 0);
	CHECK_INT(io_system.ops->link(NULL, "a", "b"), -EEXIST);
	CHECK_INT(io_system.ops->stat(NULL, "a", &by_path), 0);
	CHECK_INT(io_system.ops->stat_fd(NULL, fd, &by_fd), 0);
	CHECK_INT(by_path.inode, by_fd.inode);
	CHECK_INT(by_path.size, 6);
	CHECK_INT(by_fd.size, 6);
	CHECK_INT(by_fd.links, 2);
	CHECK(!by_fd.is_dir && by_path.mtime_ns > 0);
	CHECK(io_system.ops->now_ns(NULL) - by_path.mtime_ns < (int64_t)60 * 1000000000 * test_slower());
	io_close(&io_system, fd);
	CHECK_INT(io_system.ops->rename(NULL, "b", "c"), 0);
	CHECK_INT(io_system.ops->unlink(NULL, "b"), -ENOENT);
	CHECK_INT(io_system.ops->mkdir(NULL, "d", 0755), 0);
	CHECK_INT(io_system.ops->mkdir(NULL, "d", 0755), -EEXIST);
	CHECK_INT(io_system.ops->list(NULL, ".", count_name, &names), 0);
	CHECK_INT(names, 2); /* and then it had enough */
	CHECK_INT(io_system.ops->rmdir(NULL, "d"), 0);
	CHECK_INT(io_system.ops->list(NULL, "d", count_name, &names), -ENOENT);
	fd = io_open(&io_system, "c", IO_READ, 0);
	CHECK(io_read_all(&io_system, fd, text, 6, 0, "c", &err) && memcmp(text, "\0\0hell", 6) == 0);
	CHECK(!io_read_all(&io_system, fd, text, 7, 0, "c", &err));
	CHECK_STR(str_from(err.text), STR("c ends too early"));
	io_close(&io_system, fd);
	fd = io_open(&io_system, ".", IO_DIR, 0);
	CHECK(fd >= 0 && io_sync(&io_system, fd, ".", &err));
	CHECK_INT(io_open(&io_system, "c", IO_DIR, 0), -ENOTDIR);
	CHECK(io_system.ops->sync_all(NULL, fd) == 0 || io_system.ops->sync_all(NULL, fd) == -ENOTSUP);
	io_close(&io_system, fd);
	CHECK(io_sync_dir(&io_system, ".", &err));
	CHECK(!io_sync_dir(&io_system, "gone", &err));
	end();
}

TEST(the_disk_under_the_system_is_no_network)
{
	CHECK(io_system.ops->network(NULL, "/proc") == NULL);
	CHECK(io_system.ops->network(NULL, "/not/there") == NULL);
}
