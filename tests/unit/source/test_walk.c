#include <errno.h>

#include "harness/test.h"
#include "source/walk.h"
#include "unit/source/feed.h"
#include "unit/source/scratch.h"

/* The names walked, one after another, a "~" before those read by lines and "!" before refused ones. */
static struct str names(const struct str *paths, size_t count, enum source_shape shape)
{
	static struct buf out;
	struct walk_item *list = NULL;
	uint64_t index = 0;
	struct source_options how = { .shape = shape };
	struct arena arena;
	struct err err;

	arena_init(&arena);
	buf_clear(&out);
	if (!walk_paths(&arena, source_io_system(), paths, count, &how, &list, &err))
		buf_printf(&out, "%s", err.text);
	for (; list; list = list->next) {
		CHECK_INT(list->input.index, index++);
		CHECK_INT(list->input.name.p[list->input.name.n], 0);
		buf_printf(&out, "%s%s%.*s", out.n ? " " : "",
			   list->refused       ? "!"
			   : list->input.lines ? "~"
					       : "",
			   STR_ARG(list->input.name));
	}
	arena_free(&arena);
	return buf_str(&out);
}

TEST(a_name_tells_whether_it_is_wanted_and_whether_it_has_lines)
{
	static const struct { const char *name; bool wanted, lines; } cases[] = {
		{ "a.json", true, false },       { "a.jsonl", true, true },      { "a.ndjson", true, true },
		{ "a.json.gz", true, false },    { "a.jsonl.gz", true, true },   { "a.ndjson.gz", true, true },
		{ "a.json.zst", true, false },   { "a.jsonl.zst", true, true },  { "a.ndjson.zst", true, true },
		{ "a", false, false },           { "", false, false },           { "a.gz", false, false },
		{ "a.jsonl.gz.gz", false, false }, { "a.jsonl.gz.zst", false, false }, { "a.jsonl.zst.gz", false, false },
		{ "a.jsonl.bak", false, false },
		{ "jsonl", false, false },       { ".jsonl", true, true },       { "a.JSON", false, false },
		{ "d/a.jsonl", true, true },     { "a.log", false, true },       { "a.txt.gz", false, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%s", cases[i].name);
		CHECK_INT(walk_is_wanted(str_from(cases[i].name)), cases[i].wanted);
		CHECK_INT(walk_is_lines(str_from(cases[i].name)), cases[i].lines);
	}
}

TEST(files_come_in_the_order_given_and_those_of_a_directory_in_byte_order)
{
	struct scratch dir = scratch_enter();
	const struct str given[] = { STR("z.jsonl"), STR("d/"), STR("a.txt"), STR("d/b") };

	CHECK(mkdir("d", 0755) == 0 && mkdir("d/b", 0755) == 0 && mkdir("d/b/deep.json", 0755) == 0);
	for (size_t i = 0; i < 9; i++) {
		static const char *const paths[] = { "z.jsonl", "a.txt", "d/b.json", "d/a.jsonl", "d/b/x.ndjson.gz",
						     "d/b/deep.json/y.json.zst", "d/B.json", "d/no.txt", "d/.h.json" };

		scratch_write(paths[i], STR("1"));
	}
	CHECK_STR(names(given, 4, SOURCE_AUTO),
		  STR("~z.jsonl d/.h.json d/B.json ~d/a.jsonl d/b.json d/b/deep.json/y.json.zst ~d/b/x.ndjson.gz "
		      "~a.txt d/b/deep.json/y.json.zst ~d/b/x.ndjson.gz"));
	CHECK_STR(names(given, 1, SOURCE_DOCUMENT), STR("z.jsonl"));
	CHECK_STR(names(given + 2, 1, SOURCE_LINES), STR("~a.txt"));
	CHECK_STR(names(given, 0, SOURCE_AUTO), STR(""));
	scratch_leave(&dir);
}

TEST(links_to_files_are_followed_and_links_to_directories_are_not)
{
	struct scratch dir = scratch_enter();

	CHECK(mkdir("d", 0755) == 0 && mkfifo("d/pipe.jsonl", 0644) == 0);
	scratch_write("real", STR("1"));
	CHECK(symlink("../real", "d/link.json") == 0 && symlink("..", "d/up.json") == 0 && symlink("..", "d/up") == 0 &&
	      symlink("nothing", "d/dangling.jsonl") == 0 && symlink("nothing", "d/dangling.txt") == 0);
	CHECK_STR(names(&STR("d"), 1, SOURCE_AUTO), STR("~d/dangling.jsonl d/link.json"));
	CHECK_STR(names(&STR("d/pipe.jsonl"), 1, SOURCE_AUTO), STR("~d/pipe.jsonl"));
	scratch_leave(&dir);
}

TEST(a_path_that_does_not_exist_fails_at_once)
{
	const struct str given[] = { STR("."), STR("nowhere/x.json") };
	struct scratch dir = scratch_enter();

	CHECK_STR(names(given, 2, SOURCE_AUTO), STR(".: nothing in this directory is named .json, .jsonl or .ndjson"));
	scratch_write("a.json", STR("1"));

	CHECK_STR(names(given, 2, SOURCE_AUTO), STR("nowhere/x.json: cannot open: No such file or directory"));
	CHECK(symlink("nothing", "dangling") == 0);
	CHECK_STR(names(&STR("dangling"), 1, SOURCE_AUTO), STR("dangling: cannot open: No such file or directory"));
	close(STDIN_FILENO);
	CHECK_STR(names(&STR("-"), 1, SOURCE_AUTO), STR("standard input: cannot open: Bad file descriptor"));
	scratch_leave(&dir);
}

TEST(a_directory_that_cannot_be_listed_is_an_item_that_says_so)
{
	struct scratch dir = scratch_enter();

	CHECK(mkdir("d", 0755) == 0 && mkdir("d/shut", 0) == 0);
	scratch_write("d/a.json", STR("1"));
	scratch_write("d/z.json", STR("1"));
	if (!scratch_drop_rights(&dir))
		SKIP("cannot give up the rights of the superuser");
	CHECK_STR(names(&STR("d"), 1, SOURCE_AUTO), STR("d/a.json !d/shut d/z.json"));
	CHECK(seteuid(getuid()) == 0);
	scratch_leave(&dir);
}

TEST(a_walk_passes_over_the_output_whatever_it_is_called)
{
	static const struct { const char *except, *walked; } cases[] = {
		{ "./out/../out", "d: d/a.json d/b.json" },
		{ "a.json", "d: d/b.json d/out/x.json" }, /* a link to d/a.json */
		{ "nowhere", "d: d/a.json d/b.json d/out/x.json" },
	};
	struct scratch dir = scratch_enter();

	CHECK(mkdir("d", 0755) == 0 && mkdir("d/out", 0755) == 0);
	scratch_write("d/a.json", STR("1"));
	scratch_write("d/b.json", STR("1"));
	scratch_write("d/out/x.json", STR("1"));
	CHECK(symlink("d/out", "out") == 0 && symlink("d/a.json", "a.json") == 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct source_options how = { .except = str_from(cases[i].except) };
		struct walk_item *list;
		struct arena arena;
		struct buf got;
		struct err err;

		test_case("%s", cases[i].except);
		arena_init(&arena);
		buf_init(&got);
		CHECK(walk_paths(&arena, source_io_system(), &STR("d"), 1, &how, &list, &err));
		buf_add_str(&got, STR("d:"));
		for (; list; list = list->next)
			buf_printf(&got, " %.*s", STR_ARG(list->input.name));
		CHECK_STR(buf_str(&got), str_from(cases[i].walked));
		buf_free(&got);
		arena_free(&arena);
	}
	scratch_leave(&dir);
}

TEST(sizes_are_noted)
{
	struct scratch dir = scratch_enter();
	struct walk_item *list;
	struct arena arena;
	struct err err;

	scratch_write("a.json", STR("12345"));
	arena_init(&arena);
	CHECK(walk_paths(&arena, source_io_system(), &STR("."), 1, &(struct source_options){ .shape = SOURCE_AUTO }, &list, &err));
	CHECK_STR(list->input.name, STR("./a.json"));
	CHECK(list->look.regular);
	CHECK_INT(list->look.size, 5);
	arena_free(&arena);
	scratch_leave(&dir);
}

TEST(a_directory_of_thousands_of_files_is_sorted)
{
	struct scratch dir = scratch_enter();
	struct walk_item *list;
	struct arena arena;
	struct err err;
	char name[40];
	size_t count = 0;

	for (unsigned i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "%08x.json", i * 2654435761u);
		scratch_write(name, STR(""));
	}
	arena_init(&arena);
	CHECK(walk_paths(&arena, source_io_system(), &STR("."), 1, &(struct source_options){ .shape = SOURCE_AUTO }, &list, &err));
	for (; list; list = list->next, count++)
		CHECK(!list->next || str_cmp(list->input.name, list->next->input.name) < 0);
	CHECK_INT(count, 3000);
	arena_free(&arena);
	scratch_leave(&dir);
}

static bool is_entered(void *context, struct str path)
{
	size_t *asked = context;

	++*asked;
	return !str_ends(path, STR("/left"));
}

TEST(a_directory_can_be_passed_over_and_a_link_out_of_it_is_marked)
{
	struct scratch dir = scratch_enter();
	size_t asked = 0, outside = 0, count = 0;
	struct source_options how = { .inside = true, .enter = is_entered, .enter_context = &asked };
	struct walk_item *list = NULL;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	CHECK(mkdir("d", 0755) == 0 && mkdir("d/left", 0755) == 0 && mkdir("d/in", 0755) == 0 && mkdir("dd", 0755) == 0);
	scratch_write("d/left/a.json", STR("1"));
	scratch_write("d/in/a.json", STR("1"));
	scratch_write("dd/x.json", STR("1"));
	CHECK(symlink("../dd/x.json", "d/out.json") == 0 && symlink("in/a.json", "d/same.json") == 0);
	CHECK(walk_paths(&arena, source_io_system(), &STR("d"), 1, &how, &list, &err));
	CHECK_INT(asked, 3);
	for (; list; list = list->next, count++) {
		outside += list->outside;
		CHECK_INT(list->outside, str_eq(list->input.name, STR("d/out.json")));
	}
	CHECK_INT(outside, 1);
	CHECK_INT(count, 3);
	CHECK(walk_paths(&arena, source_io_system(), &STR("d/left"), 1, &how, &list, &err) && !list);
	arena_free(&arena);
	scratch_leave(&dir);
}
