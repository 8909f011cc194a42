/* What the variants share that is not hot: room for the tables, names that were not guessed, escapes, long numbers. */
#include "json/scan.h"

#include "json/text.h"

/* Grows without keeping what was there. */
static void *scan_fit(void *p, size_t *cap, size_t want, size_t size)
{
	if (*cap >= want)
		return p;
	mem_free(p);
	*cap = want + want / 4;
	return mem_alloc(*cap * size);
}

void scan_fit_index(struct scan *s)
{
	size_t want = (size_t)(s->to - s->from) + SCAN_SLACK + 64;

	/* At worst every byte is a place and every second one an escape; pages not touched cost nothing. */
	s->index = scan_fit(s->index, &s->index_cap, want, sizeof(*s->index));
	s->escapes = scan_fit(s->escapes, &s->escapes_cap, want / 2 + SCAN_SLACK, sizeof(*s->escapes));
}

void scan_fit_tape(struct scan *s)
{
	s->toks = scan_fit(s->toks, &s->tok_cap, s->index_count + 1, sizeof(*s->toks));
	s->rows = scan_fit(s->rows, &s->row_cap, s->index_count + 2, sizeof(*s->rows));
}

/* What may follow a backslash, and what that means for the string. */
static const uint8_t escape_flags[256] = {
	['"'] = JSON_ESCAPED,  ['\\'] = JSON_ESCAPED, ['b'] = JSON_ESCAPED, ['f'] = JSON_ESCAPED,
	['n'] = JSON_ESCAPED,  ['r'] = JSON_ESCAPED,  ['t'] = JSON_ESCAPED, ['/'] = JSON_ESCAPED | JSON_REWRITE,
	['u'] = JSON_ESCAPED | JSON_REWRITE | JSON_LONE, /* to be looked at more closely */
};

/* The \u escape at *e, and the one after it when they are a pair: how many entries that is, or 0. */
static uint32_t unicode_escape(const uint8_t *text, const uint32_t *e)
{
	uint32_t code = text_hex4(text + e[0] + 2);

	if (code < 0xd800 || (code > 0xdfff && code <= 0xffff))
		return 1;
	if (code > 0xdbff || e[1] != e[0] + 6 || text[e[1] + 1] != 'u')
		return 0; /* not hexadecimal, or lone: slow.c knows whether that is allowed */
	code = text_hex4(text + e[1] + 2);
	return code >= 0xdc00 && code <= 0xdfff ? 2 : 0;
}

bool scan_escapes(const uint8_t *text, const uint32_t **escapes, uint32_t q, uint8_t *flags)
{
	const uint32_t *e = *escapes;
	uint8_t found = 0;

	while (*e < q) {
		uint8_t f = escape_flags[text[*e + 1]];
		uint32_t entries = 1;

		if (f & JSON_LONE)
			entries = unicode_escape(text, e);
		if (f == 0 || entries == 0)
			return false;
		found |= f;
		e += entries;
	}
	*escapes = e;
	*flags |= (uint8_t)(found & ~JSON_LONE);
	return true;
}

static uint32_t back_over_space(const uint8_t *text, uint32_t e)
{
	while (scan_is_space(text[e - 1]))
		e--;
	return e;
}

/* The number of a name by its value, so that "a" and "\u0061" are one name. */
static uint32_t key_of(struct json_shapes *shapes, struct str raw, bool escaped)
{
	struct str name = raw;
	uint32_t key;
	char *copy;

	if (!escaped)
		return shapes_key(shapes, raw);
	copy = mem_alloc(raw.n);
	name = str_of(copy, text_unescape(copy, raw));
	key = shapes_key(shapes, name);
	mem_free(copy);
	return key;
}

bool scan_name(struct scan *s, const uint32_t *ix, const uint32_t **escapes, uint16_t *shape, struct json_tok *out)
{
	uint32_t k = ix[0], v = ix[1], e;
	uint8_t flags = 0;
	bool duplicate;
	uint16_t to;

	if (k >= s->to || s->text[k] != '"')
		return false;
	e = back_over_space(s->text, v);
	if (s->text[e - 1] != ':')
		return false;
	e = back_over_space(s->text, e - 1);
	if (s->text[e - 1] != '"' || e - 1 <= k)
		return false;
	if (**escapes < v && !scan_escapes(s->text, escapes, v, &flags))
		return false;
	*out = (struct json_tok){ .off = k + 1, .len = e - k - 2, .type = JSON_KEY, .flags = flags };
	out->link = key_of(s->shapes, str_of(s->text + out->off, out->len), flags & JSON_ESCAPED);
	to = shapes_step(s->shapes, *shape, out->link, &duplicate);
	if (duplicate)
		return false;
	if (!flags)
		shapes_guess(s->shapes, *shape, to, out->link, str_of(s->text + k, v - k), out->len);
	*shape = to;
	return true;
}

static size_t digits(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= '0' && p[i] <= '9')
		i++;
	return i;
}

bool scan_long_number(const uint8_t *p, size_t n, uint8_t *flags)
{
	size_t i = p[0] == '-', run = digits(p + i, n - i);

	*flags = JSON_REWRITE;
	if (run == 0 || (run > 1 && p[i] == '0'))
		return false;
	i += run;
	if (i == n) {
		*flags |= JSON_INTEGER;
		return true;
	}
	if (p[i] == '.') {
		run = digits(p + i + 1, n - i - 1);
		i += 1 + run;
		if (run == 0 || i == n)
			return run > 0;
	}
	if (p[i] != 'e' && p[i] != 'E')
		return false;
	i++;
	i += i < n && (p[i] == '+' || p[i] == '-');
	return i < n && digits(p + i, n - i) == n - i;
}

bool scan_has_duplicate(struct json_shapes *shapes, const struct json_tok *toks, uint32_t at, uint32_t end)
{
	uint32_t stamp = ++shapes->stamp;

	while (at < end) {
		struct shape_key *k = &shapes->keys[toks[at].link];
		const struct json_tok *value = &toks[at + 1];

		if (k->stamp == stamp)
			return true;
		k->stamp = stamp;
		at = value->type == JSON_OBJECT || value->type == JSON_ARRAY ? value->link : at + 2;
	}
	return false;
}
