/* Marks are made on any thread and live with their batch; what the fold keeps of them is digests and places. */
#include "dialect/session/marks.h"

#include <assert.h>
#include <stdarg.h>

#include "base/clock.h"

struct mark *marks_add(struct record_scan *s, struct marks *m, uint8_t kind, struct val about)
{
	struct mark *one;

	arena_grow(&s->out->arena, m->list, m->count, m->cap, 8);
	one = &m->list[m->count++];
	*one = (struct mark){ .kind = kind, .length = 1 };
	if (!val_is_none(about)) {
		struct str source = val_source(about);

		assert(source.p >= s->text.p);
		one->at = (uint32_t)(source.p - s->text.p);
		one->length = val_is(about, JSON_OBJECT) || val_is(about, JSON_ARRAY) ? 1 : (uint32_t)source.n;
	}
	return one;
}

struct mark *marks_add_id(struct record_scan *s, struct marks *m, uint8_t kind, struct val v)
{
	struct mark *one;

	if (!val_is(v, JSON_STRING) || val_tok(v)->len == 0)
		return NULL;
	one = marks_add(s, m, kind, v);
	one->id = str_hash_wide(val_text(v, s->arena));
	return one;
}

void marks_add_time(struct record_scan *s, struct marks *m, uint8_t kind, struct val v)
{
	struct stamp stamp;

	if (val_is(v, JSON_STRING) && stamp_parse(val_text(v, s->arena), &stamp))
		marks_add(s, m, kind, v)->n = stamp.seconds * 1000 + stamp.nanos / 1000000;
}

/* ---- in the fold ---- */

struct marks_walk marks_begin(const struct record_batch *b)
{
	return (struct marks_walk){ .batch = b };
}

/* Lines are counted in documents only, from mark to mark; the text of a line holds one. */
static void marks_count_lines(struct marks_walk *w)
{
	for (; w->batch->document && w->counted < w->mark->at; w->counted++)
		w->line += w->place->text.p[w->counted] == '\n';
}

bool marks_next(struct marks_walk *w)
{
	const struct marks *all = (const void *)w->batch->facts.p;

	for (; w->record < record_batch_count(w->batch); w->record++, w->next = 0, w->counted = 0) {
		w->place = record_batch_place(w->batch, w->record);
		if (w->next == 0)
			w->line = w->place->line;
		if (w->next < all[w->record].count) {
			w->mark = &all[w->record].list[w->next++];
			marks_count_lines(w);
			return true;
		}
	}
	return false;
}

struct mark_place marks_place(const struct marks_walk *w)
{
	return (struct mark_place){ w->line, w->place->offset + w->mark->at };
}

void marks_note(struct record_fold *f, unsigned rule, const struct marks_walk *w, const char *format, ...)
{
	struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	record_fold_note(f, rule, w->place, w->mark->at, w->mark->length, STR(""), "%.*s", STR_ARG(buf_str(&text)));
	buf_free(&text);
}

void marks_note_late(struct record_fold *f, unsigned rule, struct mark_place at, const char *format, ...)
{
	struct record_place gone = { .line = at.line, .offset = at.offset };
	struct buf text = { 0 };
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	record_fold_note(f, rule, &gone, 0, 0, STR(""), "%.*s", STR_ARG(buf_str(&text)));
	buf_free(&text);
}

/* ---- ids ---- */

void mark_ids_init(struct mark_ids *ids, struct arena *a)
{
	*ids = (struct mark_ids){ 0 };
	map_init(&ids->seen, a);
}

struct mark_item *mark_ids_find(const struct mark_ids *ids, const struct mark *m)
{
	const uint64_t *at = map_find(&ids->seen, str_of(&m->id, sizeof(m->id)));

	return at ? &ids->items[*at] : NULL;
}

struct mark_item *mark_ids_add(struct record_fold *f, struct mark_ids *ids, const struct marks_walk *w,
			       unsigned on_full, bool *added)
{
	struct mark_item *found = mark_ids_find(ids, w->mark);

	*added = false;
	if (found)
		return found;
	if (ids->count >= MARK_IDS_MAX) {
		if (!ids->is_full)
			marks_note(f, on_full, w, "from here on new ids are not remembered: there are more than %zu",
				   MARK_IDS_MAX);
		ids->is_full = true;
		return NULL;
	}
	arena_grow(ids->seen.arena, ids->items, ids->count, ids->cap, 64);
	*map_add(&ids->seen, str_of(&w->mark->id, sizeof(w->mark->id)), added) = ids->count;
	ids->items[ids->count] = (struct mark_item){ .at = marks_place(w), .is_open = true };
	return &ids->items[ids->count++];
}

/* ---- types ---- */

void mark_types_init(struct mark_types *t, struct arena *a)
{
	t->count = 0;
	map_init(&t->seen, a);
}

void mark_types_add(struct mark_types *t, struct arena *a, const struct marks_walk *w)
{
	uint64_t *at = map_find(&t->seen, w->mark->text);
	bool added;

	if (!at && t->count < MARK_TYPES) {
		t->list[t->count] = (struct mark_type){ arena_copy(a, w->mark->text), marks_place(w), 0 };
		at = map_add(&t->seen, w->mark->text, &added);
		*at = t->count++;
	}
	if (at)
		t->list[*at].lines++;
}

void mark_types_note(const struct mark_types *t, struct record_fold *f, unsigned rule)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct mark_type *one = &t->list[i];

		marks_note_late(f, rule, one->at, "%llu line%s of the type %.*s, which is not known here",
				(unsigned long long)one->lines, one->lines == 1 ? "" : "s", STR_ARG(one->name));
	}
}
