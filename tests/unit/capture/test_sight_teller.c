/* Telling a recorder that listens, that is slow, that leaves, that was never there. */
#include "capture/sight_teller.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/test.h"
#include "net/local.h"

static char dir[] = "/tmp/trackway-teller-XXXXXX";
static struct arena arena;

static struct str open_place(void)
{
	arena_init(&arena);
	CHECK(mkdtemp(dir));
	return ARENA_JOIN(&arena, str_from(dir), STR("/s.sock"));
}

static void close_place(struct str path)
{
	unlink(path.p);
	CHECK_INT(rmdir(dir), 0);
	arena_free(&arena);
}

static void tell(struct sight_teller *t, size_t tape)
{
	struct sighting s = sighting_of(SIGHT_TAPE, SIGHT_MCP);
	char *text = arena_alloc(&arena, tape + 16, 1);

	memcpy(text, "{\"a\":\"", 6);
	memset(text + 6, 'x', tape);
	memcpy(text + 6 + tape, "\"}", 2);
	s.tape = str_of(text, tape + 8);
	sight_teller_add(t, &s);
}

TEST(lines_come_whole_also_to_a_slow_recorder)
{
	struct str path = open_place();
	struct err err;
	int fd, at = local_listen(path, &err);
	struct sight_teller t;
	size_t bytes = 0, lines = 0;
	char piece[1 << 16];
	ssize_t n;

	CHECK(at >= 0);
	sight_teller_open(&t, path);
	CHECK(t.fd >= 0);
	for (int i = 0; i < 100; i++)
		tell(&t, 50000);
	CHECK(sight_teller_waits(&t)); /* nobody has read yet, and nobody was waited for */
	CHECK_INT(t.told, 100);
	fd = accept(at, NULL, NULL);
	CHECK(fd >= 0);
	while (lines < 100) {
		n = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
		for (ssize_t i = 0; i < n; i++)
			lines += piece[i] == '\n';
		bytes += n > 0 ? (size_t)n : 0;
		sight_teller_send(&t);
	}
	CHECK(!sight_teller_waits(&t) && bytes > 5000000);
	sight_teller_close(&t, 100);
	CHECK_INT(t.dropped, 0);
	close(fd);
	close(at);
	close_place(path);
}

TEST(what_does_not_fit_is_dropped_and_counted)
{
	struct str path = open_place();
	struct err err;
	int at = local_listen(path, &err);
	struct sight_teller t;

	CHECK(at >= 0);
	sight_teller_open(&t, path);
	tell(&t, (size_t)17 << 20); /* too long for a line */
	CHECK_INT(t.dropped, 1);
	for (int i = 0; i < 7; i++)
		tell(&t, (size_t)10 << 20);
	CHECK_INT(t.told + t.dropped, 8);
	CHECK(t.dropped > 1 && t.queue.n <= SIGHT_TELLER_ROOM);
	sight_teller_close(&t, 10); /* nobody reads */
	CHECK_INT(t.told, 0);
	CHECK_INT(t.dropped, 8);
	close(at);
	close_place(path);
}

TEST(a_recorder_that_leaves_is_no_trouble)
{
	struct str path = open_place();
	struct err err;
	int at = local_listen(path, &err);
	struct sight_teller t;

	sight_teller_open(&t, path);
	close(at);
	for (int i = 0; i < 10; i++)
		tell(&t, 100);
	CHECK(t.dropped > 0 && t.fd < 0);
	sight_teller_close(&t, 100);
	CHECK_INT(t.told + t.dropped, 10);
	close_place(path);
}

TEST(without_a_recorder_nothing_is_counted)
{
	struct sight_teller t;

	arena_init(&arena);
	sight_teller_open(&t, STR(""));
	tell(&t, 100);
	CHECK(t.fd < 0 && t.dropped == 0 && t.told == 0);
	sight_teller_close(&t, 0);
	arena_free(&arena);
}

TEST(the_socket_that_is_given_wins)
{
	struct str path;

	arena_init(&arena);
	CHECK(sight_teller_find(&arena, "/x/y.sock", "/nowhere", &path));
	CHECK_STR(path, STR("/x/y.sock"));
	arena_free(&arena);
}
