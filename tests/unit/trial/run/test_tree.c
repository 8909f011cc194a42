/* Directories of others: what is listed, what is left, and that no name leads out. */
#include "trial/run/tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

static struct str dir;

static struct str at(struct arena *a, const char *name)
{
	return ARENA_JOIN(a, dir, STR("/"), str_from(name));
}

static void put(struct arena *a, const char *name, const char *text)
{
	struct err err = { .kind = ERR_NONE };

	CHECK(file_make_dirs(str_dirname(at(a, name)), 0700, NULL, &err));
	CHECK(file_replace(at(a, name), str_from(text), 0600, &err));
}

TEST(plain_files_are_listed_in_order_and_all_else_is_named)
{
	struct err err = { .kind = ERR_NONE };
	struct tree t;
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "b", "b");
	put(&a, "a/z", "z");
	put(&a, "a.x", "x");
	put(&a, "__pycache__/m.pyc", "m");
	CHECK(symlink("b", at(&a, "link").p) == 0 && mkfifo(at(&a, "pipe").p, 0600) == 0);
	CHECK(symlink("/", at(&a, "a/root").p) == 0);
	CHECK(chmod(at(&a, "b").p, 0700) == 0);
	CHECK(tree_read(&a, dir, NULL, &t, &err));
	CHECK_INT(t.count, 3);
	CHECK_STR(t.files[0].name, STR("a.x"));
	CHECK_STR(t.files[1].name, STR("a/z"));
	CHECK_STR(t.files[2].name, STR("b"));
	CHECK(t.files[2].executable && !t.files[1].executable);
	CHECK_INT(t.left_count, 3);
	CHECK_STR(t.left[0].name, STR("a/root"));
	CHECK_STR(str_from(t.left[0].why), STR("is a symbolic link"));
	CHECK_STR(str_from(t.left[2].why), STR("is no plain file"));
	CHECK(tree_find(&t, STR("a/z")) == &t.files[1] && !tree_find(&t, STR("a")));
	CHECK(!tree_read(&a, STR("/no/such"), NULL, &t, &err));
	arena_free(&a);
}

TEST(limits_leave_files_out_by_name)
{
	static const struct { struct tree_limits limits; size_t taken; } cases[] = {
		{ { .file_bytes = 2 }, 2 }, { { .bytes = 3 }, 2 }, { { .files = 1 }, 1 }, { { .files = 0 }, 3 },
	};
	struct err err = { .kind = ERR_NONE };
	struct tree t;
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "a", "1");
	put(&a, "b", "22");
	put(&a, "c", "333");
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(tree_read(&a, dir, &cases[i].limits, &t, &err));
		CHECK(t.count == cases[i].taken || (cases[i].limits.bytes && t.bytes <= 3));
		CHECK_INT(t.count + t.left_count, 3);
	}
	arena_free(&a);
}

TEST(no_name_leads_out_of_the_directory)
{
	static const char *const names[] = { "../x", "/etc/passwd", "up/x", "link", "d", "d/../../x", "", "gone" };
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "x", "secret");
	put(&a, "in/d/y", "y");
	CHECK(symlink("..", at(&a, "in/up").p) == 0 && symlink("../x", at(&a, "in/link").p) == 0);
	dir = at(&a, "in");
	for (size_t i = 0; i < COUNT(names); i++) {
		test_case("%s", names[i]);
		CHECK(tree_open(dir, str_from(names[i])) < 0);
		CHECK(!tree_read_file(&a, dir, str_from(names[i]), 100).p);
	}
	CHECK_STR(tree_read_file(&a, dir, STR("d/y"), 100), STR("y"));
	CHECK(!tree_read_file(&a, dir, STR("d/y"), 0).p);
	arena_free(&a);
}

TEST(a_copy_has_the_bytes_the_mode_and_the_digest)
{
	struct err err = { .kind = ERR_NONE };
	struct digest copied;
	struct tree t;
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "from/a/b", "bytes");
	CHECK(chmod(at(&a, "from/a/b").p, 0755) == 0);
	CHECK(tree_read(&a, at(&a, "from"), NULL, &t, &err));
	CHECK(tree_copy(&a, at(&a, "from"), &t.files[0], at(&a, "to"), STR("c/d"), &copied, &err));
	CHECK(digest_eq(copied, t.files[0].digest));
	CHECK_STR(tree_read_file(&a, at(&a, "to"), STR("c/d"), 100), STR("bytes"));
	CHECK(access(at(&a, "to/c/d").p, X_OK) == 0);
	CHECK(!tree_copy(&a, at(&a, "from"), &t.files[0], at(&a, "to"), STR("c/d"), &copied, &err));
	arena_free(&a);
}

static unsigned mode_of(struct arena *a, const char *name)
{
	struct stat st;

	CHECK(lstat(at(a, name).p, &st) == 0);
	return st.st_mode & 07777;
}

TEST(what_somebody_shut_is_opened_and_no_link_is_followed)
{
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "outside", "o");
	put(&a, "in/d/file", "f");
	CHECK(symlink("../../outside", at(&a, "in/d/link").p) == 0 && chmod(at(&a, "outside").p, 0400) == 0);
	CHECK(chmod(at(&a, "in/d/file").p, 06011) == 0 && chmod(at(&a, "in/d").p, 0) == 0);
	CHECK(chmod(at(&a, "in").p, 0) == 0);
	if (geteuid() == 0)
		CHECK(chown(at(&a, "in/d/file").p, 65534, 65534) == 0);
	CHECK(tree_own(at(&a, "in")));
	CHECK_INT(mode_of(&a, "in"), 0700);
	CHECK_INT(mode_of(&a, "in/d"), 0700);
	CHECK_INT(mode_of(&a, "in/d/file"), 0611);
	CHECK_INT(mode_of(&a, "outside"), 0400);
	CHECK(access(at(&a, "in/d/file").p, W_OK) == 0);
	CHECK(!tree_own(at(&a, "in/d/link")) && !tree_own(at(&a, "gone")) && !tree_own(at(&a, "in/d/file")));
	arena_free(&a);
}

TEST(a_directory_is_removed_with_all_in_it_and_nothing_else)
{
	struct arena a;

	arena_init(&a);
	dir = str_from(test_dir());
	put(&a, "keep", "k");
	put(&a, "gone/a/b/c", "c");
	CHECK(symlink("../..", at(&a, "gone/a/up").p) == 0 && chmod(at(&a, "gone/a").p, 0) == 0);
	tree_remove(at(&a, "gone"));
	CHECK(access(at(&a, "gone").p, F_OK) != 0);
	CHECK(access(at(&a, "keep").p, F_OK) == 0);
	CHECK_STR(tree_real_path(&a, ARENA_JOIN(&a, dir, STR("/./keep"))), tree_real_path(&a, at(&a, "keep")));
	CHECK(!tree_real_path(&a, at(&a, "gone")).p);
	arena_free(&a);
}
