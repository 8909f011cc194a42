/* Goes from word to word, and tries at each the types that can begin there. */
#include "replay/volatile.h"

#include "base/ascii.h"
#include "base/clock.h"
#include "base/num.h"

#define VOLATILE_HEX_LEAST 16
#define VOLATILE_ULID_SIZE 26
#define VOLATILE_UUID_SIZE 36
#define VOLATILE_DATE_SIZE 10
#define VOLATILE_NANOS 9 /* digits of a fraction that count */

const char *volatile_name(enum volatile_type type)
{
	static const char *const names[] = {
		[VOLATILE_UUID] = "uuid", [VOLATILE_ULID] = "ulid", [VOLATILE_RFC3339] = "rfc3339",
		[VOLATILE_DATE] = "date", [VOLATILE_EPOCH] = "epoch", [VOLATILE_PATH] = "tmp_path",
		[VOLATILE_PORT] = "port", [VOLATILE_HEX] = "hex",
	};

	assert(type < COUNT(names));
	return names[type];
}

bool volatile_is_near(const struct volatile_text *t, int64_t clock_us)
{
	int64_t from, to;

	if (!t->is_time)
		return true;
	if (__builtin_sub_overflow(clock_us, VOLATILE_NEAR_US, &from) ||
	    __builtin_add_overflow(clock_us, VOLATILE_NEAR_US, &to))
		return false;
	return t->us >= from && t->us <= to;
}

/* ---- pieces of text ---- */

static char volatile_at(struct str s, size_t at)
{
	return at < s.n ? s.p[at] : '\0';
}

/* A token ends here: what follows is no part of a word. */
static bool volatile_ends(struct str s, size_t at)
{
	return at <= s.n && !ascii_is_alnum(volatile_at(s, at));
}

static size_t volatile_run(struct str s, size_t at, bool (*is)(char))
{
	size_t end = at;

	while (end < s.n && is(s.p[end]))
		end++;
	return end;
}

static bool volatile_has_prefix(struct str s, size_t at, struct str prefix)
{
	return str_starts(str_skip(s, at), prefix);
}

/* Whether the text fits: 'd' stands for a digit, 'x' for a hexadecimal one, anything else for itself. */
static bool volatile_fits(struct str s, size_t at, const char *form)
{
	for (size_t i = 0; form[i]; i++) {
		char c = volatile_at(s, at + i);

		if (form[i] == 'd' ? !ascii_is_digit(c) : form[i] == 'x' ? !ascii_is_hex(c) : c != form[i])
			return false;
	}
	return true;
}

/* ---- identifiers ---- */

static bool volatile_find_uuid(struct str s, size_t at, struct volatile_text *out)
{
	if (!volatile_fits(s, at, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") || !volatile_ends(s, at + VOLATILE_UUID_SIZE))
		return false;
	*out = (struct volatile_text){ .type = VOLATILE_UUID, .from = at, .end = at + VOLATILE_UUID_SIZE, .mask = at };
	return true;
}

struct volatile_count {
	size_t digits, lower, upper, hex, odd;
};

static struct volatile_count volatile_count_in(struct str s, size_t at, size_t end)
{
	struct volatile_count n = { 0 };

	for (; at < end; at++) {
		char c = s.p[at];

		n.digits += ascii_is_digit(c);
		n.lower += ascii_is_lower(c);
		n.upper += ascii_is_upper(c);
		n.hex += ascii_is_hex(c);
		n.odd += ascii_is_one_of(c, "iloILOuU"); /* which Crockford's base 32 has not */
	}
	return n;
}

/*
 * A whole word of letters and digits: hexadecimal, or a ULID. What could be both is hexadecimal, so that two ids of one
 * maker are never of two types.
 */
static bool volatile_find_word(struct str s, size_t at, size_t end, struct volatile_text *out)
{
	size_t n = end - at;
	struct volatile_count c;

	if (n < VOLATILE_HEX_LEAST)
		return false;
	c = volatile_count_in(s, at, end);
	if (c.digits == 0 || c.digits == n)
		return false;
	*out = (struct volatile_text){ .type = VOLATILE_HEX, .from = at, .end = end, .mask = at };
	if (c.hex == n)
		return true;
	out->type = VOLATILE_ULID;
	return n == VOLATILE_ULID_SIZE && c.odd == 0 && s.p[at] <= '7' && (c.lower == 0 || c.upper == 0);
}

/* ---- times ---- */

/* Where the offset of a date-time ends that may begin here; `at` when there is none. */
static size_t volatile_offset_end(struct str s, size_t at)
{
	char c = volatile_at(s, at);

	if (c == 'Z' || c == 'z')
		return at + 1;
	if (volatile_fits(s, at + 1, "dd:dd") && (c == '+' || c == '-'))
		return at + 6;
	if (volatile_fits(s, at + 1, "dddd") && (c == '+' || c == '-'))
		return at + 5;
	return at;
}

/* The date and time in the one form that the clock reads. */
static bool volatile_read_time(struct str s, size_t at, size_t seconds, size_t offset, size_t end, int64_t *us)
{
	char text[48];
	size_t n = 0, fraction = seconds && seconds < offset ? offset - seconds : 0;
	struct stamp stamp;
	int64_t ns;

	memcpy(text, s.p + at, 16); /* YYYY-MM-DDTHH:MM */
	text[10] = 'T';
	memcpy(text + 16, seconds ? s.p + at + 16 : ":00", 3);
	n = 19;
	if (fraction > 1) {
		fraction = fraction > VOLATILE_NANOS + 1 ? VOLATILE_NANOS + 1 : fraction;
		text[n] = '.';
		memcpy(text + n + 1, s.p + seconds + 1, fraction - 1);
		n += fraction;
	}
	if (end - offset >= 5) {
		memcpy(text + n, s.p + offset, 3);
		text[n + 3] = ':';
		memcpy(text + n + 4, s.p + end - 2, 2);
		n += 6;
	} else {
		text[n++] = 'Z';
	}
	if (!stamp_parse(str_of(text, n), &stamp) || !stamp_ns(&stamp, &ns))
		return false;
	*us = ns / 1000;
	return true;
}

static bool volatile_find_date_time(struct str s, size_t at, struct volatile_text *out)
{
	size_t end = at + 16, seconds = 0, offset;
	char between = volatile_at(s, at + VOLATILE_DATE_SIZE);

	if ((between != 'T' && between != 't' && between != ' ') || !volatile_fits(s, at + 11, "dd:dd"))
		return false;
	if (volatile_fits(s, end, ":dd")) {
		seconds = end += 3;
		if (ascii_is_one_of(volatile_at(s, end), ".,") && ascii_is_digit(volatile_at(s, end + 1)))
			end = volatile_run(s, end + 1, ascii_is_digit);
	}
	offset = end;
	end = volatile_offset_end(s, offset);
	*out = (struct volatile_text){
		.type = VOLATILE_RFC3339, .from = at, .end = end, .mask = at, .is_time = true,
	};
	return volatile_ends(s, end) && volatile_read_time(s, at, seconds, offset, end, &out->us);
}

static bool volatile_find_date(struct str s, size_t at, struct volatile_text *out)
{
	char text[20 + 1] = "YYYY-MM-DDT12:00:00Z";
	struct stamp stamp;

	if (!volatile_fits(s, at, "dddd-dd-dd"))
		return false;
	if (volatile_find_date_time(s, at, out))
		return true;
	memcpy(text, s.p + at, VOLATILE_DATE_SIZE);
	if (!volatile_ends(s, at + VOLATILE_DATE_SIZE) || !stamp_parse(str_of(text, 20), &stamp))
		return false;
	*out = (struct volatile_text){
		.type = VOLATILE_DATE, .from = at, .end = at + VOLATILE_DATE_SIZE, .mask = at, .is_time = true,
		.us = stamp.seconds * 1000000,
	};
	return true;
}

/* Digits between other borders than those of a fraction. */
static bool volatile_find_epoch(struct str s, size_t at, size_t end, struct volatile_text *out)
{
	static const struct { size_t digits; uint64_t over, times; } units[] = {
		{ 10, 1, 1000000 }, { 13, 1, 1000 }, { 16, 1, 1 }, { 19, 1000, 1 },
	};
	uint64_t value;

	if (!num_parse_u64(str_of(s.p + at, end - at), &value))
		return false;
	if (at >= 2 && s.p[at - 1] == '.' && ascii_is_digit(s.p[at - 2]))
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (end - at != units[i].digits)
			continue;
		*out = (struct volatile_text){
			.type = VOLATILE_EPOCH, .from = at, .end = end, .mask = at, .is_time = true,
			.us = (int64_t)(value / units[i].over * units[i].times),
		};
		if (i < 2 && volatile_at(s, end) == '.' && ascii_is_digit(volatile_at(s, end + 1)))
			out->end = volatile_run(s, end + 1, ascii_is_digit);
		return volatile_ends(s, out->end);
	}
	return false;
}

/* ---- places ---- */

static bool volatile_find_port(struct str s, size_t at, struct volatile_text *out)
{
	static const struct { const char *p; size_t n; } hosts[] = {
		{ "localhost:", 10 }, { "127.0.0.1:", 10 }, { "[::1]:", 6 },
	};
	uint64_t port;
	size_t from, end;

	for (size_t i = 0; i < COUNT(hosts); i++) {
		if (!volatile_has_prefix(s, at, str_of(hosts[i].p, hosts[i].n)))
			continue;
		from = at + hosts[i].n;
		end = volatile_run(s, from, ascii_is_digit);
		*out = (struct volatile_text){ .type = VOLATILE_PORT, .from = at, .end = end, .mask = from };
		return volatile_ends(s, end) && num_parse_u64(str_of(s.p + from, end - from), &port) && port > 0 &&
		       port <= 65535;
	}
	return false;
}

static bool volatile_is_file_name(char c)
{
	return ascii_is_name(c) || ascii_is_one_of(c, "+@=~%") || (unsigned char)c >= 0x80;
}

static bool volatile_is_made_up(char c)
{
	return ascii_is_digit(c) || ascii_is_lower(c) || ascii_is_upper(c) || c == '_';
}

/*
 * The names that Python's tempfile and mktemp make, below another one: with a TMPDIR of its own nothing else tells
 * what a program made up there. Where they end; `at` when there is none.
 */
static size_t volatile_skip_made_up(struct str s, size_t at)
{
	static const struct { const char *p; size_t n, more; } forms[] = { { "/tmp.", 5, 10 }, { "/tmp", 4, 8 } };

	for (size_t i = 0; i < COUNT(forms); i++) {
		size_t from = at + forms[i].n, end;

		if (!volatile_has_prefix(s, at, str_of(forms[i].p, forms[i].n)))
			continue;
		end = volatile_run(s, from, volatile_is_made_up);
		if (end == from + forms[i].more && !volatile_is_file_name(volatile_at(s, end)))
			return end;
	}
	return at;
}

/* Below a directory of the system for temporary files, the name that a program made up. */
static bool volatile_find_path(struct str s, size_t at, struct volatile_text *out)
{
	static const struct { const char *p; size_t n, more; } roots[] = {
		{ "/tmp/", 5, 0 }, { "/var/tmp/", 9, 0 }, { "/private/tmp/", 13, 0 },
		{ "/var/folders/", 13, 3 }, { "/private/var/folders/", 21, 3 }, /* two names of the user's, and T */
	};
	size_t mask, end;

	if (at > 0 && (volatile_is_file_name(s.p[at - 1]) || (at >= 4 && memcmp(s.p + at - 4, "<ws>", 4) == 0)))
		return false;
	for (size_t i = 0; i < COUNT(roots); i++) {
		if (!volatile_has_prefix(s, at, str_of(roots[i].p, roots[i].n)))
			continue;
		mask = at + roots[i].n;
		end = volatile_run(s, mask, volatile_is_file_name);
		for (size_t j = 0; j < roots[i].more && end > mask && volatile_at(s, end) == '/'; j++)
			end = volatile_run(s, end + 1, volatile_is_file_name);
		while (end > mask && (s.p[end - 1] == '.' || s.p[end - 1] == '/'))
			end--; /* of the sentence */
		end = end > mask ? volatile_skip_made_up(s, end) : end;
		*out = (struct volatile_text){ .type = VOLATILE_PATH, .from = at, .end = end, .mask = mask };
		return end > mask;
	}
	return false;
}

/* ---- the walk ---- */

/* Behind an escape, however often it was escaped itself. */
static size_t volatile_skip_escape(struct str s, size_t at)
{
	while (volatile_at(s, at) == '\\')
		at++;
	if (ascii_is_one_of(volatile_at(s, at), "nrtbf"))
		return at + 1;
	return volatile_fits(s, at, "uxxxx") ? at + 5 : at;
}

/* What begins at the first byte of a word. *end gets where the scan goes on when nothing does. */
static bool volatile_find_in_word(struct str s, size_t at, size_t *end, struct volatile_text *out)
{
	*end = volatile_run(s, at, ascii_is_alnum);
	if (*end - at == 8 && volatile_find_uuid(s, at, out))
		return true;
	if (*end - at == 4 && volatile_fits(s, at, "dddd-dd-dd"))
		return volatile_find_date(s, at, out);
	if (s.p[at] == 'l' || s.p[at] == '1')
		if (volatile_find_port(s, at, out))
			return true;
	return volatile_find_epoch(s, at, *end, out) || volatile_find_word(s, at, *end, out);
}

bool volatile_next(struct volatile_scan *s, struct volatile_text *out)
{
	struct str text = s->text;
	size_t at = s->at, end;

	while (at < text.n) {
		char c = text.p[at];
		bool found = false;

		end = at + 1;
		if (c == '\\')
			end = volatile_skip_escape(text, at);
		else if (c == '/')
			found = volatile_find_path(text, at, out);
		else if (c == '[')
			found = volatile_find_port(text, at, out);
		else if (ascii_is_alnum(c))
			found = volatile_find_in_word(text, at, &end, out);
		if (found) {
			assert(out->from >= s->at && out->from <= out->mask && out->mask < out->end);
			assert(out->end <= text.n);
			s->at = out->end;
			return true;
		}
		at = end;
	}
	s->at = at;
	return false;
}
