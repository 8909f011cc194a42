#include <errno.h>

#include "harness/test.h"
#include "source/memory.h"

static const struct memory_file files[] = {
	{ { "a", 1 }, { "hello", 5 } },
	{ { "b", 1 }, { "", 0 } },
};

TEST(a_file_in_memory_is_read_in_pieces_to_its_end)
{
	struct memory m = { .files = files, .count = 2 };
	struct source_io io = memory_io(&m);
	struct source_look look;
	char got[8];
	int handle = io.open(io.context, "a", &look);

	CHECK(handle >= 0);
	CHECK(look.regular && !look.dir);
	CHECK_INT(look.size, 5);
	CHECK(io.ready(io.context, handle));
	CHECK_INT(io.read(io.context, handle, got, 3), 3);
	CHECK_INT(io.read(io.context, handle, got + 3, 5), 2);
	CHECK_STR(str_of(got, 5), STR("hello"));
	CHECK_INT(io.read(io.context, handle, got, 8), 0);
	io.close(io.context, handle);
	handle = io.open(io.context, "b", &look);
	CHECK_INT(look.size, 0);
	CHECK_INT(io.read(io.context, handle, got, 8), 0);
}

TEST(opening_a_file_again_begins_at_its_start)
{
	struct memory m = { .files = files, .count = 2 };
	struct source_io io = memory_io(&m);
	struct source_look look;
	char got[8];

	for (int i = 0; i < 2; i++) {
		int handle = io.open(io.context, "a", &look);

		CHECK_INT(io.read(io.context, handle, got, 8), 5);
		io.close(io.context, handle);
	}
}

TEST(a_path_that_memory_does_not_hold_does_not_exist)
{
	struct memory m = { .files = files, .count = 2 };
	struct source_io io = memory_io(&m);
	struct source_look look;

	CHECK_INT(io.look(io.context, "c", &look), -ENOENT);
	CHECK_INT(io.open(io.context, "c", &look), -ENOENT);
	CHECK(io.look(io.context, "b", &look) >= 0);
}
