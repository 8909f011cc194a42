/* A switch over the kinds of field.h for writing, one for reading; a row gives name, kind and offset. */
#include "dialect/record/io.h"

#include <assert.h>
#include <math.h>

#include "base/num.h"

/* ---- writing ---- */

/* Of a list, whose pointer and number are neighbours. */
static size_t io_count(const void *member)
{
	size_t count;

	memcpy(&count, (const char *)member + sizeof(void *), sizeof(count));
	return count;
}

/* Whether a member has a value: what stands for "not known" is said with each kind in field.h. */
static bool io_is_known(const struct field *f, const void *member)
{
	switch ((enum field_kind)f->kind) {
	case KIND_TEXT:
	case KIND_OBJECT:
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
	case KIND_NAME:
		return *(const char *const *)member != NULL;
	case KIND_FIGURE:
		return figure_is_known(*(const struct figure *)member);
	case KIND_TEXTS:
		return io_count(member) > 0 || f->unknown != UNKNOWN_ABSENT;
	default:
		return true;
	}
}

static void io_write_texts(struct json_writer *w, const void *member, bool is_json)
{
	const struct str *texts = *(const struct str *const *)member;

	json_write_begin_array(w);
	for (size_t i = 0; i < io_count(member); i++) {
		if (is_json)
			json_write_raw(w, texts[i]);
		else
			json_write_string(w, texts[i]);
	}
	json_write_end_array(w);
}

static void io_write_pairs(struct json_writer *w, const void *member)
{
	const struct str *texts = *(const struct str *const *)member;

	json_write_begin_object(w);
	for (size_t i = 0; i < 2 * io_count(member); i += 2) {
		json_write_key(w, texts[i]);
		json_write_string(w, texts[i + 1]);
	}
	json_write_end_object(w);
}

static void io_write_list(struct json_writer *w, const struct record_type *type, const void *member)
{
	const char *items = *(const char *const *)member;

	json_write_begin_array(w);
	for (size_t i = 0; i < io_count(member); i++)
		record_write(w, type, items + i * type->size);
	json_write_end_array(w);
}

static void io_write_id(struct json_writer *w, struct id id)
{
	char text[ID_UUID_TEXT + 2];

	id_format_uuid(text + 1, id);
	text[0] = text[ID_UUID_TEXT + 1] = '"';
	json_write_raw(w, str_of(text, sizeof(text)));
}

static void io_write_ids(struct json_writer *w, const void *member)
{
	const struct id *ids = *(const struct id *const *)member;

	json_write_begin_array(w);
	for (size_t i = 0; i < io_count(member); i++)
		io_write_id(w, ids[i]);
	json_write_end_array(w);
}

/* Seconds with all six digits: a double of today's date would hold them, but its shortest text may be shorter. */
void record_write_micros(struct json_writer *w, int64_t us)
{
	uint64_t n = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
	char text[1 + NUM_U64_MAX + 7];
	size_t length = us < 0;

	text[0] = '-';
	length += num_format_u64(text + length, n / 1000000);
	text[length++] = '.';
	for (uint64_t digit = 100000; digit; digit /= 10)
		text[length++] = (char)('0' + n / digit % 10);
	json_write_raw(w, str_of(text, length));
}

/* The kinds that only a trace has, and then those that hold others. */
static void io_write_other(struct json_writer *w, const struct field *f, const void *member)
{
	const struct figure *figure = member;

	switch ((enum field_kind)f->kind) {
	case KIND_NAME:
		json_write_string(w, str_from(*(const char *const *)member));
		break;
	case KIND_FIGURE:
		json_write_u64(w, figure_is_known(*figure) ? figure->n : 0);
		break;
	case KIND_SOURCE:
		json_write_string(w, f->words->items[!figure_is_known(*figure) || figure->source != FIGURE_API]);
		break;
	case KIND_MICROS:
		record_write_micros(w, *(const int64_t *)member);
		break;
	case KIND_ID:
		io_write_id(w, *(const struct id *)member);
		break;
	case KIND_IDS:
		io_write_ids(w, member);
		break;
	case KIND_TEXTS:
	case KIND_JSONS:
		io_write_texts(w, member, f->kind == KIND_JSONS);
		break;
	case KIND_PAIRS:
		io_write_pairs(w, member);
		break;
	case KIND_LIST:
		io_write_list(w, f->inside, member);
		break;
	case KIND_OBJECT:
		record_write(w, f->inside, member);
		break;
	default:
		break;
	}
}

/* Writes the value of a member, known or not, as its kind has it. */
static void io_write_value(struct json_writer *w, const struct field *f, const void *member)
{
	switch ((enum field_kind)f->kind) {
	case KIND_CONST:
		json_write_string(w, f->words->items[0]);
		break;
	case KIND_TEXT:
		json_write_string(w, *(const struct str *)member);
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
	default:
		io_write_other(w, f, member);
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
	bool has_value;

	assert(f->words || (f->kind != KIND_CONST && f->kind != KIND_WORD && f->kind != KIND_SOURCE));
	assert(f->inside || (f->kind != KIND_OBJECT && f->kind != KIND_LIST));
	has_value = io_must_have_value(f) || io_is_known(f, member);
	if (f->unknown == UNKNOWN_AS_BEFORE ? !before : f->unknown == UNKNOWN_ABSENT && !has_value)
		return false;
	json_write_own_key(w, str_from(f->name));
	if (!has_value)
		json_write_null(w);
	else if (f->kind == KIND_U64 && f->words && !io_is_known(f, member))
		json_write_string(w, f->words->items[0]);
	else
		io_write_value(w, f, member);
	return true;
}

void record_write_members(struct json_writer *w, const struct record_type *type, const void *from, bool extra)
{
	size_t count = type->order ? type->order_count : type->count;
	bool before = true;

	for (size_t i = 0; i < count; i++) {
		const struct field *f = &type->fields[type->order ? type->order[i] : i];

		if (f->kind != KIND_NO_MEMBER && (extra || f->need != FIELD_EXTRA))
			before = io_write_field(w, f, from, before);
	}
}

void record_write(struct json_writer *w, const struct record_type *type, const void *from)
{
	json_write_begin_object(w);
	record_write_members(w, type, from, true);
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

static void io_set_list(void *member, const void *items, size_t count)
{
	memcpy(member, &items, sizeof(items));
	memcpy((char *)member + sizeof(items), &count, sizeof(count));
}

static struct str io_read_json(struct io_reading *r, struct val v)
{
	return r->how & RECORD_READ_COPY ? arena_copy(r->arena, val_source(v)) : val_source(v);
}

/* Elements that are no strings are left out; of JSON only what is null. */
static void io_read_texts(struct io_reading *r, struct val v, void *member, bool is_json)
{
	struct str *texts = arena_array(r->arena, struct str, val_count(v) + 1);
	struct val_iter it = val_begin(v);
	struct val one;
	size_t count = 0;

	while (val_next(&it, &one))
		if (is_json ? !val_is(one, JSON_NULL) : val_is(one, JSON_STRING))
			texts[count++] = is_json ? io_read_json(r, one) : io_read_text(r, one);
	io_set_list(member, texts, count);
}

/* A value that is no string is absent. */
static void io_read_pairs(struct io_reading *r, struct val v, void *member)
{
	struct str *texts = arena_array(r->arena, struct str, 2 * val_count(v) + 1);
	struct val_iter it = val_begin(v);
	struct val key, value;
	size_t count = 0;

	for (; val_next_member(&it, &key, &value); count++) {
		texts[2 * count] = io_read_text(r, key);
		if (val_is(value, JSON_STRING))
			texts[2 * count + 1] = io_read_text(r, value);
	}
	io_set_list(member, texts, count);
}

/*
 * An element that is no object is a struct of zeros, as every struct is at first. How deep this goes is up to our
 * tables, not to the input.
 */
static void io_read_list(struct io_reading *r, const struct record_type *type, struct val v, void *member)
{
	char *items = arena_alloc_array(r->arena, val_count(v) + 1, type->size, _Alignof(max_align_t));
	struct val_iter it = val_begin(v);
	struct val one;
	size_t count = 0;

	for (; val_next(&it, &one); count++)
		record_read(type, items + count * type->size, one, r->arena, r->how);
	io_set_list(member, items, count);
}

static void io_read_word(const struct field *f, struct val v, unsigned *out)
{
	for (size_t i = 0; i < f->words->count; i++)
		if (val_text_is(v, f->words->items[i]))
			*out = (unsigned)i;
}

/* Sets a member that is a truth or a number; a value of another type leaves it as it was. */
static void io_read_scalar(struct io_reading *r, const struct field *f, struct val v, void *member)
{
	int64_t n;
	double d;
	int truth;

	switch ((enum field_kind)f->kind) {
	case KIND_BOOL:
	case KIND_TRUTH:
		truth = io_read_truth(r, v);
		if (truth >= 0 && f->kind == KIND_BOOL)
			*(bool *)member = truth == 1;
		else if (truth >= 0)
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

/* Sets one member from a value that is there; a value of another type leaves it as it was. */
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
	case KIND_JSONS:
		if (val_is(v, JSON_ARRAY))
			io_read_texts(r, v, member, f->kind == KIND_JSONS);
		break;
	case KIND_PAIRS:
		if (val_is(v, JSON_OBJECT))
			io_read_pairs(r, v, member);
		break;
	case KIND_LIST:
		if (val_is(v, JSON_ARRAY))
			io_read_list(r, f->inside, v, member);
		break;
	case KIND_OBJECT:
		record_read(f->inside, member, v, r->arena, r->how);
		break;
	case KIND_JSON:
		if (!val_is(v, JSON_NULL) && f->types >> val_tok(v)->type & 1)
			*(struct str *)member = io_read_json(r, v);
		break;
	default:
		io_read_scalar(r, f, v, member);
		break;
	}
}

static bool io_has_name(struct val key, const struct field *f)
{
	struct str raw = val_raw(key);

	if (val_tok(key)->flags & JSON_ESCAPED)
		return val_text_is(key, str_from(f->name));
	return raw.n > 0 && raw.p[0] == f->name[0] && str_eq(raw, str_from(f->name));
}

/* The field of a name; type->count for none. `next` is the place in the order where it probably is. */
static size_t io_find_field(const struct record_type *type, struct val key, size_t *next)
{
	size_t count = type->order ? type->order_count : type->count;

	for (size_t tries = 0, n = *next; tries < count; tries++, n++) {
		n = n < count ? n : 0;
		if (io_has_name(key, &type->fields[type->order ? type->order[n] : n])) {
			*next = n + 1;
			return type->order ? type->order[n] : n;
		}
	}
	for (size_t i = 0; i < type->count && type->order; i++)
		if (io_has_name(key, &type->fields[i]))
			return i;
	return type->count;
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
		size_t i = io_find_field(type, key, &next);

		if (i < type->count)
			out[i] = value;
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
