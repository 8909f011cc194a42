#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/test.h"
#include "source/io.h"
#include "unit/source/scratch.h"

TEST(a_file_is_opened_looked_at_and_read)
{
	const struct source_io *io = source_io_system();
	struct source_look look = { .dir = true };
	char got[8];
	int handle;
	struct scratch dir = scratch_enter();

	scratch_write("x", STR("hello"));
	CHECK_INT(io->look(io->context, "x", &look), 0);
	CHECK(look.regular && !look.dir);
	CHECK_INT(look.size, 5);
	handle = io->open(io->context, "x", &look);
	CHECK(handle > 0);
	CHECK_INT(look.size, 5);
	CHECK_INT(io->read(io->context, handle, got, 8), 5);
	CHECK_INT(io->read(io->context, handle, got, 8), 0);
	io->close(io->context, handle);
	CHECK_INT(fcntl(handle, F_GETFD), -1);
	scratch_leave(&dir);
}

TEST(failures_are_negative_errno_values)
{
	const struct source_io *io = source_io_system();
	struct source_look look;
	char got[8];
	int handle;

	CHECK_INT(io->look(io->context, "/nonexistent/x", &look), -ENOENT);
	CHECK_INT(io->open(io->context, "/nonexistent/x", &look), -ENOENT);
	CHECK_INT(io->look(io->context, "/", &look), 0);
	CHECK(look.dir && !look.regular);
	handle = io->open(io->context, "/", &look);
	CHECK(handle >= 0 && look.dir);
	CHECK_INT(io->read(io->context, handle, got, 8), -EISDIR);
	io->close(io->context, handle);
}

TEST(a_socket_cannot_be_opened)
{
	const struct source_io *io = source_io_system();
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "s" };
	struct source_look look;
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	struct scratch dir = scratch_enter();

	CHECK_INT(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_INT(io->look(io->context, "s", &look), 0);
	CHECK(!look.regular && !look.dir);
	CHECK_INT(io->open(io->context, "s", &look), -ENXIO);
	close(s);
	scratch_leave(&dir);
}

TEST(a_dash_is_standard_input)
{
	const struct source_io *io = source_io_system();
	struct source_look look = { .regular = true };
	char got[8];
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	CHECK(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	CHECK_INT(io->look(io->context, "-", &look), 0);
	CHECK(!look.regular);
	CHECK_INT(io->open(io->context, "-", &look), STDIN_FILENO);
	CHECK(!io->ready(io->context, STDIN_FILENO));
	CHECK_INT(write(ends[1], "ab", 2), 2);
	CHECK(io->ready(io->context, STDIN_FILENO));
	CHECK_INT(io->read(io->context, STDIN_FILENO, got, 8), 2);
	close(ends[1]);
	CHECK(io->ready(io->context, STDIN_FILENO));
	CHECK_INT(io->read(io->context, STDIN_FILENO, got, 8), 0);
}

TEST(a_closed_standard_input_is_an_error)
{
	const struct source_io *io = source_io_system();
	struct source_look look;

	close(STDIN_FILENO);
	CHECK_INT(io->look(io->context, "-", &look), -EBADF);
	CHECK_INT(io->open(io->context, "-", &look), -EBADF);
}

static void *write_later(void *argument)
{
	usleep(20000);
	CHECK_INT(write(*(int *)argument, "late", 4), 4);
	return NULL;
}

TEST(a_non_blocking_descriptor_is_waited_for)
{
	const struct source_io *io = source_io_system();
	char got[8];
	pthread_t thread;
	ssize_t n;
	int ends[2];

	CHECK_INT(pipe2(ends, O_NONBLOCK), 0);
	pthread_create(&thread, NULL, write_later, &ends[1]);
	while ((n = io->read(io->context, ends[0], got, 8)) == -EINTR)
		;
	CHECK_INT(n, 4);
	CHECK(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	pthread_join(thread, NULL);
}
