#include "watch/tail.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "unit/watch/watch_kit.h"

struct yard {
	const char *dir;
	struct window window;
	struct tail tail;
	struct figures f;
};

static void yard_open_with(struct yard *p, size_t files)
{
	if (!p->dir)
		p->dir = test_dir();
	window_init(&p->window, WINDOW_EVENTS);
	tail_init(&p->tail, p->dir, &p->window, files);
}

static void yard_open(struct yard *p)
{
	*p = (struct yard){ .dir = NULL };
	yard_open_with(p, TAIL_FILES);
}

static void yard_close(struct yard *p)
{
	tail_free(&p->tail);
	window_free(&p->window);
}

/* What a kill and a new start do. */
static void yard_restart(struct yard *p)
{
	yard_close(p);
	yard_open_with(p, TAIL_FILES);
}

static const char *yard_path(const struct yard *p, const char *name)
{
	char *path = test_alloc(strlen(p->dir) + strlen(name) + 2);

	sprintf(path, "%s/%s", p->dir, name);
	return path;
}

/* Sets when a file was written to so many seconds before KIT_NOW, and a bit: so that every write is seen. */
static void yard_stamp(const struct yard *p, const char *name, double age)
{
	static long tick;
	double at = (double)KIT_NOW / 1e6 - age;
	struct timespec written = { (time_t)at, ++tick * 1000 }, times[2] = { written, written };

	CHECK(utimensat(AT_FDCWD, yard_path(p, name), times, 0) == 0);
}

/* Adds the text to a file, or makes it anew in place, and frees the text. */
static void yard_put(const struct yard *p, const char *name, const char *mode, struct buf *text)
{
	FILE *f = fopen(yard_path(p, name), mode);

	CHECK(f && fwrite(text->p, 1, text->n, f) == text->n && fclose(f) == 0);
	buf_free(text);
	yard_stamp(p, name, 1);
}

/* `count` calls with ids from `first` on; "a" adds them, "w" replaces what is there. */
static void yard_calls(const struct yard *p, const char *name, const char *mode, unsigned first, unsigned count)
{
	struct buf text = { NULL, 0, 0 };

	kit_add_calls(&text, "t", first, count);
	yard_put(p, name, mode, &text);
}

/* Passes over the files once; the events in the window. */
static uint64_t yard_look(struct yard *p)
{
	while (!tail_step(&p->tail, KIT_NOW))
		;
	window_sum(&p->window, KIT_NOW, &p->f);
	return p->f.events;
}

TEST(files_are_followed_as_they_appear_and_grow)
{
	struct yard p;

	yard_open(&p);
	CHECK_INT(yard_look(&p), 0);
	yard_calls(&p, "a.jsonl", "a", 0, 3);
	CHECK_INT(yard_look(&p), 3);
	CHECK_INT(yard_look(&p), 3);
	yard_calls(&p, "a.jsonl", "a", 3, 2);
	CHECK(mkdir(yard_path(&p, "run"), 0755) == 0);
	yard_calls(&p, "run/agent-trace.jsonl", "a", 10, 4);
	CHECK_INT(yard_look(&p), 9);
	CHECK_INT(p.tail.followed, 2);
	CHECK_INT(p.tail.passes, 4);
	yard_close(&p);
}

TEST(half_a_line_waits_for_its_end)
{
	struct buf text = { NULL, 0, 0 };
	struct yard p;

	yard_open(&p);
	kit_add_calls(&text, "t", 0, 2);
	for (size_t i = 0; i < text.n; i++) {
		struct buf byte = { NULL, 0, 0 };

		buf_add_byte(&byte, text.p[i]);
		yard_put(&p, "a.jsonl", "a", &byte);
		CHECK_INT(yard_look(&p), i + 1 == text.n ? 2 : i >= text.n / 2 - 1);
	}
	CHECK_INT(p.tail.lines.skipped[SKIP_DAMAGED], 0);
	buf_free(&text);
	yard_close(&p);
}

TEST(a_rotated_file_is_read_on_under_its_new_name)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 3);
	CHECK_INT(yard_look(&p), 3);
	CHECK(rename(yard_path(&p, "a.jsonl"), yard_path(&p, "a.jsonl.1")) == 0);
	yard_calls(&p, "a.jsonl.1", "a", 3, 2); /* the writer has not noticed yet */
	yard_calls(&p, "a.jsonl", "a", 5, 4);
	CHECK_INT(yard_look(&p), 9);
	yard_calls(&p, "a.jsonl.1", "a", 9, 1);
	CHECK_INT(yard_look(&p), 10);
	CHECK_INT(p.tail.followed, 2);
	yard_restart(&p);
	CHECK_INT(yard_look(&p), 10);
	yard_close(&p);
}

TEST(a_truncated_file_begins_again_and_no_event_counts_twice)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 10);
	CHECK_INT(yard_look(&p), 10);
	yard_calls(&p, "a.jsonl", "w", 5, 2); /* known */
	CHECK_INT(yard_look(&p), 10);
	yard_calls(&p, "a.jsonl", "a", 10, 3);
	CHECK_INT(yard_look(&p), 13);
	yard_calls(&p, "a.jsonl", "w", 20, 30); /* longer than before */
	CHECK_INT(yard_look(&p), 43);
	yard_close(&p);
}

TEST(a_file_that_is_rewritten_to_the_same_size_is_read_again)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 10, 5);
	CHECK_INT(yard_look(&p), 5);
	yard_calls(&p, "a.jsonl", "w", 20, 5);
	CHECK_INT(yard_look(&p), 10);
	yard_close(&p);
}

TEST(a_file_that_is_replaced_by_rename_is_read_anew)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 5);
	CHECK_INT(yard_look(&p), 5);
	yard_calls(&p, "new", "a", 0, 9);
	CHECK(rename(yard_path(&p, "new"), yard_path(&p, "a.jsonl")) == 0);
	CHECK_INT(yard_look(&p), 9);
	CHECK_INT(p.tail.followed, 1);
	yard_close(&p);
}

TEST(a_deleted_file_keeps_its_events_in_the_window_and_no_yard_in_memory)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 5);
	CHECK_INT(yard_look(&p), 5);
	CHECK(unlink(yard_path(&p, "a.jsonl")) == 0);
	CHECK_INT(yard_look(&p), 5);
	CHECK_INT(p.tail.followed, 0);
	CHECK_INT(p.tail.files.count, 0);
	yard_calls(&p, "a.jsonl", "a", 3, 4); /* perhaps with the same inode */
	CHECK_INT(yard_look(&p), 7);
	yard_close(&p);
}

TEST(copies_and_links_count_once)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 5);
	yard_calls(&p, "copy.jsonl", "a", 0, 5);
	CHECK(link(yard_path(&p, "a.jsonl"), yard_path(&p, "hard.jsonl")) == 0);
	CHECK(symlink("a.jsonl", yard_path(&p, "soft.jsonl")) == 0);
	CHECK_INT(yard_look(&p), 5);
	CHECK_INT(p.tail.followed, 2);
	yard_close(&p);
}

TEST(a_file_that_nobody_wrote_for_two_windows_is_not_opened)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 5);
	yard_stamp(&p, "a.jsonl", 601);
	CHECK_INT(yard_look(&p), 0);
	CHECK_INT(p.tail.files.count, 0);
	yard_calls(&p, "a.jsonl", "a", 5, 1); /* somebody goes on with it */
	CHECK_INT(yard_look(&p), 6);
	yard_stamp(&p, "a.jsonl", 601);
	CHECK_INT(yard_look(&p), 6);
	CHECK_INT(p.tail.files.count, 0);
	yard_close(&p);
}

/* Old events of at least so many bytes. */
static void yard_add_old(const struct yard *p, const char *name, size_t bytes)
{
	struct buf text = { NULL, 0, 0 };

	for (unsigned i = 0; text.n < bytes; i++)
		kit_add_call(&text, "t", 1000000 + i, 4000);
	yard_put(p, name, "a", &text);
}

TEST(a_large_file_is_read_from_near_the_begin_of_the_window)
{
	struct buf sound = { NULL, 0, 0 };
	struct yard p;
	size_t before;

	yard_open(&p);
	yard_add_old(&p, "a.jsonl", 5 << 20);
	buf_add_str(&sound, STR("not a line of a trace\n")); /* who reads this line counts it */
	yard_put(&p, "a.jsonl", "a", &sound);
	yard_add_old(&p, "a.jsonl", 20 << 20);
	yard_calls(&p, "a.jsonl", "a", 0, 3000);
	before = p.tail.lines.skipped[SKIP_DAMAGED];
	CHECK_INT(yard_look(&p), 3000);
	CHECK_INT(p.tail.lines.skipped[SKIP_DAMAGED], before);
	yard_calls(&p, "a.jsonl", "a", 3000, 5);
	CHECK_INT(yard_look(&p), 3005);
	yard_restart(&p);
	CHECK_INT(yard_look(&p), 3005);
	yard_close(&p);
}

TEST(a_large_file_of_the_window_is_read_whole)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 60000);
	CHECK_INT(yard_look(&p), 60000);
	yard_close(&p);
}

TEST(an_old_line_among_new_ones_hides_nothing)
{
	struct buf text = { NULL, 0, 0 };
	struct yard p;

	yard_open(&p);
	yard_add_old(&p, "a.jsonl", 10 << 20);
	for (unsigned i = 0; i < 20000; i++)
		kit_add_call(&text, "t", i, i % 3 ? 4000 : 10);
	yard_put(&p, "a.jsonl", "a", &text);
	CHECK_INT(yard_look(&p), 6667);
	yard_close(&p);
}

TEST(a_foreign_file_is_left_alone_until_it_becomes_a_trace)
{
	struct buf text = { NULL, 0, 0 };
	struct yard p;

	yard_open(&p);
	for (unsigned i = 0; i < 100; i++)
		buf_printf(&text, "{\"type\":\"user\",\"n\":%u}\n", i);
	yard_put(&p, "log.jsonl", "w", &text);
	CHECK_INT(yard_look(&p), 0);
	CHECK_INT(p.tail.followed, 0);
	CHECK_INT(p.tail.lines.skipped[SKIP_DAMAGED], 0);
	yard_calls(&p, "log.jsonl", "a", 0, 5);
	CHECK_INT(yard_look(&p), 0); /* still a log of something else */
	yard_calls(&p, "log.jsonl", "w", 0, 50);
	CHECK_INT(yard_look(&p), 50);
	yard_close(&p);
}

TEST(a_line_longer_than_a_chunk_is_read_and_one_beyond_the_limit_skipped)
{
	struct yard p;
	struct buf text = { NULL, 0, 0 };
	char *more = test_alloc((3 << 20) + 20);

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 1);
	memset(more + sprintf(more, ",\"x\":\""), 'x', 3 << 20);
	strcat(more, "\"");
	kit_add_node(&text, "t", 1, 1, "retry", more);
	buf_printf(&text, "\"");
	memset(buf_reserve(&text, 6 << 20), 'y', 6 << 20);
	text.n += 6 << 20;
	yard_put(&p, "a.jsonl", "a", &text);
	CHECK_INT(yard_look(&p), 2);
	buf_printf(&text, "\"\n");
	kit_add_calls(&text, "t", 2, 1);
	yard_put(&p, "a.jsonl", "a", &text);
	CHECK_INT(yard_look(&p), 3);
	CHECK_INT(p.tail.lines.skipped[SKIP_LONG], 1);
	yard_close(&p);
}

TEST(thousands_of_files_are_followed_and_those_beyond_the_limit_are_counted)
{
	struct yard p;

	yard_open(&p);
	for (unsigned i = 0; i < 3000; i++) {
		char name[32];

		sprintf(name, "%u.jsonl", i);
		yard_calls(&p, name, "w", 10 * i, 2);
	}
	CHECK_INT(yard_look(&p), 6000);
	CHECK_INT(p.tail.followed, 3000);
	CHECK_INT(p.tail.left_out, 0);
	yard_close(&p);
	yard_open_with(&p, 1000);
	CHECK_INT(yard_look(&p), 2000);
	CHECK_INT(p.tail.left_out, 2000);
	yard_close(&p);
}

TEST(a_file_that_cannot_be_read_is_told_and_read_when_it_can)
{
	struct yard p;

	yard_open(&p);
	yard_calls(&p, "a.jsonl", "a", 0, 2);
	CHECK(chmod(yard_path(&p, "a.jsonl"), 0) == 0);
	if (geteuid() == 0) { /* who may read everything */
		CHECK(chmod(p.dir, 0755) == 0 && seteuid(65534) == 0);
		if (access(p.dir, X_OK) != 0)
			SKIP("the directory for tests is open to root only");
	}
	CHECK_INT(yard_look(&p), 0);
	CHECK_INT(p.tail.refused, 1);
	CHECK(str_has(str_from(p.tail.failure.text), STR("a.jsonl: cannot read")));
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
	CHECK(chmod(yard_path(&p, "a.jsonl"), 0600) == 0);
	CHECK_INT(yard_look(&p), 2);
	CHECK_INT(p.tail.refused, 0);
	CHECK_INT(p.tail.failure.kind, ERR_NONE);
	yard_close(&p);
}

TEST(a_directory_that_goes_and_comes_back_is_told_and_followed)
{
	struct yard p = { .dir = NULL };
	char *dir = test_alloc(4096);

	sprintf(dir, "%s/runs", test_dir());
	p.dir = dir;
	yard_open_with(&p, TAIL_FILES);
	CHECK_INT(yard_look(&p), 0);
	CHECK_INT(p.tail.failure.kind, ERR_IO);
	CHECK(mkdir(dir, 0755) == 0);
	yard_calls(&p, "a.jsonl", "a", 0, 2);
	CHECK_INT(yard_look(&p), 2);
	CHECK_INT(p.tail.failure.kind, ERR_NONE);
	yard_close(&p);
}
