/* Gathers the pieces of a running command and makes the chunks of its result of them. */
#include "dialect/reading/result_pieces.h"

#include <assert.h>

#include "base/utf8.h"
#include "dialect/writing.h"
#include "json/put.h"

#define ABOVE_MOST 64 /* lines that may stand above the pieces: each costs a comparison with all of them */

/* Where a piece ends, and when it came. */
struct piece_mark {
	size_t end;
	struct moment ts; /* without its text */
};

struct result_pieces_call {
	struct result_pieces_call *next;
	struct hash call;
	bool broken; /* no chunks can be made of it */
	struct buf text, marks;
};

static bool result_pieces_is_same(struct hash a, struct hash b)
{
	return a.a == b.a && a.b == b.b;
}

static void pieces_drop(struct result_pieces *p, struct result_pieces_call **at)
{
	struct result_pieces_call *c = *at;

	assert(p->count > 0 && p->bytes >= c->text.n);
	*at = c->next;
	p->count--;
	p->bytes -= c->text.n;
	buf_free(&c->text);
	buf_free(&c->marks);
	mem_free(c);
}

void result_pieces_reset(struct result_pieces *p)
{
	while (p->open)
		pieces_drop(p, &p->open);
	memset(p->begun, 0, sizeof(p->begun));
	p->next = 0;
}

void result_pieces_begin(struct result_pieces *p, struct str call, struct moment ts)
{
	if (!call.n || !ts.text.p)
		return;
	p->begun[p->next % RESULT_PIECES_CALLS].call = str_hash_wide(call);
	p->begun[p->next++ % RESULT_PIECES_CALLS].ns = ts.ns;
}

/* From the latest back: an id may come again. False when it is not known when the call was made. */
static bool pieces_begun(const struct result_pieces *p, struct hash call, int64_t *ns)
{
	for (size_t i = p->next; i > 0 && p->next - i < RESULT_PIECES_CALLS; i--) {
		size_t at = (i - 1) % RESULT_PIECES_CALLS;

		if (!result_pieces_is_same(p->begun[at].call, call))
			continue;
		*ns = p->begun[at].ns;
		return true;
	}
	return false;
}

static struct result_pieces_call **pieces_find(struct result_pieces *p, struct hash call)
{
	struct result_pieces_call **at = &p->open;

	while (*at && !result_pieces_is_same((*at)->call, call))
		at = &(*at)->next;
	return at;
}

/* The call's entry, made when there is none; the oldest goes when there are too many. */
static struct result_pieces_call *pieces_open(struct result_pieces *p, struct str call)
{
	struct hash key = str_hash_wide(call);
	struct result_pieces_call *c = *pieces_find(p, key);

	if (c)
		return c;
	if (p->count >= RESULT_PIECES_CALLS) { /* the oldest is least likely to get its result */
		struct result_pieces_call **last = &p->open;

		while ((*last)->next)
			last = &(*last)->next;
		pieces_drop(p, last);
	}
	c = mem_alloc(sizeof(*c));
	*c = (struct result_pieces_call){ .next = p->open, .call = key };
	p->open = c;
	p->count++;
	return c;
}

/* Nothing can be made of this call's pieces any more; they are not kept. */
static void pieces_break(struct result_pieces *p, struct result_pieces_call *c)
{
	p->bytes -= c->text.n;
	buf_free(&c->text);
	buf_free(&c->marks);
	c->broken = true;
}

/* What would go beyond RESULT_PIECES_BYTES breaks the call: chunks must add up, so a part is of no use. */
static void pieces_extend(struct result_pieces *p, struct result_pieces_call *c, struct str data, struct moment ts)
{
	struct piece_mark mark = { c->text.n + data.n, ts };

	if (c->broken || data.n == 0)
		return;
	if (data.n > RESULT_PIECES_BYTES - p->bytes) {
		pieces_break(p, c);
		return;
	}
	buf_add_str(&c->text, data);
	p->bytes += data.n;
	mark.ts.text = str_of(ts.text.p ? "" : NULL, 0);
	buf_add(&c->marks, &mark, sizeof(mark));
}

void result_pieces_add(struct result_pieces *p, struct str call, struct str data, struct moment ts)
{
	if (call.n && data.n)
		pieces_extend(p, pieces_open(p, call), data, ts);
}

void result_pieces_add_whole(struct result_pieces *p, struct str call, struct str whole, struct moment ts)
{
	struct result_pieces_call *c;

	if (!call.n || !whole.n)
		return;
	c = pieces_open(p, call);
	if (!c->broken && !str_starts(whole, buf_str(&c->text)))
		pieces_break(p, c); /* only its end is shown */
	else if (!c->broken)
		pieces_extend(p, c, str_of(whole.p + c->text.n, whole.n - c->text.n), ts);
}

/* ---- chunks ---- */

struct chunk_run {
	struct json_writer j;
	struct str text;
	size_t from;
	bool has_begun;
	int64_t begun_ns;
};

/* From where the last one ended; nothing for an empty piece. No time when it would be before the call. */
static void chunk_write(struct chunk_run *w, size_t to, struct moment ts)
{
	int64_t us = w->has_begun && ts.ns >= w->begun_ns ? (ts.ns - w->begun_ns) / 1000 : -1;

	if (to <= w->from)
		return;
	json_write_begin_object(&w->j);
	json_put_text(&w->j, "data", str_of(w->text.p + w->from, to - w->from));
	if (us >= 0 && ts.text.p)
		json_put_double(&w->j, "t_ms", (double)us / 1000);
	json_write_end_object(&w->j);
	w->from = to;
}

/* Where the pieces stand in the result: at its beginning, or at that of a line below what was put above them. */
static bool pieces_place(struct str text, struct str pieces, size_t *at)
{
	*at = 0;
	for (size_t lines = 0; lines <= ABOVE_MOST && *at < text.n; lines++) {
		const char *lf;

		if (str_starts(str_of(text.p + *at, text.n - *at), pieces))
			return true;
		lf = memchr(text.p + *at, '\n', text.n - *at);
		*at = lf ? (size_t)(lf - text.p) + 1 : text.n;
	}
	return false;
}

/*
 * The pieces as chunks of the result, with the time since the call began. p NULL when they are no part of the result.
 */
static struct str chunks_of(const struct result_pieces *p, const struct result_pieces_call *c, struct arena *a,
			    const struct event *result)
{
	const struct piece_mark *marks = (const struct piece_mark *)(const void *)c->marks.p;
	bool is_text = result->content.n && result->content.p[0] == '"';
	struct chunk_run w = { .text = is_text ? writing_plain(a, result->content) : buf_str(&c->text) };
	struct str made = str_of(NULL, 0);
	struct buf out = { 0 };
	size_t at;

	if (c->broken || !c->marks.n || !pieces_place(w.text, buf_str(&c->text), &at) ||
	    utf8_check(w.text) < w.text.n)
		return made;
	w.has_begun = pieces_begun(p, c->call, &w.begun_ns);
	json_write_init(&w.j, &out, JSON_COMPACT);
	json_write_begin_array(&w.j);
	chunk_write(&w, at, (struct moment){ .source = MOMENT_NONE });
	for (size_t i = 0; i < c->marks.n / sizeof(*marks); i++)
		chunk_write(&w, utf8_cut(w.text, at + marks[i].end).n, marks[i].ts);
	chunk_write(&w, w.text.n, result->ts);
	json_write_end_array(&w.j);
	return arena_take(a, &out);
}

/* Whoever asks for a result without an id gets nothing, since pieces are known by their call. */
struct str result_pieces_take(struct result_pieces *p, struct arena *a, const struct event *result)
{
	struct result_pieces_call **at;
	struct str chunks = str_of(NULL, 0);

	if (!result->call.n || !p->open)
		return chunks;
	at = pieces_find(p, str_hash_wide(result->call));
	if (!*at)
		return chunks;
	chunks = chunks_of(p, *at, a, result);
	pieces_drop(p, at);
	return chunks;
}
