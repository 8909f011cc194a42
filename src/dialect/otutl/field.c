/*
 * Tables for names, and hand-written checks for values: each line of a log passes here, so nothing allocates but
 * texts with escapes.
 */
#include "dialect/otutl/field.h"

#include "base/ascii.h"
#include "base/utf8.h"

#define NAME(literal) { (literal), sizeof(literal) - 1 }

struct member_name {
	struct str name;
	enum otutl_member member;
};

#define SAME_LENGTH 6 /* the most names of one length */

/* By length, so that a name is compared with a few others at most. */
static const struct member_name member_names[][SAME_LENGTH] = {
	[2] = { { NAME("ts"), OTUTL_M_TS } },
	[3] = { { NAME("seq"), OTUTL_M_SEQ }, { NAME("ext"), OTUTL_M_EXT } },
	[4] = { { NAME("type"), OTUTL_M_TYPE }, { NAME("tool"), OTUTL_M_TOOL }, { NAME("args"), OTUTL_M_ARGS },
		{ NAME("cost"), OTUTL_M_VARYING } },
	[5] = { { NAME("usage"), OTUTL_M_VARYING } },
	[6] = { { NAME("run_id"), OTUTL_M_RUN_ID }, { NAME("result"), OTUTL_M_RESULT },
		{ NAME("chunks"), OTUTL_M_CHUNKS }, { NAME("totals"), OTUTL_M_VARYING },
		{ NAME("source"), OTUTL_M_VARYING }, { NAME("budget"), OTUTL_M_BUDGET } },
	[7] = { { NAME("call_id"), OTUTL_M_CALL_ID }, { NAME("step_id"), OTUTL_M_VARYING },
		{ NAME("request"), OTUTL_M_CONTENT }, { NAME("ttft_ms"), OTUTL_M_TTFT } },
	[8] = { { NAME("call_ids"), OTUTL_M_CALL_IDS }, { NAME("response"), OTUTL_M_CONTENT },
		{ NAME("endpoint"), OTUTL_M_VARYING } },
	[10] = { { NAME("latency_ms"), OTUTL_M_LATENCY }, { NAME("request_id"), OTUTL_M_VARYING },
		 { NAME("started_at"), OTUTL_M_VARYING } },
	[11] = { { NAME("duration_ms"), OTUTL_M_DURATION }, { NAME("response_id"), OTUTL_M_VARYING } },
	[13] = { { NAME("vendor_run_id"), OTUTL_M_VARYING }, { NAME("retrieval_set"), OTUTL_M_RETRIEVAL_SET } },
	[14] = { { NAME("parent_call_id"), OTUTL_M_PARENT } },
};

enum otutl_member otutl_member_of(struct str name)
{
	if (name.n >= COUNT(member_names))
		return OTUTL_M_OTHER;
	for (size_t i = 0; i < SAME_LENGTH && member_names[name.n][i].name.n; i++)
		if (memcmp(member_names[name.n][i].name.p, name.p, name.n) == 0)
			return member_names[name.n][i].member;
	return OTUTL_M_OTHER;
}

static const struct str type_names[OTUTL_TYPES] = {
	[OTUTL_RUN_START] = NAME("run_start"),
	[OTUTL_MODEL_STEP] = NAME("model_step"),
	[OTUTL_TOOL_CALL] = NAME("tool_call"),
	[OTUTL_TOOL_RESULT] = NAME("tool_result"),
	[OTUTL_COST] = NAME("cost"),
	[OTUTL_ERROR] = NAME("error"),
	[OTUTL_RUN_END] = NAME("run_end"),
};

enum otutl_type otutl_type_of(struct str text)
{
	for (int i = OTUTL_OTHER + 1; i < OTUTL_TYPES; i++)
		if (str_eq(text, type_names[i]))
			return (enum otutl_type)i;
	return OTUTL_OTHER;
}

struct str otutl_type_name(enum otutl_type type)
{
	return type_names[type];
}

bool otutl_check_ts(struct str text, struct stamp *out, const char **odd, const char **why)
{
	if (!stamp_parse(text, out)) {
		*why = "is not an RFC 3339 time";
		return false;
	}
	if (out->digits < 3) {
		*why = "has fewer than three digits of fraction";
		return false;
	}
	*odd = out->leap ? "names a leap second"
	       : out->unknown_offset ? "has the offset -00:00, which means that the local offset is unknown"
	       : out->lower ? "has a lower-case t or z"
	       : out->digits > 9 ? "has more than nine digits of fraction"
				 : NULL;
	return true;
}

bool otutl_check_run_id(struct str text, struct id *out, const char **why)
{
	if (!id_parse_uuid(text, out)) {
		*why = "is not a UUID";
		return false;
	}
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] >= 'A' && text.p[i] <= 'F') {
			*why = "has upper-case digits, which would change the hash";
			return false;
		}
	}
	*why = id_uuid_version(*out) != 7 ? "is a UUID of another version than 7" : "is a UUID of another variant";
	return id_uuid_version(*out) == 7 && id_uuid_variant_ok(*out);
}

/* ---- URIs ---- */

/* Unreserved characters and sub-delims: allowed everywhere after the scheme. */
static bool otutl_field_is_plain(char c)
{
	return ascii_is_alnum(c) || ascii_is_one_of(c, "-._~!$&'()*+,;=");
}

/* Only plain characters, those of `also` and %HH. */
static bool is_made_of(struct str s, const char *also, const char **why)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '%') {
			if (s.n - i < 3 || !ascii_is_hex(s.p[i + 1]) || !ascii_is_hex(s.p[i + 2])) {
				*why = "has a % that is not followed by two hexadecimal digits";
				return false;
			}
			i += 2;
		} else if (!otutl_field_is_plain(c) && !ascii_is_one_of(c, also)) {
			*why = c == ' ' ? "has a space" : "has a character that URIs do not have there";
			return false;
		}
	}
	return true;
}

/*
 * A name or a bracketed address, then perhaps a port. *why is set before the check that it is about, so it may be
 * set on success too.
 */
static bool check_host(struct str host, const char **why)
{
	struct str port = { NULL, 0 };

	if (host.n && host.p[0] == '[') {
		struct str inside = str_cut(host, ']', &port);

		if (!is_made_of(str_of(inside.p + 1, inside.n - 1), ":", why))
			return false;
		*why = "has a bracketed host that is not closed";
		if (inside.n == host.n)
			return false;
	} else {
		struct str name = str_cut(host, ':', &port);

		if (!is_made_of(name, "", why))
			return false;
		port = str_of(host.p + name.n, host.n - name.n);
	}
	*why = "has a port that is not a number";
	for (size_t i = 0; i < port.n; i++)
		if (i == 0 ? port.p[0] != ':' : !ascii_is_digit(port.p[i]))
			return false;
	return true;
}

/* *secret: the user part has a colon, so a password follows the name. */
static bool check_authority(struct str authority, bool *secret, const char **why)
{
	struct str host, user = str_cut(authority, '@', &host);

	if (user.n == authority.n)
		return check_host(authority, why);
	*secret = memchr(user.p, ':', user.n) != NULL;
	return is_made_of(user, ":", why) && check_host(host, why);
}

/* 0 when the text does not begin with a scheme and its colon. */
static size_t scheme_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && (ascii_is_alpha(s.p[n]) ||
			   (n > 0 && (ascii_is_digit(s.p[n]) || s.p[n] == '+' || s.p[n] == '-' || s.p[n] == '.'))))
		n++;
	return n < s.n && s.p[n] == ':' ? n : 0;
}

bool otutl_check_tool(struct str text, bool *secret, const char **why)
{
	size_t n = scheme_length(text);
	struct str rest, before, query, fragment;

	*secret = false;
	if (n == 0) {
		*why = "is not a URI with a scheme";
		return false;
	}
	before = str_cut(str_of(text.p + n + 1, text.n - n - 1), '#', &fragment);
	rest = str_cut(before, '?', &query);
	if (str_starts(rest, STR("//"))) {
		struct str path, authority = str_cut(str_of(rest.p + 2, rest.n - 2), '/', &path);

		if (!check_authority(authority, secret, why))
			return false;
		rest = path;
	}
	return is_made_of(rest, ":@/", why) && is_made_of(query, ":@/?", why) && is_made_of(fragment, ":@/?", why);
}

/* ---- characters ---- */

static bool is_nonchar(uint32_t code)
{
	return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* The first noncharacter before `end` that has `byte` in it; `end` when there is none. */
static size_t find_nonchar_with(struct str text, char byte, size_t end)
{
	size_t from = 0;
	const char *hit;

	while (from < end && (hit = memchr(text.p + from, byte, end - from))) {
		size_t at = (size_t)(hit - text.p), start = at;
		uint32_t code;

		while (start > 0 && utf8_is_tail(text.p[start]))
			start--;
		if (utf8_decode(text.p + start, text.n - start, &code) > 2 && is_nonchar(code))
			return start;
		from = at + 1;
	}
	return end;
}

/*
 * Every noncharacter has a byte BF (those that end in FFFE and FFFF) or EF (U+FDD0 to U+FDEF). Few
 * other characters have them, so that looking for a byte is all there is to do in most text.
 */
size_t otutl_find_nonchar(struct str text)
{
	return find_nonchar_with(text, '\xef', find_nonchar_with(text, '\xbf', text.n));
}

/* ---- digits ---- */

/* Steps over what is no significant digit; gives '\0' at the end of the digits. */
static char next_digit(struct str *s)
{
	while (s->n && !ascii_is_digit(s->p[0])) {
		if (s->p[0] == 'e' || s->p[0] == 'E')
			s->n = 0;
		else
			*s = str_of(s->p + 1, s->n - 1);
	}
	if (s->n == 0)
		return '\0';
	*s = str_of(s->p + 1, s->n - 1);
	return s->p[-1];
}

/* Zeros in front are not significant. */
static char first_digit(struct str *s)
{
	char c;

	do
		c = next_digit(s);
	while (c == '0');
	return c;
}

bool otutl_loses_digits(struct str text, struct str canonical)
{
	char a = first_digit(&text), b = first_digit(&canonical);

	while (a && b && a == b) {
		a = next_digit(&text);
		b = next_digit(&canonical);
	}
	/* what is left must be trailing zeros on either side */
	while (a == '0')
		a = next_digit(&text);
	while (b == '0')
		b = next_digit(&canonical);
	return a || b;
}

bool otutl_chunks_add_up(struct arena *a, struct val chunks, struct str result)
{
	struct val_iter it = val_begin(chunks);
	struct val chunk;
	bool any = false;

	while (val_next(&it, &chunk)) {
		struct val data = val_get(chunk, STR("data"));
		struct str piece = val_text_or_none(data, a);

		if (val_is_none(data))
			continue;
		any = true;
		if (!piece.p || !str_starts(result, piece))
			return false;
		result = str_of(result.p + piece.n, result.n - piece.n);
	}
	return !any || result.n == 0;
}
