/* A client is a wire and a timer; its first line chooses the lane that gets all that follows. */
#include "replay/door.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/local.h"
#include "net/wire.h"

#define DOOR_AGAIN_MS 100
#define DOOR_HANDLES 2 /* of a client */

struct door_client {
	struct wire wire; /* first: the wire's functions are given it */
	uv_timer_t timer;
	struct door_client *next, **at;
	struct door *door;
	const struct door_lane *lane; /* NULL: it has not said what it wants, or it tells of what it sees */
	void *talk;
	struct buf held; /* the beginning of a line */
	unsigned handles;
	bool known, sights, ends, gone;
};

struct door {
	struct arena arena;
	uv_loop_t *loop;
	struct str path;
	int fd;
	uv_poll_t poll;
	uv_timer_t again; /* runs when there was no descriptor for one who waits */
	struct door_lane *lanes;
	size_t lane_count;
	struct door_client *clients;
	size_t count;
	struct json_parser *parser;
	struct outgoing out;
	struct door_tally tally;
	char bytes[WIRE_BUFFER];
};

static void door_accept_event(uv_poll_t *poll, int status, int events);

/* ---- clients ---- */

static void door_let_go(struct door_client *c)
{
	if (--c->handles > 0)
		return;
	buf_free(&c->held);
	buf_free(&c->wire.queue);
	mem_free(c);
}

static void door_wire_closed(struct wire *w)
{
	door_let_go((struct door_client *)w);
}

static void door_timer_closed(uv_handle_t *handle)
{
	door_let_go(handle->data);
}

static void door_leave(struct door_client *c)
{
	struct door *d = c->door;

	if (c->gone)
		return;
	c->gone = true;
	if (c->lane && c->talk)
		c->lane->close(c->talk);
	*c->at = c->next;
	if (c->next)
		c->next->at = c->at;
	if (d->count-- == DOOR_CLIENTS && d->fd >= 0)
		uv_poll_start(&d->poll, UV_READABLE, door_accept_event);
	wire_close(&c->wire, door_wire_closed);
	uv_close((uv_handle_t *)&c->timer, door_timer_closed);
}

static void door_cut_off(struct door_client *c)
{
	c->door->tally.refused++;
	door_leave(c);
}

/* After whatever a lane did: one who was sent away leaves when all was taken. */
static void door_settle(struct door_client *c)
{
	if (c->ends && !c->gone && wire_queued(&c->wire) == 0)
		door_leave(c);
}

void door_send(struct door_client *c, struct str bytes)
{
	if (c->gone || bytes.n == 0)
		return;
	outgoing_add(&c->door->out, bytes);
	outgoing_send(&c->door->out, &c->wire);
}

void door_end(struct door_client *c)
{
	c->ends = true;
	door_wake(c, 0); /* from the loop: the caller may be inside of the client's own call */
}

static void door_timer_event(uv_timer_t *timer)
{
	struct door_client *c = timer->data;

	if (c->gone)
		return;
	if (!c->ends && c->lane && c->talk)
		c->lane->wake(c->talk);
	door_settle(c);
}

void door_wake(struct door_client *c, uint64_t at_ns)
{
	uint64_t now = clock_mono_ns(), ms;

	if (c->gone)
		return;
	if (at_ns == UINT64_MAX) {
		uv_timer_stop(&c->timer);
		return;
	}
	ms = at_ns > now ? (at_ns - now) / 1000000 + 1 : 0;
	uv_update_time(c->door->loop);
	uv_timer_start(&c->timer, door_timer_event, ms, 0);
}

/* ---- lines ---- */

static const struct door_lane *door_find_lane(const struct door *d, struct val name)
{
	for (size_t i = 0; i < d->lane_count; i++)
		if (val_text_is(name, str_from(d->lanes[i].name)))
			return &d->lanes[i];
	return NULL;
}

static void door_take_sight(struct door *d, struct val line)
{
	struct val tape = val_get(line, STR("tape"));
	const struct door_lane *lane = door_find_lane(d, val_get(tape, STR("lane")));

	if (lane && lane->sight)
		lane->sight(lane->context, tape);
}

/* The first line of a client, and every line of one who tells what it sees. */
static bool door_greet(struct door_client *c, struct str line)
{
	struct door *d = c->door;
	struct val v;

	if (!json_parse_copy(d->parser, line, &v, NULL) || !val_is(v, JSON_OBJECT))
		return c->known; /* a torn line of one who is known is only lost */
	c->known = true;
	if (val_has(v, STR("v"))) {
		c->sights = true;
		door_take_sight(d, v);
		return true;
	}
	c->lane = door_find_lane(d, val_get(v, STR("lane")));
	if (!c->lane || c->sights)
		return false;
	c->talk = c->lane->begin(c->lane->context, c, v);
	return true;
}

static bool door_take_line(struct door_client *c, struct str line)
{
	if (line.n > DOOR_LINE)
		return false;
	if (!c->known || c->sights)
		return door_greet(c, line);
	if (c->talk && !c->ends)
		c->lane->line(c->talk, line);
	return true;
}

static bool door_take(struct door_client *c, struct str bytes)
{
	const char *end;

	while (bytes.n && (end = memchr(bytes.p, '\n', bytes.n))) {
		struct str part = str_of(bytes.p, (size_t)(end - bytes.p));
		bool good;

		bytes = str_skip(bytes, part.n + 1);
		if (c->held.n) {
			buf_add_str(&c->held, part);
			part = buf_str(&c->held);
		}
		good = door_take_line(c, part);
		buf_clear(&c->held);
		if (!good || c->gone)
			return good;
	}
	buf_add_str(&c->held, bytes);
	return c->held.n <= DOOR_LINE;
}

static void door_wire_read(struct wire *w, struct str bytes)
{
	struct door_client *c = (struct door_client *)w;

	if (!door_take(c, bytes))
		door_cut_off(c);
	else
		door_settle(c);
}

static void door_wire_end(struct wire *w)
{
	struct door_client *c = (struct door_client *)w;

	if (c->held.n && !door_take_line(c, buf_str(&c->held))) {
		door_cut_off(c);
		return;
	}
	buf_clear(&c->held);
	if (c->lane && c->talk && !c->gone)
		c->lane->over(c->talk);
	else
		c->ends = true;
	door_settle(c);
}

static void door_wire_lost(struct wire *w, int error)
{
	(void)error;
	door_leave((struct door_client *)w);
}

static void door_wire_sent(struct wire *w)
{
	door_settle((struct door_client *)w);
}

static const struct wire_ops door_wire = {
	.read = door_wire_read, .end = door_wire_end, .lost = door_wire_lost, .sent = door_wire_sent,
};

/* ---- those who come ---- */

static void door_accept_again(uv_timer_t *timer)
{
	struct door *d = timer->data;

	if (d->fd >= 0 && d->count < DOOR_CLIENTS)
		uv_poll_start(&d->poll, UV_READABLE, door_accept_event);
}

static void door_add_client(struct door *d, int fd)
{
	struct door_client *c = mem_alloc(sizeof(*c));

	*c = (struct door_client){ .door = d, .handles = DOOR_HANDLES };
	buf_init(&c->held);
	if (!wire_open(&c->wire, d->loop, fd, d->bytes, &door_wire)) {
		mem_free(c);
		return;
	}
	uv_unref((uv_handle_t *)&c->wire.poll);
	uv_timer_init(d->loop, &c->timer);
	uv_unref((uv_handle_t *)&c->timer);
	c->timer.data = c;
	c->next = d->clients;
	c->at = &d->clients;
	if (c->next)
		c->next->at = &c->next;
	d->clients = c;
	d->tally.clients++;
	if (++d->count == DOOR_CLIENTS)
		uv_poll_stop(&d->poll); /* the others wait where they are */
	wire_read(&c->wire, true);
}

/* Takes one who waits. False: nobody does, or nobody else can be taken now. */
static bool door_accept(struct door *d)
{
	int fd = d->count < DOOR_CLIENTS ? accept4(d->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

	if (fd < 0) {
		if (d->count < DOOR_CLIENTS && (errno == EMFILE || errno == ENFILE)) {
			uv_poll_stop(&d->poll);
			uv_timer_start(&d->again, door_accept_again, DOOR_AGAIN_MS, 0);
		}
		return false;
	}
	if (local_is_ours(fd)) {
		door_add_client(d, fd);
	} else {
		d->tally.refused++;
		close(fd);
	}
	return true;
}

static void door_accept_event(uv_poll_t *poll, int status, int events)
{
	(void)status, (void)events;
	door_accept(poll->data);
}

/* ---- the door ---- */

struct door *door_open(uv_loop_t *loop, const char *runtime, struct str name, const struct door_lane *lanes,
		       size_t count, struct err *err)
{
	struct door *d = mem_alloc(sizeof(*d));
	struct str dir;

	memset(d, 0, offsetof(struct door, bytes));
	arena_init(&d->arena);
	outgoing_init(&d->out);
	d->loop = loop;
	d->fd = -1;
	d->lanes = arena_move_array(&d->arena, lanes, count, count + 1, sizeof(*lanes));
	d->lane_count = count;
	if (local_dir(&d->arena, runtime, true, &dir, err)) {
		d->path = ARENA_JOIN(&d->arena, dir, STR("/"), name);
		d->fd = local_listen(d->path, err);
	}
	if (d->fd < 0) {
		door_close(d);
		return NULL;
	}
	d->parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .max_depth = 512, .max_values = (size_t)4 << 20 });
	uv_poll_init(loop, &d->poll, d->fd);
	d->poll.data = d;
	uv_poll_start(&d->poll, UV_READABLE, door_accept_event);
	uv_unref((uv_handle_t *)&d->poll);
	uv_timer_init(loop, &d->again);
	uv_unref((uv_handle_t *)&d->again);
	d->again.data = d;
	return d;
}

struct str door_path(const struct door *d)
{
	return d->path;
}

struct door_tally door_tally(const struct door *d)
{
	return d->tally;
}

/* Reads once what a client has sent; the wire does the same when the loop tells it. */
static void door_look_at(struct door_client *c)
{
	ssize_t n = recv(c->wire.fd, c->door->bytes, sizeof(c->door->bytes), MSG_DONTWAIT);

	if (n > 0)
		door_wire_read(&c->wire, str_of(c->door->bytes, (size_t)n));
}

void door_look(struct door *d)
{
	struct pollfd waiting = { .fd = d ? d->fd : -1, .events = POLLIN };
	struct door_client *next;

	if (!d)
		return;
	while (poll(&waiting, 1, 0) > 0 && door_accept(d))
		;
	for (struct door_client *c = d->clients; c; c = next) {
		next = c->next;
		if (!c->wire.ended)
			door_look_at(c);
	}
}

void door_stop(struct door *d)
{
	if (d->fd < 0)
		return;
	door_look(d);
	uv_poll_stop(&d->poll);
	close(d->fd);
	d->fd = -1;
	while (d->clients)
		door_leave(d->clients);
	uv_close((uv_handle_t *)&d->poll, NULL);
	uv_close((uv_handle_t *)&d->again, NULL);
	unlink(d->path.p);
}

void door_close(struct door *d)
{
	if (!d)
		return;
	json_parser_close(d->parser);
	outgoing_free(&d->out);
	arena_free(&d->arena);
	mem_free(d);
}
