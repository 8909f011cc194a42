#include "proc/passing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "harness/test.h"

/* A passing between the test's own ends: it writes as a child would, and reads as a reader would. */
struct scene {
	uv_loop_t loop;
	struct passing *p;
	int in;         /* the child's end */
	int out[2];     /* where it goes */
	struct buf seen;
};

static void see(void *context, struct str bytes)
{
	struct scene *s = context;

	buf_add_str(&s->seen, bytes);
}

static void open_on(struct scene *s, int to)
{
	struct passing_options o = { .to = to, .seen = see, .context = s };
	struct err err;

	signal(SIGPIPE, SIG_IGN);
	uv_loop_init(&s->loop);
	buf_init(&s->seen);
	s->p = passing_open(&s->loop, &o, &s->in, &err);
	CHECK(s->p != NULL);
}

static void open_scene(struct scene *s, bool socket)
{
	if (socket)
		CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->out), 0);
	else
		CHECK_INT(pipe2(s->out, O_CLOEXEC), 0);
	open_on(s, s->out[1]);
}

static void close_scene(struct scene *s)
{
	passing_stop(s->p);
	uv_run(&s->loop, UV_RUN_DEFAULT);
	passing_free(s->p);
	CHECK_INT(uv_loop_close(&s->loop), 0);
	buf_free(&s->seen);
}

static void *write_much(void *context)
{
	struct scene *s = context;
	char piece[1000];

	for (unsigned i = 0; i < 1000; i++) {
		memset(piece, (int)('a' + i % 26), sizeof(piece));
		for (size_t done = 0; done < sizeof(piece);) {
			ssize_t n = write(s->in, piece + done, sizeof(piece) - done);

			if (n < 0)
				return (void *)1;
			done += (size_t)n;
		}
	}
	close(s->in);
	return NULL;
}

static void *read_slowly(void *context)
{
	struct scene *s = context;
	struct buf *all = mem_alloc(sizeof(*all));
	char piece[777];
	ssize_t n;

	buf_init(all);
	usleep(50000);
	while (all->n < 1000000 && (n = read(s->out[0], piece, sizeof(piece))) > 0)
		buf_add(all, piece, (size_t)n);
	return all;
}

TEST(bytes_and_their_order_stay_however_slow_the_reader_is)
{
	for (int socket = 0; socket < 2; socket++) {
		pthread_t writer, reader;
		struct scene s;
		void *failed, *result;
		struct buf *all;
		int flags;

		open_scene(&s, socket);
		flags = fcntl(s.out[1], F_GETFL);
		CHECK_INT(pthread_create(&writer, NULL, write_much, &s), 0);
		CHECK_INT(pthread_create(&reader, NULL, read_slowly, &s), 0);
		uv_run(&s.loop, UV_RUN_DEFAULT); /* ends with the writer */
		CHECK_INT(fcntl(s.out[1], F_GETFL), flags);
		pthread_join(writer, &failed);
		pthread_join(reader, &result);
		all = result;
		CHECK(failed == NULL);
		CHECK_INT(all->n, 1000000);
		for (size_t i = 0; i < all->n; i += 500)
			CHECK_INT(all->p[i], (int)('a' + i / 1000 % 26));
		CHECK(str_eq(buf_str(all), buf_str(&s.seen)));
		buf_free(all);
		mem_free(all);
		close(s.out[0]);
		close(s.out[1]);
		close_scene(&s);
	}
}

TEST(when_the_reader_leaves_the_child_learns_it)
{
	for (int socket = 0; socket < 2; socket++) {
		struct scene s;

		open_scene(&s, socket);
		CHECK_INT(write(s.in, "a", 1), 1);
		uv_run(&s.loop, UV_RUN_ONCE);
		close(s.out[0]);
		uv_run(&s.loop, UV_RUN_DEFAULT);
		CHECK_INT(write(s.in, "b", 1), -1);
		CHECK_INT(errno, EPIPE);
		CHECK_STR(buf_str(&s.seen), STR("a"));
		close(s.in);
		close(s.out[1]);
		close_scene(&s);
	}
}

TEST(a_file_gets_all_of_it_and_a_full_one_ends_it)
{
	static const struct { const char *name; bool good; } cases[] = { { "/dev/null", true }, { "/dev/full", false } };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct scene s;
		int to = open(cases[i].name, O_WRONLY | O_CLOEXEC);

		open_on(&s, to);
		CHECK_INT(write(s.in, "abc", 3), 3);
		uv_run(&s.loop, UV_RUN_ONCE);
		CHECK_INT(write(s.in, "d", 1), cases[i].good ? 1 : -1);
		close(s.in);
		uv_run(&s.loop, UV_RUN_DEFAULT);
		CHECK_STR(buf_str(&s.seen), cases[i].good ? STR("abcd") : STR("abc"));
		close(to);
		close_scene(&s);
	}
}

TEST(whoever_holds_the_pipe_after_the_end_has_the_grace_and_what_is_there_passes)
{
	struct scene s;
	char piece[8];

	open_scene(&s, false);
	CHECK_INT(write(s.in, "last", 4), 4);
	passing_end(s.p, 30);
	uv_run(&s.loop, UV_RUN_DEFAULT); /* comes back, though the pipe is open */
	CHECK_INT(read(s.out[0], piece, sizeof(piece)), 4);
	CHECK_INT(write(s.in, "more", 4), -1);
	close(s.in);
	close(s.out[0]);
	close(s.out[1]);
	close_scene(&s);
}

static void *read_late(void *context)
{
	struct scene *s = context;
	char piece[4096];
	size_t all = 0;
	ssize_t n;

	usleep(150000);
	while (all < 2 * 65536 && (n = read(s->out[0], piece, sizeof(piece))) > 0)
		all += (size_t)n;
	return (void *)all;
}

/* The pipe to the reader is full, a piece is held, and the child's pipe has more: the grace takes none of it away. */
TEST(a_reader_that_is_later_than_the_grace_gets_everything)
{
	char piece[1024];
	struct scene s;
	pthread_t reader;
	void *all;

	open_scene(&s, false);
	memset(piece, 'x', sizeof(piece));
	for (size_t i = 0; i < 2 * 65536 / sizeof(piece); i++) {
		CHECK_INT(write(s.in, piece, sizeof(piece)), (int)sizeof(piece));
		uv_run(&s.loop, UV_RUN_NOWAIT);
	}
	passing_end(s.p, 20);
	CHECK_INT(pthread_create(&reader, NULL, read_late, &s), 0);
	uv_run(&s.loop, UV_RUN_DEFAULT);
	pthread_join(reader, &all);
	CHECK_INT((size_t)all, 2 * 65536);
	CHECK_INT(s.seen.n, 2 * 65536);
	close(s.in);
	close(s.out[0]);
	close(s.out[1]);
	close_scene(&s);
}
