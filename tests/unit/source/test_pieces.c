#include "source/pieces.h"

#include "scratch.h"

static struct str read_all(const char *path, bool *failed)
{
	struct err err = { .kind = ERR_NONE };
	struct pieces *p = pieces_open(str_from(path), &err);
	char *all = test_alloc(3000000);
	struct str piece;
	enum next next;
	size_t n = 0;

	CHECK(p != NULL);
	while ((next = pieces_next(p, &piece, &err)) == NEXT_MORE) {
		CHECK(piece.n > 0 && n + piece.n <= 3000000);
		memcpy(all + n, piece.p, piece.n);
		n += piece.n;
	}
	*failed = next == NEXT_FAIL;
	CHECK(*failed == (err.kind != ERR_NONE));
	CHECK(pieces_next(p, &piece, &err) == next); /* and again */
	pieces_close(p);
	return str_of(all, n);
}

TEST(pieces_together_are_the_file)
{
	struct scratch s = scratch_enter();
	char *big = test_alloc(2000000);
	bool failed;

	for (size_t i = 0; i < 2000000; i++)
		big[i] = (char)(i * 7 + i / 1000);
	scratch_write("empty", STR(""));
	scratch_write("big", str_of(big, 2000000));
	CHECK_STR(read_all("empty", &failed), STR(""));
	CHECK(!failed);
	CHECK_STR(read_all("big", &failed), str_of(big, 2000000));
	CHECK(!failed);
	scratch_leave(&s);
}

TEST(a_packed_file_is_unpacked_and_a_damaged_one_fails_behind_what_was_good)
{
	/* "hello\n" by gzip */
	static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\0\x20\x30\x3a\x36\x06\0\0\0";
	struct scratch s = scratch_enter();
	bool failed;

	scratch_write("good.gz", str_of(packed, sizeof(packed) - 1));
	scratch_write("cut.gz", str_of(packed, sizeof(packed) - 6));
	CHECK_STR(read_all("good.gz", &failed), STR("hello\n"));
	CHECK(!failed);
	CHECK_STR(read_all("cut.gz", &failed), STR("hello\n"));
	CHECK(failed);
	scratch_leave(&s);
}

TEST(what_is_not_there_and_a_directory_are_errors)
{
	struct err err = { .kind = ERR_NONE };

	CHECK(pieces_open(STR("/none/such"), &err) == NULL);
	CHECK_INT(err.kind, ERR_IO);
	pieces_close(NULL);
}
