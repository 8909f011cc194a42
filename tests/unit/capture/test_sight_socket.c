/* The recorder's socket: lines of other processes reach the recorder, whole, in whatever pieces they come. */
#include "capture/sight_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/test.h"
#include "net/local.h"

#define LINE "{\"v\":\"sighting/1\",\"kind\":\"input\",\"layer\":\"hook\",\"begun_ns\":7}\n"

struct socketed {
	struct arena arena;
	uv_loop_t loop;
	uv_timer_t alive; /* the socket's own handles do not keep the loop running */
	struct budget room;
	struct recorder *recorder;
	struct feed *feed;
	struct sight_socket *socket;
	_Atomic size_t seen; /* by the recorder */
	int64_t begun_ns, ended_ns;
	size_t longest; /* id */
	char calls[256]; /* ids, one after the other */
};

static struct recorder_run *socketed_sighting(void *context, const struct sighting *s)
{
	struct socketed *t = context;
	size_t n = strlen(t->calls);

	t->seen++;
	t->begun_ns = s->begun_ns;
	t->ended_ns = s->ended_ns;
	t->longest = s->call.n > t->longest ? s->call.n : t->longest;
	if (s->call.n && n + s->call.n < sizeof(t->calls))
		memcpy(t->calls + n, s->call.p, s->call.n);
	return NULL;
}

static struct recorder_run *socketed_exchange(void *context, const struct observation *s, const struct http_head *h)
{
	(void)context, (void)s, (void)h;
	return NULL;
}

static void socketed_tick(uv_timer_t *timer)
{
	(void)timer;
}

static void socketed_open_by(struct socketed *t, size_t room, const struct clock_line *clock)
{
	struct recorder_options o = { .room = &t->room, .clock = clock, .choose = { .exchange = socketed_exchange,
								    .sighting = socketed_sighting, .context = t } };
	struct err err;

	*t = (struct socketed){ .room = { .limit = room } };
	arena_init(&t->arena);
	CHECK_INT(uv_loop_init(&t->loop), 0);
	uv_timer_init(&t->loop, &t->alive);
	uv_timer_start(&t->alive, socketed_tick, 600000, 0);
	t->recorder = recorder_open(&t->arena, &o);
	t->feed = feed_open(&t->arena, &t->room, recorder_work(t->recorder));
	t->socket = sight_socket_open(&t->loop, &t->room, test_dir(), STR("test.sock"), &err);
	if (!t->socket)
		FAIL("%s", err.text);
	sight_socket_begin(t->socket, t->feed);
}

static void socketed_open(struct socketed *t, size_t room)
{
	socketed_open_by(t, room, NULL);
}

static struct sight_tally socketed_close(struct socketed *t)
{
	struct sight_tally tally;
	struct str path = arena_copy(&t->arena, sight_socket_path(t->socket));

	sight_socket_stop(t->socket);
	uv_close((uv_handle_t *)&t->alive, NULL);
	uv_run(&t->loop, UV_RUN_DEFAULT);
	CHECK(access(path.p, F_OK) != 0);
	feed_close(t->feed);
	tally = sight_socket_tally(t->socket);
	sight_socket_close(t->socket);
	CHECK_INT(uv_loop_close(&t->loop), 0);
	recorder_close(t->recorder);
	arena_free(&t->arena);
	return tally;
}

static int socketed_connect(struct socketed *t)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct str path = sight_socket_path(t->socket);

	CHECK(fd >= 0 && path.n < sizeof(at.sun_path));
	memcpy(at.sun_path, path.p, path.n);
	CHECK_INT(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

static void socketed_say(struct socketed *t, int fd, struct str bytes)
{
	CHECK_INT(send(fd, bytes.p, bytes.n, 0), (ssize_t)bytes.n);
	for (int i = 0; i < 4; i++)
		uv_run(&t->loop, UV_RUN_NOWAIT);
}

TEST(a_line_reaches_the_recorder)
{
	struct socketed t;
	struct sight_tally tally;

	socketed_open(&t, HANDOFF_ROOM);
	CHECK(local_send(sight_socket_path(t.socket), STR(LINE), 250));
	tally = socketed_close(&t);
	CHECK_INT(t.seen, 1);
	CHECK_INT(t.begun_ns, 7);
	CHECK_INT(tally.seen, 1);
	CHECK_INT(tally.bad + tally.lost + tally.refused, 0);
}

/* One clock that is ahead would push the end of every node behind it into the future. */
TEST(what_is_told_is_never_of_the_future)
{
	struct socketed t;

	socketed_open(&t, HANDOFF_ROOM);
	CHECK(local_send(sight_socket_path(t.socket),
			 STR("{\"v\":\"sighting/1\",\"kind\":\"tool_end\",\"layer\":\"hook\",\"call\":\"a\","
			     "\"begun_ns\":9223372036854770000,\"ended_ns\":9223372036854775807}\n"), 250));
	socketed_close(&t);
	CHECK_INT(t.seen, 1);
	CHECK(t.ended_ns <= (int64_t)clock_wall_ns());
	CHECK_INT(t.ended_ns - t.begun_ns, 5807);
}

/* The machine slept for eight hours: the clock of the exchanges did not. */
TEST(what_is_told_gets_the_time_of_the_exchanges)
{
	struct clock_line slept = clock_line_begin();
	int64_t hours = INT64_C(8) * 3600 * 1000000000, wall = (int64_t)clock_wall_ns();
	char line[128];
	struct socketed t;

	slept.offset -= hours;
	socketed_open_by(&t, HANDOFF_ROOM, &slept);
	snprintf(line, sizeof(line), "{\"v\":\"sighting/1\",\"kind\":\"input\",\"layer\":\"hook\",\"begun_ns\":%lld}\n",
		 (long long)wall);
	CHECK(local_send(sight_socket_path(t.socket), str_from(line), 250));
	socketed_close(&t);
	CHECK(llabs(t.begun_ns - (wall - hours)) < 10000000);
}

/* Ids are kept with calls that wait, thousands of them. */
TEST(a_text_that_is_no_id_is_not_taken)
{
	struct buf line;
	struct socketed t;

	buf_init(&line);
	buf_add_str(&line, STR("{\"v\":\"sighting/1\",\"kind\":\"tool_begin\",\"layer\":\"hook\",\"call\":\""));
	for (int i = 0; i < 100000; i++)
		buf_add_byte(&line, 'x');
	buf_add_str(&line, STR("\"}\n"));
	socketed_open(&t, HANDOFF_ROOM);
	CHECK(local_send(sight_socket_path(t.socket), buf_str(&line), 250));
	CHECK_INT(socketed_close(&t).seen, 1);
	CHECK_INT(t.longest, 0);
	buf_free(&line);
}

TEST(lines_come_whole_in_whatever_pieces_they_were_sent)
{
	struct str text = STR("{\"v\":\"sighting/1\",\"kind\":\"tool_begin\",\"layer\":\"hook\",\"call\":\"a\"}\n\n" LINE
			      "{\"v\":\"sighting/1\",\"kind\":\"tool_begin\",\"layer\":\"hook\",\"call\":\"b\"}");

	for (size_t piece = 1; piece < text.n; piece += 13) {
		struct socketed t;
		struct sight_tally tally;
		int fd;

		test_case("%zu", piece);
		socketed_open(&t, HANDOFF_ROOM);
		fd = socketed_connect(&t);
		for (struct str left = text; left.n;) {
			size_t n = left.n < piece ? left.n : piece;

			socketed_say(&t, fd, str_of(left.p, n));
			left = str_skip(left, n);
		}
		close(fd);
		tally = socketed_close(&t);
		CHECK_INT(tally.seen, 3);
		CHECK_INT(tally.bad + tally.lost, 0);
		CHECK_STR(str_from(t.calls), STR("ab"));
	}
}

TEST(what_is_no_sighting_is_counted_and_harms_nothing)
{
	struct socketed t;
	struct sight_tally tally;
	struct str text = STR("nonsense\n[]\n{\"v\":\"sighting/9\"}\n\xff\xfe\n" LINE "{\"v\":\"sighting/1\"}\n");

	socketed_open(&t, HANDOFF_ROOM);
	CHECK(local_send(sight_socket_path(t.socket), text, 250));
	tally = socketed_close(&t);
	CHECK_INT(tally.seen, 1);
	CHECK_INT(tally.bad, 5);
}

TEST(a_line_for_which_there_is_no_room_is_lost_alone)
{
	size_t much = (size_t)256 << 10;
	char *bytes = test_alloc(much);
	struct socketed t;
	struct sight_tally tally;
	int fd;

	memset(bytes, 'x', much);
	socketed_open(&t, (size_t)128 << 10);
	fd = socketed_connect(&t);
	for (size_t at = 0; at < much; at += 32 << 10)
		socketed_say(&t, fd, str_of(bytes + at, 32 << 10));
	socketed_say(&t, fd, STR("\n" LINE));
	close(fd);
	tally = socketed_close(&t);
	CHECK_INT(tally.lost, 1);
	CHECK_INT(tally.seen, 1);
	CHECK_INT(t.room.used, 0);
}

TEST(more_clients_than_the_limit_wait_for_their_turn)
{
	static int fds[SIGHT_SOCKET_CLIENTS + 20];
	struct socketed t;
	struct sight_tally tally;

	socketed_open(&t, HANDOFF_ROOM);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = socketed_connect(&t);
		socketed_say(&t, fds[i], STR(LINE));
	}
	for (size_t i = 0; i < COUNT(fds); i++) {
		close(fds[i]);
		uv_run(&t.loop, UV_RUN_NOWAIT);
	}
	tally = socketed_close(&t);
	CHECK_INT(tally.seen, COUNT(fds));
}

/* In a recorder that listens for days there may be no end of the run to wait for, and no client that leaves. */
TEST(descriptors_that_run_out_are_waited_for)
{
	struct rlimit before, none;
	struct socketed t;
	int fd;

	socketed_open(&t, HANDOFF_ROOM);
	fd = socketed_connect(&t);
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_cur = (rlim_t)fd + 1, .rlim_max = before.rlim_max };
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
	socketed_say(&t, fd, STR(LINE));
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (int i = 0; i < 200 && !t.seen; i++) {
		uv_run(&t.loop, UV_RUN_NOWAIT);
		usleep(10000);
	}
	CHECK_INT(t.seen, 1);
	close(fd);
	socketed_close(&t);
}

TEST(a_client_that_never_leaves_does_not_hold_the_end_up)
{
	struct socketed t;
	struct sight_tally tally;
	int fd;

	socketed_open(&t, HANDOFF_ROOM);
	fd = socketed_connect(&t);
	socketed_say(&t, fd, STR(LINE "{\"v\":"));
	tally = socketed_close(&t);
	CHECK_INT(tally.seen, 1);
	CHECK_INT(tally.bad, 1);
	close(fd);
}

TEST(two_sockets_cannot_have_one_name)
{
	struct socketed t;
	struct err err;
	struct str path;
	char runtime[256];

	socketed_open(&t, HANDOFF_ROOM);
	path = sight_socket_path(t.socket);
	snprintf(runtime, sizeof(runtime), "%.*s", STR_ARG(str_dirname(str_dirname(path))));
	CHECK(!sight_socket_open(&t.loop, &t.room, runtime, STR("test.sock"), &err));
	CHECK(str_find(str_from(err.text), STR("another process listens")) != (size_t)-1);
	CHECK_INT(socketed_close(&t).seen, 0);
}

/* A request comes in the same turn of the loop as the end of the tool whose result it has. */
TEST(what_was_sent_before_a_request_is_taken_before_it)
{
	struct socketed t;
	int fd;

	socketed_open(&t, 1 << 20);
	fd = socketed_connect(&t);
	CHECK_INT(send(fd, LINE, strlen(LINE), 0), (ssize_t)strlen(LINE));
	sight_socket_look(t.socket); /* the loop has not run */
	feed_close(t.feed);
	CHECK_INT(t.seen, 1);
	t.feed = feed_open(&t.arena, &t.room, recorder_work(t.recorder));
	sight_socket_begin(t.socket, t.feed);
	close(fd);
	CHECK_INT(socketed_close(&t).seen, 1);
	sight_socket_look(NULL);
}
