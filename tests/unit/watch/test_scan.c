#include "watch/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "harness/test.h"

static const char *place(const char *dir, const char *name)
{
	char *path = test_alloc(strlen(dir) + strlen(name) + 2);

	sprintf(path, "%s/%s", dir, name);
	return path;
}

static void make_file(const char *dir, const char *name)
{
	FILE *f = fopen(place(dir, name), "w");

	CHECK(f && fputs("x", f) >= 0 && fclose(f) == 0);
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names below the root that a scan finds, in order, each with a space behind it. */
static struct str scan_all(struct scan *s, struct buf *out)
{
	struct scan_file file;
	enum scan_next next;
	char *names[64];
	size_t count = 0;

	scan_begin(s);
	while ((next = scan_next(s, &file)) != SCAN_END) {
		if (next != SCAN_FILE)
			continue;
		CHECK(count < 64 && file.size == 1 && file.number > 0 && file.changed_ns > 0 && file.path.p[file.path.n] == '\0');
		names[count] = test_alloc(file.path.n + 1);
		memcpy(names[count++], file.path.p + strlen(s->root) + 1, file.path.n - strlen(s->root));
	}
	qsort(names, count, sizeof(*names), name_cmp);
	buf_clear(out);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s ", names[i]);
	return buf_str(out);
}

TEST(names_of_traces_and_of_rotated_ones_are_wanted)
{
	static const struct {
		const char *name;
		bool wanted;
	} cases[] = {
		{ "agent-trace.jsonl", true }, { "x.jsonl.1", true }, { "x.jsonl-20261118", true }, { ".jsonl", true },
		{ "x.json", false }, { "x.jsonl.gz", false }, { "x.jsonl.1.zst", false }, { "x.jsonlines", false }, { "", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(scan_wants(str_from(cases[i].name)), cases[i].wanted);
	}
}

TEST(files_below_are_found_and_links_to_directories_are_not_entered)
{
	const char *dir = test_dir();
	struct buf found = { NULL, 0, 0 };
	struct scan s;

	CHECK(mkdir(place(dir, "a"), 0755) == 0 && mkdir(place(dir, "a/b"), 0755) == 0);
	make_file(dir, "top.jsonl");
	make_file(dir, "a/b/deep.jsonl");
	make_file(dir, "a/summary.json");
	CHECK(symlink("..", place(dir, "a/b/up")) == 0);
	CHECK(symlink("../top.jsonl", place(dir, "a/link.jsonl")) == 0);
	CHECK(symlink("nowhere", place(dir, "a/dangling.jsonl")) == 0);
	CHECK(mkfifo(place(dir, "pipe.jsonl"), 0600) == 0);
	CHECK(mkdir(place(dir, "dir.jsonl"), 0755) == 0);
	scan_init(&s, dir);
	CHECK_STR(scan_all(&s, &found), STR("a/b/deep.jsonl a/link.jsonl top.jsonl "));
	make_file(dir, "a/later.jsonl");
	CHECK(unlink(place(dir, "top.jsonl")) == 0);
	CHECK_STR(scan_all(&s, &found), STR("a/b/deep.jsonl a/later.jsonl "));
	scan_free(&s);
	buf_free(&found);
}

TEST(a_root_that_cannot_be_listed_is_told)
{
	const char *dir = place(test_dir(), "absent");
	struct buf found = { NULL, 0, 0 };
	struct scan s;

	scan_init(&s, dir);
	CHECK_STR(scan_all(&s, &found), STR(""));
	CHECK_INT(s.root_errno, ENOENT);
	CHECK(mkdir(dir, 0755) == 0);
	CHECK_STR(scan_all(&s, &found), STR(""));
	CHECK_INT(s.root_errno, 0);
	scan_free(&s);
	buf_free(&found);
}

TEST(a_scan_can_be_given_up_in_the_middle)
{
	const char *dir = test_dir();
	struct scan_file file;
	struct scan s;

	CHECK(mkdir(place(dir, "a"), 0755) == 0 && mkdir(place(dir, "b"), 0755) == 0);
	make_file(dir, "x.jsonl");
	scan_init(&s, dir);
	scan_begin(&s);
	while (scan_next(&s, &file) != SCAN_FILE)
		;
	scan_free(&s); /* a sanitizer sees what is left */
}
