/*
 * Whatever is well goes through canon.c in one piece; only containers around a fault are written here, level by level.
 */
#include "json/mend.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "json/canon.h"
#include "json/repair.h"
#include "json/shape.h"
#include "json/text.h"

#define TELL_MIN ((size_t)64 << 10)

struct member {
	struct str name; /* p NULL: the key's own, which needs no mending */
	uint32_t key, at; /* tokens of the name and the value */
};

/* A container being written. */
struct level {
	struct member now;   /* being written, in an object */
	uint32_t first, left; /* members noted for it: where they begin, those to write */
	uint32_t at, end;    /* arrays: the next element, the end */
	uint64_t index;      /* arrays: of the next element */
	bool object, by_place;
	bool begun;          /* something is in it */
};

struct mend {
	struct canon *canon;
	struct level *levels;
	size_t level_count, level_cap;
	struct member *members; /* of all open objects */
	size_t member_count, member_cap;
	struct buf text;
	struct arena arena; /* names, while one value is written */
};

struct job {
	struct mend *m;
	const struct json_tape *tape;
	const uint8_t *marks; /* or NULL */
	struct buf *out;
	struct mend_watch watch;
	size_t tell;              /* bytes of pointers that may still be told */
	uint32_t bad;             /* the token that the strict form refused last; UINT32_MAX: none did */
	uint32_t clean, clean_end; /* tokens without a mark, as was seen before */
};

struct mend *mend_open(void)
{
	struct mend *m = mem_alloc(sizeof(*m));

	memset(m, 0, sizeof(*m));
	m->canon = canon_open(CANON_OTUTL);
	buf_init(&m->text);
	arena_init(&m->arena);
	return m;
}

void mend_close(struct mend *m)
{
	if (!m)
		return;
	canon_close(m->canon);
	mem_free(m->levels);
	mem_free(m->members);
	buf_free(&m->text);
	arena_free(&m->arena);
	mem_free(m);
}

static struct val val_of(const struct job *j, uint32_t at)
{
	return (struct val){ j->tape, at };
}

/* Whether anything inside is not marked: a scalar, or a container with nothing in it. */
static bool has_left(const struct job *j, uint32_t at)
{
	uint32_t end = val_end(val_of(j, at));

	if (!j->marks)
		return true;
	for (uint32_t i = at; i < end; i++) {
		const struct json_tok *t = &j->tape->toks[i];
		bool full = (t->type == JSON_OBJECT || t->type == JSON_ARRAY) && t->link > i + 1;

		if (!j->marks[i] && t->type != JSON_KEY && !full)
			return true;
	}
	return false;
}

/* The last range without marks is remembered: values inside one are asked about again, level by level. */
static bool has_mark(struct job *j, uint32_t at)
{
	uint32_t end = val_end(val_of(j, at));

	if (!j->marks || (at >= j->clean && end <= j->clean_end))
		return false;
	for (uint32_t i = at; i < end; i++)
		if (j->marks[i])
			return true;
	j->clean = at;
	j->clean_end = end;
	return false;
}

/* A name or string as well-formed UTF-8. */
static struct str text_of(struct mend *m, const struct json_tape *tape, uint32_t at)
{
	struct val v = { tape, at };
	struct str text = val_text(v, &m->arena);
	char *fixed;

	if (utf8_check(text) == text.n)
		return text;
	fixed = arena_array(&m->arena, char, text.n * 3);
	return str_of(fixed, repair_utf8(fixed, text));
}

static void add_escaped(struct buf *b, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '~')
			buf_add(b, "~0", 2);
		else if (name.p[i] == '/')
			buf_add(b, "~1", 2);
		else
			buf_add_byte(b, name.p[i]);
	}
}

static struct str name_of(const struct job *j, const struct member *m)
{
	return m->name.p ? m->name : j->tape->shapes->keys[j->tape->toks[m->key].link].text;
}

/* The pointer is made of the open levels. When the budget is used up nothing more is told, not even short ones. */
static void tell_number(struct job *j)
{
	struct buf *b = &j->m->text;

	if (!j->watch.number || j->tell == 0)
		return;
	buf_clear(b);
	for (size_t i = 0; i < j->m->level_count; i++) {
		const struct level *l = &j->m->levels[i];

		buf_add_byte(b, '/');
		if (l->object)
			add_escaped(b, name_of(j, &l->now));
		else
			buf_printf(b, "%llu", (unsigned long long)l->index - 1);
	}
	if (b->n > j->tell) {
		j->tell = 0;
		return;
	}
	j->tell -= b->n;
	j->watch.number(j->watch.context, buf_str(b));
}

/* What the strict form refused. */
static void mend_put_scalar(struct job *j, uint32_t at)
{
	const struct json_tok *t = &j->tape->toks[at];

	if (t->type == JSON_STRING) {
		text_quote(j->out, text_of(j->m, j->tape, at));
		return;
	}
	text_quote(j->out, str_of(j->tape->text + t->off, t->len));
	tell_number(j);
}

static int mend_by_name(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = utf8_cmp_utf16(x->name, y->name);

	return order ? order : x->at < y->at ? -1 : 1;
}

static struct member *add_member(struct mend *m, size_t n)
{
	mem_grow(m->members, n, m->member_cap, 16);
	return &m->members[n];
}

/* An object of a known shape: no name twice, none to be mended, and the order is known. */
static void note_shaped(struct job *j, uint32_t open, const struct shape *sh, struct level *l)
{
	struct mend *m = j->m;
	uint32_t keys[SHAPE_MEMBERS_MAX] = { 0 }, i = open + 1;
	size_t n = m->member_count;

	for (uint32_t k = 0; k < sh->count; k++, i = val_end(val_of(j, i + 1)))
		keys[k] = i;
	l->first = (uint32_t)n;
	for (uint32_t k = 0; k < sh->count; k++) {
		uint32_t key = keys[sh->order[k]];

		if (has_left(j, key + 1))
			*add_member(m, n++) = (struct member){ .key = key, .at = key + 1 };
	}
	m->member_count = n;
	l->left = (uint32_t)(n - l->first);
}

static bool has_odd_name(const struct job *j, uint32_t open)
{
	for (uint32_t i = open + 1, end = j->tape->toks[open].link; i < end; i = val_end(val_of(j, i + 1)))
		if (j->tape->toks[i].flags & (JSON_LONE | JSON_ODD | JSON_DUPLICATE))
			return true;
	return false;
}

/* The members to write, in order; of equal names the last. */
static void note_members(struct job *j, uint32_t open, struct level *l)
{
	struct mend *m = j->m;
	struct val_iter it = val_begin(val_of(j, open));
	struct val key, value;
	size_t first = m->member_count, n = first;

	if (j->tape->toks[open].shape != SHAPE_NONE && !has_odd_name(j, open)) {
		note_shaped(j, open, shapes_order(j->tape->shapes, j->tape->toks[open].shape), l);
		return;
	}
	while (val_next_member(&it, &key, &value))
		if (has_left(j, value.at))
			*add_member(m, n++) = (struct member){ text_of(m, j->tape, key.at), key.at, value.at };
	if (n > first)
		qsort(m->members + first, n - first, sizeof(*m->members), mend_by_name);
	m->member_count = first;
	for (size_t i = first; i < n; i++)
		if (i + 1 == n || !str_eq(m->members[i].name, m->members[i + 1].name))
			m->members[m->member_count++] = m->members[i];
	l->first = (uint32_t)first;
	l->left = (uint32_t)(m->member_count - first);
}

/* The level may be a copy of an array as an object: then note_places fills it. */
static void open_level(struct job *j, uint32_t at)
{
	struct mend *m = j->m;
	struct level *l;

	mem_grow(m->levels, m->level_count, m->level_cap, 16);
	l = &m->levels[m->level_count++];
	*l = (struct level){ .at = at + 1, .end = j->tape->toks[at].link };
	l->object = j->tape->toks[at].type == JSON_OBJECT;
	l->by_place = !l->object && has_mark(j, at);
	buf_add_byte(j->out, l->object || l->by_place ? '{' : '[');
	if (l->object)
		note_members(j, at, l);
}

/* The next value of the level; false when there is none. */
static bool mend_next_value(struct job *j, struct level *l, uint32_t *at)
{
	struct mend *m = j->m;

	if (l->object) {
		if (l->left == 0)
			return false;
		assert(m->member_count - l->first >= l->left);
		l->now = m->members[m->member_count - l->left];
		l->left--;
		*at = l->now.at;
		return true;
	}
	if (l->at == l->end)
		return false;
	*at = l->at;
	l->at = val_end(val_of(j, l->at));
	l->index++;
	return true;
}

/*
 * What stands before a value: comma and name. A name of a shape brings its own comma, which the first one leaves out.
 */
static void put_before(struct job *j, struct level *l)
{
	bool first = !l->begun;

	l->begun = true;
	if (l->object && !l->now.name.p) {
		struct str name = shapes_key_canon(j->tape->shapes, j->tape->toks[l->now.key].link);

		buf_add(j->out, name.p + first, name.n - first);
		return;
	}
	if (!first)
		buf_add_byte(j->out, ',');
	if (!l->object)
		return;
	text_quote(j->out, l->now.name);
	buf_add_byte(j->out, ':');
}

static void close_level(struct job *j)
{
	struct mend *m = j->m;
	const struct level *l = &m->levels[--m->level_count];

	assert(l->left == 0 && m->member_count >= l->first);
	if (l->object)
		m->member_count = l->first;
	buf_add_byte(j->out, l->object || l->by_place ? '}' : ']');
}

/*
 * A value that needs no mending and has no mark goes the fast way. What was refused once is not tried again on each
 * level around it.
 */
static bool put_as_is(struct job *j, uint32_t at)
{
	enum json_code code;
	bool refused = j->bad >= at && j->bad < val_end(val_of(j, at));

	return !refused && !has_mark(j, at) && canon_value(j->m->canon, val_of(j, at), j->out, &j->bad, &code);
}

static struct str place_name(struct mend *m, uint64_t index)
{
	char *name = arena_array(&m->arena, char, NUM_U64_MAX + 1);

	name[0] = '#';
	return str_of(name, 1 + num_format_u64(name + 1, index));
}

/* An array of which something is left out: its elements become members, "#10" before "#9" as names go. */
static void note_places(struct job *j, struct level *l)
{
	struct mend *m = j->m;
	size_t first = m->member_count, n = first;
	uint64_t index = 0;

	for (uint32_t at = l->at; at < l->end; at = val_end(val_of(j, at)), index++) {
		if (has_left(j, at))
			*add_member(m, n++) = (struct member){ .name = place_name(m, index), .at = at };
	}
	if (n > first)
		qsort(m->members + first, n - first, sizeof(*m->members), mend_by_name);
	m->member_count = n;
	l->first = (uint32_t)first;
	l->left = (uint32_t)(n - first);
	l->object = true;
}

static void mend_put(struct job *j, uint32_t at)
{
	uint8_t type = j->tape->toks[at].type;

	if (put_as_is(j, at))
		return;
	if (type != JSON_OBJECT && type != JSON_ARRAY) {
		mend_put_scalar(j, at);
		return;
	}
	open_level(j, at);
	if (j->m->levels[j->m->level_count - 1].by_place)
		note_places(j, &j->m->levels[j->m->level_count - 1]);
}

/* A walk with a stack of our own. The budget of pointers is set anew for each value. */
static void run(struct job *j, uint32_t root)
{
	struct mend *m = j->m;
	uint32_t at;

	m->level_count = m->member_count = 0;
	arena_reset(&m->arena);
	j->bad = UINT32_MAX;
	j->tell = 4 * val_source(val_of(j, root)).n + TELL_MIN;
	mend_put(j, root);
	while (m->level_count > 0) {
		struct level *l = &m->levels[m->level_count - 1];

		if (!mend_next_value(j, l, &at)) {
			close_level(j);
			continue;
		}
		put_before(j, l);
		mend_put(j, at);
	}
}

void mend_value(struct mend *m, struct val v, struct buf *out, struct mend_watch watch)
{
	struct job j = { .m = m, .tape = v.tape, .out = out, .watch = watch };

	run(&j, v.at);
}

bool mend_unmarked(struct mend *m, struct val v, const uint8_t *marks, struct buf *out, struct mend_watch watch)
{
	struct job j = { .m = m, .tape = v.tape, .marks = marks, .out = out, .watch = watch };

	if (!has_left(&j, v.at))
		return false;
	run(&j, v.at);
	return true;
}
