/* Sockets with a path: the directory that only we can enter, listening, and sending without waiting long. */
#include "net/local.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/test.h"

static struct arena arena;

static struct str inside(const char *dir, const char *name)
{
	return arena_printf(&arena, "%s/%s", dir, name);
}

/* A client that connected; waits for it for a second. */
static int accepted(int listener)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < 1000; i++) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			usleep(1000);
	}
	CHECK(fd >= 0);
	return fd;
}

TEST(the_directory_is_made_for_us_alone)
{
	const char *top = test_dir();
	struct str dir;
	struct stat st;
	struct err err;

	arena_init(&arena);
	CHECK(local_dir(&arena, top, true, &dir, &err));
	CHECK_STR(dir, inside(top, "trackway"));
	CHECK(stat(dir.p, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(local_dir(&arena, top, true, &dir, &err)); /* again */
	CHECK(local_dir(&arena, top, false, &dir, &err));
	CHECK_STR(dir, inside(top, "trackway"));
	arena_free(&arena);
}

TEST(a_directory_that_others_can_enter_or_that_is_a_link_is_not_used)
{
	static const char *const bad[] = { "open", "link", "file" };
	const char *top = test_dir();

	arena_init(&arena);
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct str runtime = inside(top, bad[i]), dir = STR("");
		struct err err;

		test_case("%s", bad[i]);
		CHECK(mkdir(runtime.p, 0700) == 0);
		if (i == 0)
			CHECK(mkdir(inside(runtime.p, "trackway").p, 0700) == 0 &&
			      chmod(inside(runtime.p, "trackway").p, 0755) == 0);
		else if (i == 1)
			CHECK(symlink(top, inside(runtime.p, "trackway").p) == 0);
		else
			fclose(fopen(inside(runtime.p, "trackway").p, "w"));
		/* the one in /tmp may be there or not; never this one */
		local_dir(&arena, runtime.p, false, &dir, &err);
		CHECK(!str_starts(dir, runtime));
	}
	arena_free(&arena);
}

TEST(a_relative_runtime_directory_is_passed_over)
{
	struct str dir = STR("");
	struct err err;

	arena_init(&arena);
	CHECK(chdir(test_dir()) == 0);
	local_dir(&arena, ".", true, &dir, &err);
	CHECK(access("trackway", F_OK) != 0);
	arena_free(&arena);
}

TEST(what_is_sent_arrives_and_the_sender_is_ours)
{
	const char *top = test_dir();
	struct str path;
	struct err err;
	char bytes[64];
	int listener, fd;

	arena_init(&arena);
	path = inside(top, "s.sock");
	listener = local_listen(path, &err);
	CHECK(listener >= 0);
	CHECK(local_send(path, STR("one line\n"), 250));
	fd = accepted(listener);
	CHECK(local_is_ours(fd));
	CHECK_INT(read(fd, bytes, sizeof(bytes)), 9);
	CHECK_STR(str_of(bytes, 9), STR("one line\n"));
	CHECK_INT(read(fd, bytes, sizeof(bytes)), 0);
	close(fd);
	CHECK(local_listen(path, &err) < 0); /* somebody listens */
	CHECK(str_find(str_from(err.text), STR("another process")) != (size_t)-1);
	close(listener);
	arena_free(&arena);
}

TEST(a_socket_that_nobody_listens_on_is_replaced_and_another_file_is_not)
{
	const char *top = test_dir();
	struct str path, file;
	struct err err;
	int fd;

	arena_init(&arena);
	path = inside(top, "s.sock");
	file = inside(top, "file");
	fd = local_listen(path, &err);
	CHECK(fd >= 0);
	close(fd);
	CHECK(!local_send(path, STR("x"), 50));
	fd = local_listen(path, &err);
	CHECK(fd >= 0);
	close(fd);
	fclose(fopen(file.p, "w"));
	CHECK(local_listen(file, &err) < 0);
	CHECK(access(file.p, F_OK) == 0);
	arena_free(&arena);
}

TEST(a_path_that_is_too_long_is_refused)
{
	static const char letters[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	struct err err;
	struct str path;

	arena_init(&arena);
	path = arena_printf(&arena, "/tmp/%s/%s", letters, letters);
	CHECK(local_listen(path, &err) < 0);
	CHECK_INT(err.kind, ERR_IO);
	CHECK(!local_send(path, STR("x"), 50));
	CHECK(!local_send(STR(""), STR("x"), 50));
	arena_free(&arena);
}

TEST(a_receiver_that_never_reads_does_not_hold_the_sender_up)
{
	const char *top = test_dir();
	size_t much = (size_t)8 << 20;
	char *bytes = test_alloc(much);
	struct str path;
	struct err err;
	uint64_t begun;
	int listener;

	arena_init(&arena);
	path = inside(top, "s.sock");
	listener = local_listen(path, &err);
	CHECK(listener >= 0);
	begun = clock_mono_ns();
	CHECK(!local_send(path, str_of(bytes, much), 50));
	CHECK(clock_mono_ns() - begun < UINT64_C(1000000000) * test_slower());
	close(listener);
	arena_free(&arena);
}
