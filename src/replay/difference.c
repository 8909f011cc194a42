/* Walks both values at once with a stack of frames; containers that are equal as text are passed over. */
#include "replay/difference.h"

#include "base/utf8.h"
#include "json/json.h"
#include "replay/normal.h"

#define DIFFERENCE_BEFORE 40  /* bytes shown before the difference */
#define DIFFERENCE_AT_ONCE 16 /* levels of containers that are compared as a whole first */

struct difference_frame {
	struct val_iter a, b;
	struct val a_key, a_value, b_key, b_value; /* of objects: the next ones; keys are VAL_NONE at the end */
	bool object;
};

struct difference_tool {
	struct json_parser *a, *b;
	struct difference_frame *frames;
	size_t count, cap;
};

struct difference_job {
	struct difference_tool *tool;
	struct arena *arena;
	const struct difference_side *expected, *got;
	struct val a, b; /* roots */
	uint64_t leaves;
	bool masked; /* volatile texts are equal */
	struct match_difference *first; /* NULL once it is found, or when nobody wants it */
};

struct difference_tool *difference_open(void)
{
	struct json_options o = { .max_depth = NORMAL_DEPTH };
	struct difference_tool *d = mem_alloc(sizeof(*d));

	*d = (struct difference_tool){ .a = json_parser_open(o), .b = json_parser_open(o) };
	return d;
}

void difference_close(struct difference_tool *d)
{
	if (!d)
		return;
	json_parser_close(d->a);
	json_parser_close(d->b);
	mem_free(d->frames);
	mem_free(d);
}

/* ---- two texts ---- */

/* The next text of a side that may stand for another one; at the end of the text when there is none. */
static struct volatile_text difference_next_mask(const struct difference_side *side, struct volatile_scan *s,
						 bool masked)
{
	struct volatile_text t = { .type = VOLATILE_TYPES, .from = s->text.n, .mask = s->text.n, .end = s->text.n };

	while (masked && side->masks && volatile_next(s, &t))
		if (side->masks(side->context, &t, str_of(s->text.p + t.from, t.end - t.from)))
			return t;
	return (struct volatile_text){ .type = VOLATILE_TYPES, .from = s->text.n, .mask = s->text.n, .end = s->text.n };
}

/* False when they are equal. *i and *j get the places of the first difference. */
static bool difference_in_texts(const struct difference_job *d, struct str a, struct str b, size_t *i, size_t *j)
{
	struct volatile_scan sa = volatile_begin(a), sb = volatile_begin(b);
	struct volatile_text ta, tb;
	size_t x = 0, y = 0;

	for (;;) {
		ta = difference_next_mask(d->expected, &sa, d->masked);
		tb = difference_next_mask(d->got, &sb, d->masked);
		while (x < ta.mask && y < tb.mask && a.p[x] == b.p[y]) {
			x++;
			y++;
		}
		*i = x;
		*j = y;
		if (x < ta.mask || y < tb.mask || ta.type != tb.type)
			return true;
		if (ta.type == VOLATILE_TYPES)
			return false;
		x = ta.end;
		y = tb.end;
	}
}

/* What is shown of a text around a place. *cut: it begins later than the text. */
static struct str difference_window(struct str text, size_t at, bool *cut)
{
	size_t from = at > DIFFERENCE_BEFORE && text.n > DIFFERENCE_SHOWN ? at - DIFFERENCE_BEFORE : 0;

	from = from < text.n ? from : text.n;
	while (from < text.n && utf8_is_tail(text.p[from]))
		from++;
	*cut = from > 0;
	return utf8_cut(str_skip(text, from), DIFFERENCE_SHOWN);
}

/* On one line, and nothing that a terminal would act upon. */
static void difference_add_shown(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] >= ' ' && text.p[i] != '\x7f')
			buf_add_byte(out, text.p[i]);
		else if (text.p[i] == '\n')
			buf_add_str(out, STR("\\n"));
		else
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)text.p[i]);
	}
}

static void difference_add_line(struct buf *out, char mark, struct str text, struct str window, bool cut)
{
	if (!text.p)
		return;
	buf_add_byte(out, '\n');
	buf_add_byte(out, mark);
	if (cut)
		buf_add_str(out, STR("..."));
	difference_add_shown(out, window);
	if (window.p + window.n < text.p + text.n)
		buf_add_str(out, STR("..."));
}

static bool difference_find_at(struct str text, size_t at, struct volatile_text *out)
{
	struct volatile_scan s = volatile_begin(text);

	while (volatile_next(&s, out) && out->from <= at)
		if (at < out->end)
			return true;
	return false;
}

/* Both texts have something of one type where they differ. */
static struct str difference_hint(struct arena *a, struct str expected, size_t i, struct str got, size_t j)
{
	struct volatile_text x, y;

	if (!difference_find_at(expected, i, &x) || !difference_find_at(got, j, &y) || x.type != y.type)
		return str_of(NULL, 0);
	return arena_printf(a, "volatile:%s?", volatile_name(x.type));
}

/* p NULL of a text: it is absent there. */
static void difference_describe(struct arena *a, struct str path, struct str expected, size_t i, struct str got,
				size_t j, struct match_difference *out)
{
	struct str old = { NULL, 0 }, new = { NULL, 0 };
	bool old_cut = false, new_cut = false;
	struct buf diff;

	if (expected.p)
		old = difference_window(expected, i, &old_cut);
	if (got.p)
		new = difference_window(got, j, &new_cut);
	*out = (struct match_difference){ .path = arena_copy(a, path), .byte = got.p ? j : i };
	out->expected = old.p ? arena_copy(a, old) : old;
	out->got = new.p ? arena_copy(a, new) : new;
	if (expected.p && got.p)
		out->hint = difference_hint(a, expected, i, got, j);
	buf_init(&diff);
	buf_add_str(&diff, STR("@@ "));
	buf_add_str(&diff, path.n ? path : STR("/"));
	buf_add_str(&diff, STR(" @@"));
	difference_add_line(&diff, '-', expected, old, old_cut);
	difference_add_line(&diff, '+', got, new, new_cut);
	out->diff = arena_take(a, &diff);
}

void difference_of_texts(struct arena *a, struct str path, struct str expected, struct str got,
			 struct match_difference *out)
{
	size_t i = 0;

	while (i < expected.n && i < got.n && expected.p[i] == got.p[i])
		i++;
	difference_describe(a, path, expected.p ? expected : STR(""), i, got.p ? got : STR(""), i, out);
}

/* ---- two values ---- */

/* A string without quotes and escapes, anything else as it stands. */
static struct str difference_text(struct arena *a, struct val v)
{
	if (val_is_none(v))
		return str_of(NULL, 0);
	return val_is(v, JSON_STRING) ? val_text(v, a) : val_source(v);
}

static uint64_t difference_leaves(struct val v)
{
	uint64_t n = 0;

	for (uint32_t i = v.at; i < val_end(v); i++) {
		const struct json_tok *t = &v.tape->toks[i];

		n += t->type == JSON_KEY ? 0 : t->type < JSON_ARRAY ? 1 : t->link == i + 1;
	}
	return n;
}

/* One of them may be absent: the path is then that of the other. */
static void difference_note(struct difference_job *d, struct val a, struct val b)
{
	uint64_t x = val_is_none(a) ? 0 : difference_leaves(a), y = val_is_none(b) ? 0 : difference_leaves(b);
	struct str old, new, path;
	size_t i = 0, j = 0;

	d->leaves += x > y ? x : y;
	if (!d->first)
		return;
	path = val_is_none(b) ? val_pointer(d->a, a, d->arena) : val_pointer(d->b, b, d->arena);
	old = difference_text(d->arena, a);
	new = difference_text(d->arena, b);
	if (old.p && new.p)
		difference_in_texts(d, old, new, &i, &j);
	difference_describe(d->arena, path, old, i, new, j, d->first);
	d->first = NULL;
}

static bool difference_is_container(struct val v)
{
	return val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY);
}

static void difference_advance(struct val_iter *it, struct val *key, struct val *value)
{
	if (!val_next_member(it, key, value))
		*key = *value = VAL_NONE;
}

static void difference_push(struct difference_job *d, struct val a, struct val b)
{
	struct difference_tool *t = d->tool;
	struct difference_frame *f;

	mem_grow(t->frames, t->count, t->cap, 32);
	f = &t->frames[t->count++];
	*f = (struct difference_frame){ .a = val_begin(a), .b = val_begin(b), .object = val_is(a, JSON_OBJECT) };
	if (f->object) {
		difference_advance(&f->a, &f->a_key, &f->a_value);
		difference_advance(&f->b, &f->b_key, &f->b_value);
	}
}

static void difference_values(struct difference_job *d, struct val a, struct val b)
{
	size_t i, j;

	/* at every level of a deep value it would be read again and again */
	if ((!difference_is_container(a) || d->tool->count < DIFFERENCE_AT_ONCE) &&
	    str_eq(val_source(a), val_source(b)))
		return;
	if (val_type(a) == val_type(b) && difference_is_container(a)) {
		difference_push(d, a, b);
		return;
	}
	if (val_type(a) == val_type(b) && !difference_is_container(a)) {
		struct arena scratch;
		bool differs;

		arena_init_small(&scratch);
		differs = difference_in_texts(d, difference_text(&scratch, a), difference_text(&scratch, b), &i, &j);
		arena_free(&scratch);
		if (!differs)
			return;
	}
	difference_note(d, a, b);
}

/* The order of names in a normal form. */
static int difference_cmp_names(struct difference_frame *f)
{
	struct arena scratch;
	int order;

	if (val_is_none(f->a_key) || val_is_none(f->b_key))
		return val_is_none(f->a_key) ? 1 : -1;
	arena_init_small(&scratch);
	order = utf8_cmp_utf16(val_text(f->a_key, &scratch), val_text(f->b_key, &scratch));
	arena_free(&scratch);
	return order;
}

/* A step in the innermost pair of containers. False: it is over. */
static bool difference_step(struct difference_job *d)
{
	struct difference_frame *f = &d->tool->frames[d->tool->count - 1];
	struct val a = VAL_NONE, b = VAL_NONE;
	int order = 0;

	if (!f->object) {
		bool has_a = val_next(&f->a, &a), has_b = val_next(&f->b, &b);

		if (!has_a && !has_b)
			return false;
		order = has_a && has_b ? 0 : has_a ? -1 : 1;
	} else {
		if (val_is_none(f->a_key) && val_is_none(f->b_key))
			return false;
		order = difference_cmp_names(f);
		a = order <= 0 ? f->a_value : VAL_NONE;
		b = order >= 0 ? f->b_value : VAL_NONE;
		if (order <= 0)
			difference_advance(&f->a, &f->a_key, &f->a_value);
		if (order >= 0)
			difference_advance(&f->b, &f->b_key, &f->b_value);
	}
	if (order == 0)
		difference_values(d, a, b);
	else
		difference_note(d, order < 0 ? a : VAL_NONE, order < 0 ? VAL_NONE : b);
	return true;
}

static void difference_walk(struct difference_job *d)
{
	d->tool->count = 0;
	difference_values(d, d->a, d->b);
	while (d->tool->count)
		if (!difference_step(d))
			d->tool->count--;
}

/* At least one of them is no JSON. */
static void difference_bytes(struct difference_job *d)
{
	size_t i, j;

	if (!difference_in_texts(d, d->expected->body, d->got->body, &i, &j))
		return;
	d->leaves = 1;
	if (d->first)
		difference_describe(d->arena, STR(""), d->expected->body, i, d->got->body, j, d->first);
}

uint64_t difference_count(struct difference_tool *tool, struct arena *a, const struct difference_side *expected,
			  const struct difference_side *got, struct match_difference *first)
{
	struct difference_job d = { .tool = tool, .arena = a, .expected = expected, .got = got, .masked = true,
				    .first = first };
	bool is_json = expected->is_json && got->is_json && json_parse_copy(tool->a, expected->body, &d.a, NULL) &&
		       json_parse_copy(tool->b, got->body, &d.b, NULL);
	uint64_t leaves;

	if (is_json)
		difference_walk(&d);
	else
		difference_bytes(&d);
	leaves = d.leaves;
	if (leaves || !first || str_eq(expected->body, got->body))
		return leaves;
	d.masked = false;
	if (is_json)
		difference_walk(&d);
	else
		difference_bytes(&d);
	return 0;
}
