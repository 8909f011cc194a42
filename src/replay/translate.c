/* Finds values in whole texts and in texts cut in pieces, and applies the edits by their places. */
#include "replay/translate.h"

#include <stdlib.h>

#include "replay/pieces.h"
#include "replay/volatile.h"

struct translate_edit {
	size_t from, to; /* in the answer */
	struct str with;
	bool in_pieces;
};

struct translate_edits {
	struct arena arena;
	struct translate_edit *list;
	size_t count, cap;
};

static void translate_add_edit(struct translate_edits *e, size_t from, size_t to, struct str with, bool in_pieces)
{
	arena_grow(&e->arena, e->list, e->count, e->cap, 16);
	e->list[e->count++] = (struct translate_edit){ from, to, with, in_pieces };
}

/* What stands whole in the answer. */
static void translate_find_whole(const struct ties *t, struct str answer, struct translate_edits *e)
{
	struct volatile_scan s = volatile_begin(answer);
	struct volatile_text v;

	while (volatile_next(&s, &v)) {
		struct str old = str_of(answer.p + v.from, v.end - v.from), new = ties_live_of(t, old);

		if (!str_eq(old, new))
			translate_add_edit(e, v.from, v.end, new, false);
	}
}

/* A value that lies over several pieces: each keeps as many bytes as it had, and the last one takes the rest. */
static void translate_lay(const struct pieces_text *text, const struct volatile_text *v, struct str new,
			  struct translate_edits *e)
{
	size_t given = 0;

	for (size_t i = 0; i < text->count; i++) {
		const struct piece *p = &text->list[i];
		size_t from = v->from > p->at ? v->from : p->at, to = v->end < p->at + p->n ? v->end : p->at + p->n;
		size_t n = to > from ? to - from : 0;

		if (n == 0)
			continue;
		n = to == v->end || n > new.n - given ? new.n - given : n;
		translate_add_edit(e, p->from + (from - p->at), p->from + (to - p->at), str_of(new.p + given, n), true);
		given += n;
	}
}

/* Whether it ends in another piece than it began in. */
static bool translate_is_cut(const struct pieces_text *text, const struct volatile_text *v)
{
	for (size_t i = 0; i < text->count; i++)
		if (v->from >= text->list[i].at && v->end <= text->list[i].at + text->list[i].n)
			return false;
	return true;
}

static void translate_find_cut(const struct ties *t, const struct pieces_text *text, struct translate_edits *e)
{
	struct volatile_scan s = volatile_begin(text->joined);
	struct volatile_text v;

	while (volatile_next(&s, &v)) {
		struct str old = str_of(text->joined.p + v.from, v.end - v.from), new = ties_live_of(t, old);

		if (!str_eq(old, new) && translate_is_cut(text, &v))
			translate_lay(text, &v, new, e);
	}
}

/* By place; of two that overlap the one in pieces comes first, since it saw the whole word. */
static int translate_by_place(const void *a, const void *b)
{
	const struct translate_edit *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return y->in_pieces - x->in_pieces;
}

static bool translate_is_beaten(const struct translate_edits *e, size_t i)
{
	return !e->list[i].in_pieces && i + 1 < e->count && e->list[i + 1].in_pieces &&
	       e->list[i + 1].from < e->list[i].to;
}

static void translate_apply(struct translate_edits *e, struct str answer, struct buf *out)
{
	size_t at = 0;

	qsort(e->list, e->count, sizeof(*e->list), translate_by_place);
	for (size_t i = 0; i < e->count; i++) {
		const struct translate_edit *one = &e->list[i];

		if (one->from < at || translate_is_beaten(e, i))
			continue;
		buf_add(out, answer.p + at, one->from - at);
		buf_add_str(out, one->with);
		at = one->to;
	}
	buf_add_str(out, str_skip(answer, at));
}

bool translate_answer(const struct ties *t, struct json_parser *p, struct str answer, struct buf *out)
{
	struct translate_edits e = { .count = 0 };
	struct pieces_text *texts;
	size_t count;

	if (!t->changed || answer.n == 0)
		return false;
	arena_init(&e.arena);
	translate_find_whole(t, answer, &e);
	count = pieces_join(&e.arena, p, answer, &texts);
	for (size_t i = 0; i < count; i++)
		translate_find_cut(t, &texts[i], &e);
	if (e.count)
		translate_apply(&e, answer, out);
	arena_free(&e.arena);
	return e.count > 0;
}

static void translate_see(struct str text, void (*see)(void *context, struct str text), void *context)
{
	struct volatile_scan s = volatile_begin(text);
	struct volatile_text v;

	while (volatile_next(&s, &v))
		see(context, str_of(text.p + v.from, v.end - v.from));
}

void translate_scan(struct json_parser *p, struct str answer, void (*see)(void *context, struct str text),
		    void *context)
{
	struct pieces_text *texts;
	struct arena scratch;
	size_t count;

	arena_init(&scratch);
	translate_see(answer, see, context);
	count = pieces_join(&scratch, p, answer, &texts);
	for (size_t i = 0; i < count; i++)
		translate_see(texts[i].joined, see, context);
	arena_free(&scratch);
}
