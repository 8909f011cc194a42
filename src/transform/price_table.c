/*
 * Reads the table in two passes, the first of which only counts rows. Each field knows its place in the line, so a
 * message has file, line and column. Prices are read as decimal digits, never as floating point.
 */
#include "transform/price_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/crypto/sha256.h"
#include "base/num.h"
#include "base/utf8.h"
#include "transform/price_name.h"

#define MICROS 1000000                    /* a dollar */
#define DOLLARS_MAX 1000000               /* for a million tokens: more is a slip of the pen */
#define DAY 86400
#define TIER_MOST 48                      /* bytes of a tier's word */

/* Where we are: for messages. */
struct place {
	struct str name;
	uint64_t line;
	struct str text; /* the line */
};

enum column {
	COLUMN_PROVIDER,
	COLUMN_MODEL,
	COLUMN_FROM,
	COLUMN_OVER,
	COLUMN_PRICES,
	COLUMN_SOURCE = COLUMN_PRICES + PRICE_KINDS, /* may be left out */
};

static const char *const column_names[] = { "provider",   "model",          "from",          "over", "input", "output",
					    "cache_read", "cache_write_5m", "cache_write_1h" };

/* From 1, in characters. */
static size_t column_of(const struct place *at, const char *where)
{
	size_t column = 1;

	for (const char *p = at->text.p; p < where; p++)
		column += !utf8_is_tail(*p);
	return column;
}

/* Always false with ERR_DATA. Shows at most 40 bytes of the field. */
static bool fault(const struct place *at, struct str field, size_t c, struct err *err, const char *expected)
{
	return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ":%zu: %s \"%.*s%s\" should be %s", STR_ARG(at->name), at->line,
		       column_of(at, field.p), column_names[c], (int)(field.n < 40 ? field.n : 40), field.p,
		       field.n > 40 ? "..." : "", expected);
}

static bool fault_end(const struct place *at, const char *where, const char *missing, struct err *err)
{
	return err_set(err, ERR_DATA,
		       "%.*s:%" PRIu64 ":%zu: the row ends before %s; nine tab-separated fields are expected",
		       STR_ARG(at->name), at->line, column_of(at, where), missing);
}

/* 2025-09-29, by the reader of time stamps, which knows how long months are. */
static bool parse_day(struct str s, int64_t *day)
{
	char text[] = "0000-00-00T00:00:00Z";
	struct stamp t;

	if (s.n != 10)
		return false;
	memcpy(text, s.p, s.n);
	if (!stamp_parse(str_from(text), &t))
		return false;
	*day = t.seconds / DAY; /* midnight: exact, also before 1970 */
	return true;
}

/* Digits with at most six after a point. */
static bool parse_micros(struct str s, uint64_t *out)
{
	struct str part, whole = str_cut(s, '.', &part);
	uint64_t dollars, micros = 0;

	if (!num_parse_u64(whole, &dollars) || dollars > DOLLARS_MAX || part.n > 6)
		return false;
	if (part.n == 0 && whole.n < s.n)
		return false; /* "1." */
	for (size_t i = 0; i < 6; i++) {
		if (i < part.n && !ascii_is_digit(part.p[i]))
			return false;
		micros = micros * 10 + (i < part.n ? (uint64_t)(part.p[i] - '0') : 0);
	}
	*out = dollars * MICROS + micros;
	return true;
}

static bool parse_name(struct arena *a, const struct place *at, struct str field, size_t c, struct str *out,
		       struct err *err)
{
	char folded[PRICE_NAME_MAX];
	struct str s = c == COLUMN_MODEL ? price_name_fold(folded, field) : price_name_provider(folded, field);

	if (s.n == 0)
		return fault(at, field, c, err, "a name of at most 96 characters");
	*out = arena_copy(a, s);
	return true;
}

/* A tier's word: small letters, digits, '_', '-', and '+' between several. */
static bool parse_tier(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!(ascii_is_digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'z') || memchr("_-+", s.p[i], 3)))
			return false;
	return s.n > 0 && s.n <= TIER_MOST && !ascii_is_digit(s.p[0]) && s.p[0] != '-';
}

/* "-", "200000", "batch" or "batch:200000": a size alone is as it was before there were tiers. */
static bool parse_over(struct arena *a, struct str s, struct price_row *row)
{
	struct str size = { NULL, 0 }, tier;

	if (str_eq(s, STR("-")) || num_parse_u64(s, &row->over))
		return true;
	tier = str_cut(s, ':', &size);
	if (!parse_tier(tier) || (tier.n < s.n && !num_parse_u64(size, &row->over)))
		return false;
	row->tier = arena_copy(a, tier);
	return true;
}

/* "-" in `over` means any size (0), in a price that it is not known; an empty field is a slip, and refused. */
static bool parse_field(struct arena *a, const struct place *at, struct str field, size_t c, struct price_row *row,
			struct err *err)
{
	bool unknown = str_eq(field, STR("-"));

	if (field.n == 0)
		return fault(at, field, c, err, "given; \"-\" says that it is not known");
	switch (c) {
	case COLUMN_PROVIDER:
		return parse_name(a, at, field, c, &row->provider, err);
	case COLUMN_MODEL:
		return parse_name(a, at, field, c, &row->model, err);
	case COLUMN_FROM:
		return parse_day(field, &row->from) || fault(at, field, c, err, "a day, as in 2025-09-29");
	case COLUMN_OVER:
		return parse_over(a, field, row) ||
		       fault(at, field, c, err, "a number of tokens, \"-\" for requests of any size, or a tier, as in "
						"batch or batch:200000");
	default:
		row->micros[c - COLUMN_PRICES] = PRICE_UNKNOWN;
		return unknown || parse_micros(field, &row->micros[c - COLUMN_PRICES]) ||
		       fault(at, field, c, err, "dollars for a million tokens, with at most six decimals, or \"-\"");
	}
}

/* Fields beyond the ninth, the source and remarks, are not read. */
static bool parse_row(struct arena *a, const struct place *at, struct price_row *row, struct err *err)
{
	struct str rest = at->text;

	row->line = at->line;
	for (size_t c = 0; c < COLUMN_SOURCE; c++) {
		struct str whole = rest, field = str_cut(rest, '\t', &rest);
		bool last = field.n == whole.n;
		struct str trimmed = str_trim(field);

		if (trimmed.n == 0)
			trimmed = str_of(field.p, 0);
		if (!parse_field(a, at, trimmed, c, row, err))
			return false;
		if (last && c + 1 < COLUMN_SOURCE)
			return fault_end(at, field.p + field.n, column_names[c + 1], err);
	}
	return true;
}

static bool is_row(struct str line)
{
	struct str s = str_trim(line);

	return s.n > 0 && s.p[0] != '#';
}

int price_table_compare(const struct price_row *a, const struct price_row *b)
{
	int order = str_cmp(a->model, b->model);

	if (order == 0)
		order = str_cmp(a->provider, b->provider);
	if (order == 0)
		order = str_cmp(a->tier, b->tier);
	if (order == 0)
		order = (a->from > b->from) - (a->from < b->from);
	return order ? order : (a->over > b->over) - (a->over < b->over);
}

/* Rows that say the same are in the order of their lines, so that check_twice blames the later one. */
static int compare_rows(const void *a, const void *b)
{
	int order = price_table_compare(a, b);
	const struct price_row *x = a, *y = b;

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Two rows for the same: the later of them is the one to blame. */
static bool check_twice(const struct price_rows *rows, struct str name, struct err *err)
{
	for (size_t i = 1; i < rows->count; i++) {
		const struct price_row *first = &rows->row[i - 1], *again = &rows->row[i];

		if (price_table_compare(first, again) == 0)
			return err_set(err, ERR_DATA,
				       "%.*s:%" PRIu64 ":1: the same model, tier, day and size as in line %" PRIu64,
				       STR_ARG(name), again->line, first->line);
	}
	return true;
}

bool price_table_parse(struct arena *a, struct str text, struct str name, struct price_rows *out, struct err *err)
{
	struct str left;
	struct place at = { .name = name };
	size_t count = 0;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_skip(text, 3);
	if (str_has(text, STR("\xef\xbb\xbf"))) /* no part of a name, and invisible */
		return err_set(err, ERR_DATA, "%.*s: a byte order mark stands inside the file", STR_ARG(name));
	for (left = text; left.n > 0;)
		count += is_row(str_cut(left, '\n', &left));
	out->row = arena_array(a, struct price_row, count);
	out->count = 0;
	for (left = text; left.n > 0;) {
		at.line++;
		at.text = str_cut(left, '\n', &left);
		if (is_row(at.text) && !parse_row(a, &at, &out->row[out->count++], err))
			return false;
	}
	if (count > 1)
		qsort(out->row, count, sizeof(out->row[0]), compare_rows);
	return check_twice(out, name, err);
}

struct str price_table_digest(struct arena *a, const struct price_rows *rows)
{
	char *out = arena_alloc(a, 7 + SHA256_HEX, 1);
	struct sha256 s;
	struct buf b;

	sha256_init(&s);
	buf_init(&b);
	for (size_t i = 0; i < rows->count; i++) {
		const struct price_row *r = &rows->row[i];

		buf_printf(&b, "%.*s\t%.*s\t%" PRId64 "\t%" PRIu64, STR_ARG(r->provider), STR_ARG(r->model), r->from,
			   r->over);
		if (r->tier.n) /* a table without tiers has the digest that it always had */
			buf_printf(&b, "\t%.*s", STR_ARG(r->tier));
		for (size_t k = 0; k < PRICE_KINDS; k++) {
			if (r->micros[k] == PRICE_UNKNOWN)
				buf_add_str(&b, STR("\t-"));
			else
				buf_printf(&b, "\t%" PRIu64, r->micros[k]);
		}
		buf_add_byte(&b, '\n');
	}
	memcpy(out, "sha256:", 7);
	digest_hex(out + 7, sha256_of(&s, buf_str(&b)));
	buf_free(&b);
	sha256_free(&s);
	return str_of(out, 7 + SHA256_HEX);
}
