#include "cmd/screen/pager.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/frame/stream.h"
#include "harness/test.h"

/* What stands on standard output, a file for once, after `lines` lines were shown on a screen of ten. */
static struct str shown(size_t lines, bool is_terminal, bool is_allowed)
{
	struct frame f = { .out = { .is_terminal = is_terminal, .width = 80, .height = 10 }, .pager = is_allowed };
	static char got[10000];
	FILE *file = tmpfile();
	struct arena a;
	struct buf text;
	int saved = dup(STDOUT_FILENO);
	ssize_t n;

	CHECK(file && dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
	stream_catch_signals();
	arena_init(&a);
	buf_init(&text);
	for (size_t i = 0; i < lines; i++)
		buf_printf(&text, "line\n");
	pager_show(&a, &f, buf_str(&text));
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	n = pread(fileno(file), got, sizeof(got), 0);
	fclose(file);
	buf_free(&text);
	arena_free(&a);
	CHECK(n >= 0);
	return str_of(got, (size_t)n);
}

TEST(long_text_on_a_terminal_goes_through_the_pager)
{
	setenv("TRACKWAY_PAGER", "sed 's/^/> /'", 1);
	CHECK(str_starts(shown(10, true, true), STR("> line\n> line\n")));
	CHECK_INT(shown(10, true, true).n, 70);
	CHECK(str_starts(shown(9, true, true), STR("line\n")));
	CHECK(str_starts(shown(100, false, true), STR("line\n")));
	CHECK(str_starts(shown(100, true, false), STR("line\n")));
}

TEST(our_own_variable_wins_over_the_common_one)
{
	setenv("PAGER", "sed 's/^/2 /'", 1);
	unsetenv("TRACKWAY_PAGER");
	CHECK(str_starts(shown(10, true, true), STR("2 line\n")));
	setenv("TRACKWAY_PAGER", "sed 's/^/1 /'", 1);
	CHECK(str_starts(shown(10, true, true), STR("1 line\n")));
}

TEST(no_pager_is_asked_for_by_an_empty_name_or_cat)
{
	setenv("PAGER", "sed 's/^/2 /'", 1);
	setenv("TRACKWAY_PAGER", "", 1);
	CHECK(str_starts(shown(10, true, true), STR("line\n")));
	setenv("TRACKWAY_PAGER", "cat", 1);
	CHECK(str_starts(shown(10, true, true), STR("line\n")));
}

TEST(a_pager_that_is_not_there_leaves_the_text_to_us)
{
	setenv("TRACKWAY_PAGER", "trackway-no-such-pager 2>/dev/null", 1);
	CHECK(str_starts(shown(10, true, true), STR("line\n")));
	CHECK_INT(shown(10, true, true).n, 50);
}

TEST(a_pager_that_ends_early_is_fine)
{
	setenv("TRACKWAY_PAGER", "head -n 1", 1);
	CHECK_STR(shown(1000, true, true), STR("line\n"));
	setenv("TRACKWAY_PAGER", "true", 1);
	CHECK_STR(shown(100000, true, true), STR(""));
}
