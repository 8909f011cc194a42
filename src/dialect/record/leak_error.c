/* What an error message must not hold: paths, credentials, arguments, and text that somebody said. */
#include "dialect/record/leak.h"

#include "base/ascii.h"

#define MESSAGE_WORDS 14
#define QUOTED_WORDS 4
#define ASKED_WORDS 5

static bool message_is_space(char c)
{
	return ascii_is_one_of(c, " \t\n\v\f\r");
}

/* `word` is in lower case. */
static bool message_has_at(struct str s, size_t at, const char *word)
{
	size_t n = 0;

	for (; word[n]; n++)
		if (at + n >= s.n || ascii_lower(s.p[at + n]) != word[n])
			return false;
	return true;
}

/* call(x=1), call("x"): a name, a bracket, and something of an argument before the bracket closes. */
static bool message_has_call(struct str s)
{
	bool inside = false;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '(')
			inside = i > 0 && ascii_is_word(s.p[i - 1]);
		else if (c == ')')
			inside = false;
		else if (inside && ascii_is_one_of(c, "=\"'{,"))
			return true;
		else if (c == '{' && i + 1 < s.n && ascii_is_one_of(s.p[i + 1], "\"'"))
			return true;
	}
	return false;
}

/* Marks of a chat, whatever its length. */
static bool message_has_role(struct str s)
{
	static const char *const roles[] = {
		"user:", "assistant:", "system:", "human:",
	};
	bool line = true;

	if (str_has(s, STR("<|")) || str_has(s, STR("\"role\"")))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		for (size_t r = 0; line && r < COUNT(roles); r++)
			if (message_has_at(s, i, roles[r]))
				return true;
		line = s.p[i] == '\n';
	}
	return false;
}

static bool message_has_lines(struct str s)
{
	struct str trimmed = str_trim(s);

	return trimmed.n && memchr(trimmed.p, '\n', trimmed.n) != NULL;
}

/* A URL in the middle of a sentence, therefore word by word. */
static bool message_has_credentials(struct str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t end = i;

		while (end < s.n && !message_is_space(s.p[end]) && !ascii_is_one_of(s.p[end], "\"'`<>()"))
			end++;
		if (str_has(str_of(s.p + i, end - i), STR("://")) &&
		    leak_url_credentials(str_of(s.p + i, end - i)))
			return true;
		i = end + 1;
	}
	return false;
}

/* What is asked of a model, or told about somebody: the word begins the text, or follows a quote or a colon. */
static bool message_asks(struct str s, size_t at)
{
	static const char *const begins[] = {
		"write a ",    "write an ",    "write me ",  "rewrite ",       "summarize ",        "summarise ",
		"translate ",  "explain ",     "describe ",  "draft ",         "compose ",          "refactor ",
		"implement ",  "generate a ",  "tell me ",   "give me ",       "show me ",          "help me ",
		"i want ",     "i need ",      "can you ",   "could you ",     "you are a ",        "you are an ",
		"please write ", "please summarize ", "please translate ", "please explain ",
	};

	for (size_t i = 0; i < COUNT(begins); i++)
		if (message_has_at(s, at, begins[i]))
			return leak_count_words(str_of(s.p + at, s.n - at), ASKED_WORDS) >= ASKED_WORDS;
	return false;
}

/* "prompt: a few words": names of what was said, and then what was. */
static bool message_tells(struct str s, size_t at)
{
	static const char *const names[] = { "prompt", "question", "instruction", "completion", "the user said",
					     "the user asked" };

	for (size_t i = 0; i < COUNT(names); i++) {
		size_t end = at + strlen(names[i]);

		if (!message_has_at(s, at, names[i]) || end >= s.n || !ascii_is_one_of(s.p[end], ":= "))
			continue;
		if (s.p[end] == ' ' && names[i][0] != 't') /* "prompt is too long" is a phrase */
			continue;
		if (leak_count_words(str_of(s.p + end, s.n - end), 2) >= 2)
			return true;
	}
	return false;
}

/* Several words in quotes. */
static bool message_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t end = i + 1;

		if (!ascii_is_one_of(s.p[i], "\"'`") || (i > 0 && ascii_is_word(s.p[i - 1])))
			continue;
		while (end < s.n && (s.p[end] != s.p[i] || (end + 1 < s.n && ascii_is_word(s.p[end + 1]))))
			end++;
		if (end < s.n && leak_count_words(str_of(s.p + i + 1, end - i - 1), QUOTED_WORDS) >= QUOTED_WORDS)
			return true;
		i = end;
	}
	return false;
}

/*
 * Whether it is a sentence that somebody said to a model, or the model to somebody, by its length, its form or its
 * first words.
 */
static bool message_is_said(struct str s)
{
	bool begins = true, word = true;

	if (leak_is_long(s) || message_has_lines(s) || message_has_role(s) || message_quotes(s) ||
	    leak_has_unspaced(s) || leak_count_words(s, MESSAGE_WORDS) >= MESSAGE_WORDS)
		return true;
	for (size_t i = 0; i < s.n; i++) {
		if ((begins && message_asks(s, i)) || (word && message_tells(s, i)))
			return true;
		begins = ascii_is_one_of(s.p[i], ":\"'`(") || (message_is_space(s.p[i]) && begins);
		word = !ascii_is_word(s.p[i]);
	}
	return false;
}

bool leak_error_text(struct str text, const char **what)
{
	const char *found = NULL;

	if (leak_has_path(text, NULL, NULL) || leak_has_relative_path(text))
		found = "a path";
	else if (message_has_credentials(text))
		found = "credentials";
	else if (leak_has_environment(text))
		found = "environment variables";
	else if (message_has_call(text) || leak_has_option(text, false))
		found = "arguments";
	else if (message_is_said(text))
		found = "text that may be a prompt or its answer";
	if (found && what)
		*what = found;
	return found != NULL;
}
