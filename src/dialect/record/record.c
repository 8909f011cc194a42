/*
 * The members of an object are checked by what was worked out for its shape (scan.h); what is inside them is put off to
 * a list, so no depth of the input costs stack.
 */
#include "dialect/record/record.h"

#include <assert.h>

#include "base/clock.h"
#include "base/mask.h"
#include "base/num.h"
#include "base/num_eight.h"
#include "dialect/record/scan.h"
#include "json/shape.h"

/* ---- values ---- */

#define SHOWN 60 /* bytes of a value that a message repeats */

/* Cut and masked at once: of a key that was cut first, nobody could tell any more that it is one. */
static struct str show(struct record_scan *s, struct str text)
{
	struct buf out = { 0 };

	mask_show(&out, text, SHOWN);
	return arena_take(s->arena, &out);
}

/* The beginning of a value as it stands in the input. */
struct str record_show(struct record_scan *s, struct val v)
{
	if (val_is(v, JSON_OBJECT) || val_is(v, JSON_ARRAY))
		return val_is(v, JSON_OBJECT) ? STR("an object") : STR("an array");
	return show(s, val_source(v));
}

/* "a string, an array or null" */
static struct str type_names(struct record_scan *s, unsigned types)
{
	static const struct {
		unsigned type;
		const char *name;
	} names[] = {
		{ T_STRING, "a string" }, { T_NUMBER, "a number" }, { T_BOOL, "true or false" },
		{ T_OBJECT, "an object" }, { T_ARRAY, "an array" },  { T_NULL, "null" },
	};
	size_t count = COUNT(names), last = 0, found = 0;
	struct str out = STR("");

	for (size_t i = 0; i < count; i++)
		last = types & names[i].type ? i : last;
	for (size_t i = 0; i < count; i++) {
		bool whole = names[i].type == T_NUMBER && types & T_WHOLE;

		if (types & names[i].type)
			out = arena_printf(s->arena, "%.*s%s%s", STR_ARG(out),
					   !found++ ? "" : i == last ? " or " : ", ",
					   whole ? "an integer" : names[i].name);
	}
	return out;
}

static bool record_is_whole(struct val v)
{
	int64_t ignored;
	double d;

	if (val_tok(v)->flags & JSON_INTEGER || val_i64(v, &ignored))
		return true;
	return val_double(v, &d) && (d >= 9.2e18 || d <= -9.2e18); /* every double that large is integral */
}

static bool is_negative(struct val v)
{
	double d;

	return val_raw(v).p[0] == '-' && (!val_double(v, &d) || d < 0);
}

/* A byte length of white space at the start of the text: ASCII's, and what Unicode calls White_Space. */
static size_t space_at(struct str s)
{
	static const char *const wide[] = {
		"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
		"\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
		"\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
		"\xe3\x80\x80",
	};

	if (s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r'))
		return 1;
	for (size_t i = 0; i < COUNT(wide); i++)
		if (str_starts(s, str_from(wide[i])))
			return strlen(wide[i]);
	return 0;
}

bool record_is_blank(struct str s)
{
	while (s.n > 0) {
		size_t n = space_at(s);

		if (n == 0)
			return false;
		s = str_of(s.p + n, s.n - n);
	}
	return true;
}

/* Words are short: two loads that may overlap do what a call of memcmp would. */
static inline bool record_is_same(const char *a, const char *b, size_t n)
{
	uint64_t x, y, u, v;
	uint32_t p, q, r, t;

	if (n >= 8 && n <= 16) {
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		memcpy(&u, a + n - 8, 8);
		memcpy(&v, b + n - 8, 8);
		return ((x ^ y) | (u ^ v)) == 0;
	}
	if (n >= 4 && n < 8) {
		memcpy(&p, a, 4);
		memcpy(&q, b, 4);
		memcpy(&r, a + n - 4, 4);
		memcpy(&t, b + n - 4, 4);
		return ((p ^ q) | (r ^ t)) == 0;
	}
	return memcmp(a, b, n) == 0;
}

static inline bool is_among(const struct words *words, struct str raw)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].n == raw.n && record_is_same(words->items[i].p, raw.p, raw.n))
			return true;
	return false;
}

static bool is_word(struct val v, const struct words *words)
{
	if (!(val_tok(v)->flags & JSON_ESCAPED))
		return is_among(words, val_raw(v));
	for (size_t i = 0; i < words->count; i++)
		if (val_text_is(v, words->items[i]))
			return true;
	return false;
}

static struct str list_words(struct record_scan *s, const struct words *words)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < words->count; i++)
		buf_printf(&out, "%s%.*s", i == 0 ? "" : i + 1 == words->count ? " or " : ", ",
			   STR_ARG(words->items[i]));
	return arena_take(s->arena, &out);
}

/* Whether the finding would be shown: if not, its words need not be found. */
static bool is_wanted(struct record_scan *s, unsigned rule)
{
	const struct rule *r = &s->rules[rule];

	return findings_wants(&s->out->findings, r->code, rule_severity(r, s->mode));
}

/* A finding of `rule` about a value: always false. */
static bool refuse_by(struct record_scan *s, unsigned rule, const struct field *f, struct val v, const char *expected)
{
	bool wanted = is_wanted(s, rule);

	record_note(s, rule, v, "%s %s, found %.*s", f->name ? f->name : "an element", expected,
		    STR_ARG(wanted ? record_show(s, v) : STR("")));
	return false;
}

static bool refuse(struct record_scan *s, const struct field *f, struct val v, const char *expected)
{
	return refuse_by(s, f->rule, f, v, expected);
}

/* What is none of the words may be anything, so it is searched for keys where the format has a rule for them. */
static bool refuse_word(struct record_scan *s, const struct field *f, struct val v)
{
	struct str words = is_wanted(s, f->rule) ? list_words(s, f->words) : STR("");

	if (s->format->on_secret != RECORD_NO_RULE)
		record_gather(s, v); /* no word, so it may be anything */
	return refuse(s, f, v, arena_printf(s->arena, "must be %.*s", STR_ARG(words)).p);
}

static bool check_number(struct record_scan *s, const struct field *f, struct val v)
{
	double d;

	if (f->check == CHECK_NOT_NEGATIVE)
		return !is_negative(v) || refuse(s, f, v, "must not be negative");
	if (f->check == CHECK_RANGE)
		return (val_double(v, &d) && d >= f->min && d <= f->max) ||
		       refuse(s, f, v, arena_printf(s->arena, "must be from %g to %g", f->min, f->max).p);
	return true;
}

/* False, after a finding, when the check of the row does not hold. */
static bool check_string(struct record_scan *s, const struct field *f, struct val v)
{
	struct stamp stamp;

	switch ((enum field_check)f->check) {
	case CHECK_NOT_EMPTY:
		return val_tok(v)->len > 0 || refuse(s, f, v, "must not be empty");
	case CHECK_NOT_BLANK:
		return !record_is_blank(val_text(v, s->arena)) || refuse(s, f, v, "must have text in it");
	case CHECK_WORD:
		return is_word(v, f->words) || refuse_word(s, f, v);
	case CHECK_STAMP:
		return stamp_parse(val_text(v, s->arena), &stamp) ||
		       refuse(s, f, v, "must be an RFC 3339 time with Z or an offset");
	default:
		return true;
	}
}

static bool refuse_type(struct record_scan *s, const struct field *f, struct val v)
{
	unsigned rule = s->format->on_type;
	struct str names = is_wanted(s, rule) ? type_names(s, f->types) : STR("");

	return refuse_by(s, rule, f, v, arena_printf(s->arena, "must be %.*s", STR_ARG(names)).p);
}

/* What a row says about one value alone: not about what is in it. */
static bool check_alone(struct record_scan *s, const struct field *f, struct val v)
{
	const struct json_tok *t = val_tok(v);

	if (!(f->types >> t->type & 1) || ((f->types & T_WHOLE) && t->type == JSON_NUMBER && !record_is_whole(v)))
		return refuse_type(s, f, v);
	if (t->type == JSON_NUMBER)
		return check_number(s, f, v);
	return t->type != JSON_STRING || check_string(s, f, v);
}

/* ---- objects ---- */

/*
 * What a shape's members are to a record type is worked out once for each shape and type and kept in a
 * table that forgets: few are in use at any time.
 */

/* The half of a token with type and flags. For a scalar the rest of that half is zero. */
static inline uint64_t record_kind_of(const struct json_tok *t)
{
	uint64_t half;

	memcpy(&half, (const char *)t + 8, sizeof(half));
	return half;
}

/*
 * What a value must have in common with the last right one to be right itself: all of its type and flags but those
 * that say nothing about this field.
 */
static struct layout_member first_look(const struct field *f)
{
	struct json_tok matters = { .link = UINT32_MAX, .type = UINT8_MAX, .shape = UINT16_MAX };
	bool container = f->types & (T_ARRAY | T_OBJECT);
	struct layout_member m = {
		.seen = UINT64_MAX, /* like no token */
		.is_word = f->check == CHECK_WORD && !f->by_hand,
		.is_whole = f->types & T_WHOLE,
	};

	if ((f->types & T_ANY) == T_BOOL)
		matters.type &= (uint8_t)~(JSON_TRUE ^ JSON_FALSE);
	if (m.is_whole)
		matters.flags |= JSON_INTEGER;
	if (m.is_word)
		matters.flags |= JSON_ESCAPED;
	m.mask = record_kind_of(&matters);
	m.may_be_null = f->need != FIELD_REQUIRED;
	if (container && f->by_hand && !f->check)
		m.left = f->types & (T_ARRAY | T_OBJECT);
	m.always_full = container || f->check == CHECK_NOT_BLANK || f->check == CHECK_RANGE || f->check == CHECK_STAMP;
	return m;
}

static struct layout_member member_of(const struct record_type *type, struct str name)
{
	for (size_t i = 0; i < type->count; i++) {
		if (str_eq(str_from(type->fields[i].name), name)) {
			struct layout_member m = first_look(&type->fields[i]);

			m.field = (uint8_t)i;
			return m;
		}
	}
	return (struct layout_member){ .seen = UINT64_MAX, .field = LAYOUT_UNKNOWN, .always_full = true };
}

/* Which fields the objects of a shape lack is known here, once for all of them: a bit for each. */
static void layout_fill(struct layout *l, const struct record_scan *s, struct val object,
			const struct record_type *type)
{
	const struct shape_key *keys = object.tape->shapes->keys;
	struct val_iter it = val_begin(object);
	struct val key, value;
	uint64_t present = 0;

	l->type = type;
	l->shape = val_tok(object)->shape;
	l->count = 0;
	l->missing = 0;
	while (l->count < SHAPE_MEMBERS_MAX && val_next_member(&it, &key, &value)) {
		struct layout_member m = member_of(type, keys[val_tok(key)->link].text);

		if (m.field != LAYOUT_UNKNOWN)
			present |= (uint64_t)1 << m.field;
		l->members[l->count++] = m;
	}
	for (size_t i = 0; i < type->count; i++)
		if (!(present >> i & 1) && record_needs(s, &type->fields[i]))
			l->missing |= (uint64_t)1 << i;
}

struct layout *layout_make(struct record_scan *s, struct val object, const struct record_type *type)
{
	struct record_scanner *t = s->tools;
	struct layout *l = layout_slot(t, val_tok(object)->shape, type);

	if (t->epoch != object.tape->shapes->epoch) {
		t->epoch = object.tape->shapes->epoch;
		for (size_t i = 0; i < LAYOUTS; i++)
			t->layouts[i].type = NULL;
	}
	layout_fill(l, s, object, type);
	return l;
}

/* A finding for each bit. */
static void record_note_missing(struct record_scan *s, struct val object, const struct record_type *type,
				uint64_t missing)
{
	unsigned rule = type->on_missing ? type->on_missing : s->format->on_missing;

	for (; missing; missing &= missing - 1) {
		const struct field *f = &type->fields[__builtin_ctzll(missing)];

		record_note(s, rule, object, "%s has no %s", type->name, f->name);
	}
}

/* A finding only where the mode or the type forbids other names; the format looks at it in any case. */
static void note_unknown(struct record_scan *s, const struct record_type *type, struct val key)
{
	bool strict = s->mode == MODE_STRICT && s->format->strict_wants_optional;

	if (type->closed || strict) {
		struct str name = is_wanted(s, s->format->on_unknown) ? show(s, val_text(key, s->arena)) : STR("");

		record_note(s, s->format->on_unknown, key, "\"%.*s\" is not a field of %s", STR_ARG(name), type->name);
	}
	if (s->format->check_unknown)
		s->format->check_unknown(s, key);
}

/* The i-th member of an object that has no shape. */
static uint8_t field_of(const struct record_type *type, struct val key)
{
	for (size_t i = 0; i < type->count; i++)
		if (val_text_is(key, str_from(type->fields[i].name)))
			return (uint8_t)i;
	return LAYOUT_UNKNOWN;
}

/* One member; what is inside it is put off: see below. */
static void check_member(struct record_scan *s, const struct record_type *type, uint8_t field, uint32_t key,
			 uint32_t *at)
{
	struct val v = { s->root.tape, key + 1 };
	const struct field *f;

	if (field == LAYOUT_UNKNOWN) {
		note_unknown(s, type, (struct val){ s->root.tape, key });
		return;
	}
	f = &type->fields[field];
	at[field] = 0;
	if (val_tok(v)->type == JSON_NULL && f->need != FIELD_REQUIRED)
		return;
	if (!(f->by_hand && f->check) && !check_alone(s, f, v))
		return;
	if (val_tok(v)->type == JSON_NULL) /* which it may be, but it is no value */
		return;
	at[field] = v.at;
	if ((f->object || f->each) && !f->by_hand)
		record_put_off(s, v, f);
}

/* The first and last eight bytes of a text; of a shorter one its bytes and zeros. */
static inline void text_ends(const char *p, uint32_t n, uint64_t *head, uint64_t *tail)
{
	*head = num_eight_load(p);
	if (n >= 8) {
		*tail = num_eight_load(p + n - 8);
	} else {
		*head &= ((uint64_t)1 << (8 * n)) - 1;
		*tail = 0;
	}
}

/* Whether a value is like the last one that was right in its place. */
static inline bool is_as_before(const struct layout_member *m, const struct json_tok *t, const char *text)
{
	uint64_t head, tail;

	if ((record_kind_of(t) & m->mask) != m->seen || t->len == 0 || text[t->off] == '-')
		return false;
	if (!m->is_word)
		return true;
	text_ends(text + t->off, t->len, &head, &tail);
	return t->len == m->length && head == m->head && tail == m->tail;
}

/* A value was found right; the next one in its place may be like it. */
static void remember(struct layout_member *m, const struct json_tok *t, const char *text)
{
	bool odd_number = m->is_whole && t->type == JSON_NUMBER && !(t->flags & JSON_INTEGER);
	bool odd_word = m->is_word && (t->len > 16 || t->flags & JSON_ESCAPED);

	if (m->always_full || t->type == JSON_NULL || t->type >= JSON_ARRAY || t->len == 0 || text[t->off] == '-')
		return;
	if (odd_number || odd_word) /* 1.0 is an integer, but what looks like it need not be */
		return;
	m->seen = record_kind_of(t) & m->mask;
	m->length = t->len;
	text_ends(text + t->off, t->len, &m->head, &m->tail);
}

/* The members of an object that has a shape. Gives the fields that are missing. */
static uint64_t check_shaped(struct record_scan *s, struct val object, const struct record_type *type, uint32_t *at)
{
	struct layout *l = layout_of(s, object, type);
	struct layout_member *m = l->members;
	const struct json_tok *toks = object.tape->toks;
	const char *text = object.tape->text;
	uint32_t value = object.at + 2, end = toks[object.at].link;

	for (; value < end; m++) {
		const struct json_tok *t = &toks[value];

		if (is_as_before(m, t, text)) {
			at[m->field] = value;
			value += 2;
			continue;
		}
		if (m->left >> t->type & 1) {
			at[m->field] = value;
			value = t->link + 1;
			continue;
		}
		if (t->type == JSON_NULL && m->may_be_null) {
			at[m->field] = 0;
			value += 2;
			continue;
		}
		check_member(s, type, m->field, value - 1, at);
		if (m->field != LAYOUT_UNKNOWN && at[m->field])
			remember(m, t, text);
		value = t->type == JSON_ARRAY || t->type == JSON_OBJECT ? t->link + 1 : value + 2;
	}
	return l->missing;
}

/* As check_shaped, for objects too large or too rare to have a shape: each name is compared with the table. */
static uint64_t check_shapeless(struct record_scan *s, struct val object, const struct record_type *type, uint32_t *at)
{
	uint32_t key = object.at + 1, end = val_end(object);
	uint64_t present = 0, missing = 0;

	while (key < end) {
		uint8_t field = field_of(type, (struct val){ object.tape, key });

		check_member(s, type, field, key, at);
		if (field != LAYOUT_UNKNOWN)
			present |= (uint64_t)1 << field;
		key = val_end((struct val){ object.tape, key + 1 });
	}
	for (size_t i = 0; i < type->count; i++)
		if (!(present >> i & 1) && record_needs(s, &type->fields[i]))
			missing |= (uint64_t)1 << i;
	return missing;
}

/* The members of one object, not what is in them. */
static void check_members(struct record_scan *s, struct val object, const struct record_type *type, uint32_t *at)
{
	bool shaped = val_tok(object)->shape != SHAPE_NONE;
	uint64_t missing = shaped ? check_shaped(s, object, type, at) : check_shapeless(s, object, type, at);

	if (missing)
		record_note_missing(s, object, type, missing);
}

/* ---- nesting, without recursion ---- */

struct later {
	uint32_t at;
	const struct field *field;
};

void record_put_off(struct record_scan *s, struct val v, const struct field *f)
{
	struct later l = { v.at, f };

	buf_add(&s->tools->later, &l, sizeof(l));
}

/* Every element of an array, or every value of an object with free names. */
static void check_each(struct record_scan *s, struct val v, const struct field *each)
{
	bool object = val_is(v, JSON_OBJECT);
	uint32_t at = v.at + 1, end = val_end(v);

	while (at < end) {
		struct val item = { v.tape, at + object };

		if (check_alone(s, each, item) && (each->object || each->each) && !each->by_hand)
			record_put_off(s, item, each);
		at = val_end(item);
	}
}

/* What was put off since `from`, and what that puts off in its turn: a breadth-first walk down the tables. */
static void check_later(struct record_scan *s, size_t from)
{
	uint32_t scratch[RECORD_FIELDS];

	for (size_t i = from; i < s->tools->later.n; i += sizeof(struct later)) {
		struct later l;
		struct val v;

		memcpy(&l, s->tools->later.p + i, sizeof(l));
		v = (struct val){ s->root.tape, l.at };
		if (val_is(v, JSON_OBJECT) && l.field->object)
			check_members(s, v, l.field->object, scratch);
		else if (l.field->each && (val_is(v, JSON_ARRAY) || val_is(v, JSON_OBJECT)))
			check_each(s, v, l.field->each);
	}
	s->tools->later.n = from;
}

bool record_check_object(struct record_scan *s, struct val v, const struct record_type *type, uint32_t *at)
{
	size_t from = s->tools->later.n;

	assert(type->count <= RECORD_FIELDS); /* a bit for each, and room on the stack */
	memset(at, 0, type->count * sizeof(*at));
	if (!val_is(v, JSON_OBJECT))
		return false;
	check_members(s, v, type, at);
	if (s->tools->later.n > from)
		check_later(s, from);
	return true;
}

bool record_check_value(struct record_scan *s, struct val v, const struct field *f)
{
	size_t from = s->tools->later.n;

	if (val_is(v, JSON_NULL) && f->need != FIELD_REQUIRED)
		return true;
	if (!check_alone(s, f, v))
		return false;
	if (f->object || f->each) {
		record_put_off(s, v, f);
		check_later(s, from);
	}
	return true;
}
