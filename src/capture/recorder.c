#include "capture/recorder.h"

#include <assert.h>

#include "capture/cassette.h"
#include "capture/socket.h"

/* An exchange that is not over. The bytes are kept only where there is a cassette. */
struct slot {
	struct observer *observer;
	struct slot *next, **at; /* in the list of open ones */
	struct handoff *request;
	struct http_head *head;
	struct buf body;
	size_t counted; /* bytes of the room that the body has */
	struct observer_arrival *arrivals;
	size_t arrival_count;
	struct socket *socket; /* NULL: it asked for none that can be read */
	uint64_t number, group, in_socket;
	bool lost, gap, crowded;
	bool counted_open; /* among those that are being answered: a socket that is open only waits */
};

struct recorder {
	struct recorder_options o;
	struct observers *observers;
	struct run_graph *run_graph;
	struct slot *open;
	size_t open_count;
	uint64_t number, group, gaps, crowded;
	struct answer_parser messages; /* of sockets */
	struct arena scratch;
	struct buf line;
};

static void add_line(void *context, struct str line)
{
	struct recorder *d = context;

	line_file_add(d->o.trace, line);
}

static bool was_measured(void *context, int64_t from_ns, int64_t to_ns)
{
	struct recorder *d = context;

	return d->o.measured(d->o.measured_context, from_ns, to_ns);
}

struct recorder *recorder_open(struct arena *a, const struct recorder_options *o)
{
	struct recorder *d = arena_new(a, struct recorder);
	struct run_graph_options w = o->run_graph;

	d->o = *o;
	w.line = add_line;
	w.measured = o->measured ? was_measured : NULL;
	w.context = d;
	d->observers = observers_open(o->room);
	d->run_graph = run_graph_open(&w, o->begun_ns);
	answer_parser_init(&d->messages);
	arena_init(&d->scratch);
	buf_init(&d->line);
	if (o->cassette) {
		cassette_add_head(&d->line, o->run_id, o->begun_ns);
		line_file_add(o->cassette, buf_str(&d->line));
	}
	return d;
}

/* ---- exchanges ---- */

/* Gives back the room that was counted for what the slot kept. */
static void close_slot(struct recorder *d, struct slot *s)
{
	*s->at = s->next;
	if (s->next)
		s->next->at = s->at;
	assert(d->open_count >= s->counted_open);
	d->open_count -= s->counted_open;
	socket_close(s->socket);
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

/* The line of an exchange whose last handoff is `last`. */
static void put_cassette(struct recorder *d, const struct slot *s, const struct handoff *last)
{
	const struct handoff *q = s->request;
	struct cassette_exchange x = {
		.number = s->number - 1,
		.group = s->group,
		.request = q->head,
		.answer = s->head,
		.target = q->target,
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
		.endpoint = observer_seen(s->observer)->endpoint,
		.socket = s->in_socket,
	};

	buf_clear(&d->line);
	cassette_add(&d->line, &x);
	line_file_add(d->o.cassette, buf_str(&d->line));
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

	*s = (struct slot){ .number = d->number, .in_socket = w->socket, .counted_open = true, .next = d->open,
			    .at = &d->open };
	buf_init(&s->body);
	if (d->open)
		d->open->at = &s->next;
	d->open = s;
	w->exchange->own = s;
	/* what is asked while something else is being answered belongs to the same step */
	s->group = d->open_count++ ? d->group : ++d->group;
	arena_reset(&d->scratch);
	b.endpoint = endpoint_of(d, w);
	b.endpoint_own = own_of(d, w, b.endpoint);
	s->observer = observer_open(d->observers, &b);
	observer_request(s->observer, buf_str(&w->body), w->lost, w->ns);
	s->gap = w->lost;
	if (observer_seen(s->observer)->kind == OBSERVED_MODEL)
		run_graph_request(d->run_graph, observer_seen(s->observer));
	if (!w->socket && socket_is_read(w->head, w->target))
		s->socket = socket_open(w, s->number, &d->messages, d->o.room, sink_of(d));
	if (d->o.cassette)
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
static void recorder_take_head(struct recorder *d, struct slot *s, const struct handoff *w)
{
	observer_head(s->observer, w->head, w->head_ns);
	if (!s->socket || !socket_begin(s->socket, w->head) || !s->counted_open)
		return;
	s->counted_open = false;
	d->open_count--;
}

/* Bytes of a socket. Frees w. */
static void take_socket(struct recorder *d, struct slot *s, struct handoff *w)
{
	(void)d;
	if (s->socket)
		socket_push(s->socket, buf_str(&w->body), w->from_client, w->lost, w->ns);
	handoff_free(w);
}

/* What was open in a socket ends before the exchange that opened it. A message that was lost left its own mark. */
static void end_socket(struct recorder *d, struct slot *s, struct handoff *w)
{
	socket_end(s->socket, w->how, w->ns);
	d->crowded += socket_is_crowded(s->socket);
	s->gap = s->gap || socket_is_torn(s->socket);
	if (!s->counted_open && w->how == PROXY_CLIENT_LEFT)
		w->how = PROXY_WHOLE; /* that is how sockets end */
}

/* The last of an exchange: its node, then the mark of what is missing in it, then its line in the cassette. */
static void end_exchange(struct recorder *d, struct slot *s, const struct handoff *w)
{
	const struct observation *observation;

	observer_end(s->observer, w->how, w->ns);
	observation = observer_seen(s->observer);
	if (observation->kind == OBSERVED_MODEL)
		run_graph_answer(d->run_graph, observation);
	else if (!s->socket || !socket_count(s->socket))
		run_graph_other(d->run_graph, observation);
	if (s->gap) {
		d->gaps++;
		d->crowded += s->crowded;
		run_graph_gap(d->run_graph, w->ns);
	}
	if (d->o.cassette)
		put_cassette(d, s, w);
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
		recorder_take_head(d, s, w);
	if (w->body.n || w->lost)
		observer_answer(s->observer, buf_str(&w->body), w->arrivals, w->arrival_count, w->lost);
	s->crowded = s->crowded || observer_gave_up(s->observer);
	s->gap = s->gap || w->lost || s->crowded;
	if (d->o.cassette)
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

	if (w->is_request)
		take_request(context, w);
	else
		take_answer(context, w);
}

static void recorder_rest(void *context)
{
	struct recorder *d = context;

	line_file_flush(d->o.trace);
	if (d->o.cassette)
		line_file_flush(d->o.cassette);
	if (line_file_take_gap(d->o.trace))
		run_graph_gap(d->run_graph, 0);
}

struct feed_work recorder_work(struct recorder *d)
{
	return (struct feed_work){ .take = recorder_take, .rest = recorder_rest, .context = d };
}

/* ---- the end ---- */

void recorder_finish(struct recorder *d, const char *exit_status, struct str error, int64_t ended_ns,
		     struct str *summary)
{
	run_graph_finish(d->run_graph, exit_status, error, ended_ns, summary);
	if (d->o.cassette) {
		buf_clear(&d->line);
		cassette_add_end(&d->line, exit_status, error, ended_ns);
		line_file_add(d->o.cassette, buf_str(&d->line));
	}
	recorder_rest(d);
}

struct run_graph_tally recorder_tally(const struct recorder *d)
{
	return *run_graph_tally(d->run_graph);
}

const struct price_gaps *recorder_unpriced(const struct recorder *d)
{
	return run_graph_unpriced(d->run_graph);
}

uint64_t recorder_gaps(const struct recorder *d)
{
	return d->gaps;
}

uint64_t recorder_crowded(const struct recorder *d)
{
	return d->crowded;
}

void recorder_close(struct recorder *d)
{
	while (d->open)
		close_slot(d, d->open);
	run_graph_close(d->run_graph);
	observers_close(d->observers);
	answer_parser_free(&d->messages);
	arena_free(&d->scratch);
	buf_free(&d->line);
}
