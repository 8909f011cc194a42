#include "dialect/record_io.h"

#include <assert.h>
#include <math.h>

#include "base/num.h"

/* ---- writing ---- */

static bool io_is_known(const struct field *f, const void *member)
{
	switch ((enum field_kind)f->kind) {
	case KIND_TEXT:
		return ((const struct str *)member)->p != NULL;
	case KIND_JSON:
		return ((const struct str *)member)->n > 0;
	case KIND_BOOL:
		return *(const bool *)member || f->unknown != UNKNOWN_ABSENT;
	case KIND_TRUTH:
		return *(const unsigned *)member != 0;
	case KIND_WORD:
		return *(const unsigned *)member < f->words->count;
	case KIND_I64:
		return *(const int64_t *)member >= 0;
	case KIND_U64:
		return *(const uint64_t *)member > 0;
	case KIND_DOUBLE:
		return *(const double *)member >= 0 && isfinite(*(const double *)member);
	default:
		return true;
	}
}

static void io_write_texts(struct json_writer *w, const void *member)
{
	const struct str *texts = *(const struct str *const *)member;
	size_t count;

	memcpy(&count, (const char *)member + sizeof(texts), sizeof(count));
	json_write_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_write_string(w, texts[i]);
	json_write_end_array(w);
}

static void io_write_value(struct json_writer *w, const struct field *f, const void *member)
{
	switch ((enum field_kind)f->kind) {
	case KIND_NO_MEMBER:
		break;
	case KIND_CONST:
		json_write_string(w, f->words->items[0]);
		break;
	case KIND_TEXT:
		json_write_string(w, *(const struct str *)member);
		break;
	case KIND_TEXTS:
		io_write_texts(w, member);
		break;
	case KIND_LENGTH:
		json_write_u64(w, *(const size_t *)member);
		break;
	case KIND_JSON:
		json_write_raw(w, *(const struct str *)member);
		break;
	case KIND_BOOL:
		json_write_bool(w, *(const bool *)member);
		break;
	case KIND_TRUTH:
		json_write_bool(w, *(const unsigned *)member == 1);
		break;
	case KIND_WORD:
		json_write_string(w, f->words->items[*(const unsigned *)member]);
		break;
	case KIND_I64:
		json_write_i64(w, *(const int64_t *)member);
		break;
	case KIND_U64:
		json_write_u64(w, *(const uint64_t *)member);
		break;
	case KIND_DOUBLE:
		json_write_double(w, io_is_known(f, member) ? *(const double *)member : 0);
		break;
	}
}

/* A field that must be there and may not be null has a value whatever is known. */
static bool io_must_have_value(const struct field *f)
{
	return f->need == FIELD_REQUIRED && !(f->types & T_NULL);
}

/* Whether the field was written; `before` says it of the one before. */
static bool io_write_field(struct json_writer *w, const struct field *f, const char *from, bool before)
{
	const void *member = from + f->at;
	bool has_value = io_must_have_value(f) || io_is_known(f, member);

	if (f->unknown == UNKNOWN_AS_BEFORE ? !before : f->unknown == UNKNOWN_ABSENT && !has_value)
		return false;
	json_write_key(w, str_from(f->name));
	if (has_value)
		io_write_value(w, f, member);
	else
		json_write_null(w);
	return true;
}

void record_write(struct json_writer *w, const struct record_type *type, const void *from)
{
	bool before = true;

	json_write_begin_object(w);
	for (size_t i = 0; i < type->count; i++)
		if (type->fields[i].kind != KIND_NO_MEMBER)
			before = io_write_field(w, &type->fields[i], from, before);
	json_write_end_object(w);
}

/* ---- reading ---- */

struct io_reading {
	struct arena *arena;
	unsigned how; /* enum record_read_how */
};

static struct str io_read_text(struct io_reading *r, struct val v)
{
	struct str text = val_text(v, r->arena);

	return r->how & RECORD_READ_COPY ? arena_copy(r->arena, text) : text;
}

/* A number, also one with a fraction: it is cut off. */
static bool io_read_loosely(struct io_reading *r, struct val v, int64_t *out)
{
	struct str text = val_is(v, JSON_STRING) ? val_text(v, r->arena) : val_raw(v);
	double d;

	if (text.n == 0 || num_parse_double(text, &d) != NUM_OK)
		return false;
	if (num_integral(text, out))
		return true;
	if (fabs(d) < 9e15)
		*out = (int64_t)d;
	return fabs(d) < 9e15;
}

static bool io_read_number(struct io_reading *r, struct val v, int64_t *out)
{
	if (r->how & RECORD_READ_LOOSE && (val_is(v, JSON_NUMBER) || val_is(v, JSON_STRING)))
		return io_read_loosely(r, v, out);
	return val_i64(v, out);
}

/* 1 for true, 0 for false, -1 for neither. */
static int io_read_truth(struct io_reading *r, struct val v)
{
	struct str text = STR("");

	if (val_is(v, JSON_STRING) && r->how & RECORD_READ_LOOSE)
		text = val_text(v, r->arena);
	if (val_is(v, JSON_TRUE) || str_eq_nocase(text, STR("true")))
		return 1;
	return val_is(v, JSON_FALSE) || str_eq_nocase(text, STR("false")) ? 0 : -1;
}

/* Elements that are no strings are left out. */
static void io_read_texts(struct io_reading *r, struct val v, void *member)
{
	struct val_iter it = val_begin(v);
	struct str *texts = arena_array(r->arena, struct str, val_count(v) + 1);
	const struct str *list = texts;
	struct val one;
	size_t count = 0;

	while (val_next(&it, &one))
		if (val_is(one, JSON_STRING))
			texts[count++] = io_read_text(r, one);
	memcpy(member, &list, sizeof(list));
	memcpy((char *)member + sizeof(list), &count, sizeof(count));
}

static void io_read_word(const struct field *f, struct val v, unsigned *out)
{
	for (size_t i = 0; i < f->words->count; i++)
		if (val_text_is(v, f->words->items[i]))
			*out = (unsigned)i;
}

static void io_read_scalar(struct io_reading *r, const struct field *f, struct val v, void *member)
{
	int64_t n;
	double d;
	int truth;

	switch ((enum field_kind)f->kind) {
	case KIND_BOOL:
		truth = io_read_truth(r, v);
		if (truth >= 0)
			*(bool *)member = truth == 1;
		break;
	case KIND_TRUTH:
		truth = io_read_truth(r, v);
		if (truth >= 0)
			*(unsigned *)member = truth == 1 ? 1 : 2;
		break;
	case KIND_I64:
		if (io_read_number(r, v, &n))
			*(int64_t *)member = n;
		break;
	case KIND_U64:
		if (io_read_number(r, v, &n) && n >= 0)
			*(uint64_t *)member = (uint64_t)n;
		break;
	case KIND_DOUBLE:
		if (val_double(v, &d))
			*(double *)member = d;
		break;
	default:
		break;
	}
}

static void io_read_field(struct io_reading *r, const struct field *f, struct val v, void *member)
{
	bool is_text = val_is(v, JSON_STRING);

	switch ((enum field_kind)f->kind) {
	case KIND_TEXT:
		if (is_text)
			*(struct str *)member = io_read_text(r, v);
		break;
	case KIND_WORD:
		if (is_text)
			io_read_word(f, v, member);
		break;
	case KIND_TEXTS:
		if (val_is(v, JSON_ARRAY))
			io_read_texts(r, v, member);
		break;
	case KIND_JSON:
		if (!val_is(v, JSON_NULL) && f->types >> val_tok(v)->type & 1)
			*(struct str *)member = val_source(v);
		break;
	default:
		io_read_scalar(r, f, v, member);
		break;
	}
}

static bool io_key_is(struct val key, const char *name)
{
	struct str raw = val_raw(key);

	if (val_tok(key)->flags & JSON_ESCAPED)
		return val_text_is(key, str_from(name));
	return raw.n > 0 && raw.p[0] == name[0] && str_eq(raw, str_from(name));
}

void record_pick(const struct record_type *type, struct val v, struct val *out)
{
	struct val_iter it = val_begin(v);
	struct val key, value;
	size_t next = 0;

	for (size_t i = 0; i < type->count; i++)
		out[i] = VAL_NONE;
	if (!val_is(v, JSON_OBJECT))
		return;
	while (val_next_member(&it, &key, &value)) {
		for (size_t tries = 0; tries < type->count; tries++) {
			size_t i = next + tries < type->count ? next + tries : next + tries - type->count;

			if (!io_key_is(key, type->fields[i].name))
				continue;
			out[i] = value;
			next = i + 1 < type->count ? i + 1 : 0;
			break;
		}
	}
}

void record_read(const struct record_type *type, void *to, struct val object, struct arena *a, unsigned how)
{
	struct io_reading r = { .arena = a, .how = how };
	struct val values[RECORD_FIELDS];

	assert(type->count <= RECORD_FIELDS);
	record_pick(type, object, values);
	for (size_t i = 0; i < type->count; i++)
		if (!val_is_none(values[i]))
			io_read_field(&r, &type->fields[i], values[i], (char *)to + type->fields[i].at);
}
