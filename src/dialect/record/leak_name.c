/* Judges one word: is it a name, or a key, an address or a number of somebody? */
#include "dialect/record/leak_name.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "dialect/record/field.h"

enum {
	RUN_LEAST = 16,    /* letters and digits in a row, of a key */
	RUN_MOST = 40,     /* no word is longer */
	RUN_DIGITS = 4,    /* among letters, in one run */
	GROUP_LEAST = 6,   /* of keys that are written in groups */
	GROUP_DIGITS = 3,
};

/* Letters and digits in a row. Pieces are what a reader sees in them: Word, WORD, word, 123. */
struct run {
	size_t n, letters, digits, pieces;
};

enum kind { KIND_NONE, KIND_LOWER, KIND_UPPER, KIND_DIGIT };

static enum kind name_kind(char c)
{
	if (ascii_is_lower(c))
		return KIND_LOWER;
	if (ascii_is_upper(c))
		return KIND_UPPER;
	return ascii_is_digit(c) ? KIND_DIGIT : KIND_NONE;
}

/* The run at *at, which is moved behind it. */
static struct run name_run(struct str s, size_t *at)
{
	enum kind before = KIND_NONE, kind;
	struct run r = { 0 };

	for (; *at < s.n && (kind = name_kind(s.p[*at])) != KIND_NONE; ++*at) {
		bool small_after_upper = before == KIND_UPPER && kind == KIND_LOWER;

		r.n++;
		r.letters += kind != KIND_DIGIT;
		r.digits += kind == KIND_DIGIT;
		r.pieces += kind != before && !small_after_upper;
		/* "HTTPServer" is HTTP and Server */
		if (small_after_upper && *at >= 2 && name_kind(s.p[*at - 2]) == KIND_UPPER)
			r.pieces++;
		before = kind;
	}
	return r;
}

static bool run_is_key(const struct run *r)
{
	if (r->n < RUN_LEAST)
		return false;
	/* words have four letters and more on average, random letters two */
	return r->n >= RUN_MOST || r->digits >= RUN_DIGITS || r->n * 4 < r->pieces * 11;
}

static bool begins_as_key(struct str word)
{
	static const struct str leads[] = { WORD("sk-"), WORD("sk_"), WORD("pk-"), WORD("pk_"), WORD("rk_") };

	for (size_t i = 0; i < COUNT(leads); i++)
		if (word.n > leads[i].n && str_eq_nocase(str_of(word.p, leads[i].n), leads[i]))
			return true;
	return false;
}

/* Whether a run is a key by itself; *groups counts those that are one together. */
static bool name_walk(struct str word, size_t *groups)
{
	*groups = 0;
	for (size_t at = 0; at < word.n;) {
		bool first = at == 0 || strchr("/:=@", word.p[at - 1]);
		struct str rest = { word.p + at, word.n - at };
		struct run r = name_run(word, &at);

		if (run_is_key(&r) || (first && begins_as_key(rest)))
			return true;
		*groups += r.n >= GROUP_LEAST && r.letters && r.digits >= GROUP_DIGITS;
		at += r.n == 0;
	}
	return false;
}

bool leak_has_key_run(struct str word)
{
	size_t groups;

	return name_walk(word, &groups);
}

bool leak_looks_like_key(struct str word)
{
	size_t groups;

	return name_walk(word, &groups) || groups >= 2;
}

static bool is_mail_byte(char c)
{
	return name_kind(c) != KIND_NONE || ascii_is_one_of(c, "._%+-");
}

bool leak_has_mail(struct str text)
{
	for (size_t i = 1; i < text.n; i++) {
		size_t to = i + 1, dot = 0;

		if (text.p[i] != '@' || !is_mail_byte(text.p[i - 1]))
			continue;
		for (; to < text.n && is_mail_byte(text.p[to]); to++)
			if (text.p[to] == '.' && to > i + 1)
				dot = to;
		/* a dot at the end ends the sentence; a domain's last part begins with a letter */
		if (dot && dot + 1 < to && name_kind(text.p[dot + 1]) != KIND_DIGIT)
			return true;
		i = to - 1;
	}
	return false;
}

bool leak_has_person_number(struct str text)
{
	static const char shape[] = "ddd-dd-dddd";

	for (size_t at = 0; at + sizeof(shape) - 1 <= text.n; at++) {
		size_t i = 0;

		while (shape[i] &&
		       (shape[i] == 'd' ? name_kind(text.p[at + i]) == KIND_DIGIT : text.p[at + i] == shape[i]))
			i++;
		if (!shape[i] && (at == 0 || name_kind(text.p[at - 1]) != KIND_DIGIT) &&
		    (at + i == text.n || name_kind(text.p[at + i]) != KIND_DIGIT))
			return true;
	}
	return false;
}

bool leak_has_controls(struct str text)
{
	uint32_t code;
	size_t n;

	for (size_t i = 0; i < text.n; i += n) {
		n = utf8_decode(text.p + i, text.n - i, &code);
		if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || utf8_is_deceptive(code))
			return true;
	}
	return false;
}
