/*
 * Requests as JSON, in OTLP's own spelling: ids are hexadecimal, enums are numbers, 64-bit numbers are texts or
 * numbers, names are in camel case. Unknown members are passed over, and so is what is null.
 */
#include "base/ascii.h"
#include "base/crypto/hex.h"
#include "dialect/otlp/sight_private.h"

static const struct sight_field *json_find(struct otlp_sighter *o, const struct sight_message *m, struct val key)
{
	struct str name = val_tok(key)->flags & JSON_ESCAPED ? val_text(key, &o->arena) : val_raw(key);

	for (size_t i = 0; i < m->count; i++)
		if (m->fields[i].name.n == name.n && name.n && memcmp(m->fields[i].name.p, name.p, name.n) == 0)
			return &m->fields[i];
	return NULL;
}

/* ---- numbers ---- */

static bool json_signed(struct val v, int64_t *n)
{
	if (val_is(v, JSON_NUMBER))
		return num_integral(val_raw(v), n);
	return val_is(v, JSON_STRING) && num_parse_i64(val_raw(v), n);
}

static bool json_unsigned(struct val v, uint64_t *n)
{
	int64_t integral;

	if ((val_is(v, JSON_NUMBER) || val_is(v, JSON_STRING)) && num_parse_u64(val_raw(v), n))
		return true;
	if (!val_is(v, JSON_NUMBER) || !num_integral(val_raw(v), &integral) || integral < 0)
		return false;
	*n = (uint64_t)integral;
	return true;
}

static bool json_is_odd_double(struct val v)
{
	return val_text_is(v, STR("NaN")) || val_text_is(v, STR("Infinity")) || val_text_is(v, STR("-Infinity"));
}

/* What is not finite is a NaN: nobody asks for more. */
static bool json_double(struct val v, uint64_t *bits)
{
	double d = 0;

	if (json_is_odd_double(v)) {
		*bits = UINT64_C(0x7ff8000000000000);
		return true;
	}
	if (!val_is(v, JSON_NUMBER) && !val_is(v, JSON_STRING))
		return false;
	if (num_parse_double(val_raw(v), &d) == NUM_SYNTAX)
		return false;
	memcpy(bits, &d, sizeof(d));
	return true;
}

static bool json_number(const struct sight_field *field, struct val v, uint64_t *bits)
{
	int64_t n = 0;

	switch (field->type) {
	case SIGHT_T_BOOL:
		*bits = val_is(v, JSON_TRUE);
		return val_is_bool(v);
	case SIGHT_T_DOUBLE:
		return json_double(v, bits);
	case SIGHT_T_UINT64:
	case SIGHT_T_FIXED64:
		return json_unsigned(v, bits);
	case SIGHT_T_UINT32:
	case SIGHT_T_FIXED32:
		return json_unsigned(v, bits) && *bits <= UINT32_MAX;
	case SIGHT_T_ENUM:
		if (!val_is(v, JSON_NUMBER))
			return false;
		break;
	default:
		break;
	}
	if (!json_signed(v, &n))
		return false;
	*bits = (uint64_t)n;
	return field->type == SIGHT_T_INT64 || field->type == SIGHT_T_SFIXED64 || (n >= INT32_MIN && n <= INT32_MAX);
}

/* ---- texts ---- */

/* Either alphabet, with or without what fills it up: as readers of protobuf's JSON take it. */
static bool json_is_base64(struct str s)
{
	while (s.n && s.p[s.n - 1] == '=')
		s.n--;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_alnum(s.p[i]) && !ascii_is_one_of(s.p[i], "+/-_"))
			return false;
	return s.n % 4 != 1;
}

/* An id that is not hexadecimal, or has too many digits, is one of a length that no id has. */
static void json_id(struct otlp_sighter *o, const struct sight_field *field, struct str digits)
{
	uint8_t bytes[16];
	size_t n = digits.n / 2;

	if (digits.n % 2 || n > sizeof(bytes) || !hex_parse(digits, bytes, n))
		n = digits.n ? 1 : 0;
	sight_text(o, field, str_of(bytes, n));
}

static bool json_text(struct otlp_sighter *o, const struct sight_field *field, struct val v)
{
	if (!val_is(v, JSON_STRING))
		return false;
	if (field->type == SIGHT_T_BYTES && !json_is_base64(val_raw(v)))
		return false;
	if (field->type == SIGHT_T_ID)
		json_id(o, field, val_raw(v));
	else if (field->take == SIGHT_TAKE_NOTHING || (field->take == SIGHT_TAKE_SCALAR && o->idle))
		sight_text(o, field, val_raw(v));
	else
		sight_text(o, field, val_text(v, &o->arena));
	return true;
}

/* ---- messages ---- */

/* What a field must be, in words. */
static const char *json_wanted(const struct sight_field *field)
{
	static const char *const words[] = {
		[SIGHT_T_TEXT] = "it must be a string",
		[SIGHT_T_BYTES] = "it must be a string of base64",
		[SIGHT_T_ID] = "it must be a string of hexadecimal digits",
		[SIGHT_T_MESSAGE] = "it must be an object",
		[SIGHT_T_BOOL] = "it must be true or false",
		[SIGHT_T_ENUM] = "it must be an integer",
		[SIGHT_T_INT32] = "it must be an integer of 32 bits",
		[SIGHT_T_SINT32] = "it must be an integer of 32 bits",
		[SIGHT_T_UINT32] = "it must be an integer of 32 bits, not negative",
		[SIGHT_T_INT64] = "it must be an integer of 64 bits",
		[SIGHT_T_UINT64] = "it must be an integer of 64 bits, not negative",
		[SIGHT_T_DOUBLE] = "it must be a number",
		[SIGHT_T_FIXED64] = "it must be an integer of 64 bits, not negative",
		[SIGHT_T_SFIXED64] = "it must be an integer of 64 bits",
		[SIGHT_T_FIXED32] = "it must be an integer of 32 bits, not negative",
	};

	return words[field->type];
}

/* NULL, or why it is refused. */
static const char *json_value(struct otlp_sighter *o, const struct sight_field *field, struct val v)
{
	uint64_t bits = 0;
	const char *why;

	if (field->type == SIGHT_T_MESSAGE) {
		if (!val_is(v, JSON_OBJECT))
			return json_wanted(field);
		why = sight_enter(o, field, field->message);
		if (!why)
			sight_top(o)->it = val_begin(v);
		return why;
	}
	if (field->type <= SIGHT_T_ID)
		return json_text(o, field, v) ? NULL : json_wanted(field);
	if (!json_number(field, v, &bits))
		return json_wanted(field);
	sight_number(o, field, bits);
	return NULL;
}

/* The next value of the message that is open; it is left when there is none. */
static const char *json_next(struct otlp_sighter *o, struct val *v)
{
	struct sight_frame *f = sight_top(o);
	const struct sight_field *field;
	struct val key;

	if (f->field) {
		if (val_next(&f->list, v))
			return json_value(o, f->field, *v);
		f->field = NULL;
	}
	while (val_next_member(&f->it, &key, v)) {
		field = json_find(o, f->message, key);
		if (!field || val_is(*v, JSON_NULL))
			continue;
		if (!field->repeated)
			return json_value(o, field, *v);
		if (!val_is(*v, JSON_ARRAY))
			return "it must be an array";
		f->field = field;
		f->list = val_begin(*v);
		return NULL;
	}
	sight_leave(o);
	return NULL;
}

bool sight_json_read(struct otlp_sighter *o, const struct sight_message *request, struct err *err)
{
	struct json_issue issue;
	struct val root, v;
	const char *why = NULL;
	struct str place;

	if (!json_parse(o->parser, o->body, &root, &issue))
		return err_set(err, ERR_DATA, "this is no JSON: %s, at line %llu, column %llu", issue.message,
			       (unsigned long long)issue.line, (unsigned long long)issue.column);
	if (!val_is(root, JSON_OBJECT))
		return err_set(err, ERR_DATA, "this is no such request: it must be a JSON object");
	v = root;
	sight_enter(o, NULL, request);
	sight_top(o)->it = val_begin(root);
	while (!why && o->depth)
		why = json_next(o, &v);
	if (!why)
		return true;
	place = val_pointer(root, v, &o->arena);
	return err_set(err, ERR_DATA, "this is no such request in JSON: %s, at %.*s", why, STR_ARG(place));
}
