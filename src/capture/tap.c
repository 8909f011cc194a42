/* The proxy's end of a recording: copies what passes into handoffs, and never waits for the recorder. */
#include "capture/handoff.h"
#include "capture/mcp/mcp_http.h"
#include "capture/socket.h"

#define FIRST ((size_t)64 << 10) /* bytes of a request's body that are made room for at once, at most */

struct tapped {
	struct tap *tap;
	struct tapped *next; /* in the list of free ones */
	struct handoff_exchange *exchange;
	struct handoff *request; /* until it is handed over */
	struct http_head *head;
	int64_t head_ns;
	struct buf body; /* of the answer, what was gathered */
	struct observer_arrival *arrivals;
	size_t arrival_count, arrival_cap;
	bool lost;
	bool prompt;    /* its answer is handed over as it comes: others may wait for what it says */
	bool is_socket; /* a WebSocket was asked for that can be read, */
	bool is_open;   /* and was opened; */
	bool is_deaf;   /* but some of it is gone, and frames cannot be found again */
};

struct tap {
	struct feed *feed;
	struct budget *room;
	struct tapped *unused;
	struct tap_tally tally;
};

struct tap *tap_open(struct arena *a, struct feed *feed, struct budget *room)
{
	struct tap *t = arena_new(a, struct tap);

	t->feed = feed;
	t->room = room;
	return t;
}

void tap_close(struct tap *t)
{
	while (t->unused) {
		struct tapped *x = t->unused;

		t->unused = x->next;
		buf_free(&x->body);
		mem_free(x->arrivals);
		mem_free(x);
	}
}

struct tap_tally tap_tally(const struct tap *t)
{
	return t->tally;
}

void handoff_free(struct handoff *w)
{
	buf_free(&w->body);
	mem_free(w->head);
	mem_free(w->arrivals);
	mem_free(w);
}

/* ---- heads ---- */

static char *tap_put(char *to, struct str from, struct str *out)
{
	if (from.n)
		memcpy(to, from.p, from.n);
	*out = from.p ? str_of(to, from.n) : from;
	return to + from.n;
}

struct http_head *handoff_copy_head(const struct http_head *h, struct str target, struct str *kept_target)
{
	size_t size = h->method.n + h->target.n + h->reason.n + target.n;
	struct http_header *headers;
	struct http_head *copy;
	char *text;

	for (size_t i = 0; i < h->count; i++)
		size += h->headers[i].name.n + h->headers[i].value.n;
	copy = mem_alloc(sizeof(*copy) + h->count * sizeof(*headers) + size);
	*copy = *h;
	headers = (struct http_header *)(copy + 1);
	text = (char *)(headers + h->count);
	text = tap_put(text, h->method, &copy->method);
	text = tap_put(text, h->target, &copy->target);
	text = tap_put(text, h->reason, &copy->reason);
	text = tap_put(text, target, kept_target);
	for (size_t i = 0; i < h->count; i++) {
		text = tap_put(text, h->headers[i].name, &headers[i].name);
		text = tap_put(text, h->headers[i].value, &headers[i].value);
	}
	copy->headers = headers;
	return copy;
}

/* ---- handing over ---- */

static struct handoff *new_wire(struct tapped *x)
{
	struct handoff *w = mem_alloc(sizeof(*w));

	*w = (struct handoff){ .exchange = x->exchange };
	buf_init(&w->body);
	return w;
}

/*
 * Takes w. A feed that is full gets it all the same, but empty (false): an exchange without its request or its end
 * would never be closed.
 */
static bool hand_over(struct tapped *x, struct handoff *w)
{
	budget_give(x->tap->room, w->counted); /* the feed counts it from here on */
	w->counted = 0;
	w->item.size = sizeof(*w) + w->body.cap + w->arrival_count * sizeof(*w->arrivals);
	if (feed_push(x->tap->feed, &w->item, false))
		return true;
	/* the recorder is behind: it learns that there was something, not what */
	x->tap->tally.lost++;
	buf_free(&w->body);
	buf_init(&w->body);
	mem_free(w->arrivals);
	w->arrivals = NULL;
	w->arrival_count = 0;
	w->lost = true;
	w->item.size = sizeof(*w);
	feed_push(x->tap->feed, &w->item, true);
	return false;
}

/*
 * Bytes of a WebSocket, at once: nobody here knows where an answer ends in them. When some could not be handed over,
 * those behind them say nothing any more.
 */
static void give_socket(struct tapped *x, bool from_client, struct str bytes, int64_t ns)
{
	struct handoff *w;

	if (!x->is_socket || x->is_deaf)
		return;
	w = new_wire(x);
	w->is_socket = true;
	w->from_client = from_client;
	w->ns = ns;
	buf_add_str(&w->body, bytes);
	x->is_deaf = !hand_over(x, w);
}

static void give_request(struct tapped *x, int64_t ns)
{
	struct handoff *w = x->request;

	if (!w)
		return;
	x->request = NULL;
	w->ns = ns;
	hand_over(x, w);
}

/* What was gathered of the answer; `how` means something at the end only. */
static void give_answer(struct tapped *x, bool is_end, enum proxy_end how, int64_t ns)
{
	struct handoff *w = new_wire(x);

	w->is_end = is_end;
	w->how = how;
	w->ns = ns;
	w->head = x->head;
	w->head_ns = x->head_ns;
	w->lost = x->lost;
	x->head = NULL;
	x->lost = false;
	if (x->body.n) {
		w->body = x->body;
		w->arrivals = x->arrivals;
		w->arrival_count = x->arrival_count;
		buf_init(&x->body);
		x->arrivals = NULL;
		x->arrival_count = x->arrival_cap = 0;
	}
	hand_over(x, w);
}

/* ---- the tap ---- */

/* Most requests are small: one allocation is enough for them. */
static void reserve_body(struct tap *t, struct handoff *w, size_t bytes)
{
	if (bytes == 0 || !budget_take(t->room, bytes))
		return;
	buf_reserve(&w->body, bytes);
	w->counted = w->body.cap;
	budget_force(t->room, w->body.cap - bytes);
}

/* Memory of exchanges that are over is used again, but for what was handed over. */
static void *tap_begin(void *context, const struct http_head *h, const struct proxy_destination *to, int64_t ns)
{
	struct tap *t = context;
	struct tapped *x = t->unused;

	if (x) {
		t->unused = x->next;
	} else {
		x = mem_alloc(sizeof(*x));
		*x = (struct tapped){ .tap = t };
		buf_init(&x->body);
	}
	x->exchange = mem_alloc(sizeof(*x->exchange));
	*x->exchange = (struct handoff_exchange){ .own = NULL };
	t->tally.exchanges++;
	x->is_socket = socket_is_read(h, to->target);
	x->is_open = x->is_deaf = false;
	x->prompt = mcp_http_may_be(h);
	x->request = new_wire(x);
	x->request->is_request = true;
	x->request->head = handoff_copy_head(h, to->target, &x->request->target);
	x->request->head_ns = ns;
	x->request->route = to->route;
	if (h->framing == HTTP_LENGTH && h->length <= HANDOFF_BODY)
		reserve_body(t, x->request, (size_t)(h->length < FIRST ? h->length : FIRST));
	return x;
}

/* A request is kept whole or not at all: half a JSON body says nothing. */
static void tap_request(void *tapped, struct str bytes, int64_t ns)
{
	struct tapped *x = tapped;
	struct handoff *w = x->request;

	if (x->is_open) {
		give_socket(x, true, bytes, ns);
		return;
	}
	if (!w || w->lost)
		return;
	if (w->body.n + bytes.n > HANDOFF_BODY)
		x->tap->tally.large++;
	else if (budget_add(x->tap->room, &w->counted, &w->body, bytes))
		return;
	else
		x->tap->tally.crowded++;
	w->lost = true;
	budget_free(x->tap->room, &w->counted, &w->body);
}

static void tap_request_end(void *tapped, int64_t ns)
{
	give_request(tapped, ns);
}

static void tap_head(void *tapped, const struct http_head *h, int64_t ns)
{
	struct tapped *x = tapped;
	struct str none;

	give_request(x, ns); /* an answer may come before the request is complete */
	mem_free(x->head);
	x->head = handoff_copy_head(h, STR(""), &none);
	x->head_ns = ns;
	if (h->status != 101)
		return;
	x->is_open = true;
	give_answer(x, false, PROXY_WHOLE, ns);
}

static void note_arrival(struct tapped *x, int64_t ns)
{
	mem_grow(x->arrivals, x->arrival_count, x->arrival_cap, 8);
	x->arrivals[x->arrival_count++] = (struct observer_arrival){ .end = x->body.n, .ns = ns };
}

static void tap_answer(void *tapped, struct str bytes, int64_t ns)
{
	struct tapped *x = tapped;

	if (x->is_open) {
		give_socket(x, false, bytes, ns);
		return;
	}
	buf_add_str(&x->body, bytes);
	note_arrival(x, ns);
	if (x->body.n >= HANDOFF_PIECE || x->prompt)
		give_answer(x, false, PROXY_WHOLE, ns);
}

static void tap_end(void *tapped, enum proxy_end how, int64_t ns)
{
	struct tapped *x = tapped;
	struct tap *t = x->tap;

	if (x->request)
		x->request->lost = true; /* it was never complete */
	give_request(x, ns);
	give_answer(x, true, how, ns);
	x->exchange = NULL;
	x->next = t->unused;
	t->unused = x;
}

const struct proxy_tap tap_ops = {
	.begin = tap_begin,
	.request = tap_request,
	.request_end = tap_request_end,
	.head = tap_head,
	.answer = tap_answer,
	.end = tap_end,
};
