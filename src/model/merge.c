#include "model/merge.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "json/json.h"

struct side {
	struct val_iter it;
	struct val key, value;
	bool has;
};

struct level {
	struct side a, b;
	bool begun;
};

struct merge {
	struct json_parser *parsers[2];
	struct level *levels;
	size_t count, cap;
	struct buf out;
	struct arena names; /* while comparing */
};

struct merge *merge_open(void)
{
	struct json_options options = { .max_depth = JSON_DEPTH };
	struct merge *m = mem_alloc(sizeof(*m));

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < 2; i++)
		m->parsers[i] = json_parser_open(options);
	buf_init(&m->out);
	arena_init(&m->names);
	return m;
}

void merge_close(struct merge *m)
{
	if (!m)
		return;
	for (int i = 0; i < 2; i++)
		json_parser_close(m->parsers[i]);
	buf_free(&m->out);
	arena_free(&m->names);
	mem_free(m->levels);
	mem_free(m);
}

static void advance(struct side *s)
{
	s->has = val_next_member(&s->it, &s->key, &s->value);
}

static void enter(struct merge *m, struct val a, struct val b)
{
	struct level *l;

	mem_grow(m->levels, m->count, m->cap, 16);
	l = &m->levels[m->count++];
	*l = (struct level){ .a.it = val_begin(a), .b.it = val_begin(b) };
	advance(&l->a);
	advance(&l->b);
	buf_add_byte(&m->out, '{');
}

/* Which comes next: below 0 the first side's, above 0 the second's, 0 both, being equal. */
static int which(struct merge *m, const struct level *l)
{
	if (!l->a.has || !l->b.has)
		return l->a.has ? -1 : 1;
	arena_reset(&m->names);
	return utf8_cmp_utf16(val_text(l->a.key, &m->names), val_text(l->b.key, &m->names));
}

static void put_member(struct merge *m, struct level *l, const struct side *s, bool with_value)
{
	if (l->begun)
		buf_add_byte(&m->out, ',');
	l->begun = true;
	buf_add_byte(&m->out, '"');
	buf_add_str(&m->out, val_raw(s->key));
	buf_add(&m->out, "\":", 2);
	if (with_value)
		buf_add_str(&m->out, val_source(s->value));
}

/* One member of the innermost level, whose sides are sorted by name; the second object wins where both have it. */
static void step(struct merge *m)
{
	struct level *l = &m->levels[m->count - 1];
	struct side a = l->a, b = l->b;
	bool both_objects;
	int order;

	if (!a.has && !b.has) {
		buf_add_byte(&m->out, '}');
		m->count--;
		return;
	}
	order = which(m, l);
	both_objects = order == 0 && val_is(a.value, JSON_OBJECT) && val_is(b.value, JSON_OBJECT);
	put_member(m, l, order < 0 ? &a : &b, !both_objects);
	if (order <= 0)
		advance(&l->a);
	if (order >= 0)
		advance(&l->b);
	if (both_objects)
		enter(m, a.value, b.value);
}

struct str merge_objects(struct merge *m, struct arena *a, struct str first, struct str second)
{
	struct val x, y;

	if (!json_parse_copy(m->parsers[0], first, &x, NULL) || !val_is(x, JSON_OBJECT) ||
	    !json_parse_copy(m->parsers[1], second, &y, NULL) || !val_is(y, JSON_OBJECT))
		return arena_copy(a, second);
	buf_clear(&m->out);
	m->count = 0;
	enter(m, x, y);
	while (m->count > 0)
		step(m);
	return arena_copy(a, buf_str(&m->out));
}
