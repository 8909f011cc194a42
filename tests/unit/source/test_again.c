/* Standard input that is looked at and then read from its beginning. */
#include "source/again.h"

#include <string.h>
#include <unistd.h>

#include "harness/test.h"

/* Puts a text where standard input is. */
static void give(const char *text)
{
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], text, strlen(text)) == (ssize_t)strlen(text));
	close(ends[1]);
	CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
}

static struct str read_some(const struct source_io *io, size_t n)
{
	char *room = test_alloc(64);
	size_t got = 0;
	ssize_t now;

	while (got < n && (now = io->read(io->context, STDIN_FILENO, room + got, n - got)) > 0)
		got += (size_t)now;
	return str_of(room, got);
}

TEST(what_was_looked_at_comes_again_and_then_the_rest)
{
	struct source_look look;
	struct again g;
	struct source_io io = again_io(&g);

	give("one two three");
	CHECK_INT(io.open(io.context, "-", &look), STDIN_FILENO);
	CHECK_STR(read_some(&io, 4), STR("one "));
	io.close(io.context, STDIN_FILENO);
	CHECK_INT(io.open(io.context, "-", &look), STDIN_FILENO);
	CHECK(io.ready(io.context, STDIN_FILENO));
	CHECK_STR(read_some(&io, 63), STR("one two three"));
	again_free(&g);
}

TEST(a_file_is_read_as_ever)
{
	struct source_look look;
	struct again g;
	struct source_io io = again_io(&g);
	char room[8];
	int fd = io.open(io.context, "tests/data/show/full.jsonl", &look);

	CHECK(fd > 0 && look.regular && io.look(io.context, "tests", &look) == 0 && look.dir);
	CHECK_INT(io.read(io.context, fd, room, 8), 8);
	CHECK_INT(io.read_at(io.context, fd, room, 1, 0), 1);
	CHECK(room[0] == '{' && g.kept.n == 0);
	io.close(io.context, fd);
	CHECK(io.open(io.context, "tests/no such file", &look) < 0);
	again_free(&g);
}
