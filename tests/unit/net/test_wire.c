#include "net/wire.h"

#include <fcntl.h>

#include "base/clock.h"
#include "unit/net/sockets.h"

/* A wire and the test's end of it. */
struct line {
	struct wire wire; /* first */
	uv_loop_t loop;
	int other;
	struct buf got;
	unsigned reads, ends, losses, sents, closes;
	int error;
	char buffer[WIRE_BUFFER];
};

static void line_read(struct wire *w, struct str bytes)
{
	struct line *l = (struct line *)w;

	l->reads++;
	buf_add_str(&l->got, bytes);
}

static void line_end(struct wire *w)
{
	((struct line *)w)->ends++;
}

static void line_closed(struct wire *w)
{
	((struct line *)w)->closes++;
}

static void line_lost(struct wire *w, int error)
{
	struct line *l = (struct line *)w;

	l->losses++;
	l->error = error;
	wire_close(w, line_closed);
}

static void line_sent(struct wire *w)
{
	((struct line *)w)->sents++;
}

static const struct wire_ops line_ops = {
	.read = line_read, .end = line_end, .lost = line_lost, .sent = line_sent,
};

static struct line *line_open(void)
{
	struct line *l = test_alloc(sizeof(*l));
	uint16_t port;
	int listener = hear(&port), fd;

	CHECK(uv_loop_init(&l->loop) == 0);
	l->other = dial(port);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	CHECK(fd >= 0 && wire_open(&l->wire, &l->loop, fd, l->buffer, &line_ops));
	close(listener);
	return l;
}

static void line_close(struct line *l)
{
	wire_close(&l->wire, line_closed);
	wire_close(&l->wire, line_closed); /* a second time is nothing */
	CHECK(uv_run(&l->loop, UV_RUN_DEFAULT) == 0);
	CHECK_INT(l->closes, 1);
	CHECK(uv_loop_close(&l->loop) == 0);
	close(l->other);
	buf_free(&l->got);
}

TEST(bytes_are_read_only_while_somebody_wants_them)
{
	struct line *l = line_open();

	say(l->other, STR("early"));
	turn_for(&l->loop, 10);
	CHECK_INT(l->reads, 0);
	wire_read(&l->wire, true);
	TURN_UNTIL(&l->loop, l->reads == 1);
	CHECK_STR(buf_str(&l->got), STR("early"));
	wire_read(&l->wire, false);
	say(l->other, STR(" late"));
	turn_for(&l->loop, 10);
	CHECK_INT(l->reads, 1);
	wire_read(&l->wire, true);
	TURN_UNTIL(&l->loop, l->reads == 2);
	line_close(l);
}

/* The kernel begins to stamp a moment after the first socket asked for it. */
TEST(with_stamps_it_is_known_when_bytes_came_however_late_they_are_read)
{
	struct line *l = line_open();
	uint64_t before = 0, after = 0, read_at = 0;

	wire_stamp(&l->wire);
	CHECK(l->wire.stamped);
	wire_read(&l->wire, true);
	for (unsigned i = 1; i <= 50 && l->wire.came_ns == 0; i++) {
		before = clock_mono_ns();
		say(l->other, STR("x"));
		after = clock_mono_ns();
		usleep(20000);
		TURN_UNTIL(&l->loop, l->reads == i);
		read_at = clock_mono_ns();
	}
	if (l->wire.came_ns == 0)
		SKIP("this kernel stamps no bytes of TCP");
	/* two clocks are read one after the other, and may be set between */
	CHECK(l->wire.came_ns + 5000000 >= before && l->wire.came_ns <= after + 5000000);
	CHECK(read_at - l->wire.came_ns >= 14000000);
	line_close(l);
}

TEST(the_end_of_one_half_is_told_once_and_the_other_half_goes_on)
{
	struct line *l = line_open();
	struct outgoing o;
	struct buf b = { 0 };

	outgoing_init(&o);
	wire_read(&l->wire, true);
	say(l->other, STR("last words"));
	CHECK(shutdown(l->other, SHUT_WR) == 0);
	TURN_UNTIL(&l->loop, l->ends == 1);
	CHECK_STR(buf_str(&l->got), STR("last words"));
	turn_for(&l->loop, 20);
	CHECK_INT(l->ends, 1);
	buf_add_str(&o.text, STR("answer"));
	outgoing_send(&o, &l->wire);
	wire_shutdown(&l->wire);
	CHECK_STR(hear_all(&l->loop, l->other, &b), STR("answer"));
	outgoing_free(&o);
	buf_free(&b);
	line_close(l);
}

TEST(a_reset_is_told_whether_anything_is_read_or_not)
{
	static const struct { bool reading, ended; } cases[] = { { true, false }, { false, false }, { true, true } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct line *l = line_open();

		test_case("reading %d, ended %d", cases[i].reading, cases[i].ended);
		wire_read(&l->wire, true);
		wire_read(&l->wire, cases[i].reading);
		if (cases[i].ended)
			CHECK(shutdown(l->other, SHUT_WR) == 0);
		turn_for(&l->loop, 5);
		if (cases[i].ended) { /* a socket that is closed both ways answers bytes with a reset */
			struct outgoing o;

			close(l->other);
			outgoing_init(&o);
			buf_add_str(&o.text, STR("anybody there?"));
			outgoing_send(&o, &l->wire);
			outgoing_free(&o);
		} else {
			slam(l->other);
		}
		l->other = -1;
		TURN_UNTIL(&l->loop, l->losses == 1);
		CHECK(l->error == ECONNRESET || l->error == EPIPE);
		line_close(l);
	}
}

TEST(what_came_before_a_reset_is_still_read)
{
	struct line *l = line_open();
	struct outgoing o;

	outgoing_init(&o);
	buf_add_str(&o.text, STR("unread"));
	outgoing_send(&o, &l->wire);
	say(l->other, STR("goodbye"));
	usleep(1000);
	close(l->other); /* with bytes unread: a reset */
	l->other = -1;
	wire_read(&l->wire, true);
	TURN_UNTIL(&l->loop, l->losses == 1);
	CHECK_STR(buf_str(&l->got), STR("goodbye"));
	outgoing_free(&o);
	line_close(l);
}

TEST(an_end_behind_a_write_that_failed_is_a_loss)
{
	struct line *l = line_open();
	struct outgoing o;

	outgoing_init(&o);
	close(l->other);
	l->other = -1;
	for (unsigned i = 0; i < 2; i++) { /* the first is answered by a reset, the second fails */
		buf_add_str(&o.text, STR("hello?"));
		outgoing_send(&o, &l->wire);
		usleep(1000);
	}
	CHECK_INT(l->wire.broken, EPIPE);
	wire_read(&l->wire, true);
	TURN_UNTIL(&l->loop, l->losses == 1);
	CHECK_INT(l->error, EPIPE);
	CHECK_INT(l->ends, 0);
	outgoing_free(&o);
	line_close(l);
}

TEST(a_queue_that_never_becomes_empty_does_not_grow)
{
	struct line *l = line_open();
	struct outgoing o;
	char *piece = test_alloc(WIRE_LOW);
	size_t got = 0;
	ssize_t n;
	int little = 16384;

	outgoing_init(&o);
	CHECK(setsockopt(l->wire.fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)) == 0);
	for (uint64_t end = now_ms() + 20000; got < 20 * WIRE_HIGH && now_ms() < end;) {
		while (wire_queued(&l->wire) <= WIRE_HIGH) {
			outgoing_add(&o, str_of(piece, WIRE_LOW));
			outgoing_send(&o, &l->wire);
		}
		/* at most as much again was sent already, and buffers grow by doubling */
		CHECK(l->wire.queue.cap < 8 * WIRE_HIGH);
		n = recv(l->other, piece, WIRE_LOW, MSG_DONTWAIT);
		got += n > 0 ? (size_t)n : 0;
		uv_run(&l->loop, UV_RUN_NOWAIT);
	}
	CHECK(got >= 20 * WIRE_HIGH);
	outgoing_free(&o);
	line_close(l);
}

TEST(urgent_data_does_not_keep_the_loop_busy)
{
	struct line *l = line_open();
	unsigned n = 0;

	wire_read(&l->wire, true);
	wire_read(&l->wire, false);
	CHECK_INT(send(l->other, "!", 1, MSG_OOB), 1);
	turn_for(&l->loop, 20);
	for (uint64_t end = now_ms() + 50; now_ms() < end; n++) {
		struct timespec t = { .tv_nsec = 1000000 };

		uv_run(&l->loop, UV_RUN_NOWAIT);
		nanosleep(&t, NULL);
	}
	CHECK(l->wire.deaf);
	CHECK_INT(l->losses, 0);
	line_close(l);
}

TEST(what_the_kernel_does_not_take_is_queued_and_sent_in_order)
{
	enum { PIECES = 400, SIZE = 40000 };
	struct line *l = line_open();
	struct outgoing o;
	struct buf b = { 0 };
	char *piece = test_alloc(SIZE);

	outgoing_init(&o);
	for (unsigned i = 0; i < PIECES; i++) {
		memset(piece, 'a' + (int)(i % 26), SIZE);
		outgoing_add(&o, str_of(piece, SIZE));
		buf_add_byte(&o.text, '\n');
		outgoing_send(&o, &l->wire);
	}
	CHECK(wire_queued(&l->wire) > WIRE_HIGH);
	hear_some(&l->loop, l->other, &b, (size_t)PIECES * (SIZE + 1));
	for (unsigned i = 0; i < PIECES; i++) {
		const char *p = b.p + (size_t)i * (SIZE + 1);

		CHECK(p[0] == (char)('a' + i % 26) && p[SIZE - 1] == p[0] && memcmp(p, p + 1, SIZE - 1) == 0 && p[SIZE] == '\n');
	}
	CHECK_INT(wire_queued(&l->wire), 0);
	CHECK_INT(l->wire.total, b.n);
	CHECK(l->sents > 0);
	CHECK(l->wire.queue.cap <= 16 << 10); /* a queue that had grown is given back */
	outgoing_free(&o);
	buf_free(&b);
	line_close(l);
}

TEST(small_pieces_are_copied_and_large_ones_are_not)
{
	struct line *l = line_open();
	struct outgoing o;
	struct buf b = { 0 }, want = { 0 };
	static char large[50][OUTGOING_SMALL + 1], small[8];

	outgoing_init(&o);
	memset(large, 'L', sizeof(large));
	memcpy(small, "before", 6);
	outgoing_add(&o, str_of(small, 6));
	memcpy(small, "after!", 6);
	for (size_t i = 0; i < 50; i++) /* more than there is room for */
		outgoing_add(&o, str_of(large[i], sizeof(large[i])));
	outgoing_add(&o, STR("end"));
	CHECK(o.count <= OUTGOING_PIECES);
	outgoing_send(&o, &l->wire);
	CHECK_INT(o.text.n + o.count, 0);
	buf_add_str(&want, STR("before"));
	buf_add(&want, large, sizeof(large));
	buf_add_str(&want, STR("end"));
	CHECK_STR(hear_some(&l->loop, l->other, &b, want.n), buf_str(&want));
	buf_add_str(&o.text, STR("never"));
	outgoing_clear(&o);
	outgoing_send(&o, &l->wire);
	turn_for(&l->loop, 5);
	CHECK(listen_to(l->other, &b) && b.n == want.n);
	outgoing_free(&o);
	buf_free(&b), buf_free(&want);
	line_close(l);
}

TEST(a_socket_that_the_loop_watches_already_is_refused_and_closed)
{
	struct line *l = line_open();
	struct wire second = { 0 };
	int copy = l->wire.fd;

	wire_read(&l->wire, true);
	turn_for(&l->loop, 2);
	CHECK(!wire_open(&second, &l->loop, copy, l->buffer, &line_ops));
	CHECK(fcntl(copy, F_GETFD) < 0);
	CHECK_INT(second.fd, -1);
	wire_close(&l->wire, line_closed);
	CHECK(uv_run(&l->loop, UV_RUN_DEFAULT) == 0);
	CHECK(uv_loop_close(&l->loop) == 0);
	close(l->other);
}
