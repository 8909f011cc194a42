#include "capture/observe/observer_private.h"

#include "dialect/exchange/http.h"
#include "dialect/record/field.h"

#define UNUSED_MOST 64               /* observers kept for later */

/* ---- the parsers ---- */

struct observers *observers_open(struct budget *room)
{
	struct observers *l = mem_alloc(sizeof(*l));

	*l = (struct observers){ .room = room };
	answer_parser_init(&l->parser);
	l->content = json_parser_open((struct json_options){
		.max_values = OBSERVER_INNER, .allow_duplicates = true, .allow_lone = true });
	text_marker_init(&l->marker);
	buf_init(&l->unpacked);
	buf_init(&l->opening);
	return l;
}

static void free_observer(struct observer *k)
{
	answer_stream_free(&k->stream);
	arena_free(&k->arena);
	arena_free(&k->history);
	mem_free(k);
}

void observers_close(struct observers *l)
{
	if (!l)
		return;
	while (l->unused) {
		struct observer *k = l->unused;

		l->unused = k->next;
		free_observer(k);
	}
	for (size_t i = 0; i < OBSERVER_WARM; i++)
		mem_free(l->warm[i].messages);
	observer_blocks_close(l->blocks);
	answer_parser_free(&l->parser);
	json_parser_close(l->content);
	text_marker_free(&l->marker);
	buf_free(&l->unpacked);
	buf_free(&l->opening);
	mem_free(l);
}

struct str observer_keep(struct observer *k, struct str text)
{
	if (!text.p || text.n == 0)
		return str_of(NULL, 0);
	return arena_copy(&k->arena, str_of(text.p, text.n < OBSERVER_TEXT ? text.n : OBSERVER_TEXT));
}

/* ---- the head of the request ---- */

static void read_head(struct observer *k, const struct http_head *h)
{
	struct str user_agent = { NULL, 0 };

	for (size_t i = 0; i < h->count; i++) {
		const struct http_header *header = &h->headers[i];

		if (str_eq_nocase(header->name, STR("content-encoding")))
			k->request_packing = unpack_kind_of(header->value);
		else if (str_eq_nocase(header->name, STR("user-agent")))
			user_agent = header->value;
	}
	k->s.framework = client_framework(user_agent);
	if (observer_read_agents(k, h))
		k->s.framework = STR("claude_code");
	k->s.types_by_result = str_has_nocase(user_agent, STR("pydantic-ai"));
	clients_read(&k->s.clients, h);
	k->post = str_eq(h->method, STR("POST"));
}

static struct observer *new_observer(struct observers *l)
{
	struct observer *k = l->unused;

	if (k) {
		l->unused = k->next;
		l->unused_count--;
		return k;
	}
	k = mem_alloc(sizeof(*k));
	memset(k, 0, sizeof(*k));
	k->all = l;
	arena_init_small(&k->arena);
	arena_init_small(&k->history);
	answer_stream_init(&k->stream, &l->parser, &k->arena, OBSERVER_EVENT, OBSERVER_BODY);
	return k;
}

struct observer *observer_open(struct observers *l, const struct observer_begin *b)
{
	struct observer *k = new_observer(l);

	k->s = (struct observation){
		.number = b->number,
		.kind = OBSERVED_OTHER,
		.provider = b->provider,
		.endpoint = arena_copy(&k->arena, b->endpoint),
		.endpoint_own = b->endpoint_own,
		.begun_ns = b->ns,
		.sent_ns = b->ns,
	};
	k->path = exchange_http_path(k->s.endpoint);
	read_head(k, b->head);
	k->asked = str_hash(b->head->method) ^ str_hash(k->s.endpoint) * 3;
	return k;
}

/* All that is of one exchange is forgotten; buffers are kept unless they grew large. */
static void clear_observer(struct observer *k)
{
	struct observer clean = { .all = k->all };

	if (k->all->opened == k)
		observer_forget_opening(k->all);
	unpack_close(k->unpack);
	arena_reset(&k->arena);
	arena_reset(&k->history);
	answer_stream_reset(&k->stream);
	budget_give(k->all->room, k->counted + k->history_counted);
	clean.arena = k->arena;
	clean.history = k->history;
	clean.stream = k->stream;
	*k = clean;
}

void observer_close(struct observer *k)
{
	struct observers *l;

	if (!k)
		return;
	l = k->all;
	clear_observer(k);
	if (l->unused_count >= UNUSED_MOST) {
		free_observer(k);
		return;
	}
	k->next = l->unused;
	l->unused = k;
	l->unused_count++;
}

static void add_piece(void *out, struct str piece)
{
	buf_add_str(out, piece);
}

/* The messages of a request are kept until its answer has ended, so they too are taken from the room. */
static void count_history(struct observer *k)
{
	size_t held = k->history.used > OBSERVER_SMALL ? k->history.used : 0;

	if (budget_take(k->all->room, held)) {
		k->history_counted = held;
		return;
	}
	k->thin = true;
	k->s.message_count = k->s.result_count = k->s.block_count = 0;
	k->chain_held = str_of(NULL, 0);
	observer_forget_opening(k->all);
	arena_reset(&k->history);
}

void observer_request(struct observer *k, struct str body, bool lost, int64_t ns)
{
	struct buf *out = &k->all->unpacked;
	struct unpack *u;

	k->s.sent_ns = ns;
	observer_forget_opening(k->all);
	if (lost || k->request_packing == UNPACK_UNKNOWN) {
		observer_read_request(k, str_of("", 0));
		k->s.digest = k->s.number; /* of which nothing is known but that it is none of the others */
	} else if (k->request_packing == UNPACK_PLAIN) {
		observer_read_request(k, body);
	} else {
		buf_clear(out);
		u = unpack_open(k->request_packing, OBSERVER_BODY);
		unpack_push(u, body, (struct unpack_sink){ add_piece, out });
		unpack_close(u);
		observer_read_request(k, buf_str(out));
		buf_free(out);
		buf_init(out);
	}
	count_history(k);
	k->stream.api = k->api;
	k->stream.asked = k->s.stream;
	if (!k->s.framework.p && k->api)
		k->s.framework = str_from(exchange_framework(k->api, k->path));
}

const struct observation *observer_seen(const struct observer *k)
{
	return &k->s;
}
