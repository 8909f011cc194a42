/*
 * Reads times as foreign logs write them. A text that OTUTL would take passes as it stands; any other is made such a
 * text, and the original goes to the rest.
 */
#include "base/ascii.h"
#include "base/clock.h"
#include "dialect/reading/reading.h"

#define NS 1000000000

static unsigned digits_for(uint32_t nanos)
{
	return nanos % 1000 ? 9 : nanos % 1000000 ? 6 : 3;
}

static struct moment make(struct reading *r, int64_t seconds, uint32_t nanos, enum moment_source source)
{
	struct stamp s = { .seconds = seconds, .nanos = nanos };
	struct moment m = { .source = (uint8_t)source };
	char text[36];

	if (!stamp_ns(&s, &m.ns))
		return (struct moment){ 0 };
	m.text = arena_copy(r->arena, str_of(text, stamp_format(text, seconds, nanos, digits_for(nanos))));
	return m;
}

struct moment reading_moment(struct reading *r, int64_t ns, enum moment_source source)
{
	int64_t seconds = ns / NS, left = ns % NS;

	if (left < 0) {
		left += NS;
		seconds--;
	}
	return make(r, seconds, (uint32_t)left, source);
}

static size_t digits_at(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && ascii_is_digit(s.p[at + n]))
		n++;
	return n;
}

/* "+0200" and "+02" as "+02:00"; "", " UTC" and "Z" as "Z". False when it is no offset. */
static bool add_offset(struct buf *b, struct str rest)
{
	rest = str_trim(rest);
	if (rest.n == 0 || str_eq(rest, STR("Z")) || str_eq(rest, STR("z")) || str_eq(rest, STR("UTC")) ||
	    str_eq(rest, STR("GMT"))) {
		buf_add_byte(b, 'Z');
		return true;
	}
	if ((rest.p[0] != '+' && rest.p[0] != '-') || digits_at(rest, 1) < 2)
		return false;
	buf_add(b, rest.p, 3);
	buf_add_byte(b, ':');
	if (rest.n == 3)
		buf_add(b, "00", 2);
	else if (rest.n == 5 && digits_at(rest, 1) == 4)
		buf_add(b, rest.p + 3, 2);
	else if (rest.n == 6 && rest.p[3] == ':')
		buf_add(b, rest.p + 4, 2);
	else
		return false;
	return true;
}

/* A date and time that is nearly RFC 3339, made so. */
static bool parse_loose(struct str text, struct stamp *out)
{
	struct buf b = { 0 };
	size_t at = 19, n;
	bool good = false;

	text = str_trim(text);
	if (text.n < 19 || text.n > 64)
		return false;
	buf_add(&b, text.p, 10);
	buf_add_byte(&b, 'T');
	buf_add(&b, text.p + 11, 8);
	if (text.p[10] == 'T' || text.p[10] == 't' || text.p[10] == ' ') {
		if (at < text.n && (text.p[at] == '.' || text.p[at] == ',')) {
			n = digits_at(text, at + 1);
			buf_add_byte(&b, '.');
			buf_add(&b, text.p + at + 1, n < 9 ? n : 9);
			at += 1 + n;
			good = n > 0;
		} else {
			good = true;
		}
		good = good && add_offset(&b, str_of(text.p + at, text.n - at)) && stamp_parse(buf_str(&b), out);
	}
	buf_free(&b);
	return good;
}

/* Digits with a fraction or without: seconds, or smaller units by how large it is. */
static bool parse_number(struct str text, int64_t *seconds, uint32_t *nanos)
{
	static const struct { uint64_t below, per_second; } units[] = {
		{ 100000000000, 1 }, { 100000000000000, 1000 }, { 100000000000000000, 1000000 }, { UINT64_MAX, NS },
	};
	size_t whole = digits_at(text, 0), i = 0;
	uint64_t n, scale, fraction = 0;

	if (!num_parse_u64(str_of(text.p, whole), &n))
		return false;
	while (i + 1 < COUNT(units) && n >= units[i].below)
		i++;
	scale = NS / units[i].per_second; /* nanoseconds of one unit */
	if (whole < text.n) {
		if (text.p[whole] != '.' || whole + 1 + digits_at(text, whole + 1) != text.n)
			return false;
		for (size_t k = whole + 1; k < text.n && scale > 1; k++) {
			scale /= 10;
			fraction += (uint64_t)(text.p[k] - '0') * scale;
		}
	}
	*seconds = (int64_t)(n / units[i].per_second);
	*nanos = (uint32_t)(n % units[i].per_second * (NS / units[i].per_second) + fraction);
	return true;
}

struct moment reading_time_text(struct reading *r, struct str text)
{
	struct stamp s;
	int64_t seconds;
	uint32_t nanos;

	if (text.n && digits_at(text, 0) != 4 && parse_number(text, &seconds, &nanos))
		return make(r, seconds, nanos, MOMENT_VENDOR);
	if (parse_loose(text, &s) && !s.leap)
		return make(r, s.seconds, s.nanos, MOMENT_VENDOR);
	return (struct moment){ 0 };
}

/* As it stands, when OTUTL would take it without a word. */
static bool take_exact(struct reading *r, struct str text, struct moment *out)
{
	struct stamp s;

	if (!stamp_parse(text, &s) || s.digits < 3 || s.digits > 9 || s.leap || s.lower || s.unknown_offset ||
	    !stamp_ns(&s, &out->ns))
		return false;
	out->text = arena_copy(r->arena, text);
	out->source = MOMENT_VENDOR;
	return true;
}

/* Only a text that stays as it is gets marked; whatever was changed is still to be kept. */
struct moment reading_time_of(struct reading *r, struct val v)
{
	struct moment m = { 0 };
	struct str text;

	if (r->lean || (!val_is(v, JSON_STRING) && !val_is(v, JSON_NUMBER)))
		return m;
	text = val_is(v, JSON_STRING) ? val_text(v, r->arena) : val_raw(v);
	if (val_is(v, JSON_STRING) && take_exact(r, text, &m)) {
		reading_take(r, v);
		return m;
	}
	return reading_time_text(r, text);
}

struct moment reading_time(struct reading *r, struct val object, struct str name)
{
	return reading_time_of(r, val_get(object, name));
}
