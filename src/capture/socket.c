/* Frames to messages, messages to exchanges. One answer comes after the other, in the order of the requests. */
#include "capture/socket.h"

#include <assert.h>

#include "capture/observe/observer_private.h"
#include "dialect/exchange/http.h"
#include "dialect/record/field.h"

#define METADATA_MOST 64                 /* headers that a message brings along */
#define METADATA_VALUE ((size_t)16 << 10)

/* A request that waits for its answer, or for the rest of it. */
struct waiting {
	struct handoff_exchange *exchange;
	bool headed; /* the answer has begun */
	bool blind;  /* a message of it is lost, perhaps the last */
};

struct socket {
	struct socket_sink sink;
	struct answer_parser *parser;
	struct budget *room;
	size_t counted;
	struct http_head *head; /* that asked for the socket */
	struct str target;
	const struct route *route;
	uint64_t number, count;
	struct websocket_reader *readers[2]; /* by enum websocket_side; NULL before it is opened */
	int64_t begun_ns; /* of the client's message at hand */
	struct waiting waiting[SOCKET_OPEN];
	size_t waiting_count;
	bool is_deaf, is_torn, is_crowded;
};

bool socket_is_read(const struct http_head *h, struct str target)
{
	const struct exchange_api *api;

	if (!websocket_is_asked(h))
		return false;
	api = exchange_api_of_path(exchange_http_path(target));
	return api && api->by_socket;
}

struct socket *socket_open(const struct handoff *request, uint64_t number, struct answer_parser *parser,
			   struct budget *room, struct socket_sink sink)
{
	struct socket *s = mem_alloc(sizeof(*s));

	*s = (struct socket){ .sink = sink, .parser = parser, .room = room, .number = number,
			      .route = request->route };
	s->head = handoff_copy_head(request->head, request->target, &s->target);
	return s;
}

static void socket_close_readers(struct socket *s)
{
	for (size_t i = 0; i < COUNT(s->readers); i++) {
		websocket_reader_close(s->readers[i]);
		s->readers[i] = NULL;
	}
	budget_give(s->room, s->counted);
	s->counted = 0;
}

void socket_close(struct socket *s)
{
	if (!s)
		return;
	socket_close_readers(s);
	for (size_t i = 0; i < s->waiting_count; i++)
		mem_free(s->waiting[i].exchange);
	mem_free(s->head);
	mem_free(s);
}

/* An extension that nobody here knows makes the frames unreadable. */
bool socket_begin(struct socket *s, const struct http_head *answer)
{
	struct websocket_deflate agreed;

	if (answer->status != 101)
		return false;
	if (!websocket_agreed(answer, &agreed)) {
		s->is_deaf = s->is_torn = true;
		return true;
	}
	s->readers[WEBSOCKET_CLIENT] = websocket_reader_open(WEBSOCKET_CLIENT, OBSERVER_BODY, &agreed);
	s->readers[WEBSOCKET_SERVER] = websocket_reader_open(WEBSOCKET_SERVER, OBSERVER_EVENT, &agreed);
	return true;
}

/* ---- what is told on ---- */

static struct handoff *socket_new_handoff(struct handoff_exchange *x, int64_t ns)
{
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .exchange = x, .ns = ns };
	buf_init(&w->body);
	return w;
}

/* The answer that is coming is over. */
static void socket_end_first(struct socket *s, enum proxy_end how, int64_t ns)
{
	struct handoff *w = socket_new_handoff(s->waiting[0].exchange, ns);

	assert(s->waiting_count > 0);
	w->is_end = true;
	w->how = how;
	s->waiting_count--;
	memmove(s->waiting, s->waiting + 1, s->waiting_count * sizeof(s->waiting[0]));
	s->sink.take(s->sink.context, w);
}

/* Bytes of the answer that is coming, with a head of their own when they are its first. */
static void socket_add_answer(struct socket *s, struct str message, bool lost, int64_t ns)
{
	static const struct http_header type = { WORD("Content-Type"), WORD("application/x-ndjson") };
	static const struct http_head good = { .side = HTTP_RESPONSE, .status = 200, .minor = 1, .headers = &type,
					       .count = 1, .framing = HTTP_TO_END };
	struct waiting *first = &s->waiting[0];
	struct handoff *w = socket_new_handoff(first->exchange, ns);
	struct str none;

	if (!first->headed) {
		w->head = handoff_copy_head(&good, STR(""), &none);
		w->head_ns = ns;
		first->headed = true;
	}
	w->lost = lost;
	if (message.n) {
		buf_add_str(&w->body, message);
		buf_add_byte(&w->body, '\n');
		w->arrivals = mem_alloc(sizeof(*w->arrivals));
		w->arrivals[0] = (struct observer_arrival){ .end = w->body.n, .ns = ns };
		w->arrival_count = 1;
	}
	s->sink.take(s->sink.context, w);
}

/* ---- heads of requests ---- */

/* What is for the socket and not for what is said in it. */
static bool is_of_socket(struct str name)
{
	static const struct str names[] = { WORD("connection"), WORD("upgrade"), WORD("content-length") };

	if (name.n > 14 && str_eq_nocase(str_of(name.p, 14), STR("sec-websocket-")))
		return true;
	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq_nocase(name, names[i]))
			return true;
	return false;
}

static bool socket_has_header(const struct http_header *headers, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq_nocase(headers[i].name, name))
			return true;
	return false;
}

/* A socket has one head and many messages: what would stand in the head of each, messages bring along ("x-..."). */
static size_t read_metadata(struct arena *a, struct val body, struct http_header *out)
{
	struct val metadata = val_get(body, STR("client_metadata")), key, v;
	struct val_iter it = val_begin(metadata);
	size_t n = 0;

	while (val_is(metadata, JSON_OBJECT) && n < METADATA_MOST && val_next_member(&it, &key, &v)) {
		struct str name = val_text(key, a);

		if (!val_is(v, JSON_STRING) || val_raw(v).n > METADATA_VALUE || name.n < 3 || name.n > 100 ||
		    !str_eq_nocase(str_of(name.p, 2), STR("x-")) || socket_has_header(out, n, name))
			continue;
		out[n++] = (struct http_header){ name, val_text(v, a) };
	}
	return n;
}

/* The head that the message would have as a request of its own. */
static struct http_head *make_head(struct socket *s, struct arena *a, struct val body, struct str *target)
{
	struct http_header *headers = arena_array(a, struct http_header, METADATA_MOST + s->head->count + 1);
	struct http_head head = *s->head;
	size_t own = read_metadata(a, body, headers), n = own;

	for (size_t i = 0; i < s->head->count; i++)
		if (!is_of_socket(s->head->headers[i].name) &&
		    !socket_has_header(headers, own, s->head->headers[i].name))
			headers[n++] = s->head->headers[i];
	headers[n++] = (struct http_header){ STR("Content-Type"), STR("application/json") };
	head.method = STR("POST");
	head.headers = headers;
	head.count = n;
	return handoff_copy_head(&head, s->target, target);
}

/* ---- messages ---- */

struct val socket_find_request(struct val message)
{
	struct val inner = val_get(message, STR("response"));

	if (!val_is(message, JSON_OBJECT) || !val_text_is(val_get(message, STR("type")), STR("response.create")))
		return VAL_NONE;
	return val_is(inner, JSON_OBJECT) ? inner : message;
}

static void socket_add_request(struct socket *s, struct val body, struct str text, int64_t ns)
{
	struct handoff_exchange *x = mem_alloc(sizeof(*x));
	struct handoff *w = socket_new_handoff(x, ns);

	/* an answer that lost its end is over when the next one is asked for */
	if (s->waiting_count == SOCKET_OPEN || (s->waiting_count && s->waiting[0].blind))
		socket_end_first(s, PROXY_WHOLE, ns);
	*x = (struct handoff_exchange){ .own = NULL };
	w->is_request = true;
	w->lost = text.p == NULL;
	w->head = make_head(s, &s->parser->batch, body, &w->target);
	w->head_ns = s->begun_ns;
	w->route = s->route;
	w->socket = s->number;
	buf_add_str(&w->body, text);
	s->waiting[s->waiting_count++] = (struct waiting){ .exchange = x };
	s->count++;
	s->sink.take(s->sink.context, w);
}

static void take_client_message(struct socket *s, struct str message, int64_t ns)
{
	struct val v, body = VAL_NONE;

	if (answer_parse(s->parser, message, &v))
		body = socket_find_request(v);
	if (!val_is_none(body))
		socket_add_request(s, body, val_source(body), ns);
	answer_parse_end(s->parser);
}

/* What comes while nobody waits for an answer belongs to none. */
static void take_server_message(struct socket *s, struct str message, int64_t ns)
{
	if (s->waiting_count == 0)
		return;
	socket_add_answer(s, message, false, ns);
	if (s->sink.is_over(s->sink.context, s->waiting[0].exchange))
		socket_end_first(s, PROXY_WHOLE, ns);
}

/* A message that was not kept. One of a client so large can only be a request. */
static void take_lost_message(struct socket *s, bool from_client, int64_t ns)
{
	if (from_client) {
		socket_add_request(s, VAL_NONE, str_of(NULL, 0), ns);
		arena_reset(&s->parser->batch);
	} else if (s->waiting_count) {
		socket_add_answer(s, str_of(NULL, 0), true, ns);
		s->waiting[0].blind = true;
	}
}

/* Frames cannot be found any more: what is open stays open-ended. */
static void socket_go_deaf(struct socket *s, int64_t ns)
{
	s->is_deaf = s->is_torn = true;
	while (s->waiting_count) {
		socket_add_answer(s, str_of(NULL, 0), true, ns);
		socket_end_first(s, PROXY_WHOLE, ns);
	}
	socket_close_readers(s);
}

/* What the readers hold by now is taken from the room; when there is none left, the messages at hand are given up. */
static void socket_count_held(struct socket *s)
{
	size_t held = websocket_held(s->readers[0]) + websocket_held(s->readers[1]);

	if (held > s->counted && !budget_take(s->room, held - s->counted)) {
		s->is_crowded = true;
		websocket_skip(s->readers[0]);
		websocket_skip(s->readers[1]);
		held = websocket_held(s->readers[0]) + websocket_held(s->readers[1]);
		if (held > s->counted)
			budget_force(s->room, held - s->counted);
	}
	if (held < s->counted)
		budget_give(s->room, s->counted - held);
	s->counted = held;
}

void socket_push(struct socket *s, struct str bytes, bool from_client, bool lost, int64_t ns)
{
	struct websocket_reader *r = s->readers[from_client ? WEBSOCKET_CLIENT : WEBSOCKET_SERVER];
	struct websocket_message m;
	enum websocket_next next;

	if (s->is_deaf || !r)
		return;
	if (lost) {
		socket_go_deaf(s, ns);
		return;
	}
	if (from_client && !websocket_is_inside(r))
		s->begun_ns = ns;
	while ((next = websocket_next(r, &bytes, &m)) != WEBSOCKET_MORE) {
		if (next == WEBSOCKET_BAD) {
			socket_go_deaf(s, ns);
			return;
		}
		if (next == WEBSOCKET_TOO_LARGE)
			take_lost_message(s, from_client, ns);
		else if (next == WEBSOCKET_MESSAGE && from_client)
			take_client_message(s, m.bytes, ns);
		else if (next == WEBSOCKET_MESSAGE)
			take_server_message(s, m.bytes, ns);
		if (from_client && next != WEBSOCKET_CONTROL)
			s->begun_ns = ns;
	}
	socket_count_held(s);
}

void socket_end(struct socket *s, enum proxy_end how, int64_t ns)
{
	while (s->waiting_count)
		socket_end_first(s, how == PROXY_CLIENT_LEFT ? how : PROXY_CUT, ns);
	socket_close_readers(s);
}

uint64_t socket_count(const struct socket *s)
{
	return s->count;
}

bool socket_is_torn(const struct socket *s)
{
	return s->is_torn;
}

bool socket_is_crowded(const struct socket *s)
{
	return s->is_crowded;
}
