/*
 * What the messages of a log come to. A run is one connection from its start to its end; its answers meet their
 * requests by who asked and by the id, which are its own. Connections may be told in turns, so the events of each wait
 * until it is over: at another initialize, a line that says that the server was started or left, or the end of the log.
 *
 * Memory: what waits, and a few words for each request. A connection of HELD_MAX events is given out before its end,
 * and goes on as another run.
 */
#include <stddef.h>

#include "base/map.h"
#include "dialect/mcp/mcp.h"
#include "dialect/record/field.h"
#include "json/put.h"
#include "model/assemble.h"

#define HELD_MAX ((size_t)1 << 20)

/* A request, until the connection is over. */
struct mcp_request {
	struct str method;
	struct str call;   /* of a tool: its call, p NULL otherwise */
	struct moment ts;
	struct buf chunks; /* progress that was told, as JSON; to be freed */
	bool is_over;
	struct mcp_request *next;
};

struct mcp_held {
	struct mcp_held *next;
	struct event *e;
};

struct mcp_connection {
	struct mcp_connection *next;
	struct arena arena;
	struct str key;
	struct mcp_held *first, **end, **mark; /* mark: where lines of the next one begin, NULL when there are none */
	size_t count;
	bool has_messages;
	struct map requests, tokens, tasks; /* to struct mcp_request */
	struct mcp_request *all;
	struct mcp_hint who; /* server, client, session, tools */
};

struct mcp_fold {
	struct mcp_connection *first, *latest;
	struct assemble *as; /* while an event is looked at */
	struct err *err;
};

/* ---- connections ---- */

static struct mcp_connection *connection_new(struct mcp_fold *f, struct str key)
{
	struct mcp_connection *c = mem_alloc(sizeof(*c)), **at = &f->first;

	*c = (struct mcp_connection){ .count = 0 };
	arena_init(&c->arena);
	c->key = arena_copy(&c->arena, key);
	c->end = &c->first;
	map_init(&c->requests, &c->arena);
	map_init(&c->tokens, &c->arena);
	map_init(&c->tasks, &c->arena);
	while (*at)
		at = &(*at)->next;
	*at = c;
	return c;
}

static void connection_close(struct mcp_fold *f, struct mcp_connection *c)
{
	struct mcp_connection **at = &f->first;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	f->latest = f->latest == c ? NULL : f->latest;
	for (struct mcp_request *q = c->all; q; q = q->next)
		buf_free(&q->chunks);
	arena_free(&c->arena);
	mem_free(c);
}

static struct mcp_connection *connection_find(struct mcp_fold *f, struct str key)
{
	for (struct mcp_connection *c = f->first; c; c = c->next)
		if (str_eq(c->key, key))
			return c;
	return NULL;
}

static void connection_hold(struct mcp_connection *c, struct event *e)
{
	struct mcp_held *held = arena_new(&c->arena, struct mcp_held);

	held->e = e;
	held->next = NULL;
	*c->end = held;
	c->end = &held->next;
	c->count++;
}

static struct event *connection_add(struct mcp_connection *c, const struct event *e)
{
	struct event *copy = event_copy(&c->arena, e);

	connection_hold(c, copy);
	return copy;
}

/* RUN_START of a connection, with what its messages told of both sides. */
static void connection_start(struct mcp_connection *c, struct event *start)
{
	*start = (struct event){ .kind = EVENT_RUN_START, .index = -1, .vendor = STR("mcp") };
	start->run = c->who.session;
	start->agent = c->who.client;
	start->agent_version = c->who.client_version;
	start->tools = c->who.tools;
	for (const struct mcp_held *h = c->first; h && !start->ts.text.p; h = h->next)
		start->ts = h->e->ts;
}

/* The events before the mark, or all, as a run; those behind it go to a new connection of the same key. */
static bool connection_give(struct mcp_fold *f, struct mcp_connection *c)
{
	struct mcp_held *rest = c->mark ? *c->mark : NULL;
	struct str server = c->who.server.n ? c->who.server : STR("unknown");
	struct mcp_connection *next;
	struct event start;
	bool good = true;

	connection_start(c, &start);
	good = assemble_add(f->as, &start, f->err);
	for (const struct mcp_held *h = c->first; good && h && h != rest; h = h->next) {
		if (h->e->kind == EVENT_CALL)
			h->e->server = server;
		good = assemble_add(f->as, h->e, f->err);
	}
	good = good && assemble_end(f->as, false, f->err);
	next = rest ? connection_new(f, c->key) : NULL;
	for (; rest; rest = rest->next)
		connection_add(next, rest->e);
	connection_close(f, c);
	return good;
}

/* ---- requests ---- */

static struct str request_key(struct arena *a, uint8_t sender, struct str id)
{
	return ARENA_JOIN(a, sender == MCP_SERVER ? STR("s2c/") : STR("c2s/"), id);
}

static struct mcp_request *request_of(const struct map *m, struct str key)
{
	const uint64_t *slot = key.p ? map_find(m, key) : NULL;

	return slot ? (struct mcp_request *)(uintptr_t)*slot : NULL;
}

/* The request that an answer, or a cancellation, is about: that of `asker`, or else one of the other side. */
static struct mcp_request *request_find(struct mcp_connection *c, uint8_t asker, struct str id)
{
	struct mcp_request *q;

	if (!id.p)
		return NULL;
	q = request_of(&c->requests, request_key(&c->arena, asker, id));
	if (q)
		return q;
	asker = asker == MCP_SERVER ? MCP_CLIENT : MCP_SERVER;
	return request_of(&c->requests, request_key(&c->arena, asker, id));
}

static void request_note(struct map *m, struct str key, struct mcp_request *q)
{
	bool added;

	if (key.n)
		*map_add(m, key, &added) = (uintptr_t)q;
}

static struct mcp_request *request_add(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct mcp_request *q = arena_new(&c->arena, struct mcp_request), *task = request_of(&c->tasks, h->task);
	struct str key = request_key(&c->arena, h->sender, h->id);

	q->method = arena_copy(&c->arena, h->method);
	q->ts = e->ts;
	q->ts.text = str_of(NULL, 0);
	buf_init(&q->chunks);
	q->next = c->all;
	c->all = q;
	if (e->kind == EVENT_CALL)
		q->call = key;
	else if (task && str_eq(h->method, STR("tasks/result"))) /* what the call of the task comes to */
		q->call = task->call;
	request_note(&c->requests, key, q);
	if (h->token.p)
		request_note(&c->tokens, h->token, q);
	return q;
}

/* ---- answers ---- */

/* A NOTE about an answer, or about something that has no other place. */
static void fold_note(struct mcp_connection *c, const struct event *e, struct str role)
{
	struct event *copy = connection_add(c, e);

	copy->kind = EVENT_NOTE;
	copy->role = arena_copy(&c->arena, role);
	copy->media = str_of(NULL, 0);
	copy->is_error = TRUTH_ABSENT;
}

/* With the text of the message; the call may be absent. */
static void fold_error(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h, struct event error)
{
	error.kind = EVENT_ERROR;
	error.index = -1;
	error.line = e->line;
	error.ts = e->ts;
	error.text = h->text.p ? h->text : STR("");

	connection_add(c, &error);
}

/* The result of a tool, with the progress that was told on the way. */
static void fold_result(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h,
			struct mcp_request *q)
{
	struct event *copy = connection_add(c, e);

	copy->call = q->call;
	if (e->ts.text.p && q->ts.source != MOMENT_NONE && e->ts.ns >= q->ts.ns)
		copy->duration_ms = AMOUNT((double)(e->ts.ns - q->ts.ns) / 1e6);
	if (q->chunks.n) {
		buf_add_byte(&q->chunks, ']');
		copy->chunks = arena_copy(&c->arena, buf_str(&q->chunks));
	}
	if (h->code.p) /* without the call, which has a result already */
		fold_error(c, e, h, (struct event){ .class = STR("tool"), .code = h->code });
}

/* What the client's model said when the server asked it. */
static void fold_sampled(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct event step = { .kind = EVENT_STEP, .index = -1, .line = e->line, .ts = e->ts, .text = h->text,
			      .model = h->model, .stop_reason = h->stop_reason };

	connection_add(c, &step);
}

static void fold_learn(struct mcp_connection *c, const struct mcp_hint *h)
{
	static const size_t places[] = {
		offsetof(struct mcp_hint, server), offsetof(struct mcp_hint, server_version),
		offsetof(struct mcp_hint, client), offsetof(struct mcp_hint, client_version),
		offsetof(struct mcp_hint, session), offsetof(struct mcp_hint, tools),
	};

	for (size_t i = 0; i < COUNT(places); i++) {
		const struct str *told = (const struct str *)(const void *)((const char *)h + places[i]);
		struct str *known = (struct str *)(void *)((char *)&c->who + places[i]);

		/* what the server says of itself goes before what a wrapper calls it */
		if (told->n && (!known->n || (i == 0 && h->server_version.p)))
			*known = arena_copy(&c->arena, *told);
	}
}

static void fold_response(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct mcp_request *q = request_find(c, h->sender == MCP_CLIENT ? MCP_SERVER : MCP_CLIENT, h->id);
	struct str method = q ? q->method : STR("");
	bool lists = h->tools.p && !c->who.tools.p;

	fold_learn(c, h);
	if (!q) {
		fold_note(c, e, STR("response"));
	} else if (q->call.p && h->task.n) {
		request_note(&c->tasks, h->task, q);
		fold_note(c, e, STR("task"));
	} else if (q->call.p && !q->is_over) {
		struct mcp_request *asked = request_of(&c->requests, q->call);

		q->is_over = true;
		if (asked) {
			asked->is_over = true;
			q = asked;
		}
		fold_result(c, e, h, q);
	} else {
		if (str_eq(method, STR("sampling/createMessage")) && !h->code.p)
			fold_sampled(c, e, h);
		if (!lists || !h->only_tools)
			fold_note(c, e, ARENA_JOIN(&c->arena, method, h->code.p ? STR(" error") : STR(" result")));
		if (h->code.p)
			fold_error(c, e, h, (struct event){ .class = STR("harness"), .code = h->code });
	}
}

/* ---- requests and notifications ---- */

/* {"data":"...","t_ms":...} for each; t_ms where both have times. */
static void fold_progress(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct mcp_request *q = request_of(&c->tokens, h->token);
	struct json_writer w;

	if (!q || !q->call.p || q->is_over)
		return;
	buf_add_byte(&q->chunks, q->chunks.n ? ',' : '[');
	json_write_init(&w, &q->chunks, JSON_COMPACT);
	json_write_begin_object(&w);
	json_put_text(&w, "data", h->text.p ? h->text : STR(""));
	if (e->ts.text.p && q->ts.source != MOMENT_NONE && e->ts.ns >= q->ts.ns)
		json_put_double(&w, "t_ms", (double)(e->ts.ns - q->ts.ns) / 1e6);
	json_write_end_object(&w);
}

static void fold_notification(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct mcp_request *q = NULL;

	connection_add(c, e);
	if (str_eq(h->method, STR("notifications/progress")))
		fold_progress(c, e, h);
	if (str_eq(h->method, STR("notifications/cancelled")))
		q = request_find(c, h->sender, h->id);
	if (q && q->call.p && !q->is_over) {
		q->is_over = true;
		fold_error(c, e, h, (struct event){ .class = STR("tool"), .code = STR("cancelled"), .call = q->call });
	}
}

static void fold_message(struct mcp_connection *c, const struct event *e, const struct mcp_hint *h)
{
	struct mcp_request *q;

	c->has_messages = true;
	if (h->part == MCP_RESPONSE) {
		fold_response(c, e, h);
		return;
	}
	fold_learn(c, h);
	if (h->part == MCP_NOTIFICATION) {
		fold_notification(c, e, h);
		return;
	}
	q = request_add(c, e, h);
	if (e->kind == EVENT_CALL)
		connection_add(c, e)->call = q->call;
	else
		connection_add(c, e);
}

/* ---- lines between messages ---- */

/* A line of the log that says that a server was started or left. */
static bool fold_parts(const struct event *e)
{
	static const struct str words[] = {
		WORD("(pid="), WORD("Initializing server"), WORD("Server started"), WORD("transport closed"),
		WORD("Shutting down server"),
	};

	if (e->kind != EVENT_NOTE || !str_eq(e->role, STR("text")))
		return false;
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_has(e->content, words[i]))
			return true;
	return false;
}

/* A line belongs to the connection whose name it has in brackets, else to the latest. */
static struct mcp_connection *fold_owner(struct mcp_fold *f, const struct event *e)
{
	for (struct mcp_connection *c = f->first; c && e->content.p; c = c->next)
		if (c->key.n && str_has(e->content, ARENA_JOIN(&c->arena, STR("["), c->key, STR("]"))))
			return c;
	return f->latest ? f->latest : f->first ? f->first : connection_new(f, STR(""));
}

static void fold_line(struct mcp_fold *f, const struct event *e)
{
	struct mcp_connection *c = fold_owner(f, e);

	if (c->has_messages && !c->mark && fold_parts(e))
		c->mark = c->end;
	connection_add(c, e);
}

/* ---- the fold ---- */

void *mcp_fold_open(void)
{
	struct mcp_fold *f = mem_alloc(sizeof(*f));

	*f = (struct mcp_fold){ .first = NULL };
	return f;
}

void mcp_fold_close(void *fold)
{
	struct mcp_fold *f = fold;

	while (f->first)
		connection_close(f, f->first);
	mem_free(f);
}

bool mcp_fold_event(void *fold, const struct event *e, struct assemble *as, struct err *err)
{
	struct mcp_fold *f = fold;
	const struct mcp_hint *h = e->hint;
	struct str key = h && h->connection.p ? h->connection : STR("");
	struct mcp_connection *c;

	f->as = as;
	f->err = err;
	if (!h) {
		fold_line(f, e);
		return true;
	}
	c = connection_find(f, key);
	if (!c && f->first && !f->first->next && !f->first->has_messages) { /* lines before the first message */
		c = f->first;
		c->key = arena_copy(&c->arena, key);
	}
	if (c && c->has_messages && !c->mark && h->part == MCP_REQUEST && str_eq(h->method, STR("initialize")))
		c->mark = c->end;
	if (c && (c->mark || c->count >= HELD_MAX)) {
		if (!connection_give(f, c))
			return false;
		c = connection_find(f, key);
	}
	f->latest = c ? c : connection_new(f, key);
	fold_message(f->latest, e, h);
	return true;
}

bool mcp_fold_end(void *fold, struct assemble *as, struct err *err)
{
	struct mcp_fold *f = fold;
	bool good = true;

	f->as = as;
	f->err = err;
	while (f->first) {
		f->first->mark = NULL; /* what stands behind it is the end of this one */
		if (good)
			good = connection_give(f, f->first);
		else
			connection_close(f, f->first);
	}
	return good;
}
