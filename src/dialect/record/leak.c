/* Looks at bytes by a table of classes, once from left to right: these functions see every string of a file. */
#include "dialect/record/leak.h"

#include "base/ascii.h"
#include "base/mask.h"
#include "base/utf8.h"
#include "dialect/record/blocklist.h"

#define PROSE_WORDS 8
#define PROSE_CHARACTERS 200
#define UNSPACED 8 /* characters */

/* What a byte is, looked up: these functions see every string of a file. */
enum {
	C_SPACE = 1,
	C_END = 2,  /* ends a word */
	C_PATH = 4, /* a path cannot do without */
	C_PART = 8, /* before a part of a URL's query */
};

static const unsigned char classes[256] = {
	['\t'] = C_SPACE | C_END, ['\n'] = C_SPACE | C_END, ['\v'] = C_SPACE | C_END, ['\f'] = C_SPACE | C_END,
	['\r'] = C_SPACE | C_END, [' '] = C_SPACE | C_END,  [';'] = C_END | C_PART,   [','] = C_END,
	['"'] = C_END,  ['\''] = C_END, ['`'] = C_END,  ['<'] = C_END, ['>'] = C_END, ['('] = C_END, [')'] = C_END,
	['['] = C_END,  [']'] = C_END,  ['{'] = C_END,  ['}'] = C_END, ['|'] = C_END,
	['?'] = C_PART, ['#'] = C_PART, ['&'] = C_PART,
	['/'] = C_PATH, ['\\'] = C_PATH, ['~'] = C_PATH, [':'] = C_PATH,
};

static bool is_in(char c, unsigned class)
{
	return (classes[(unsigned char)c] & class) != 0;
}

static bool is_space(char c)
{
	return is_in(c, C_SPACE);
}

static bool has_at(struct str s, size_t at, const char *word)
{
	size_t n = strlen(word);

	return at <= s.n && s.n - at >= n && memcmp(s.p + at, word, n) == 0;
}

static struct str sub(struct str s, size_t from, size_t to)
{
	return str_of(s.p + from, to - from);
}

/* ---- URLs ---- */

static bool has_userinfo(struct str s)
{
	size_t scheme = str_find(s, STR("://")), at = scheme == (size_t)-1 ? 0 : scheme + 3;
	bool colon = false;

	for (size_t i = at; i < s.n && !ascii_is_one_of(s.p[i], "/?#\\") && !is_space(s.p[i]); i++) {
		if (s.p[i] == '@')
			return i > at && (colon || at > 0);
		colon |= s.p[i] == ':';
	}
	return false;
}

bool leak_url_credentials(struct str url)
{
	size_t begin = 0;

	if (has_userinfo(url))
		return true;
	for (size_t i = 0, name = 0; i <= url.n; i++) {
		char c = i < url.n ? url.p[i] : '&';

		if (is_in(c, C_PART)) {
			/* begin is where a value begins, name where its name does; 0 for neither yet */
			if (begin && i > begin && mask_is_credential(sub(url, name, begin - 1)))
				return true;
			begin = 0;
			name = name || c == '?' || c == '#' ? i + 1 : 0;
		} else if (c == '=' && name && !begin) {
			begin = i + 1;
		}
	}
	return false;
}

/* ---- paths ---- */

static size_t word_end(struct str s, size_t at)
{
	while (at < s.n && !is_in(s.p[at], C_END))
		at++;
	return at;
}

/* Two components or more, not only numbers. Looks no further than it must, or many slashes would cost too much. */
static bool has_components(struct str s, const char *separators)
{
	size_t count = 0, length = 0;
	bool named = false;

	for (size_t i = 0; i < s.n && !(count >= 2 && named); i++) {
		if (ascii_is_one_of(s.p[i], separators)) {
			length = 0;
			continue;
		}
		count += length++ == 0;
		named |= !ascii_is_digit(s.p[i]) && s.p[i] != '.';
	}
	return count >= 2 && named;
}

/* The first component of an API's route: "api", or v and digits. */
static bool is_route(struct str first)
{
	size_t i = 1;

	if (str_eq(first, STR("api")))
		return true;
	while (i < first.n && ascii_is_digit(first.p[i]))
		i++;
	return first.n >= 2 && first.p[0] == 'v' && ascii_is_digit(first.p[1]) &&
	       (i == first.n || ascii_is_alpha(first.p[i]));
}

/* C:\x, C:/x/y */
static bool is_drive_path(struct str s)
{
	if (s.n <= 3 || !ascii_is_alpha(s.p[0]) || s.p[1] != ':')
		return false;
	if (has_at(s, 2, "\\x") && s.n > 5 && ascii_is_hex(s.p[4]) && ascii_is_hex(s.p[5]))
		return false; /* an escape that follows a colon */
	if (s.p[2] == '\\')
		return ascii_is_word(s.p[3]) || s.p[3] == '.';
	return s.p[2] == '/' && s.p[3] != '/' && has_components(sub(s, 2, s.n), "/\\");
}

/* \\host\share */
static bool is_share(struct str s)
{
	if (s.n <= 4 || !has_at(s, 0, "\\\\") || !ascii_is_alnum(s.p[2]) || !ascii_is_word(s.p[3]))
		return false;
	return has_components(sub(s, 1, s.n), "\\");
}

/* Whether a word begins with an absolute path. */
static bool is_path(struct str s)
{
	struct str ignored;

	if (s.n >= 2 && s.p[0] == '/')
		return s.p[1] != '/' && !is_route(str_cut(sub(s, 1, s.n), '/', &ignored)) && has_components(s, "/");
	if (has_at(s, 0, "~/") || has_at(s, 0, "~\\"))
		return s.n > 2;
	return is_drive_path(s) || is_share(s) || (has_at(s, 0, "file:/") && s.n > 8);
}

/* Where a path may begin that has this slash, backslash, tilde or colon first; or s.n. */
static size_t path_begin(struct str s, size_t i)
{
	size_t at = i;
	char before;

	if (s.p[i] == ':' && i >= 4 && has_at(s, i - 4, "file:/"))
		at = i - 4;
	else if (s.p[i] == ':' && i >= 1 && ascii_is_alpha(s.p[i - 1]) && (has_at(s, i, ":/") || has_at(s, i, ":\\")))
		at = i - 1;
	else if (s.p[i] == ':')
		return s.n;
	before = at > 0 ? s.p[at - 1] : ' ';
	return is_in(before, C_END) || before == '=' || before == ':' ? at : s.n;
}

bool leak_has_path(struct str text, size_t *at, size_t *n)
{
	size_t end = 0; /* of the word at hand */

	for (size_t i = 0; i < text.n; i++) {
		size_t from;

		if (!is_in(text.p[i], C_PATH))
			continue;
		from = path_begin(text, i);
		if (from < text.n && i >= end)
			end = word_end(text, i);
		if (from < text.n && is_path(sub(text, from, end))) {
			if (at)
				*at = from;
			if (n)
				*n = end - from;
			return true;
		}
		/* the path of another URL than file:, and what its query has */
		if (has_at(text, i, "://"))
			while (i + 1 < text.n && !is_space(text.p[i + 1]) && !ascii_is_one_of(text.p[i + 1], "\"'`<>"))
				i++;
	}
	return false;
}

/* A name with an ending that begins with a letter: main.c, notes.txt; not 3.1 or a bare word. */
static bool has_ending(struct str name)
{
	size_t i = name.n;

	while (i > 0 && ascii_is_alnum(name.p[i - 1]))
		i--;
	return i > 1 && i < name.n && name.n - i <= 5 && name.p[i - 1] == '.' && ascii_is_alpha(name.p[i]);
}

/* ./x, ../x, a/b.c and a/b/c; not a/b, which and/or and text/plain are, nor v1/chat/x and host.org/a/b. */
static bool is_relative(struct str word)
{
	struct str rest, first = str_cut(word, memchr(word.p, '/', word.n) ? '/' : '\\', &rest);
	size_t slashes = 0;

	for (size_t i = 0; i < word.n; i++)
		slashes += word.p[i] == '/';
	if ((slashes == 0 && !memchr(word.p, '\\', word.n)) || str_has(word, STR("//")))
		return false;
	if (str_eq(first, STR(".")) || str_eq(first, STR("..")))
		return rest.n > 0;
	if (first.n == 0 || memchr(first.p, '.', first.n) || is_route(first))
		return false;
	return has_ending(word) || (slashes >= 2 && has_components(word, "/"));
}

/* main.c:12:5 and "main.c:" without what a compiler or a sentence puts behind the name. */
static struct str without_line(struct str word)
{
	for (;;) {
		size_t n = word.n;

		while (n && ascii_is_digit(word.p[n - 1]))
			n--;
		if (n == word.n || n == 0 || word.p[n - 1] != ':')
			n = word.n;
		while (n && ascii_is_one_of(word.p[n - 1], ".:!?"))
			n--;
		if (n == word.n)
			return word;
		word.n = n;
	}
}

bool leak_has_relative_path(struct str text)
{
	for (size_t i = 0; i < text.n;) {
		size_t end = word_end(text, i);
		struct str word = sub(text, i, end);

		word = without_line(word);
		if (word.n && is_relative(word))
			return true;
		i = end + 1;
	}
	return false;
}

/* ---- environments ---- */

/* The length of NAME= when the text at `at` is an assignment to such a name. */
static size_t assignment(struct str s, size_t at)
{
	size_t i = at;

	while (i < s.n && (ascii_is_upper(s.p[i]) || s.p[i] == '_' || (i > at && ascii_is_digit(s.p[i]))))
		i++;
	if (i - at < 3 || i >= s.n || s.p[i] != '=' || (i + 1 < s.n && s.p[i + 1] == '='))
		return 0;
	return i + 1 - at;
}

static bool is_export(struct str s, size_t at)
{
	size_t i = at + strlen("export ");

	if (!has_at(s, at, "export "))
		return false;
	at = i;
	while (i < s.n && ascii_is_word(s.p[i]))
		i++;
	return i > at && i < s.n && s.p[i] == '=';
}

bool leak_has_environment(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n; i++) {
		size_t n;

		if (i > 0 && !is_in(text.p[i - 1], C_END))
			continue;
		if (text.p[i] == 'e' && is_export(text, i))
			return true;
		n = ascii_is_upper(text.p[i]) || text.p[i] == '_' ? assignment(text, i) : 0;
		if (n == 0)
			continue;
		if (++count == 2 || has_at(text, i, "PATH=/"))
			return true;
		i += n - 1;
	}
	return false;
}

/* ---- text ---- */

size_t leak_count_words(struct str s, size_t limit)
{
	bool letter = false;
	size_t count = 0;

	for (size_t i = 0; i < s.n && count < limit; i++) {
		if (is_space(s.p[i])) {
			letter = false;
		} else if (!letter && (ascii_is_alpha(s.p[i]) || (unsigned char)s.p[i] >= 0x80)) {
			letter = true;
			count++;
		}
	}
	return count;
}

bool leak_is_long(struct str s)
{
	return s.n > PROSE_CHARACTERS && utf8_count(s) > PROSE_CHARACTERS;
}

bool leak_is_prose(struct str text)
{
	return leak_is_long(text) || leak_count_words(text, PROSE_WORDS) >= PROSE_WORDS;
}

/* Scripts that put no spaces between words; Hangul does, but says as much in as few characters. */
static bool is_unspaced(uint32_t code)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x0e00, 0x0fff }, /* Thai, Lao, Tibetan */
		{ 0x1000, 0x109f }, /* Myanmar */
		{ 0x1100, 0x11ff }, /* Hangul */
		{ 0x1780, 0x17ff }, /* Khmer */
		{ 0x1950, 0x1aaf }, /* Tai */
		{ 0x1b00, 0x1b7f }, /* Balinese */
		{ 0x3040, 0x31ff }, /* Kana, Bopomofo, Hangul */
		{ 0x3400, 0x4dbf }, /* Han */
		{ 0x4e00, 0xa4cf }, /* Han, Yi */
		{ 0xa980, 0xa9df }, /* Javanese */
		{ 0xac00, 0xd7ff }, /* Hangul */
		{ 0xf900, 0xfaff }, /* Han */
		{ 0xff66, 0xffdc }, /* Kana and Hangul of half width */
		{ 0x20000, 0x3ffff }, /* Han */
	};

	for (size_t i = 0; i < COUNT(ranges); i++)
		if (code >= ranges[i].from && code <= ranges[i].to)
			return true;
	return false;
}

bool leak_has_unspaced(struct str text)
{
	size_t count = 0, n;

	for (size_t i = 0; i < text.n; i += n) {
		uint32_t code;

		n = (unsigned char)text.p[i] < 0xe0 ? 1 : utf8_decode(text.p + i, text.n - i, &code);
		if (n > 1 && is_unspaced(code) && ++count == UNSPACED)
			return true;
		n = n ? n : 1;
	}
	return false;
}

bool leak_is_text(struct str text)
{
	return leak_is_prose(text) || leak_has_unspaced(text);
}

bool leak_is_blocked_name(struct str name)
{
	/* not on the list, but the same thing */
	static const char *const words[] = {
		"prompt_text", "prompt_content", "system_prompt", "user_prompt", "completion_text", "response_text",
		"input_text", "output_content", "api_keys", "environ", "working_directory",
		"args", "arguments", "input", "output", "result", "results", "text", "response", "user_message",
		"user_input", "tool_input", "tool_output", "env_vars",
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (blocklist_is_name(name, words[i]))
			return true;
	return blocklist_find_name(name) != NULL;
}

/* ---- arguments ---- */

bool leak_has_option(struct str s, bool slash)
{
	bool first = true;

	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++) {
		if (is_space(s.p[i])) {
			first = false;
			continue;
		}
		if (!first && i > 0 && is_space(s.p[i - 1]) && s.p[i] == '-' && i + 1 < s.n &&
		    (ascii_is_alpha(s.p[i + 1]) || (s.p[i + 1] == '-' && i + 2 < s.n && ascii_is_alpha(s.p[i + 2]))))
			return true;
		if (!first && slash && (s.p[i] == '/' || s.p[i] == '\\'))
			return true;
	}
	return false;
}

static bool leak_opens(char before, char c, char after)
{
	if (ascii_is_one_of(c, "({["))
		return (ascii_is_word(before) || is_space(before)) && !ascii_is_one_of(after, ")}]");
	return ascii_is_one_of(c, "\"'`") && is_space(before) && !is_space(after);
}

static bool joins(char before, char c, char after)
{
	return ascii_is_one_of(c, "|<>;&") && is_space(before) && is_space(after);
}

/*
 * After a name: an opening bracket with something in it, a value that is assigned, a quote or bracket as the
 * next word, or a sign by which a shell joins commands. Odd characters alone are an odd name, not an argument.
 */
static bool has_argument_marks(struct str s)
{
	bool named = false;

	for (size_t i = 0; i + 1 < s.n; i++) {
		char c = s.p[i], before = i > 0 ? s.p[i - 1] : ' ', after = s.p[i + 1];

		if (named && (leak_opens(before, c, after) || joins(before, c, after)))
			return true;
		if (c == '=' && ascii_is_word(before) && after != '=' && !is_space(after))
			return true;
		named = named || ascii_is_word(c);
	}
	return false;
}

bool leak_has_arguments(struct str tool)
{
	struct str s = str_trim(tool);

	if (s.n == 0 || !ascii_is_word(s.p[0]))
		return false; /* not a name to begin with */
	return has_argument_marks(s) || memchr(s.p, '\n', s.n) || str_has(s, STR("://")) ||
	       leak_has_option(s, true) || leak_has_path(s, NULL, NULL);
}
