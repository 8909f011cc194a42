/* A reader that goes down one level for each bracket; it looks at each byte once, or twice for names. */
#include "dialect/autogen/repr.h"

#include "base/utf8.h"
#include "json/text.h"

struct repr {
	const char *at, *end;
	struct buf *out;
	struct buf text; /* the string at hand */
	int depth;
};

static bool repr_value(struct repr *p);

static void repr_skip_space(struct repr *p)
{
	while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
		p->at++;
}

static bool repr_is_next(struct repr *p, char c)
{
	repr_skip_space(p);
	return p->at < p->end && *p->at == c;
}

static bool repr_take(struct repr *p, char c)
{
	if (!repr_is_next(p, c))
		return false;
	p->at++;
	return true;
}

/* ---- strings ---- */

static void repr_add_code(struct repr *p, uint32_t code)
{
	char bytes[4];

	if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		code = 0xFFFD;
	buf_add(&p->text, bytes, utf8_encode(bytes, code));
}

static int repr_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* So many digits of a character's number; fewer are taken as they are. */
static void repr_add_number(struct repr *p, int digits)
{
	uint32_t code = 0;

	for (; digits > 0 && p->at < p->end && repr_hex(*p->at) >= 0; digits--)
		code = code << 4 | (uint32_t)repr_hex(*p->at++);
	repr_add_code(p, code);
}

/* What stands behind a backslash. */
static void repr_add_escape(struct repr *p)
{
	static const char names[] = "nrtabfv0", codes[] = "\n\r\t\a\b\f\v";
	char c = *p->at++;
	const char *found = strchr(names, c);

	if (c == 'x' || c == 'u' || c == 'U')
		repr_add_number(p, c == 'x' ? 2 : c == 'u' ? 4 : 8);
	else if (c && found)
		buf_add_byte(&p->text, codes[found - names]);
	else if (c == '\\' || c == '\'' || c == '"')
		buf_add_byte(&p->text, c);
	else if (c != '\n')
		buf_add(&p->text, (const char[]){ '\\', c }, 2);
}

/* A string in either kind of quotes, to p->text. */
static bool repr_read_string(struct repr *p)
{
	char quote = *p->at++;

	buf_clear(&p->text);
	while (p->at < p->end && *p->at != quote) {
		const char *from = p->at;

		while (p->at < p->end && *p->at != quote && *p->at != '\\')
			p->at++;
		buf_add(&p->text, from, (size_t)(p->at - from));
		if (p->end - p->at >= 2 && *p->at == '\\') {
			p->at++;
			repr_add_escape(p);
		} else if (p->at < p->end && *p->at == '\\') {
			return false;
		}
	}
	return p->at < p->end && *p->at++ == quote;
}

static void repr_put_text(struct repr *p)
{
	text_quote(p->out, p->text.n ? buf_str(&p->text) : STR(""));
}

/* ---- what has brackets ---- */

/* A name and what divides it from its value: a word of Python and '=', or any string and ':'. */
static bool repr_read_name(struct repr *p, char divider)
{
	const char *from;

	repr_skip_space(p);
	if (p->at < p->end && (*p->at == '\'' || *p->at == '"')) {
		if (!repr_read_string(p))
			return false;
	} else {
		from = p->at;
		while (p->at < p->end && *p->at != divider && *p->at != ',' && *p->at != '(' && *p->at != ')' &&
		       *p->at != '\'' && *p->at != '"')
			p->at++;
		buf_clear(&p->text);
		buf_add_str(&p->text, str_trim(str_of(from, (size_t)(p->at - from))));
	}
	repr_put_text(p);
	buf_add_byte(p->out, ':');
	return repr_take(p, divider);
}

/* Values up to the bracket that closes them; `divider` 0: they have no names. */
static bool repr_read_list(struct repr *p, char open, char close, char divider)
{
	bool first = true;

	if (++p->depth > REPR_DEPTH)
		return false;
	buf_add_byte(p->out, open);
	while (!repr_is_next(p, close)) {
		if (!first && !repr_take(p, ','))
			return false;
		if (!first && repr_is_next(p, close))
			break; /* a tuple of one has a comma behind it */
		if (!first)
			buf_add_byte(p->out, ',');
		first = false;
		if ((divider && !repr_read_name(p, divider)) || !repr_value(p))
			return false;
	}
	p->at++;
	p->depth--;
	buf_add_byte(p->out, open == '{' ? '}' : ']');
	return true;
}

/* ---- what has no quotes ---- */

/* Digits from *i on; how many. */
static size_t repr_count_digits(struct str word, size_t *i)
{
	size_t from = *i;

	while (*i < word.n && word.p[*i] >= '0' && word.p[*i] <= '9')
		++*i;
	return *i - from;
}

static bool repr_has(struct str word, size_t i, const char *any)
{
	return i < word.n && word.p[i] && strchr(any, word.p[i]);
}

/* A number as JSON has it. */
static bool repr_is_number(struct str word)
{
	size_t i = repr_has(word, 0, "-"), from = i, digits = repr_count_digits(word, &i);

	if (!digits || (digits > 1 && word.p[from] == '0'))
		return false;
	if (repr_has(word, i, ".")) {
		i++;
		digits = repr_count_digits(word, &i);
	}
	if (digits && repr_has(word, i, "e")) {
		i += 1 + (size_t)repr_has(word, i + 1, "+-");
		digits = repr_count_digits(word, &i);
	}
	return digits && i == word.n;
}

/* None, True, a number, <an object>, or the name of a class with its members in parentheses. */
static bool repr_read_word(struct repr *p)
{
	const char *from = p->at;
	struct str word;
	char last = *from == '<' ? '>' : 0;

	while (p->at < p->end && (last ? *p->at != last : !strchr(",()[]{}=:'\"", *p->at)))
		p->at++;
	if (last && p->at++ == p->end)
		return false;
	word = str_trim(str_of(from, (size_t)(p->at - from)));
	if (!word.n)
		return false;
	if (!last && p->at < p->end && *p->at == '(') {
		p->at++;
		return repr_read_list(p, '{', ')', '=');
	}
	if (str_eq(word, STR("None")))
		buf_add_str(p->out, STR("null"));
	else if (str_eq(word, STR("True")) || str_eq(word, STR("False")))
		buf_add_str(p->out, word.p[0] == 'T' ? STR("true") : STR("false"));
	else if (repr_is_number(word))
		buf_add_str(p->out, word);
	else
		text_quote(p->out, word);
	return true;
}

static bool repr_value(struct repr *p)
{
	repr_skip_space(p);
	if (p->at == p->end || p->out->n > REPR_BYTES)
		return false;
	switch (*p->at) {
	case '\'':
	case '"':
		if (!repr_read_string(p))
			return false;
		repr_put_text(p);
		return true;
	case '[':
		p->at++;
		return repr_read_list(p, '[', ']', 0);
	case '(':
		p->at++;
		return repr_read_list(p, '[', ')', 0);
	case '{':
		p->at++;
		return repr_read_list(p, '{', '}', ':');
	default:
		return repr_read_word(p);
	}
}

bool repr_to_json(struct buf *out, struct str text)
{
	struct repr p = { .at = text.p, .end = text.p + text.n, .out = out };
	bool good;

	if (text.n > REPR_BYTES)
		return false;
	good = repr_value(&p);
	repr_skip_space(&p);
	buf_free(&p.text);
	return good && p.at == p.end;
}
