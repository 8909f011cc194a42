/*
 * A connection is what a run's client and one server say to each other: one run, route and session. Ids of requests
 * are told apart by their exchange; a question of the server is answered by another exchange of the connection.
 */
#include "capture/mcp/mcp_http.h"

#include "base/sse.h"
#include "capture/mcp/mcp_lines.h"
#include "dialect/mcp/calls.h"
#include "net/http/unpack.h"

#define DEPTH_MOST 256
#define VALUES_MOST ((size_t)1 << 20) /* of one message */
#define HTTP_UNPACKED ((size_t)1 << 30) /* of one answer: a stream may last for long */

struct mcp_connection {
	struct mcp_connection *next;
	struct mcp_http *all;
	struct mcp_calls *calls;
	void *run; /* NULL: it is no more */
	uint64_t key;
	size_t users; /* exchanges that are open */
};

struct mcp_http {
	struct mcp_http_options o;
	struct mcp_connection *connections; /* the latest first */
	size_t count;
	struct json_parser *parser;
};

struct mcp_exchange {
	struct mcp_connection *connection;
	uint64_t number;
	int status;
	bool is_stream, lost;
	bool can_go_on; /* its events have ids: another exchange may take the stream up */
	enum unpack_kind packing;
	struct unpack *unpack;
	struct sse_reader events;
	struct buf body;
	size_t counted; /* bytes of the room that the body has */
	int64_t ns;     /* of the bytes at hand */
};

/* ---- connections ---- */

struct mcp_http *mcp_http_open(const struct mcp_http_options *o)
{
	struct mcp_http *h = mem_alloc(sizeof(*h));

	*h = (struct mcp_http){ .o = *o };
	h->parser = json_parser_open((struct json_options){
		.allow_duplicates = true, .allow_lone = true, .max_depth = DEPTH_MOST, .max_values = VALUES_MOST });
	return h;
}

static void connection_close(struct mcp_http *h, struct mcp_connection **at)
{
	struct mcp_connection *c = *at;

	*at = c->next;
	h->count--;
	mcp_calls_close(c->calls);
	mem_free(c);
}

void mcp_http_close(struct mcp_http *h)
{
	if (!h)
		return;
	while (h->connections)
		connection_close(h, &h->connections);
	json_parser_close(h->parser);
	mem_free(h);
}

void mcp_http_forget(struct mcp_http *h, const void *run)
{
	for (struct mcp_connection *c = h->connections; c; c = c->next)
		if (c->run == run)
			c->run = NULL;
}

static void connection_see(void *context, const struct sighting *s)
{
	struct mcp_connection *c = context;

	if (c->run)
		c->all->o.see(c->all->o.context, c->run, s);
}

/* The last that nobody uses; when all are in use there is one more. */
static void connections_drop(struct mcp_http *h)
{
	struct mcp_connection **last = NULL;

	for (struct mcp_connection **at = &h->connections; *at; at = &(*at)->next)
		if ((*at)->users == 0)
			last = at;
	if (last)
		connection_close(h, last);
}

static uint64_t connection_key(const struct mcp_http_request *r)
{
	struct str session = http_find(r->head, STR("mcp-session-id"));

	return str_hash(r->server) * 3 ^ (session.n ? str_hash(session) : 0);
}

/* Where it hangs in the list: at its end when there is none. */
static struct mcp_connection **connection_find(struct mcp_http *h, const struct mcp_http_request *r)
{
	uint64_t key = connection_key(r);
	struct mcp_connection **at = &h->connections;

	while (*at && ((*at)->key != key || (*at)->run != r->run))
		at = &(*at)->next;
	return at;
}

static struct mcp_connection *connection_of(struct mcp_http *h, const struct mcp_http_request *r)
{
	struct mcp_calls_options o = { .server = r->server, .see = connection_see };
	struct mcp_connection **at = connection_find(h, r), *c = *at;

	if (c) {
		*at = c->next;
	} else {
		if (h->count >= MCP_HTTP_CONNECTIONS)
			connections_drop(h);
		c = mem_alloc(sizeof(*c));
		*c = (struct mcp_connection){ .all = h, .run = r->run, .key = connection_key(r) };
		o.context = c;
		c->calls = mcp_calls_open(&o);
		h->count++;
	}
	c->next = h->connections;
	h->connections = c;
	return c;
}

/* ---- requests ---- */

bool mcp_http_may_be(const struct http_head *head)
{
	static const struct str names[] = { { "mcp-protocol-version", 20 }, { "mcp-session-id", 14 },
					    { "mcp-method", 10 } };

	for (size_t i = 0; i < COUNT(names); i++)
		if (http_find(head, names[i]).p)
			return true;
	return false;
}

/*
 * The first message of a connection has no header that says so, and before 2025-06-18 none needs one. Then what a
 * message asks for tells, or that another before it did.
 */
static bool http_is_telling(struct val v, bool known)
{
	static const struct str methods[] = { { "initialize", 10 }, { "server/discover", 15 }, { "tools/call", 10 } };
	struct val_iter batch = val_begin(v);
	struct val method;

	if (val_is(v, JSON_ARRAY) && !val_next(&batch, &v))
		return false;
	method = val_get(v, STR("method"));
	for (size_t i = 0; i < COUNT(methods); i++)
		known = known || val_text_is(method, methods[i]);
	return known && mcp_is_message(v);
}

static void http_read(struct mcp_http *h, struct mcp_exchange *x, enum mcp_sender sender, struct str text)
{
	struct mcp_said said = { .sender = sender, .scope = x->number, .ns = x->ns };
	struct val v;

	if (text.n && text.n <= MCP_LINE_MOST && json_parse_copy(h->parser, text, &v, NULL))
		mcp_calls_read(x->connection->calls, v, &said);
}

static bool http_is_mcp(struct mcp_http *h, const struct mcp_http_request *r)
{
	struct val v;

	if (mcp_http_may_be(r->head))
		return true;
	return str_eq(r->head->method, STR("POST")) && r->body.n <= MCP_LINE_MOST &&
	       str_has(r->body, STR("\"jsonrpc\"")) && json_parse_copy(h->parser, r->body, &v, NULL) &&
	       http_is_telling(v, *connection_find(h, r) != NULL);
}

struct mcp_exchange *mcp_http_begin(struct mcp_http *h, const struct mcp_http_request *r)
{
	struct mcp_exchange *x;

	if (!r->run || !http_is_mcp(h, r))
		return NULL;
	x = mem_alloc(sizeof(*x));
	*x = (struct mcp_exchange){ .connection = connection_of(h, r), .number = r->number, .ns = r->ns };
	x->connection->users++;
	sse_init(&x->events, MCP_LINE_MOST);
	buf_init(&x->body);
	if (str_eq(r->head->method, STR("POST")))
		http_read(h, x, MCP_CLIENT, r->body);
	else if (str_eq(r->head->method, STR("DELETE"))) /* the client ends its session: nobody takes up a stream */
		mcp_calls_end(x->connection->calls, 0, false, r->ns);
	return x;
}

/* ---- answers ---- */

void mcp_exchange_head(struct mcp_exchange *x, const struct http_head *head)
{
	if (!x)
		return;
	x->status = head->status;
	x->packing = unpack_kind_of(http_find(head, STR("content-encoding")));
	x->is_stream = str_has_nocase(http_find(head, STR("content-type")), STR("text/event-stream"));
}

/* Bytes as they were before they were packed. */
static void exchange_put(void *context, struct str bytes)
{
	struct mcp_exchange *x = context;
	struct mcp_http *h = x->connection->all;
	struct sse_event event;
	enum sse_next next;

	if (!x->is_stream) {
		x->lost = x->lost || x->body.n + bytes.n > MCP_LINE_MOST ||
			  !budget_add(h->o.room, &x->counted, &x->body, bytes);
		return;
	}
	while ((next = sse_push(&x->events, &bytes, &event)) != SSE_MORE) {
		x->lost = x->lost || next == SSE_TOO_LARGE;
		x->can_go_on = x->can_go_on || (next == SSE_EVENT && event.id.n > 0);
		if (next == SSE_EVENT)
			http_read(h, x, MCP_SERVER, event.data);
	}
}

static void exchange_unpack(struct mcp_exchange *x, struct str bytes)
{
	if (x->packing == UNPACK_UNKNOWN || (x->lost && !x->is_stream))
		return;
	if (x->packing == UNPACK_PLAIN) {
		exchange_put(x, bytes);
		return;
	}
	if (!x->unpack)
		x->unpack = unpack_open(x->packing, HTTP_UNPACKED);
	if (!unpack_push(x->unpack, bytes, (struct unpack_sink){ exchange_put, x }))
		x->packing = UNPACK_UNKNOWN;
}

void mcp_exchange_answer(struct mcp_exchange *x, struct str bytes, const struct observer_arrival *arrivals,
			 size_t count, bool lost)
{
	size_t at = 0;

	if (!x)
		return;
	if (lost) {
		x->lost = true;
		sse_restart(&x->events);
		x->packing = x->packing == UNPACK_PLAIN ? UNPACK_PLAIN : UNPACK_UNKNOWN;
	}
	for (size_t i = 0; i < count && at < bytes.n; i++) {
		size_t end = arrivals[i].end < bytes.n ? arrivals[i].end : bytes.n;

		x->ns = arrivals[i].ns;
		if (end > at)
			exchange_unpack(x, str_of(bytes.p + at, end - at));
		at = end > at ? end : at;
	}
	if (at < bytes.n)
		exchange_unpack(x, str_skip(bytes, at));
}

/*
 * A call that has no answer by now gets none, with two exceptions: a stream may be taken up by another exchange, and
 * 202 says that the answer comes in the stream of a GET (2024-11-05). An answer that could not be read was one all the
 * same. A client that leaves gives the call up; anything else that is no answer is a failure.
 */
void mcp_exchange_end(struct mcp_exchange *x, enum proxy_end how, int64_t ns)
{
	struct mcp_http *h;

	if (!x)
		return;
	h = x->connection->all;
	if (!x->is_stream && !x->lost)
		http_read(h, x, MCP_SERVER, buf_str(&x->body));
	if (how == PROXY_WHOLE && x->status < 300 && x->lost)
		mcp_calls_unread(x->connection->calls, x->number, x->ns);
	else if (how != PROXY_WHOLE || x->status >= 300 || !(x->can_go_on || x->status == 202))
		mcp_calls_end(x->connection->calls, x->number, how != PROXY_CLIENT_LEFT, ns);
}

void mcp_exchange_close(struct mcp_exchange *x)
{
	if (!x)
		return;
	x->connection->users--;
	unpack_close(x->unpack);
	sse_free(&x->events);
	budget_free(x->connection->all->o.room, &x->counted, &x->body);
	mem_free(x);
}
