/* The keys of a question, and its masked forms. */
#include "replay/match_body.h"

#include "base/utf8.h"

static void match_begin_key(struct sha256 *s, struct str version, const struct match_question *q)
{
	const struct str parts[] = { version, q->lane, q->method, q->target };

	sha256_restart(s);
	for (size_t i = 0; i < COUNT(parts); i++) {
		if (parts[i].n)
			sha256_add(s, parts[i]);
		sha256_add(s, STR("\n"));
	}
}

static void match_find_texts(struct match_maker *m, struct arena *a, enum ties_side side, int64_t clock_us,
			     struct match_body *b)
{
	struct volatile_scan s = volatile_begin(b->normal.bytes);
	struct volatile_text t;
	size_t cap = 0;

	if (!b->normal.is_json && utf8_check(s.text) != s.text.n)
		return; /* the marks could not be told from the bytes */
	while (volatile_next(&s, &t)) {
		if (!volatile_is_near(&t, clock_us))
			continue;
		arena_grow(a, b->texts, b->text_count, cap, 8);
		b->texts[b->text_count].where = t;
		b->texts[b->text_count++].value = ties_add(m->ties, side, str_of(s.text.p + t.from, t.end - t.from));
	}
}

void match_body_make(struct match_maker *m, struct arena *a, enum ties_side side, int64_t clock_us,
		     const struct match_question *q, struct match_body *out)
{
	*out = (struct match_body){ .texts = NULL };
	normal_make(m->normalizer, a, normal_kind_of(q->lane, q->target), q->body, &out->normal);
	match_begin_key(&m->sha, STR("rk0"), q);
	sha256_add(&m->sha, out->normal.bytes);
	out->k0 = sha256_end(&m->sha);
	match_find_texts(m, a, side, clock_us, out);
}

static void match_mask_form(struct match_maker *m, struct arena *a, enum ties_side side, const struct match_question *q,
			    const struct match_body *b, bool times, struct match_masked *out)
{
	struct str bytes = b->normal.bytes;
	size_t at = 0;

	*out = (struct match_masked){ .count = 0 };
	out->texts = arena_array(a, struct match_text, b->text_count + 1);
	for (size_t i = 0; i < b->text_count; i++)
		if (!m->ties->values[side][b->texts[i].value].is_foreign && (times || !b->texts[i].where.is_time))
			out->texts[out->count++] = b->texts[i];
	if (out->count == 0)
		return;
	match_begin_key(&m->sha, STR("rk1"), q);
	for (size_t i = 0; i < out->count; i++) {
		const struct volatile_text *t = &out->texts[i].where;

		sha256_add(&m->sha, str_of(bytes.p + at, t->mask - at));
		sha256_add(&m->sha, STR("\xff")); /* which no UTF-8 has */
		sha256_add(&m->sha, str_from(volatile_name(t->type)));
		sha256_add(&m->sha, STR("\xff"));
		at = t->end;
	}
	sha256_add(&m->sha, str_skip(bytes, at));
	out->key = sha256_end(&m->sha);
}

void match_body_mask(struct match_maker *m, struct arena *a, enum ties_side side, const struct match_question *q,
		     const struct match_body *b, struct match_masked out[MATCH_FORMS])
{
	out[MATCH_ALL_MARKS] = out[MATCH_NO_TIMES] = (struct match_masked){ .count = 0 };
	if (b->text_count == 0)
		return;
	match_mask_form(m, a, side, q, b, true, &out[MATCH_ALL_MARKS]);
	match_mask_form(m, a, side, q, b, false, &out[MATCH_NO_TIMES]);
	if (out[MATCH_NO_TIMES].count == out[MATCH_ALL_MARKS].count)
		out[MATCH_NO_TIMES].count = 0;
}
