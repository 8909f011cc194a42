/* Escapes texts by one function, cell_add_char, for every format. */
#include "sink/cell.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/ascii.h"
#include "base/utf8.h"

/* One character, escaped when it must be; `also` are further ASCII characters that get a backslash. */
static size_t cell_add_char(struct buf *out, struct str s, const char *also)
{
	uint32_t code;
	size_t n = utf8_decode(s.p, s.n, &code);

	if (n == 0 || code < 0x20 || code == 0x7f) {
		buf_printf(out, "\\x%02x", (unsigned)(unsigned char)s.p[0]);
		return 1;
	}
	if (utf8_is_deceptive(code))
		buf_printf(out, "\\u{%04x}", (unsigned)code);
	else if (code < 0x80 && strchr(also, (int)code))
		buf_printf(out, "\\%c", (int)code);
	else
		buf_add(out, s.p, n);
	return n;
}

static void cell_add_escaped(struct buf *out, struct str s, const char *also)
{
	for (size_t i = 0; i < s.n;)
		i += cell_add_char(out, str_skip(s, i), also);
}

const char *cell_text(struct arena *a, struct str untrusted)
{
	struct buf out;

	buf_init(&out);
	cell_add_escaped(&out, untrusted, "");
	return arena_take(a, &out).p;
}

/* < and & go as entities: a backslash does not keep every reader from taking what follows for HTML. */
const char *cell_md(struct arena *a, struct str untrusted)
{
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < untrusted.n;) {
		char c = untrusted.p[i];

		if (c == '<' || c == '&') {
			buf_add_str(&out, c == '<' ? STR("&lt;") : STR("&amp;"));
			i++;
			continue;
		}
		i += cell_add_char(&out, str_skip(untrusted, i), "|\\`*_[]!~#");
	}
	return arena_take(a, &out).p;
}

const char *cell_csv(struct arena *a, struct str untrusted)
{
	bool formula = untrusted.n && ascii_is_one_of(untrusted.p[0], "=+-@\t\r");
	struct str text = ARENA_JOIN(a, formula ? STR("'") : STR(""), str_from(cell_text(a, untrusted)));
	struct buf out;

	if (!str_count(text, '"') && !str_count(text, ','))
		return text.p;
	buf_init(&out);
	buf_add_byte(&out, '"');
	for (size_t i = 0; i < text.n; i++)
		buf_add(&out, text.p[i] == '"' ? "\"\"" : text.p + i, text.p[i] == '"' ? 2 : 1);
	buf_add_byte(&out, '"');
	return arena_take(a, &out).p;
}

/* What stands for a character that XML gives a meaning, in texts and in attributes; NULL for the others. */
static const char *cell_xml_entity(char c)
{
	static const char special[] = "<>&\"";
	static const char *const entities[] = { "&lt;", "&gt;", "&amp;", "&quot;" };

	return ascii_is_one_of(c, special) ? entities[strchr(special, c) - special] : NULL;
}

const char *cell_xml(struct arena *a, struct str untrusted)
{
	struct str text = str_from(cell_text(a, untrusted));
	struct buf out;

	buf_init(&out);
	for (size_t i = 0; i < text.n; i++) {
		/* two that XML does not allow are characters like others everywhere else */
		bool banned = i + 2 < text.n && memcmp(text.p + i, "\xef\xbf", 2) == 0 &&
			      ((unsigned char)text.p[i + 2] & 0xfe) == 0xbe;
		const char *entity = banned ? "\xef\xbf\xbd" : cell_xml_entity(text.p[i]);

		i += banned ? 2 : 0;
		if (entity)
			buf_add_str(&out, str_from(entity));
		else
			buf_add_byte(&out, text.p[i]);
	}
	return arena_take(a, &out).p;
}

struct cell cell_printf(const char *format, ...)
{
	struct cell f;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(f.text, sizeof(f.text), format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < sizeof(f.text));
	(void)n;
	return f;
}
