#include "base/mask.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/crypto/hex.h"
#include "base/crypto/secret_rules.h"
#include "base/utf8.h"

#define NO_ROW 255
#define ELLIPSIS "\xe2\x80\xa6"
#define PIECE 2048
_Static_assert(SECRET_RULES_MAX < NO_ROW, "rows are bytes here");

/*
 * The text with its escapes resolved, a byte for each character or for each byte of one that is not ASCII.
 */
struct masker {
	char *shadow;
	unsigned char *hide; /* for each byte of the shadow */
	size_t *at;          /* where it comes from; one more than there are */
	size_t n;
	unsigned flags;
	bool hidden; /* anything */
	unsigned char first[256], next[SECRET_RULES_MAX]; /* rows by the first two bytes of their lead */
};

bool mask_is_key_byte(char c)
{
	return ascii_is_word(c) || ascii_is_one_of(c, "-+/=.~");
}

/* ---- the shadow ---- */

/* The byte that four hexadecimal digits stand for, or one that no key has. False when they are no such digits. */
static bool byte_of_digits(struct str s, char *out)
{
	int value = 0;

	for (size_t i = 0; i < 4; i++) {
		int digit = hex_value(s.p[i]);

		if (digit < 0)
			return false;
		value = value << 4 | digit;
	}
	*out = value < 0x80 ? (char)value : '\x80';
	return true;
}

/* One byte for the shadow, and how many bytes of the text it stands for. */
static size_t resolve(struct str s, unsigned flags, char *out)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *p;

	*out = s.p[0];
	if (s.n < 2)
		return 1;
	if ((flags & MASK_POINTER) && s.p[0] == '~' && (s.p[1] == '0' || s.p[1] == '1')) {
		*out = s.p[1] == '0' ? '~' : '/';
		return 2;
	}
	if (s.p[0] != '\\')
		return 1;
	if (s.p[1] == 'u' && s.n >= 6 && byte_of_digits(str_of(s.p + 2, 4), out))
		return 6;
	if (s.p[1] == '/' || s.p[1] == '"' || s.p[1] == '\\') {
		*out = s.p[1];
		return 2;
	}
	p = s.p[1] ? strchr(letters, s.p[1]) : NULL;
	if (!p)
		return 1;
	*out = meant[p - letters];
	return 2;
}

static unsigned mask_slot_of(const char *p)
{
	return ((unsigned)ascii_lower(p[0]) * 31 + (unsigned)ascii_lower(p[1])) & 255;
}

static void begin(struct masker *m, struct str text, unsigned flags)
{
	*m = (struct masker){ .flags = flags };
	m->shadow = mem_alloc(text.n);
	m->hide = mem_alloc(text.n);
	m->at = mem_alloc((text.n + 1) * sizeof(*m->at));
	memset(m->hide, 0, text.n);
	for (size_t i = 0; i < text.n; m->n++) {
		m->at[m->n] = i;
		i += resolve(str_skip(text, i), flags, &m->shadow[m->n]);
	}
	m->at[m->n] = text.n;
	memset(m->first, NO_ROW, sizeof(m->first));
	for (size_t i = 0; i < secret_rules_count; i++) {
		const char *lead = secret_rules[i].lead;

		if (lead[0] == '\0')
			continue;
		m->next[i] = m->first[mask_slot_of(lead)];
		m->first[mask_slot_of(lead)] = (unsigned char)i;
	}
}

static void hide(struct masker *m, size_t from, size_t to)
{
	if (to <= from)
		return;
	memset(m->hide + from, 1, to - from);
	m->hidden = true;
}

/* ---- what may be a key ---- */

static bool starts_at(const struct masker *m, size_t at, const char *word, bool caseless)
{
	size_t n = 0;

	for (; word[n]; n++) {
		if (at + n >= m->n)
			return false;
		if (m->shadow[at + n] != word[n] &&
		    (!caseless || ascii_lower(m->shadow[at + n]) != ascii_lower(word[n])))
			return false;
	}
	return true;
}

/* What a row's key may be made of, judged by its expression: never less, at times a little more. */
static bool may_have(const struct secret_rule *r, char c)
{
	return ascii_is_word(c) || c == '-' || (c && strchr("+/=.~@", c) && strchr(r->rest, c));
}

static bool has_digit(const struct masker *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (ascii_is_digit(m->shadow[i]))
			return true;
	return false;
}

/* Whole keys, and parts of them: a message may have been cut, and half a key is half too much. */
static bool is_suspicious(const struct masker *m, const struct secret_rule *r, size_t from, size_t to)
{
	size_t lead = strlen(r->lead), run = to - from, need = r->least - lead;

	if (run >= need)
		return true;
	if (to == m->n && (m->flags & MASK_CUT) && run > 0)
		return true;
	if (r->lead[lead - 1] == '/' || !has_digit(m, from, to))
		return false;
	return (lead >= 8 && run >= 6) || (lead >= 4 && run >= 12 && run * 2 >= need);
}

/* A row whose key may begin here. */
static bool begins(const struct masker *m, const struct secret_rule *r, size_t at)
{
	if (r->flags & SECRET_BLOCK)
		return false;
	if ((r->flags & SECRET_WORD) && at > 0 && ascii_is_word(m->shadow[at - 1]))
		return false;
	return starts_at(m, at, r->lead, r->flags & SECRET_CASELESS);
}

/* Of several rows, "sk-" and "sk-ant-api03-", the longest lead is the one to show. */
static void hide_keys(struct masker *m, size_t at)
{
	size_t hide_from = 0, hide_to = 0;

	if (at + 1 >= m->n)
		return;
	for (unsigned i = m->first[mask_slot_of(m->shadow + at)]; i != NO_ROW; i = m->next[i]) {
		const struct secret_rule *r = &secret_rules[i];
		size_t from, to;

		if (!begins(m, r, at))
			continue;
		from = to = at + strlen(r->lead);
		while (to < m->n && may_have(r, m->shadow[to]))
			to++;
		if (!is_suspicious(m, r, from, to))
			continue;
		hide_from = from > hide_from ? from : hide_from;
		hide_to = to > hide_to ? to : hide_to;
	}
	hide(m, hide_from, hide_to);
}

/* Keys that do not begin with a literal: the literal inside, bytes before it and at least so many after it. */
static void hide_marked(struct masker *m, size_t at)
{
	static const struct { const char *text; size_t back, gap, need; } marks[] = {
		{ "Q~", 4, 0, 31 },
		{ ".atlasv1.", 14, 0, 60 },
		{ "sourcegraph", 0, 48, 40 },
	};

	for (size_t i = 0; i < COUNT(marks); i++) {
		size_t from = at + strlen(marks[i].text), to = from, limit;

		if (!starts_at(m, at, marks[i].text, true))
			continue;
		for (limit = from + marks[i].gap; from <= limit; from = to + 1) {
			for (to = from; to < m->n && mask_is_key_byte(m->shadow[to]); to++)
				if (marks[i].gap && m->shadow[to] == '=')
					break;
			if (to - from >= marks[i].need || (to == m->n && (m->flags & MASK_CUT) && to - from >= 12)) {
				hide(m, at > marks[i].back ? at - marks[i].back : 0, at);
				hide(m, from, to);
			}
			if (to >= m->n)
				break;
		}
	}
}

static size_t skip_bytes(const struct masker *m, size_t at, bool (*is)(char))
{
	while (at < m->n && is(m->shadow[at]))
		at++;
	return at;
}

static bool is_base64(char c)
{
	return (ascii_is_word(c) && c != '_') || c == '+' || c == '/' || c == '=';
}

static bool is_value(char c)
{
	return (unsigned char)c > ' ' && !strchr("\"'`<>&#;,", c);
}

/* ---- URLs, headers, members ---- */

static struct str shadow_str(const struct masker *m, size_t from, size_t to)
{
	return str_of(m->shadow + from, to - from);
}

/* `at` is at "://". */
static void hide_userinfo(struct masker *m, size_t at)
{
	size_t from = at + 3, sign = 0;

	for (size_t i = from; i < m->n && (unsigned char)m->shadow[i] > ' ' && !strchr("/?#\"'<>", m->shadow[i]); i++)
		if (m->shadow[i] == '@')
			sign = i;
	if (sign)
		hide(m, from, sign);
}

/* `at` is at one of ? & # ; */
static void hide_parameter(struct masker *m, size_t at)
{
	size_t end = at + 1;

	while (end < m->n && (ascii_is_word(m->shadow[end]) || ascii_is_one_of(m->shadow[end], "-.")))
		end++;
	if (end < m->n && m->shadow[end] == '=' && mask_is_credential(shadow_str(m, at + 1, end)))
		hide(m, end + 1, skip_bytes(m, end + 1, is_value));
}

static bool name_is(struct str name, const char *word)
{
	size_t i = 0;

	for (; i < name.n && word[i]; i++)
		if ((name.p[i] == '-' ? '_' : ascii_lower(name.p[i])) != word[i])
			return false;
	return i == name.n && word[i] == '\0';
}

static bool name_ends(struct str name, const char *word)
{
	size_t n = strlen(word);

	return name.n >= n && name_is(str_of(name.p + name.n - n, n), word);
}

/* Names whose value is a credential wherever they stand, not only in a URL. */
static bool is_strong_name(struct str name)
{
	static const char *const ends[] = {
		"api_key", "apikey", "secret", "secret_key", "password", "passwd", "access_token", "auth_token",
		"refresh_token", "private_key", "access_key", "authorization", "bearer_token", "credentials", "pwd",
	};

	for (size_t i = 0; i < COUNT(ends); i++)
		if (name_ends(name, ends[i]))
			return true;
	return false;
}

/* The value of a header, or a word of a sentence: only what is long and has a digit. */
static void hide_word(struct masker *m, size_t from)
{
	size_t to = skip_bytes(m, from, mask_is_key_byte);

	if (to - from >= 16 && has_digit(m, from, to))
		hide(m, from, to);
}

/* `at` is at the ':' of a member or the '=' of an assignment. */
static void hide_value(struct masker *m, size_t at)
{
	size_t end = at, from, to = at + 1;
	bool quoted;

	while (end > 0 && m->shadow[end - 1] == ' ')
		end--;
	quoted = end > 0 && m->shadow[end - 1] == '"';
	end -= quoted;
	from = end;
	while (from > 0 && (ascii_is_word(m->shadow[from - 1]) || m->shadow[from - 1] == '-'))
		from--;
	if (from == end || !is_strong_name(shadow_str(m, from, end)))
		return;
	while (to < m->n && m->shadow[to] == ' ')
		to++;
	if (to >= m->n || (m->shadow[at] == ':' && quoted && m->shadow[to] != '"'))
		return;
	if (m->shadow[at] == ':' && !quoted) {
		hide_word(m, to);
		return;
	}
	if (m->shadow[to] != '"') {
		hide(m, to, skip_bytes(m, to, is_value));
		return;
	}
	for (from = ++to; to < m->n && m->shadow[to] != '"'; to++)
		;
	hide(m, from, to);
}

/* Whether the text before `at` ends with "authorization" and a few separators. */
static bool is_header(const struct masker *m, size_t at)
{
	while (at > 0 && m->shadow[at - 1] && strchr(" \t:=\"'`", m->shadow[at - 1]))
		at--;
	return at >= 13 && starts_at(m, at - 13, "authorization", true);
}

/* `at` is at the first letter of a word. */
static void hide_header(struct masker *m, size_t at)
{
	size_t from = at + (starts_at(m, at, "bearer ", true) ? 7 : starts_at(m, at, "basic ", true) ? 6 : 0), to;

	if (from == at)
		return;
	to = skip_bytes(m, from, mask_is_key_byte);
	if ((to - from >= 16 && (has_digit(m, from, to) || is_header(m, at))) || (to == m->n && (m->flags & MASK_CUT)))
		hide(m, from, to);
}

/* ---- blocks of private keys ---- */

/* A line that begins with `word` at `at` and goes on to "PRIVATE KEY". */
static bool is_key_line(const struct masker *m, size_t at, const char *word)
{
	if (!starts_at(m, at, word, true))
		return false;
	for (size_t i = at + strlen(word); i < m->n && i < at + 140 && m->shadow[i] != '\n'; i++)
		if (starts_at(m, i, "private key", true))
			return true;
	return false;
}

/* `at` is at five dashes. */
static void hide_block(struct masker *m, size_t at, size_t *open)
{
	if (is_key_line(m, at, "-----BEGIN")) {
		if (*open != SIZE_MAX && *open > 0)
			hide(m, *open, at);
		*open = at + strlen("-----BEGIN");
		return;
	}
	if (!is_key_line(m, at, "-----END"))
		return;
	if (*open != SIZE_MAX)
		hide(m, *open, at);
	*open = SIZE_MAX;
}

/* A line of base64 as long as those of a private key, which may have lost its beginning and its end. */
static void hide_line(struct masker *m, size_t at)
{
	size_t end = skip_bytes(m, at, is_base64), n = end - at;
	unsigned letters = 0;

	if ((n != 64 && n != 76) || (at > 0 && m->shadow[at - 1] != '\n') || (end < m->n && m->shadow[end] != '\n'))
		return;
	for (size_t i = at; i < end; i++)
		letters |= m->shadow[i] > 'f' ? 1u : ascii_is_upper(m->shadow[i]) ? 2u : 0u;
	if (letters == 3)
		hide(m, at, end);
}

static void look_at(struct masker *m, size_t i)
{
	char c = m->shadow[i];

	hide_keys(m, i);
	if (c == 'Q' || c == 'q' || c == '.' || c == 'S' || c == 's')
		hide_marked(m, i);
	if (c == ':' && starts_at(m, i, "://", false))
		hide_userinfo(m, i);
	else if (c == ':' || c == '=')
		hide_value(m, i);
	else if (c == '?' || c == '&' || c == '#' || c == ';')
		hide_parameter(m, i);
	else if (c == 'b' || c == 'B')
		hide_header(m, i);
	if ((i == 0 || m->shadow[i - 1] == '\n') && is_base64(c))
		hide_line(m, i);
}

/* Writes the text without what is hidden, and moves the mark. */
static void emit(const struct masker *m, struct buf *out, struct str text, size_t *mark, size_t *mark_length)
{
	size_t base = out->n, new_mark = 0, new_end = 0, shown = 0;
	size_t from = mark ? *mark : 0, to = mark ? *mark + *mark_length : 0;

	for (size_t i = 0; i < m->n; i++) {
		bool goes_on = m->hide[i] && i > 0 && m->hide[i - 1];

		if (!goes_on)
			shown = out->n - base;
		if (m->at[i] <= from)
			new_mark = shown;
		if (!m->hide[i])
			buf_add(out, text.p + m->at[i], m->at[i + 1] - m->at[i]);
		else if (!goes_on)
			buf_add_str(out, STR(ELLIPSIS));
		if (m->at[i] < to)
			new_end = out->n - base;
	}
	if (!mark)
		return;
	if (from >= text.n)
		new_mark = out->n - base;
	*mark = new_mark;
	*mark_length = *mark_length && new_end > new_mark ? new_end - new_mark : 0;
}

/* Quadratic in what looks like keys within keys, therefore for pieces of limited length. */
static bool mask_piece(struct buf *out, struct str text, unsigned flags, size_t *mark, size_t *mark_length)
{
	size_t open = flags & MASK_BEGUN ? 0 : SIZE_MAX, begun = 0;
	struct masker m;

	begin(&m, text, flags);
	if (flags & MASK_BEGUN)
		begun = skip_bytes(&m, 0, mask_is_key_byte);
	if (begun >= 8)
		hide(&m, 0, begun);
	for (size_t i = 0; i < m.n; i++) {
		look_at(&m, i);
		if (m.shadow[i] == '-' && starts_at(&m, i, "-----", false))
			hide_block(&m, i, &open);
	}
	if (open != SIZE_MAX && open > 0)
		hide(&m, open, m.n);
	if (m.hidden)
		emit(&m, out, text, mark, mark_length);
	else
		buf_add_str(out, text);
	mem_free(m.shadow);
	mem_free(m.hide);
	mem_free(m.at);
	return m.hidden;
}

/* How much of a long text to take at a time: up to where no key can be, or a whole piece. */
static size_t piece_length(struct str text)
{
	size_t n = PIECE;

	if (text.n <= PIECE)
		return text.n;
	while (n > PIECE / 2 && mask_is_key_byte(text.p[n - 1]))
		n--;
	return n > PIECE / 2 ? n : PIECE;
}

bool mask_text(struct buf *out, struct str text, unsigned flags, size_t *mark, size_t *mark_length)
{
	bool hidden = false;

	if (mark && text.n)
		return mask_piece(out, text, flags, mark, mark_length);
	while (text.n) {
		size_t n = piece_length(text);
		bool inside = n < text.n && mask_is_key_byte(text.p[n - 1]);

		hidden |= mask_piece(out, str_of(text.p, n), flags | (inside ? MASK_CUT : 0), NULL, NULL);
		text = str_skip(text, n);
		flags = inside ? flags | MASK_BEGUN : flags & ~(unsigned)MASK_BEGUN;
	}
	return hidden;
}

bool mask_is_credential(struct str name)
{
	static const char *const names[] = {
		"key", "apikey", "token", "sig", "signature", "secret", "password", "passwd", "pwd", "auth",
		"authorization",
		"credential", "credentials", "code", "sas", "jwt", "bearer", "x_amz_signature", "x_amz_credential",
		"x_amz_security_token", "x_goog_signature", "x_goog_credential", "access", "pass",
	};
	static const char *const ends[] = { "_key", "_token", "_secret", "_password", "_signature", "_auth" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (name_is(name, names[i]))
			return true;
	for (size_t i = 0; i < COUNT(ends); i++)
		if (name_ends(name, ends[i]))
			return true;
	return false;
}

void mask_show(struct buf *out, struct str text, size_t most)
{
	struct str shown = utf8_cut(text, most);

	mask_text(out, shown, shown.n < text.n ? MASK_CUT : 0, NULL, NULL);
	if (shown.n < text.n)
		buf_add_str(out, STR("..."));
}

/* The text with three dots for the secret, which has at least one byte. */
static void mask_add_without(struct buf *out, struct str text, struct str secret)
{
	while (text.n) {
		size_t at = str_find(text, secret);

		buf_add(out, text.p, at == (size_t)-1 ? text.n : at);
		if (at == (size_t)-1)
			return;
		buf_add_str(out, STR("..."));
		text = str_skip(text, at + secret.n);
	}
}

void mask_line(struct buf *out, struct str text, const struct str *secrets, size_t count, size_t most)
{
	struct buf line, next;

	buf_init(&line);
	buf_init(&next);
	buf_add_str(&line, text);
	for (size_t i = 0; i < count; i++) {
		struct buf swap = line;

		if (secrets[i].n < MASK_SECRET)
			continue;
		buf_clear(&next);
		mask_add_without(&next, buf_str(&line), secrets[i]);
		line = next;
		next = swap;
	}
	for (size_t i = 0; i < line.n; i++)
		if ((unsigned char)line.p[i] < ' ' || line.p[i] == 0x7f)
			line.p[i] = ' ';
	mask_show(out, str_trim(buf_str(&line)), most);
	buf_free(&line);
	buf_free(&next);
}
