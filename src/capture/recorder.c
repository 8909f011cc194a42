#include "capture/recorder.h"

#include <assert.h>

#include "capture/cassette.h"
#include "capture/mcp/mcp_http.h"
#include "capture/socket.h"

#define SEE_APART_NS INT64_C(1000000000) /* by which clocks may differ before that is made up for */

/* An exchange that is not over. The bytes are kept only where there is a cassette. */
struct slot {
	struct observer *observer;
	struct recorder_run *run; /* NULL: nobody's */
	struct slot *next, **at; /* in the list of open ones */
	struct handoff *request;
	struct http_head *head;
	struct buf body;
	size_t counted; /* bytes of the room that the body has */
	struct observer_arrival *arrivals;
	size_t arrival_count;
	struct socket *socket; /* NULL: it asked for none that can be read */
	struct mcp_exchange *mcp; /* NULL: it is none */
	uint64_t number, group, in_socket;
	bool lost, gap, crowded;
	bool counted_open; /* among those that are being answered: a socket that is open only waits */
};

struct recorder {
	struct recorder_options o;
	struct observers *observers;
	struct mcp_http *mcp;
	struct slot *open;
	uint64_t number;
	struct recorder_run *within; /* whose socket is being read; NULL: none, or nobody's */
	struct recorder_run *dirty, **last_dirty;
	struct answer_parser messages; /* of sockets */
	struct arena scratch;
	struct buf line;
};

static void see_in_run(void *context, void *run, const struct sighting *s);

struct recorder *recorder_open(struct arena *a, const struct recorder_options *o)
{
	struct recorder *d = arena_new(a, struct recorder);

	d->o = *o;
	d->observers = observers_open(o->room);
	observers_hash_blocks(d->observers, &o->blocks);
	d->mcp = mcp_http_open(&(struct mcp_http_options){ .room = o->room, .see = see_in_run, .context = d });
	d->last_dirty = &d->dirty;
	answer_parser_init(&d->messages);
	arena_init(&d->scratch);
	buf_init(&d->line);
	return d;
}

/* ---- exchanges ---- */

/* Gives back the room that was counted for what the slot kept. */
static void close_slot(struct recorder *d, struct slot *s)
{
	*s->at = s->next;
	if (s->next)
		s->next->at = s->at;
	if (s->run) {
		assert(s->run->open_count >= s->counted_open && s->run->slot_count > 0);
		s->run->open_count -= s->counted_open;
		s->run->slot_count--;
	}
	socket_close(s->socket);
	mcp_exchange_close(s->mcp);
	observer_close(s->observer);
	if (s->request) {
		budget_give(d->o.room, s->request->counted);
		handoff_free(s->request);
	}
	mem_free(s->head);
	mem_free(s->arrivals);
	budget_free(d->o.room, &s->counted, &s->body);
	mem_free(s);
}

/* A path of a route as the client knows it. */
static struct str recorder_shown_path(const struct route *r, struct str path)
{
	return r->hidden.n && str_starts(path, r->hidden) ? str_skip(path, r->hidden.n) : path;
}

/* The line of an exchange whose last handoff is `last`. */
static void put_cassette(struct recorder *d, const struct slot *s, const struct handoff *last)
{
	const struct handoff *q = s->request;
	struct cassette_exchange x = {
		.number = s->number - 1,
		.group = s->group,
		.request = q->head,
		.answer = s->head,
		.target = recorder_shown_path(q->route, q->target),
		.request_body = buf_str(&q->body),
		.answer_body = buf_str(&s->body),
		.request_lost = q->lost,
		.answer_lost = s->lost,
		.arrivals = s->arrivals,
		.arrival_count = s->arrival_count,
		.how = last->how,
		.begun_ns = q->head_ns,
		.ended_ns = last->ns,
		.provider = q->route->name,
		.base = recorder_shown_path(q->route, q->route->url.path),
		.endpoint = observer_seen(s->observer)->endpoint,
		.socket = s->in_socket,
		.lane = s->mcp ? STR("mcp") : STR("model"),
	};

	buf_clear(&d->line);
	cassette_add(&d->line, &x);
	recorder_run_add(s->run, s->run->o.cassette, buf_str(&d->line));
}

/* What another layer kept of an exchange, as a line of its lane: numbers are ours. */
static void put_tape(struct recorder *d, struct recorder_run *r, struct str tape)
{
	tape = str_trim(str_skip(tape, 1));
	if (tape.n < 2)
		return; /* there is nothing in it */
	buf_clear(&d->line);
	buf_printf(&d->line, "{\"x\":%llu,\"group\":%llu,", (unsigned long long)r->number++,
		   (unsigned long long)r->group);
	buf_add_str(&d->line, tape);
	buf_add_byte(&d->line, '\n');
	recorder_run_add(r, r->o.cassette, buf_str(&d->line));
}

/* The address of the service that was asked, without what may be a key. */
static struct str endpoint_of(struct recorder *d, const struct handoff *w)
{
	struct str query, path = str_cut(w->target, '?', &query);
	struct url at = w->route->url;

	at.path = path;
	return url_format(&d->scratch, &at);
}

/* How much of an endpoint is the address as the user gave it: the client may have asked for another version. */
static size_t own_of(struct recorder *d, const struct handoff *w, struct str endpoint)
{
	struct str own = url_format(&d->scratch, &w->route->url);
	size_t n = 0;

	while (n < own.n && n < endpoint.n && own.p[n] == endpoint.p[n])
		n++;
	while (n > 0 && n < endpoint.n && endpoint.p[n] != '/')
		n--;
	return n;
}

/* For the cassette; without its body when there is no room for it. */
static void keep_request(struct recorder *d, struct slot *s, struct handoff *w)
{
	s->request = w;
	w->counted = w->body.cap;
	if (budget_take(d->o.room, w->counted))
		return;
	w->counted = 0;
	w->lost = s->gap = s->crowded = true;
	buf_free(&w->body);
	buf_init(&w->body);
}

static void recorder_take(void *context, struct feed_item *item);

static void take_message(void *context, struct handoff *w)
{
	recorder_take(context, &w->item);
}

static bool is_message_over(void *context, const struct handoff_exchange *x)
{
	const struct slot *s = x->own;

	(void)context;
	return observer_is_over(s->observer);
}

/* Exchanges that are read from sockets go the way of all others. */
static struct socket_sink sink_of(struct recorder *d)
{
	return (struct socket_sink){ take_message, is_message_over, d };
}

static bool keeps(const struct slot *s)
{
	return s->run && s->run->o.cassette;
}

/* What was done with a run may have left lines: they are written when the feed rests. */
static void note_dirty(struct recorder *d, struct recorder_run *r)
{
	if (!r->dirty || r->next_dirty || d->last_dirty == &r->next_dirty)
		return;
	*d->last_dirty = r;
	d->last_dirty = &r->next_dirty;
}

/* Its numbers in its run. What is asked while something else is being answered belongs to the same step. */
static void enter_run(struct slot *s, int64_t ns)
{
	struct recorder_run *r = s->run;

	if (!r)
		return;
	s->number = ++r->number;
	s->counted_open = !s->mcp; /* streams of MCP are open for as long as their client is */
	if (s->counted_open)
		s->group = r->open_count++ ? r->group : ++r->group;
	else
		s->group = r->group;
	r->slot_count++;
	r->last_ns = ns > r->last_ns ? ns : r->last_ns;
}

/* What comes by a socket is of the run that opened it. */
static struct recorder_run *choose_run(struct recorder *d, const struct slot *s, const struct handoff *w)
{
	if (d->o.run)
		return d->o.run;
	if (w->socket && d->within)
		return d->within;
	return d->o.choose.exchange(d->o.choose.context, observer_seen(s->observer), w->head);
}

static void begin_mcp(struct recorder *d, struct slot *s, const struct handoff *w)
{
	struct mcp_http_request r = {
		.head = w->head,
		.body = w->lost ? STR("") : buf_str(&w->body),
		.server = w->route->name,
		.run = s->run,
		.number = observer_seen(s->observer)->number,
		.ns = w->ns,
	};

	if (observer_seen(s->observer)->kind == OBSERVED_OTHER && !w->socket)
		s->mcp = mcp_http_begin(d->mcp, &r);
}

/* Opens a slot for the exchange and reads the request; the handoff is kept only where there is a cassette. */
static void take_request(struct recorder *d, struct handoff *w)
{
	struct slot *s = mem_alloc(sizeof(*s));
	struct observer_begin b = {
		.number = ++d->number,
		.provider = w->route->name.p,
		.head = w->head,
		.ns = w->head_ns,
	};

	*s = (struct slot){ .in_socket = w->socket, .counted_open = true, .next = d->open, .at = &d->open };
	buf_init(&s->body);
	if (d->open)
		d->open->at = &s->next;
	d->open = s;
	w->exchange->own = s;
	arena_reset(&d->scratch);
	b.endpoint = endpoint_of(d, w);
	b.endpoint_own = own_of(d, w, b.endpoint);
	s->observer = observer_open(d->observers, &b);
	observer_request(s->observer, buf_str(&w->body), w->lost, w->ns);
	s->gap = w->lost;
	s->run = choose_run(d, s, w);
	begin_mcp(d, s, w);
	enter_run(s, w->ns);
	if (s->run && observer_seen(s->observer)->kind == OBSERVED_MODEL) {
		run_graph_request(s->run->graph, observer_seen(s->observer));
		note_dirty(d, s->run);
	}
	if (!w->socket && socket_is_read(w->head, w->target))
		s->socket = socket_open(w, s->number, &d->messages, d->o.room, sink_of(d));
	if (keeps(s))
		keep_request(d, s, w);
	else
		handoff_free(w);
}

/* The bytes of an answer are kept for the cassette up to the same size as those of a request. */
static void keep_answer(struct recorder *d, struct slot *s, struct handoff *w)
{
	size_t count = s->arrival_count + w->arrival_count, before = s->body.n;

	if (w->head) {
		mem_free(s->head);
		s->head = w->head;
		w->head = NULL;
	}
	s->lost = s->lost || w->lost || before + w->body.n > HANDOFF_BODY ||
		  !budget_add(d->o.room, &s->counted, &s->body, buf_str(&w->body));
	if (s->lost)
		budget_free(d->o.room, &s->counted, &s->body);
	if (s->lost || !w->body.n)
		return;
	s->arrivals = mem_resize(s->arrivals, count * sizeof(*s->arrivals));
	for (size_t i = 0; i < w->arrival_count; i++)
		s->arrivals[s->arrival_count++] =
			(struct observer_arrival){ .end = before + w->arrivals[i].end, .ns = w->arrivals[i].ns };
}

/* After 101 the exchange lasts as long as the socket, and what is said in that is no part of it. */
static void recorder_take_head(struct slot *s, const struct handoff *w)
{
	observer_head(s->observer, w->head, w->head_ns);
	mcp_exchange_head(s->mcp, w->head);
	if (!s->socket || !socket_begin(s->socket, w->head) || !s->counted_open)
		return;
	s->counted_open = false;
	if (s->run)
		s->run->open_count--;
}

/* Bytes of a socket. Frees w. */
static void take_socket(struct recorder *d, struct slot *s, struct handoff *w)
{
	d->within = s->run;
	if (s->socket)
		socket_push(s->socket, buf_str(&w->body), w->from_client, w->lost, w->ns);
	d->within = NULL;
	handoff_free(w);
}

/* What was open in a socket ends before the exchange that opened it. A message that was lost left its own mark. */
static void end_socket(struct recorder *d, struct slot *s, struct handoff *w)
{
	d->within = s->run;
	socket_end(s->socket, w->how, w->ns);
	d->within = NULL;
	if (s->run)
		s->run->crowded += socket_is_crowded(s->socket);
	s->gap = s->gap || socket_is_torn(s->socket);
	if (!s->counted_open && w->how == PROXY_CLIENT_LEFT)
		w->how = PROXY_WHOLE; /* that is how sockets end */
}

/* The last of an exchange: its node, then the mark of what is missing in it, then its line in the cassette. */
static void end_in_run(struct recorder *d, struct slot *s, const struct handoff *w)
{
	const struct observation *observation = observer_seen(s->observer);
	struct recorder_run *r = s->run;

	r->last_ns = w->ns > r->last_ns ? w->ns : r->last_ns;
	if (observation->kind == OBSERVED_MODEL) {
		run_graph_answer(r->graph, observation);
		r->last_failed = observation->failed;
	} else if (!s->socket || !socket_count(s->socket)) {
		struct observation other = *observation;

		other.is_known = other.is_known || s->mcp;
		run_graph_other(r->graph, &other);
	}
	if (s->gap) {
		r->gaps++;
		r->crowded += s->crowded;
		run_graph_gap(r->graph, w->ns);
	}
	if (r->o.cassette)
		put_cassette(d, s, w);
	note_dirty(d, r);
	if (d->o.choose.ended)
		d->o.choose.ended(d->o.choose.context, r, observation);
}

static void end_exchange(struct recorder *d, struct slot *s, const struct handoff *w)
{
	observer_end(s->observer, w->how, w->ns);
	mcp_exchange_end(s->mcp, w->how, w->ns);
	if (s->run)
		end_in_run(d, s, w);
	mem_free(w->exchange);
	close_slot(d, s);
}

/* A piece of an answer, its head, its end, or several of these. Frees w. */
static void take_answer(struct recorder *d, struct handoff *w)
{
	struct slot *s = w->exchange->own;

	assert(s); /* its request came before */
	if (w->is_socket) {
		take_socket(d, s, w);
		return;
	}
	if (w->head)
		recorder_take_head(s, w);
	if (w->body.n || w->lost)
		observer_answer(s->observer, buf_str(&w->body), w->arrivals, w->arrival_count, w->lost);
	if (w->body.n || w->lost)
		mcp_exchange_answer(s->mcp, buf_str(&w->body), w->arrivals, w->arrival_count, w->lost);
	s->crowded = s->crowded || observer_gave_up(s->observer);
	s->gap = s->gap || w->lost || s->crowded;
	if (keeps(s))
		keep_answer(d, s, w);
	if (w->is_end && s->socket)
		end_socket(d, s, w);
	if (w->is_end)
		end_exchange(d, s, w);
	handoff_free(w);
}

static void recorder_take(void *context, struct feed_item *item)
{
	struct handoff *w = (struct handoff *)item;

	if (w->job)
		w->job(context, w);
	else if (w->is_request)
		take_request(context, w);
	else
		take_answer(context, w);
}

static void see_in_run(void *context, void *run, const struct sighting *s)
{
	struct recorder_run *r = run;

	run_graph_see(r->graph, s);
	note_dirty(context, r);
}

/* The same moment by another clock. */
static int64_t see_moved(int64_t ns, int64_t by)
{
	return ns < 0 ? ns : ns > -by ? ns + by : 0;
}

/*
 * Others tell the system's time, and ours is another one when that was set, or the machine has slept. What is told has
 * happened: by a clock that is ahead it would be in the future, and so would be the end of every node that is written
 * behind it. So it was now, and took as long as it says.
 */
static struct sighting see_by_our_clock(const struct recorder *d, const struct sighting *s)
{
	int64_t wall = (int64_t)clock_wall_ns(), now = d->o.clock ? clock_line_ns(d->o.clock) : wall, by = now - wall;
	int64_t ahead = (s->begun_ns > s->ended_ns ? s->begun_ns : s->ended_ns) - wall;
	struct sighting own = *s;

	if (by > -SEE_APART_NS && by < SEE_APART_NS)
		by = 0;
	if (ahead > SEE_APART_NS)
		by -= ahead;
	if (by) {
		own.begun_ns = see_moved(s->begun_ns, by);
		own.ended_ns = see_moved(s->ended_ns, by);
	}
	if (s->begun_ns < 0 && s->ended_ns < 0)
		own.ended_ns = now; /* nobody says when: it is told now */
	return own;
}

void recorder_see(struct recorder *d, const struct sighting *s)
{
	struct sighting own = see_by_our_clock(d, s);
	struct recorder_run *r = d->o.run ? d->o.run : d->o.choose.sighting(d->o.choose.context, &own);

	if (!r)
		return;
	see_in_run(d, r, &own);
	if (r->o.cassette && s->tape.n > 2)
		put_tape(d, r, s->tape);
}

void *recorder_context(const struct recorder *d)
{
	return d->o.choose.context;
}

/* What cannot be written now stays on the list; a gap that is marked then is written with the next lines. */
void recorder_flush(struct recorder *d)
{
	struct recorder_run *next, *r = d->dirty;

	d->dirty = NULL;
	d->last_dirty = &d->dirty;
	for (; r; r = next) {
		next = r->next_dirty;
		r->next_dirty = NULL;
		if (d->o.choose.wake)
			d->o.choose.wake(d->o.choose.context, r);
		recorder_run_flush(r);
		if (d->o.choose.flushed)
			d->o.choose.flushed(d->o.choose.context, r, !r->dirty);
		note_dirty(d, r);
	}
}

static void recorder_rest(void *context)
{
	recorder_flush(context);
}

struct feed_work recorder_work(struct recorder *d)
{
	return (struct feed_work){ .take = recorder_take, .rest = recorder_rest, .context = d };
}

/* ---- the end ---- */

void recorder_drop(struct recorder *d, struct recorder_run *r)
{
	struct recorder_run **at = &d->dirty;

	mcp_http_forget(d->mcp, r);
	for (struct slot *s = d->open; s; s = s->next)
		if (s->run == r)
			s->run = NULL;
	while (*at && *at != r)
		at = &(*at)->next_dirty;
	if (!*at)
		return;
	*at = r->next_dirty;
	if (d->last_dirty == &r->next_dirty)
		d->last_dirty = at;
	r->next_dirty = NULL;
}

void recorder_close(struct recorder *d)
{
	while (d->open)
		close_slot(d, d->open);
	observers_close(d->observers);
	mcp_http_close(d->mcp);
	answer_parser_free(&d->messages);
	arena_free(&d->scratch);
	buf_free(&d->line);
}
