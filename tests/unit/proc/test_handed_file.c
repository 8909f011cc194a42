/* A text that others of the same user read as a file, until its descriptor is closed. */
#include "proc/handed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "harness/test.h"

TEST(a_handed_file_is_read_by_its_path_and_gone_with_its_descriptor)
{
	struct str path, text;
	struct arena a;
	struct err err;
	int fd;

	arena_init(&a);
	fd = handed_file_open(&a, STR("{\"k\":1}"), &path, &err);
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	for (int i = 0; i < 2; i++) { /* each reader begins at its beginning */
		CHECK(file_read(&a, path, 100, &text, &err));
		CHECK_STR(text, STR("{\"k\":1}"));
	}
	close(fd);
	CHECK(!file_read(&a, path, 100, &text, &err));
	arena_free(&a);
}
