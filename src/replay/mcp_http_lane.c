/* Requests as questions, and answers with the ids of this run put in. */
#include "replay/mcp_http_lane.h"

#include "base/sse.h"
#include "replay/mcp_lane_rpc.h"

struct mcp_http_other {
	struct mcp_http_other *next;
	const struct tape_line *line;
	bool used;
};

struct http_edits {
	struct arena *arena;
	struct rpc_edit *items;
	size_t count, cap;
};

struct match_question mcp_http_lane_ask(struct arena *a, struct str provider, struct str target, struct str body)
{
	struct json_parser *p = rpc_parser_open();
	struct match_question q = {
		.lane = ARENA_JOIN(a, STR("mcp:"), provider),
		.method = STR("POST"),
		.target = target,
		.body = body.p ? rpc_key(p, a, body) : STR(""),
	};

	json_parser_close(p);
	return q;
}

struct mcp_http_lane *mcp_http_lane_new(struct arena *a, const struct tape *t)
{
	struct mcp_http_lane *l = arena_new(a, struct mcp_http_lane);
	struct mcp_http_other **last = &l->others;

	l->arena = a;
	for (size_t i = 0; i < t->count; i++) {
		const struct tape_line *line = &t->lines[i];

		if (line->lane != TAPE_MCP_HTTP)
			continue;
		if (!str_eq(line->http.method, STR("POST"))) {
			*last = arena_new(a, struct mcp_http_other);
			(*last)->line = line;
			last = &(*last)->next;
			continue;
		}
		arena_grow(a, l->entries.items, l->entries.count, l->entries.cap, 64);
		l->entries.items[l->entries.count++] = (struct match_entry){
			.q = mcp_http_lane_ask(a, line->http.provider, line->http.target, line->http.request.bytes),
			.answer = line->http.answer.bytes,
			.x = line->x,
			.group = line->group,
			.begun_us = line->begun_us,
			.ended_us = line->ended_us,
			.own = line,
		};
	}
	return l;
}

/* ---- ids of this run ---- */

static void http_add_edits(struct http_edits *e, struct json_parser *p, struct str text, size_t offset,
			   const struct rpc_ids *ids)
{
	struct rpc_edit edits[RPC_EDITS];
	struct val v;
	size_t n;

	if (!json_parse_copy(p, text, &v, NULL))
		return;
	n = rpc_find_edits(v, v.tape->text, ids, edits);
	for (size_t i = 0; i < n; i++) {
		edits[i].at += offset;
		arena_grow(e->arena, e->items, e->count, e->cap, 8);
		e->items[e->count++] = edits[i];
	}
}

/* A message is one line of data: nobody who writes JSON breaks it. */
static void http_find_in_events(struct http_edits *e, struct json_parser *p, struct str text,
				const struct rpc_ids *ids)
{
	size_t offset = 0;

	while (offset < text.n) {
		size_t end, n = sse_line(str_skip(text, offset), &end);
		struct str line = str_of(text.p + offset, n);

		if (str_starts(line, STR("data:")))
			http_add_edits(e, p, str_skip(line, 5), offset + 5, ids);
		if (end == 0)
			break;
		offset += end;
	}
}

/* Where each chunk begins when the texts before it have become longer or shorter. */
static void http_move_chunks(struct arena *a, const struct tape_http *h, const struct http_edits *e,
			     struct mcp_http_answer *out)
{
	struct tape_chunk *chunks = arena_array(a, struct tape_chunk, h->chunk_count + 1);

	for (size_t i = 0; i < h->chunk_count; i++) {
		chunks[i] = h->chunks[i];
		for (size_t k = 0; k < e->count && e->items[k].at < h->chunks[i].offset; k++)
			chunks[i].offset += e->items[k].with.n - e->items[k].n;
		if (i && chunks[i].offset < chunks[i - 1].offset)
			chunks[i].offset = chunks[i - 1].offset; /* it began inside of an id */
		if (chunks[i].offset > out->body.n)
			chunks[i].offset = out->body.n;
	}
	out->chunks = chunks;
	out->chunk_count = h->chunk_count;
}

void mcp_http_lane_answer(struct arena *a, const struct tape_line *line, struct str answer, struct str live_body,
			  struct mcp_http_answer *out)
{
	struct json_parser *p = rpc_parser_open();
	struct http_edits edits = { .arena = a };
	struct rpc_message recorded, live;
	struct rpc_ids ids;
	struct buf body;

	*out = (struct mcp_http_answer){ .body = answer };
	rpc_read(p, a, line->http.request.bytes, &recorded);
	rpc_read(p, a, live_body, &live);
	ids = (struct rpc_ids){ .id = recorded.id, .token = recorded.token, .live_id = live.id,
				.live_token = live.token };
	if (answer.p && str_starts(str_trim(answer), STR("{")))
		http_add_edits(&edits, p, answer, 0, &ids);
	else if (answer.p)
		http_find_in_events(&edits, p, answer, &ids);
	if (edits.count) {
		buf_init(&body);
		rpc_apply(&body, answer, edits.items, edits.count);
		out->body = arena_take(a, &body);
	}
	if (str_eq(answer, line->http.answer.bytes))
		http_move_chunks(a, &line->http, &edits, out);
	if (str_eq(recorded.method, STR("initialize")) && line->http.status == 200)
		out->session = STR(MCP_HTTP_SESSION);
	json_parser_close(p);
}

const struct tape_line *mcp_http_lane_other(struct mcp_http_lane *l, struct str provider, struct str method,
					    struct str target, int *status)
{
	for (struct mcp_http_other *o = l->others; o; o = o->next) {
		const struct tape_http *h = &o->line->http;

		if (o->used || h->status == 0 || !str_eq(h->method, method) || !str_eq(h->provider, provider) ||
		    !str_eq(h->target, target))
			continue;
		o->used = true;
		*status = h->status;
		return o->line;
	}
	*status = str_eq(method, STR("DELETE")) ? 200 : 405;
	return NULL;
}
