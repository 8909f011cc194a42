/* A tape of a few lines and a player that knows them by heart: equal words, the first unused one. */
#ifndef UNIT_REPLAY_TAPE_FAKE_H
#define UNIT_REPLAY_TAPE_FAKE_H

#include "harness/test.h"
#include "replay/tape_server.h"

#define FAKE_LINES 2100

struct fake {
	struct tape_line lines[FAKE_LINES];
	struct match_entry entries[FAKE_LINES];
	bool used[FAKE_LINES];
	size_t count, asked, notes;
	struct player_pace pace;
	struct str from, to; /* what translating replaces; p NULL: nothing */
	struct str lane;     /* of all requests; p NULL: "model" */
	struct buf missed;   /* questions that were not on the tape */
};

/* An exchange; the caller may go on with it. */
static inline struct tape_line *fake_add(struct fake *f, const char *method, const char *target, const char *body, const char *type,
					 struct str answer)
{
	struct tape_line *l = &f->lines[f->count];
	struct http_header *h = test_alloc(sizeof(*h) * 3);

	CHECK(f->count < FAKE_LINES);
	h[0] = (struct http_header){ STR("content-type"), str_from(type) };
	h[1] = (struct http_header){ STR("request-id"), STR("req_1") };
	h[2] = (struct http_header){ STR("date"), STR("yesterday") };
	*l = (struct tape_line){ .x = f->count, .lane = TAPE_MODEL };
	l->http = (struct tape_http){ .method = str_from(method), .target = str_from(target), .request = { .bytes = str_from(body) },
				      .answer = { .bytes = answer }, .status = 200, .headers = h, .header_count = 3 };
	f->entries[f->count] = (struct match_entry){ .answer = answer, .x = l->x, .own = l };
	f->entries[f->count].q = (struct match_question){ .lane = f->lane.p ? f->lane : STR("model"),
							   .method = l->http.method, .target = l->http.target,
							   .body = l->http.request.bytes };
	f->count++;
	return l;
}

/* Chunks that begin at these offsets, each so long after the one before it. */
static inline void fake_chunks(struct tape_line *l, size_t count, uint64_t size, uint64_t delay_us)
{
	l->http.chunks = test_alloc(count * sizeof(*l->http.chunks));
	l->http.chunk_count = count;
	for (size_t i = 0; i < count; i++)
		l->http.chunks[i] = (struct tape_chunk){ i * size, delay_us };
	l->ended_us = l->begun_us + (int64_t)(count * delay_us);
}

static inline bool fake_ask(void *context, struct arena *a, const struct match_question *q, struct match_result *out, struct str *why)
{
	struct fake *f = context;

	f->asked++;
	for (size_t i = 0; i < f->count; i++) {
		const struct match_question *e = &f->entries[i].q;

		if (f->used[i] || !str_eq(e->lane, q->lane) || !str_eq(e->method, q->method) || !str_eq(e->target, q->target) ||
		    !str_eq(e->body, q->body))
			continue;
		f->used[i] = true;
		*out = (struct match_result){ .tier = MATCH_EXACT, .entry = &f->entries[i] };
		return true;
	}
	buf_printf(&f->missed, "%.*s %.*s %.*s %.*s\n", STR_ARG(q->lane), STR_ARG(q->method), STR_ARG(q->target), STR_ARG(q->body));
	*why = arena_copy(a, STR("nobody asked \"this\""));
	return false;
}

static inline struct str fake_translate(void *context, struct arena *a, const struct match_question *q, const struct match_entry *e,
					struct str answer)
{
	struct fake *f = context;
	struct str left = answer, done = STR("");
	size_t at;

	(void)q;
	(void)e;
	while (f->from.p && (at = str_find(left, f->from)) != (size_t)-1) {
		done = ARENA_JOIN(a, done, str_of(left.p, at), f->to);
		left = str_skip(left, at + f->from.n);
	}
	return f->from.p ? ARENA_JOIN(a, done, left) : answer;
}

static inline void fake_route(void *context, struct arena *a, const struct http_head *h, struct match_question *q)
{
	struct fake *f = context;

	(void)a;
	(void)h;
	if (f->lane.p)
		q->lane = f->lane;
}

static inline void fake_note(void *context, const struct divergence *d)
{
	struct fake *f = context;

	CHECK(d->class == DIVERGENCE_PROTOCOL && d->sentence.n);
	f->notes++;
}

static const struct tape_server_ops fake_ops = { fake_ask, fake_translate, fake_route, fake_note, NULL };

static inline struct tape_server *fake_open(struct fake *f, uv_loop_t *loop)
{
	static const struct str hosts[] = { { "x", 1 } };
	struct tape_server_options o = { .guard = { .hosts = hosts, .host_count = 1 }, .ops = &fake_ops, .context = f, .pace = &f->pace,
					 .linger_ms = 50 };
	struct err err = { .kind = ERR_NONE };
	struct tape_server *s = tape_server_open(loop, &o, &err);

	if (!s)
		FAIL("%s", err.text);
	return s;
}

#endif
