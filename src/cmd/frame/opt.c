/*
 * Finds rows of an option table and stores values in the fields their offsets name; the kind decides the field's type.
 */
#include "cmd/frame/opt.h"

#include <limits.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/num.h"
#include "cmd/frame/nearest.h"

const struct opt *opt_find_name(const struct opt *table, struct str name)
{
	for (; table && table->kind != OPT_END; table++)
		if (table->name && str_eq(str_from(table->name), name))
			return table;
	return NULL;
}

const struct opt *opt_find_letter(const struct opt *table, char letter)
{
	for (; table && table->kind != OPT_END; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

bool opt_needs_value(const struct opt *o)
{
	switch (o->kind) {
	case OPT_STR:
	case OPT_SIZE:
	case OPT_UINT:
	case OPT_CHOICE:
	case OPT_LIST:
		return true;
	case OPT_END:
	case OPT_FLAG:
	case OPT_COUNT:
	case OPT_OPTIONAL:
		break;
	}
	return false;
}

/*
 * How many bytes a unit stands for. False for an unknown one. K, M, G and T are powers of 1024; kB, MB, GB and TB of
 * 1000.
 */
static bool size_unit(struct str unit, uint64_t *factor)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "K", UINT64_C(1) << 10 },
		{ "KiB", UINT64_C(1) << 10 },
		{ "M", UINT64_C(1) << 20 },
		{ "MiB", UINT64_C(1) << 20 },
		{ "G", UINT64_C(1) << 30 },
		{ "GiB", UINT64_C(1) << 30 },
		{ "T", UINT64_C(1) << 40 },
		{ "TiB", UINT64_C(1) << 40 },
		{ "kB", 1000 },
		{ "MB", 1000000 },
		{ "GB", 1000000000 },
		{ "TB", UINT64_C(1000000000000) },
	};

	for (size_t i = 0; i < COUNT(units); i++) {
		if (str_eq(unit, str_from(units[i].unit))) {
			*factor = units[i].factor;
			return true;
		}
	}
	return false;
}

bool opt_parse_size(struct str text, size_t *out)
{
	size_t digits = 0;
	uint64_t number, factor, bytes;

	while (digits < text.n && ascii_is_digit(text.p[digits]))
		digits++;
	if (!num_parse_u64(str_of(text.p, digits), &number) ||
	    !size_unit(str_skip(text, digits), &factor))
		return false;
	if (__builtin_mul_overflow(number, factor, &bytes) || bytes > SIZE_MAX)
		return false;
	*out = (size_t)bytes;
	return true;
}

struct str opt_next_choice(struct str *words)
{
	if (words->n == 0)
		return str_of(NULL, 0);
	return str_cut(*words, '|', words);
}

/* Stores which word it is. A word that is not in the list is refused with the nearest one as help. */
static bool set_choice(const struct opt *o, int *field, struct str spelled, struct str value, struct err *err)
{
	struct str words = str_from(o->argument), word;
	struct nearest near;
	char help[200];
	int index = 0;

	nearest_init(&near, value);
	while ((word = opt_next_choice(&words)).p) {
		if (str_eq(word, value)) {
			*field = index;
			return true;
		}
		nearest_offer(&near, word);
		index++;
	}
	return usage_set(err, nearest_help(&near, help, sizeof(help), ""), "%.*s: '%.*s' is not one of %s",
			 STR_ARG(spelled), STR_ARG(value), o->argument);
}

static bool set_size(size_t *field, struct str spelled, struct str value, struct err *err)
{
	if (opt_parse_size(value, field))
		return true;
	return usage_set(err, "write a whole number of bytes, or one with K, M or G such as 64M",
			 "%.*s: '%.*s' is not a size", STR_ARG(spelled), STR_ARG(value));
}

static bool set_uint(unsigned *field, struct str spelled, struct str value, struct err *err)
{
	uint64_t number;

	if (!num_parse_u64(value, &number))
		return usage_set(err, NULL, "%.*s: '%.*s' is not a whole number", STR_ARG(spelled), STR_ARG(value));
	if (number > UINT_MAX)
		return usage_set(err, NULL, "%.*s: %.*s is too large, the most is %u", STR_ARG(spelled),
				 STR_ARG(value), UINT_MAX);
	*field = (unsigned)number;
	return true;
}

static void add_to_list(struct opt_list *list, struct arena *a, struct str value)
{
	size_t cap = (list->count & (list->count - 1)) ? SIZE_MAX : list->count; /* room is always a power of two */

	arena_grow(a, list->items, list->count, cap, 1);
	list->items[list->count++] = value;
}

bool opt_set(const struct opt *o, void *options, struct arena *a, struct str spelled, struct str value,
	     struct err *err)
{
	void *field = (char *)options + o->offset;

	if (opt_needs_value(o) && !value.p)
		return usage_set(err, NULL, "%.*s needs a value: %s", STR_ARG(spelled), o->argument);
	if ((o->kind == OPT_FLAG || o->kind == OPT_COUNT) && value.p)
		return usage_set(err, NULL, "%.*s takes no value", STR_ARG(spelled));
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)field = true;
		break;
	case OPT_COUNT:
		++*(unsigned *)field;
		break;
	case OPT_STR:
		*(struct str *)field = value;
		break;
	case OPT_SIZE:
		return set_size(field, spelled, value, err);
	case OPT_UINT:
		return set_uint(field, spelled, value, err);
	case OPT_CHOICE:
		return set_choice(o, field, spelled, value, err);
	case OPT_LIST:
		add_to_list(field, a, value);
		break;
	case OPT_OPTIONAL:
		*(struct opt_maybe *)field = (struct opt_maybe){ true, value };
		break;
	case OPT_END:
		break;
	}
	return true;
}

/* What to write instead: the nearest name, and all of them. */
static const char *list_fields(const struct nearest *near, const char *const *known, char *out, size_t size)
{
	size_t n = 0;

	if (nearest_help(near, out, size, ""))
		n = strlen(out);
	n += (size_t)snprintf(out + n, size - n, "%s", n ? " The fields: " : "the fields: ");
	for (size_t i = 0; known[i] && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", known[i]);
	return out;
}

/* Offers every name to `near` on the way, for the message if none fits. */
static bool is_known(struct str field, const char *const *known, struct nearest *near)
{
	for (; *known; known++) {
		if (str_eq(field, str_from(*known)))
			return true;
		nearest_offer(near, str_from(*known));
	}
	return false;
}

bool opt_check_fields(struct opt_maybe selected, const char *const *known, struct err *err)
{
	struct str left = selected.value;

	if (selected.value.p && selected.value.n == 0)
		return usage_set(err, "--json without '=' gives every field", "--json=: no field is named");
	while (left.n) {
		struct str field = str_trim(str_cut(left, ',', &left));
		struct nearest near;
		char help[500];

		nearest_init(&near, field);
		if (!is_known(field, known, &near))
			return usage_set(err, list_fields(&near, known, help, sizeof(help)),
					 "--json: unknown field '%.*s'", STR_ARG(field));
	}
	return true;
}

bool opt_has_field(struct opt_maybe selected, struct str field)
{
	struct str left = selected.value;

	if (!selected.value.p)
		return true;
	while (left.n)
		if (str_eq(str_trim(str_cut(left, ',', &left)), field))
			return true;
	return false;
}
