/*
 * Reads tapes. Nothing is cached beside a tape: what is asked for twice is worked out twice, and most is asked for
 * once.
 */
#include <assert.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "json/issue.h"
#include "json/json.h"
#include "json/repair.h"
#include "json/shape.h"
#include "json/unit.h"

/* ---- text ---- */

static bool is_text(const struct json_tok *t)
{
	return t->type == JSON_STRING || t->type == JSON_KEY;
}

struct str val_source(struct val v)
{
	const struct json_tok *t = val_tok(v);
	const char *p = v.tape->text + t->off;

	return is_text(t) ? str_of(p - 1, (size_t)t->len + 2) : str_of(p, t->len);
}

struct str val_text(struct val v, struct arena *a)
{
	const struct json_tok *t = val_tok(v);
	struct str raw = val_raw(v), text;
	char *out;

	assert(is_text(t));
	if (!(t->flags & JSON_ESCAPED))
		return raw;
	out = arena_array(a, char, raw.n);
	text = str_of(out, text_unescape(out, raw));
	if (!(t->flags & JSON_ODD))
		return text;
	out = arena_array(a, char, 3 * text.n);
	return str_of(out, repair_utf8(out, text));
}

struct str val_text_copy(struct val v, struct arena *a)
{
	return val_is(v, JSON_STRING) ? arena_copy(a, val_text(v, a)) : str_of(NULL, 0);
}

struct pieces { /* of a string's value, cut where escapes and ill-formed bytes are */
	struct str raw; /* what is left */
	bool odd;
	char scratch[4];
};

/*
 * Takes the next piece off it->raw, which is not empty. What an escape stands for is in the scratch, until the next
 * call.
 */
static struct str next_piece(struct pieces *it)
{
	const char *slash = memchr(it->raw.p, '\\', it->raw.n);
	size_t used = slash ? (size_t)(slash - it->raw.p) : it->raw.n;
	struct str piece;

	if (it->odd)
		used = utf8_check(str_of(it->raw.p, used));
	piece = str_of(it->raw.p, used);
	if (used == 0 && it->raw.p[0] == '\\') {
		used = it->raw.p[1] != 'u' ? 2 : unit_is_pair(it->raw, 0) ? 12 : 6;
		piece = str_of(it->scratch, text_unescape(it->scratch, str_of(it->raw.p, used)));
	} else if (used == 0) {
		used = 1;
		piece = STR("\xef\xbf\xbd");
	}
	it->raw = str_of(it->raw.p + used, it->raw.n - used);
	return piece;
}

bool val_text_is(struct val v, struct str s)
{
	const struct json_tok *t;
	struct pieces it;

	if (val_is_none(v) || !is_text(val_tok(v)))
		return false;
	t = val_tok(v);
	if (!(t->flags & JSON_ESCAPED))
		return str_eq(val_raw(v), s);
	it = (struct pieces){ .raw = val_raw(v), .odd = t->flags & JSON_ODD };
	while (it.raw.n > 0) {
		struct str piece = next_piece(&it);

		if (!str_starts(s, piece))
			return false;
		s = str_of(s.p + piece.n, s.n - piece.n);
	}
	return s.n == 0;
}

/* ---- numbers ---- */

bool val_double(struct val v, double *out)
{
	enum num_read read;
	double d;

	if (!val_is(v, JSON_NUMBER))
		return false;
	read = num_parse_double(val_raw(v), &d);
	if (read != NUM_OK && read != NUM_UNDERFLOW)
		return false;
	*out = d;
	return true;
}

bool val_i64(struct val v, int64_t *out)
{
	return val_is(v, JSON_NUMBER) && !(val_tok(v)->flags & JSON_ODD) && num_integral(val_raw(v), out);
}

/* ---- containers ---- */

static bool val_is_container(struct val v)
{
	return val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT);
}

struct val_iter val_begin(struct val container)
{
	struct val_iter it = { .container = container };

	if (val_is_container(container)) {
		it.at = container.at + 1;
		it.end = val_end(container);
	}
	return it;
}

bool val_next(struct val_iter *it, struct val *value)
{
	if (it->at == it->end || !val_is(it->container, JSON_ARRAY))
		return false;
	*value = (struct val){ it->container.tape, it->at };
	it->at = val_end(*value);
	assert(it->at <= it->end);
	return true;
}

bool val_next_member(struct val_iter *it, struct val *key, struct val *value)
{
	if (it->at == it->end || !val_is(it->container, JSON_OBJECT))
		return false;
	*key = (struct val){ it->container.tape, it->at };
	*value = (struct val){ it->container.tape, it->at + 1 };
	assert(val_is(*key, JSON_KEY));
	it->at = val_end(*value);
	assert(it->at <= it->end);
	return true;
}

size_t val_count(struct val container)
{
	struct val_iter it = val_begin(container);
	struct val key, value;
	size_t count = 0;

	if (val_is(container, JSON_OBJECT)) {
		uint16_t shape = val_tok(container)->shape;

		if (shape != SHAPE_NONE)
			return container.tape->shapes->shapes[shape].count;
		while (val_next_member(&it, &key, &value))
			count++;
	} else {
		while (val_next(&it, &value))
			count++;
	}
	return count;
}

/* Names are compared where they stand: most differ in length, and looking up a number first costs more. */
static inline bool is_name(const struct json_tape *tape, const struct json_tok *t, struct str name)
{
	assert(t->type == JSON_KEY);
	if (t->flags & JSON_ESCAPED)
		return str_eq(tape->shapes->keys[t->link].text, name);
	if (t->len != name.n)
		return false;
	return name.n == 0 ||
	       (tape->text[t->off] == name.p[0] && memcmp(tape->text + t->off, name.p, name.n) == 0);
}

struct val val_get(struct val object, struct str name)
{
	const struct json_tape *tape = object.tape;
	uint32_t found = 0, i, end;
	uint16_t shape;
	bool unique;

	if (!val_is(object, JSON_OBJECT))
		return VAL_NONE;
	shape = val_tok(object)->shape;
	unique = shape != SHAPE_NONE;
	if (unique && !(tape->shapes->shapes[shape].marks & shape_mark(name)))
		return VAL_NONE;
	for (i = object.at + 1, end = tape->toks[object.at].link; i < end; i = val_end((struct val){ tape, i + 1 })) {
		const struct json_tok *t = &tape->toks[i];

		if (!is_name(tape, t, name))
			continue;
		found = i + 1;
		if (unique)
			break;
	}
	return found ? (struct val){ tape, found } : VAL_NONE;
}

struct val val_get_either(struct val object, struct str name, struct str other)
{
	struct val v = val_get(object, name);

	return val_is_none(v) ? val_get(object, other) : v;
}

/* ---- pointers ---- */

/* Whether a token of a pointer, with ~0 and ~1 in it, spells `name`. */
static bool spells(struct str token, struct str name)
{
	size_t n = 0;

	for (size_t i = 0; i < token.n; i++, n++) {
		char c = token.p[i];

		if (c == '~')
			c = token.p[++i] == '0' ? '~' : '/';
		if (n == name.n || name.p[n] != c)
			return false;
	}
	return n == name.n;
}

static bool is_well_formed(struct str token)
{
	for (size_t i = 0; i < token.n; i++)
		if (token.p[i] == '~' && (i + 1 == token.n || (token.p[i + 1] != '0' && token.p[i + 1] != '1')))
			return false;
	return true;
}

/* A member whose name the pointer spells with escapes: every name is compared. */
static struct val get_spelled(struct val object, struct str token)
{
	struct val_iter it = val_begin(object);
	struct val key, value, found = VAL_NONE;

	while (val_next_member(&it, &key, &value))
		if (spells(token, object.tape->shapes->keys[val_tok(key)->link].text))
			found = value;
	return found;
}

static struct val get_element(struct val array, struct str token)
{
	struct val_iter it = val_begin(array);
	struct val value;
	uint64_t index;

	if (!num_parse_u64(token, &index))
		return VAL_NONE;
	while (val_next(&it, &value))
		if (index-- == 0)
			return value;
	return VAL_NONE;
}

struct val val_at(struct val root, struct str pointer)
{
	struct val v = root;

	while (pointer.n > 0 && !val_is_none(v)) {
		struct str token;

		if (pointer.p[0] != '/')
			return VAL_NONE;
		token = str_cut(str_of(pointer.p + 1, pointer.n - 1), '/', &(struct str){ 0 });
		pointer = str_of(pointer.p + 1 + token.n, pointer.n - 1 - token.n);
		if (!is_well_formed(token))
			return VAL_NONE;
		if (val_is(v, JSON_ARRAY))
			v = get_element(v, token);
		else
			v = memchr(token.p, '~', token.n) ? get_spelled(v, token) : val_get(v, token);
	}
	return v;
}

#define FAR 32 /* steps worth a hint */

/* The element or member of `container` that v lies in; adds its step to the pointer. */
static struct val step_towards(struct val container, struct val v, struct buf *pointer, struct val_hint *hint)
{
	struct val_iter it = val_begin(container);
	struct val key = VAL_NONE, value = VAL_NONE;
	uint64_t index = 0;
	uint32_t at = it.at;

	if (hint->container == container.at && hint->at && hint->at <= v.at) {
		it.at = hint->at;
		index = hint->index;
	}
	if (val_is(container, JSON_OBJECT)) {
		for (; it.at <= v.at; index++) {
			at = it.at;
			if (!val_next_member(&it, &key, &value))
				break;
		}
		issue_pointer_add_name(pointer, val_raw(key));
	} else {
		for (; it.at <= v.at; index++) {
			at = it.at;
			if (!val_next(&it, &value))
				break;
		}
		issue_pointer_add_index(pointer, index - 1);
	}
	if (index > FAR)
		*hint = (struct val_hint){ container.at, at, index - 1 };
	return value;
}

struct str val_pointer_near(struct val root, struct val v, struct arena *a, struct val_hint *hint)
{
	struct buf pointer;

	assert(root.tape == v.tape && v.at >= root.at && v.at < val_end(root));
	buf_init(&pointer);
	while (root.at < v.at)
		root = step_towards(root, v, &pointer, hint);
	return arena_take(a, &pointer);
}

struct str val_pointer(struct val root, struct val v, struct arena *a)
{
	struct val_hint none = { 0, 0, 0 };

	return val_pointer_near(root, v, a, &none);
}

bool val_is_deeper(struct val root, size_t most)
{
	uint32_t ends[VAL_DEPTH_MAX];
	size_t depth = 0;

	assert(most <= VAL_DEPTH_MAX);
	for (uint32_t i = root.at; i < val_end(root); i++) {
		const struct json_tok *tok = root.tape->toks + i;

		while (depth && ends[depth - 1] <= i)
			depth--;
		if (tok->type != JSON_ARRAY && tok->type != JSON_OBJECT)
			continue;
		if (depth == most)
			return true;
		ends[depth++] = tok->link;
	}
	return false;
}
