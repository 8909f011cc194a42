/*
 * Takes a line apart into words and operators, and lets the word pass that stands where a command may: at the start,
 * behind what joins commands, or behind a prefix such as sudo. What a line leaves open is kept in struct shell_script
 * for the next.
 */
#include "model/shell.h"

#include "base/ascii.h"

bool shell_is_within(const struct shell_script *s)
{
	return s->goes_on || s->quote || s->delimiter_length;
}

/* ---- words ---- */

struct shell_words {
	struct str line;
	size_t at;
	char quote; /* left open at the end of the line */
	bool comment;
};

enum shell_word { WORD_END, WORD_TEXT, WORD_JOIN, WORD_CLOSE, WORD_REDIRECT, WORD_HERE };

/* Bytes that end a word and are operators by themselves. */
static bool shell_is_special(char c)
{
	return c == '|' || c == '&' || c == ';' || c == '(' || c == ')' || c == '<' || c == '>' || c == '`';
}

/* From an opening quote to behind the closing one. */
static size_t shell_skip_quoted(struct shell_words *w, size_t at)
{
	char quote = w->line.p[at++];

	for (; at < w->line.n && w->line.p[at] != quote; at++)
		at += w->line.p[at] == '\\' && quote == '"' && at + 1 < w->line.n;
	if (at >= w->line.n) {
		w->quote = quote;
		return w->line.n;
	}
	return at + 1;
}

/* Operators: what joins commands, and what redirects (whose target is no command). */
static enum shell_word shell_read_operator(struct shell_words *w)
{
	struct str s = w->line;
	char c = s.p[w->at++];

	if (c == '>' || c == '<') {
		size_t more = 0;

		while (w->at < s.n && s.p[w->at] == c) {
			w->at++;
			more++;
		}
		if (w->at < s.n && s.p[w->at] == '(') { /* <(command) */
			w->at++;
			return WORD_JOIN;
		}
		w->at += w->at < s.n && (s.p[w->at] == '&' || (more == 1 && s.p[w->at] == '-'));
		return c == '<' && more == 1 ? WORD_HERE : WORD_REDIRECT;
	}
	if (c == ')')
		return WORD_CLOSE;
	while (w->at < s.n && s.p[w->at] == c && c != '(')
		w->at++;
	return WORD_JOIN;
}

/* "$(" begins a command as "(" does; the text before it is part of an argument. */
static enum shell_word shell_next_word(struct shell_words *w, struct str *word)
{
	struct str s = w->line;
	size_t from;

	while (w->at < s.n && ascii_is_blank(s.p[w->at]))
		w->at++;
	if (w->at >= s.n || w->comment)
		return WORD_END;
	if (shell_is_special(s.p[w->at]))
		return shell_read_operator(w);
	if (s.p[w->at] == '#') {
		w->comment = true;
		return WORD_END;
	}
	from = w->at;
	while (w->at < s.n && !ascii_is_blank(s.p[w->at]) && !shell_is_special(s.p[w->at])) {
		if (s.p[w->at] == '"' || s.p[w->at] == '\'')
			w->at = shell_skip_quoted(w, w->at);
		else
			w->at += s.p[w->at] == '\\' && w->at + 1 < s.n ? 2 : 1;
	}
	*word = str_of(s.p + from, w->at - from);
	return WORD_TEXT;
}

/* ---- what stands before a command ---- */

static bool shell_is_in(struct str word, const char *const *list)
{
	for (; *list; list++)
		if (str_eq(word, str_from(*list)))
			return true;
	return false;
}

/* Commands that run the command behind them. */
static bool shell_is_prefix(struct str word)
{
	static const char *const list[] = { "sudo", "doas",   "env",    "time",   "nohup",   "command",
					    "nice", "ionice", "setsid", "stdbuf", "timeout", NULL };

	return shell_is_in(word, list);
}

/* Keywords that a command follows, and those that none follows in the same part of the line. */
static bool shell_is_opening_keyword(struct str word)
{
	static const char *const list[] = { "if", "then", "elif", "else", "while", "until", "do", "!", "{", NULL };

	return shell_is_in(word, list);
}

static bool shell_is_other_keyword(struct str word)
{
	static const char *const list[] = { "for", "select", "case", "function", "in", "done",
					    "fi",  "esac",   "}",    "[[",       "[",  NULL };

	return shell_is_in(word, list);
}

/* NAME=value before a command, with NAME as the shell has it. */
static bool shell_is_assignment(struct str word)
{
	size_t n = 0;

	while (n < word.n && ascii_is_word(word.p[n]) && (n > 0 || !ascii_is_digit(word.p[n])))
		n++;
	return n > 0 && n < word.n && word.p[n] == '=';
}

/* The options of a prefix that have a value of their own behind them: sudo -u root, nice -n 5. */
static bool shell_takes_value(struct str prefix, struct str option)
{
	static const char *const sudo[] = { "-u", "-g", "-h", "-p", "-C", "-T", NULL };
	static const char *const nice[] = { "-n", "-c", "-p", NULL };
	static const char *const stdbuf[] = { "-i", "-o", "-e", NULL };
	static const char *const others[] = { "-u", "-s", "-k", "-C", "-S", NULL };

	if (str_eq(prefix, STR("sudo")) || str_eq(prefix, STR("doas")))
		return shell_is_in(option, sudo);
	if (str_eq(prefix, STR("nice")) || str_eq(prefix, STR("ionice")))
		return shell_is_in(option, nice);
	if (str_eq(prefix, STR("stdbuf")))
		return shell_is_in(option, stdbuf);
	return shell_is_in(option, others);
}

/* ---- commands ---- */

enum shell_wanted { WANT_COMMAND, WANT_PREFIX_VALUE, WANT_NOTHING };

struct shell_commands {
	struct shell_script *script;
	struct shell_words words;
	enum shell_wanted wanted;
	struct str prefix; /* seen before the command that is to come; empty when none */
};

/* A prefix with nothing behind it is the command: env, time. */
static void shell_end_command(struct shell_commands *c)
{
	if (c->wanted != WANT_NOTHING && c->prefix.n && !c->script->prefixes)
		c->script->command(c->script->context, c->prefix);
	c->prefix = STR("");
	c->wanted = WANT_COMMAND;
}

/* A word of a command line: it may be the command, or belong to a prefix such as sudo before it. */
static void shell_take_word(struct shell_commands *c, struct str word)
{
	if (c->wanted == WANT_PREFIX_VALUE) {
		c->wanted = WANT_COMMAND;
		return;
	}
	if (c->wanted == WANT_NOTHING || shell_is_assignment(word))
		return;
	if (c->prefix.n && word.p[0] == '-') {
		c->wanted = shell_takes_value(c->prefix, word) ? WANT_PREFIX_VALUE : WANT_COMMAND;
		return;
	}
	if (str_eq(c->prefix, STR("timeout")) && ascii_is_digit(word.p[0]))
		return;
	if (shell_is_prefix(word)) {
		c->prefix = word;
		if (c->script->prefixes)
			c->script->command(c->script->context, word);
		return;
	}
	if (shell_is_opening_keyword(word))
		return;
	c->wanted = WANT_NOTHING;
	c->prefix = STR("");
	if (!shell_is_other_keyword(word))
		c->script->command(c->script->context, word);
}

/* The word behind "<<", without its quotes, is where the here-document ends. */
static void shell_begin_here(struct shell_script *s, struct str word)
{
	if (word.n >= 2 && (word.p[0] == '"' || word.p[0] == '\'') && word.p[word.n - 1] == word.p[0])
		word = str_of(word.p + 1, word.n - 2);
	if (word.n == 0 || word.n > SHELL_DELIMITER)
		return;
	memcpy(s->delimiter, word.p, word.n);
	s->delimiter_length = word.n;
}

/* All commands of one line. The word behind a redirection names a file, and that behind << an end. */
static void shell_read_commands(struct shell_commands *c)
{
	enum shell_word kind, last = WORD_END;
	struct str word = { NULL, 0 };

	while ((kind = shell_next_word(&c->words, &word)) != WORD_END) {
		if (kind == WORD_TEXT && c->script->word)
			c->script->word(c->script->context, word);
		if (kind == WORD_JOIN)
			shell_end_command(c);
		else if (kind == WORD_CLOSE)
			c->wanted = WANT_NOTHING; /* echo $(date) again: the rest of echo's words */
		else if (kind == WORD_TEXT && last == WORD_HERE)
			shell_begin_here(c->script, word);
		else if (kind == WORD_TEXT && last != WORD_REDIRECT)
			shell_take_word(c, word);
		last = kind;
	}
	shell_end_command(c);
}

/* Behind the quote that an earlier line opened; an empty text when this line does not close it. */
static struct str shell_behind_quote(struct shell_script *s, struct str line)
{
	const char *close = memchr(line.p, s->quote, line.n);

	if (!close)
		return STR("");
	s->quote = 0;
	return str_of(close + 1, (size_t)(line.p + line.n - close) - 1);
}

void shell_read_line(struct shell_script *s, struct str line)
{
	struct shell_commands c = { .script = s, .wanted = s->goes_on || s->quote ? WANT_NOTHING : WANT_COMMAND };

	if (s->delimiter_length) {
		if (str_eq(str_trim(line), str_of(s->delimiter, s->delimiter_length)))
			s->delimiter_length = 0;
		return;
	}
	s->goes_on = false;
	if (s->quote)
		line = shell_behind_quote(s, line);
	if (s->quote)
		return;
	if (line.n && line.p[line.n - 1] == '\\') {
		s->goes_on = true;
		line.n--;
	}
	c.words = (struct shell_words){ .line = line };
	c.prefix = STR("");
	shell_read_commands(&c);
	s->quote = c.words.quote;
}

bool shell_plain_word(struct arena *a, struct str word, struct str *plain)
{
	char *out = arena_array(a, char, word.n + 1), quote = 0;
	bool known = true;
	size_t n = 0;

	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && i + 1 < word.n)
			c = word.p[++i];
		else
			known = known && (quote == '\'' || !ascii_is_one_of(c, quote ? "$`" : "$`*?[{~"));
		out[n++] = c;
	}
	*plain = str_of(out, n);
	return known;
}
