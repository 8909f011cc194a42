#include "harness/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/spool.h"

/* What the spool wrote, through a file of the test's own. */
static struct str released(struct spool *s)
{
	char path[] = "/tmp/test-spool-XXXXXX";
	struct err err = { 0 };
	int fd = mkstemp(path);
	struct str out;

	CHECK(fd >= 0);
	CHECK(spool_release(s, fd, &err));
	close(fd);
	out = test_read(path);
	unlink(path);
	return out;
}

TEST(a_few_bytes_stay_in_memory_and_come_out_in_order)
{
	struct err err = { 0 };
	struct spool s;

	spool_init(&s);
	CHECK(spool_add(&s, STR("one "), &err) && spool_add(&s, STR(""), &err) && spool_add(&s, STR("two"), &err));
	CHECK_INT(s.fd, -1);
	CHECK_INT(s.bytes, 7);
	CHECK_STR(released(&s), STR("one two"));
	spool_free(&s);
}

TEST(many_bytes_go_to_a_file_and_come_out_in_order)
{
	size_t piece = SPOOL_MEMORY / 3 + 7;
	char *bytes = test_alloc(piece);
	struct err err = { 0 };
	struct spool s;
	struct str out;

	spool_init(&s);
	for (char c = 'a'; c < 'h'; c++) {
		memset(bytes, c, piece);
		CHECK(spool_add(&s, str_of(bytes, piece), &err));
		CHECK(s.memory.n <= SPOOL_MEMORY);
	}
	CHECK(s.fd >= 0);
	out = released(&s);
	CHECK_INT(out.n, 7 * piece);
	for (size_t i = 0; i < 7; i++)
		CHECK(out.p[i * piece] == (char)('a' + i) && out.p[(i + 1) * piece - 1] == (char)('a' + i));
	spool_free(&s);
}

TEST(a_directory_that_cannot_hold_the_file_is_named)
{
	char *bytes = test_alloc(SPOOL_MEMORY + 1);
	struct err err = { 0 };
	struct spool s;

	setenv("TMPDIR", "/nonexistent-directory", 1);
	spool_init(&s);
	CHECK(!spool_add(&s, str_of(bytes, SPOOL_MEMORY + 1), &err));
	CHECK(err.kind == ERR_IO && strstr(err.text, "/nonexistent-directory") && strstr(err.text, "TMPDIR"));
	spool_free(&s);
}

TEST(a_full_disk_is_an_error)
{
	struct err err = { 0 };
	struct spool s;
	int full = open("/dev/full", O_WRONLY);

	if (full < 0)
		SKIP("there is no /dev/full here");
	spool_init(&s);
	CHECK(spool_add(&s, STR("x"), &err));
	CHECK(!spool_release(&s, full, &err));
	CHECK_INT(err.kind, ERR_IO);
	close(full);
	spool_free(&s);
}
