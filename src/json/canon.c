#include "json/canon.h"

#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/issue.h"
#include "json/shape.h"
#include "json/text.h"

/*
 * Values are written in one walk with a stack of open containers. An object whose shape's names
 * already stand in order is written as it comes; otherwise the places of its members are noted first
 * and written in the order its shape knows. Objects without a shape are sorted on the spot.
 */

#define COPY 32 /* bytes copied at once; the text and the output both have room for it */

struct frame {
	uint32_t at, end;     /* tokens still to write, when they are written as they come */
	uint32_t left;        /* noted members still to write, when they are not */
	bool object, noted, begun;
};

struct canon {
	enum canon_profile profile;
	struct frame *frames;
	size_t frame_count, frame_cap;
	uint32_t *members; /* noted: tokens of names, a run for each open object, the next to write last */
	size_t member_count, member_cap;
	struct named { struct str name; uint32_t at; } *named; /* for sorting an object without a shape */
	size_t named_cap;
};

struct job {
	struct canon *c;
	const struct json_tape *tape;
	char *at;        /* where the next byte goes */
	struct buf *out;
	size_t span;     /* of the whole value's text: what is left to write is never longer, but for numbers */
	uint32_t bad_at;
	enum json_code code;
};

struct canon *canon_open(enum canon_profile profile)
{
	struct canon *c = mem_alloc(sizeof(*c));

	memset(c, 0, sizeof(*c));
	c->profile = profile;
	return c;
}

void canon_close(struct canon *c)
{
	if (!c)
		return;
	mem_free(c->frames);
	mem_free(c->members);
	mem_free(c->named);
	mem_free(c);
}

static bool refuse(struct job *j, uint32_t at, enum json_code code)
{
	j->bad_at = at;
	j->code = code;
	return false;
}

/* Room for `want` elements of `size` bytes; keeps what is there. Doubles, so that growing costs little. */
static void *canon_fit(void *p, size_t *cap, size_t want, size_t size)
{
	if (*cap >= want)
		return p;
	*cap = want * 2;
	return mem_resize(p, *cap * size);
}

/* Most pieces are short: one fixed copy is cheaper than finding out how short. */
static inline void put(struct job *j, const char *p, size_t n)
{
	memcpy(j->at, p, COPY);
	if (n > COPY)
		memcpy(j->at + COPY, p + COPY, n - COPY);
	j->at += n;
}

static inline void put_byte(struct job *j, char c)
{
	*j->at++ = c;
}

/* Room for what is left to write plus `extra`; j->at stays where it is in the text. */
static void make_room(struct job *j, size_t extra)
{
	j->out->n = (size_t)(j->at - j->out->p);
	j->at = buf_reserve(j->out, j->span + extra + 2 * COPY);
}

/* A plain integer that a double cannot tell from its neighbours. */
static bool is_unsafe_integer(const char *p, size_t n)
{
	static const char max_safe[] = "9007199254740991";

	if (p[0] == '-') {
		p++;
		n--;
	}
	if (n < sizeof(max_safe) - 1 || memchr(p, '.', n) || memchr(p, 'e', n) || memchr(p, 'E', n))
		return false;
	return n > sizeof(max_safe) - 1 || memcmp(p, max_safe, n) > 0;
}

/* A number's canonical text, or a refusal. Numbers alone may become longer than they were, so room is made here. */
static bool put_number(struct job *j, uint32_t i)
{
	const struct json_tok *t = &j->tape->toks[i];
	struct str raw = str_of(j->tape->text + t->off, t->len);
	size_t n;

	if (!(t->flags & JSON_REWRITE)) {
		put(j, raw.p, raw.n);
		return true;
	}
	if (t->flags & JSON_ODD)
		return refuse(j, i, JSON_E_SYNTAX);
	make_room(j, NUM_DOUBLE_MAX);
	switch (num_canon(j->at, &n, raw)) {
	case NUM_OK:
		break;
	case NUM_UNDERFLOW:
		if (j->c->profile == CANON_OTUTL)
			return refuse(j, i, JSON_E_NUM_UNDERFLOW);
		break;
	case NUM_OVERFLOW:
		return refuse(j, i, JSON_E_NUM_RANGE);
	case NUM_SYNTAX:
		return refuse(j, i, JSON_E_SYNTAX);
	}
	/* The form written counts too, so that a canonical log passes again: 1e20 would come back as digits. */
	if (j->c->profile == CANON_OTUTL && (is_unsafe_integer(raw.p, raw.n) || is_unsafe_integer(j->at, n)))
		return refuse(j, i, JSON_E_NUM_UNSAFE_INT);
	j->at += n;
	return true;
}

/* Why the text of a string or name that lenient reading let pass has no canonical form. */
static enum json_code odd_text(const struct json_tok *t)
{
	return t->flags & JSON_LONE ? JSON_E_SURROGATE : JSON_E_UTF8;
}

/* Canonical escapes are never longer than those that stand in the text, so the room of the span is enough. */
static bool put_string(struct job *j, uint32_t i)
{
	const struct json_tok *t = &j->tape->toks[i];
	struct str raw = str_of(j->tape->text + t->off, t->len);

	if (t->flags & (JSON_LONE | JSON_ODD))
		return refuse(j, i, odd_text(t));
	put_byte(j, '"');
	if (t->flags & JSON_REWRITE)
		j->at += text_minimal(j->at, raw);
	else
		put(j, raw.p, raw.n);
	put_byte(j, '"');
	return true;
}

static bool canon_put_scalar(struct job *j, uint32_t i)
{
	const struct json_tok *t = &j->tape->toks[i];

	if (t->type == JSON_STRING)
		return put_string(j, i);
	if (t->type == JSON_NUMBER)
		return put_number(j, i);
	put(j, j->tape->text + t->off, t->len); /* true, false, null */
	return true;
}

/* A member's name with its colon, and the comma before it unless it is the first. */
static inline bool put_name(struct job *j, uint32_t i, bool first)
{
	const struct json_tok *t = &j->tape->toks[i];
	struct str s = shapes_key_canon(j->tape->shapes, t->link);

	if (t->flags & (JSON_LONE | JSON_ODD))
		return refuse(j, i, odd_text(t));
	put(j, s.p + first, s.n - first);
	return true;
}

static inline bool canon_is_container(const struct json_tok *t)
{
	return t->type == JSON_OBJECT || t->type == JSON_ARRAY;
}

static inline uint32_t after(const struct json_tape *tape, uint32_t i)
{
	return canon_is_container(&tape->toks[i]) ? tape->toks[i].link : i + 1;
}

/* The members of an object whose shape knows the order, last one first: they are taken from the end. */
static void note_ordered(struct job *j, uint32_t open, const struct shape *sh, struct frame *f)
{
	struct canon *c = j->c;
	uint32_t places[SHAPE_MEMBERS_MAX], i = open + 1, n = sh->count;
	uint32_t *members;

	for (uint32_t k = 0; k < n; k++, i = after(j->tape, i + 1))
		places[k] = i;
	c->members = canon_fit(c->members, &c->member_cap, c->member_count + n, sizeof(*c->members));
	members = c->members + c->member_count;
	for (uint32_t k = 0; k < n; k++)
		members[k] = places[sh->order[n - 1 - k]];
	c->member_count += n;
	f->left = n;
}

static int canon_by_name(const void *a, const void *b)
{
	return utf8_cmp_utf16(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* The same for an object without a shape. Names that are equal were flagged while parsing, and are refused here. */
static bool note_sorted(struct job *j, uint32_t open, struct frame *f)
{
	struct canon *c = j->c;
	const struct json_tok *toks = j->tape->toks;
	size_t n = 0;

	for (uint32_t i = open + 1; i < toks[open].link; i = after(j->tape, i + 1)) {
		if (toks[i].flags & JSON_DUPLICATE)
			return refuse(j, i, JSON_E_DUP_KEY);
		c->named = canon_fit(c->named, &c->named_cap, n + 1, sizeof(*c->named));
		c->named[n++] = (struct named){ j->tape->shapes->keys[toks[i].link].text, i };
	}
	qsort(c->named, n, sizeof(*c->named), canon_by_name);
	c->members = canon_fit(c->members, &c->member_cap, c->member_count + n, sizeof(*c->members));
	for (size_t k = n; k > 0; k--)
		c->members[c->member_count++] = c->named[k - 1].at;
	f->left = (uint32_t)n;
	return true;
}

/* Writes the bracket and decides how the members come: as they stand, by the shape's order, or sorted. */
static bool canon_open_container(struct job *j, uint32_t i)
{
	struct canon *c = j->c;
	const struct json_tok *t = &j->tape->toks[i];
	const struct shape *sh;
	struct frame *f;

	c->frames = canon_fit(c->frames, &c->frame_cap, c->frame_count + 1, sizeof(*c->frames));
	f = &c->frames[c->frame_count++];
	*f = (struct frame){ .at = i + 1, .end = t->link, .object = t->type == JSON_OBJECT };
	put_byte(j, f->object ? '{' : '[');
	if (!f->object)
		return true;
	f->noted = true;
	if (t->shape == SHAPE_NONE)
		return note_sorted(j, i, f);
	sh = shapes_order(j->tape->shapes, t->shape);
	if (sh->sorted)
		f->noted = false;
	else
		note_ordered(j, i, sh, f);
	return true;
}

/* The token of the next value of the innermost container, its name or comma written; 0 when done. */
static inline uint32_t canon_next_value(struct job *j, struct frame *f)
{
	bool first = !f->begun;
	uint32_t i;

	if (f->noted ? f->left == 0 : f->at == f->end)
		return 0;
	f->begun = true;
	if (!f->object) {
		if (!first)
			put_byte(j, ',');
		i = f->at;
		f->at = after(j->tape, i);
		return i;
	}
	if (f->noted) {
		assert(j->c->member_count >= f->left);
		i = j->c->members[--j->c->member_count];
		f->left--;
	} else {
		i = f->at;
		f->at = after(j->tape, i + 1);
	}
	return put_name(j, i, first) ? i + 1 : UINT32_MAX;
}

/* A walk with a stack of our own: nesting is bounded by the parser's limit, not by the C stack. */
static bool put_value(struct job *j, uint32_t i)
{
	struct canon *c = j->c;

	c->frame_count = c->member_count = 0;
	if (!canon_is_container(&j->tape->toks[i]))
		return canon_put_scalar(j, i);
	if (!canon_open_container(j, i))
		return false;
	while (c->frame_count > 0) {
		struct frame *f = &c->frames[c->frame_count - 1];

		i = canon_next_value(j, f);
		if (i == 0) {
			put_byte(j, f->object ? '}' : ']');
			c->frame_count--;
		} else if (i == UINT32_MAX) {
			return false;
		} else if (canon_is_container(&j->tape->toks[i]) ? !canon_open_container(j, i)
								 : !canon_put_scalar(j, i)) {
			return false;
		}
	}
	return true;
}

bool canon_value(struct canon *c, struct val v, struct buf *out, uint32_t *bad_at, enum json_code *code)
{
	struct job j = { .c = c, .tape = v.tape, .out = out, .span = val_tok(v)->len };
	size_t before = out->n;

	j.at = buf_reserve(out, j.span + 2 * COPY);
	if (!put_value(&j, v.at)) {
		out->n = before;
		*bad_at = j.bad_at;
		*code = j.code;
		return false;
	}
	out->n = (size_t)(j.at - out->p);
	assert(out->n >= before && out->n <= out->cap); /* make_room and `span` left enough */
	return true;
}

#define SHOWN 40 /* bytes of a number that a message repeats */

void canon_issue(struct val root, uint32_t bad_at, enum json_code code, struct arena *a, struct json_issue *out)
{
	static const char *const why[JSON_CODES] = {
		[JSON_E_NUM_RANGE] = "is beyond the largest double",
		[JSON_E_NUM_UNDERFLOW] = "is not zero but would become zero",
		[JSON_E_NUM_UNSAFE_INT] = "is an integer beyond 2^53-1 and would lose digits",
		[JSON_E_SYNTAX] = "is not a JSON number",
	};
	struct val v = { root.tape, bad_at };
	struct str source = val_source(v);
	bool long_one = source.n > SHOWN;

	*out = (struct json_issue){ .code = code, .offset = (size_t)(source.p - root.tape->text), .length = source.n };
	out->pointer = val_pointer(root, v, a);
	if (code == JSON_E_SURROGATE)
		issue_say(out, "half of a surrogate pair stands alone in this string");
	else if (code == JSON_E_UTF8)
		issue_say(out, "this string is not well-formed UTF-8");
	else if (code == JSON_E_DUP_KEY)
		issue_duplicate(out, val_raw(v), out->offset);
	else
		issue_say(out, "%.*s%s %s", (int)(long_one ? SHOWN : source.n), source.p, long_one ? "..." : "",
			  why[code]);
}
