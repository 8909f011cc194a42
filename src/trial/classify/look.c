/* Texts are read once from front to back; nothing here depends on a locale. */
#include "trial/classify/look.h"

#include "base/ascii.h"
#include "base/num.h"
#include "base/utf8.h"
#include "json/json.h"
#include "model/shell.h"

/* ---- words ---- */

#define DASHES "\xe2\x80" /* U+2010 to U+2027: dashes, quotes, dots; of them 98 and 99 are apostrophes */

static bool look_is_word(char c)
{
	return ascii_is_word(c) || c == '\'' || (unsigned char)c >= 0x80;
}

/* Adds the words of a text, each with a space behind it. */
static void look_add_words(struct buf *out, struct str text)
{
	bool open = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		unsigned char mark = i + 2 < text.n && memcmp(text.p + i, DASHES, 2) == 0 ?
					     (unsigned char)text.p[i + 2] : 0;

		if (mark >= 0x90 && mark <= 0xa7) {
			i += 2;
			c = mark == 0x98 || mark == 0x99 ? '\'' : ' ';
		}
		if (look_is_word(c))
			buf_add_byte(out, ascii_lower(c));
		else if (open)
			buf_add_byte(out, ' ');
		open = look_is_word(c);
	}
	if (open)
		buf_add_byte(out, ' ');
}

struct str look_words(struct arena *a, struct str text)
{
	struct buf out;

	buf_init(&out);
	buf_add_byte(&out, ' ');
	look_add_words(&out, text);
	return arena_take(a, &out);
}

/* ---- what was said ---- */

struct look_lines {
	bool code;       /* between fences */
	size_t numbers, bullets, rows;
	struct buf prose; /* what is no code */
};

static bool look_is_numbered(struct str line)
{
	size_t n = 0;

	while (n < line.n && ascii_is_digit(line.p[n]))
		n++;
	return n > 0 && n + 1 < line.n && (line.p[n] == '.' || line.p[n] == ')') && ascii_is_blank(line.p[n + 1]);
}

static bool look_is_heading(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '#')
		n++;
	return n > 0 && n <= 6 && n < line.n && line.p[n] == ' ';
}

static void look_take_line(struct look *l, struct look_lines *s, struct str line)
{
	struct str text = str_trim(line);

	if (str_starts(text, STR("```"))) {
		s->code = !s->code;
		l->shapes |= 1u << SHAPE_CODE;
		if (str_starts(text, STR("```json")))
			l->shapes |= 1u << SHAPE_JSON;
		return;
	}
	if (s->code)
		return;
	buf_add_str(&s->prose, line);
	buf_add_byte(&s->prose, '\n');
	s->numbers += look_is_numbered(text);
	s->bullets += str_starts(text, STR("- ")) || str_starts(text, STR("* ")) ||
		      str_starts(text, STR("\xe2\x80\xa2"));
	s->rows += str_starts(text, STR("|")) && str_count(text, '|') >= 3;
	if (look_is_heading(text))
		l->shapes |= 1u << SHAPE_HEADING;
}

static bool look_is_json(struct str text)
{
	return text.n >= 2 && ((text.p[0] == '{' && text.p[text.n - 1] == '}') ||
			       (text.p[0] == '[' && text.p[text.n - 1] == ']'));
}

/* A question mark in a URL or a pattern has no space, quote or bracket behind it. */
static bool look_has_question(struct str prose)
{
	for (size_t i = 0; i < prose.n; i++)
		if (prose.p[i] == '?' && (i + 1 == prose.n || ascii_is_space(prose.p[i + 1]) ||
					  ascii_is_one_of(prose.p[i + 1], "\"')*_?!")))
			return true;
	return false;
}

/* The prose of a text; shapes are noted. The buffer is the caller's. */
static void look_read_prose(struct look *l, struct look_lines *s, struct str text)
{
	*s = (struct look_lines){ .code = false };
	buf_init(&s->prose);
	while (text.n)
		look_take_line(l, s, str_cut(text, '\n', &text));
}

static void look_read_said(struct look *l, struct arena *a)
{
	const struct turn *t = l->turn;
	struct look_lines said, thought;
	struct str prose;

	look_read_prose(l, &thought, t->thought);
	l->shapes = 0; /* of what was said aloud only */
	look_read_prose(l, &said, t->text);
	l->shapes |= said.numbers >= 2 ? 1u << SHAPE_NUMBERS : 0;
	l->shapes |= said.bullets >= 2 ? 1u << SHAPE_BULLETS : 0;
	l->shapes |= said.rows >= 2 ? 1u << SHAPE_TABLE : 0;
	l->shapes |= look_is_json(str_trim(t->text)) ? 1u << SHAPE_JSON : 0;
	for (size_t i = 0; i < t->text.n; i++)
		l->length += !utf8_is_tail(t->text.p[i]);
	prose = str_trim(buf_str(&said.prose));
	l->asks_last = prose.n && prose.p[prose.n - 1] == '?';
	l->asks = look_has_question(prose) || look_has_question(buf_str(&thought.prose));
	l->opening = look_words(a, prose.n ? prose : buf_str(&thought.prose));
	l->said = ARENA_JOIN(a, look_words(a, prose), look_words(a, buf_str(&thought.prose)));
	buf_free(&said.prose);
	buf_free(&thought.prose);
}

/* ---- command lines ---- */

struct look_shell {
	struct look *look;
	struct arena *arena;
	struct buf words; /* of the command at hand */
	size_t last;      /* where the last of them begins */
	bool begun;
};

static void look_end_command(struct look_shell *s, size_t end)
{
	struct look *l = s->look;

	if (!s->begun || end == 0)
		return;
	arena_grow(s->arena, l->commands, l->command_count, l->command_cap, 4);
	l->commands[l->command_count++] = arena_copy(s->arena, str_of(s->words.p, end));
}

/* White space in a quoted word would make two of it. */
static void look_add_shell_word(struct look_shell *s, struct str word)
{
	for (size_t i = 0; i < word.n; i++)
		buf_add_byte(&s->words, ascii_is_space(word.p[i]) ? '_' : word.p[i]);
	buf_add_byte(&s->words, ' ');
}

static void look_take_word(void *context, struct str word)
{
	struct look_shell *s = context;
	struct str plain;

	shell_plain_word(s->arena, word, &plain);
	s->last = s->words.n;
	look_add_shell_word(s, plain);
}

/* The word that came last is a program: what stands before it was another command. */
static void look_take_command(void *context, struct str word)
{
	struct look_shell *s = context;
	struct str plain;

	look_end_command(s, s->last);
	shell_plain_word(s->arena, word, &plain);
	buf_clear(&s->words);
	s->last = 0;
	s->begun = true;
	look_add_shell_word(s, str_basename(plain));
}

static void look_read_script(struct look *l, struct arena *a, struct str text)
{
	struct look_shell s = { .look = l, .arena = a };
	struct shell_script script = { .command = look_take_command, .word = look_take_word, .context = &s };

	buf_init(&s.words);
	while (text.n)
		shell_read_line(&script, str_cut(text, '\n', &text));
	look_end_command(&s, s.words.n);
	buf_free(&s.words);
}

/* ["bash", "-lc", "ls -l"] is a command line; ["ls", "-l"] a command. */
static void look_read_argv(struct look *l, struct arena *a, struct val list)
{
	struct look_shell s = { .look = l, .arena = a, .begun = true };
	struct val_iter it = val_begin(list);
	struct str last = { NULL, 0 };
	struct val v;

	buf_init(&s.words);
	while (val_next(&it, &v)) {
		bool first = s.words.n == 0;

		last = val_text_or_none(v, a);
		look_add_shell_word(&s, first ? str_basename(last) : last);
	}
	if (str_is_like(buf_str(&s.words), STR("*sh -*c *"), STR_LIKE_ANY_CASE))
		look_read_script(l, a, last);
	else
		look_end_command(&s, s.words.n);
	buf_free(&s.words);
}

/* ---- arguments ---- */

static void look_add_value(struct buf *all, struct arena *a, struct val v)
{
	buf_add_str(all, val_is(v, JSON_STRING) ? val_text(v, a) : val_source(v));
	buf_add_byte(all, '\n');
}

static void look_read_args(struct look *l, struct arena *a, struct buf *all, struct val args)
{
	static const char *const commands[] = { "command", "cmd", "commands", "script" };
	struct val_iter it = val_begin(args);
	struct val key, v;

	if (val_is(args, JSON_STRING))
		look_read_script(l, a, val_text(args, a));
	if (!val_is(args, JSON_OBJECT))
		look_add_value(all, a, args);
	while (val_is(args, JSON_OBJECT) && val_next_member(&it, &key, &v)) {
		look_add_value(all, a, v);
		if (!str_is_word_of(val_text(key, a), commands, COUNT(commands)))
			continue;
		if (val_is(v, JSON_ARRAY))
			look_read_argv(l, a, v);
		else
			look_read_script(l, a, val_text_or_none(v, a));
	}
}

static void look_read_calls(struct look *l, struct arena *a, struct json_parser *p)
{
	const struct turn *t = l->turn;
	struct buf all;
	struct val v;

	buf_init(&all);
	for (size_t i = 0; i < t->call_count; i++) {
		if (t->calls[i].args.p && json_parse_copy(p, t->calls[i].args, &v, NULL))
			look_read_args(l, a, &all, v);
		else
			buf_add_str(&all, t->calls[i].args); /* cut, or no JSON */
		buf_add_byte(&all, '\n');
	}
	l->args = arena_take(a, &all);
}

void look_at(struct look *l, struct arena *a, struct json_parser *p, const struct turns *t, size_t i)
{
	const struct turn *before = i ? &t->items[i - 1] : NULL;

	assert(i < t->count);
	*l = (struct look){ .turn = &t->items[i], .is_first = i == 0, .is_last = i + 1 == t->count };
	if (before)
		l->after = before->errors ? AFTER_ERROR : before->results ? AFTER_SUCCESS : AFTER_ANSWER;
	look_read_said(l, a);
	look_read_calls(l, a, p);
}

/* ---- rules ---- */

/* The program of the pattern, then its words in this order, whatever stands between. */
static bool look_runs(struct str command, struct str pattern)
{
	struct str want = str_cut(pattern, ' ', &pattern), word = str_cut(command, ' ', &command);

	if (!str_is_like(word, want, STR_LIKE_ANY_CASE))
		return false;
	while (pattern.n) {
		want = str_cut(pattern, ' ', &pattern);
		do {
			if (command.n == 0)
				return false;
			word = str_cut(command, ' ', &command);
		} while (!str_is_like(word, want, STR_LIKE_ANY_CASE));
	}
	return true;
}

static bool look_runs_any(const struct look *l, struct str pattern)
{
	for (size_t i = 0; i < l->command_count; i++)
		if (look_runs(l->commands[i], pattern))
			return true;
	return false;
}

static bool look_calls_tool(const struct look *l, struct str pattern)
{
	for (size_t i = 0; i < l->turn->call_count; i++)
		if (str_is_like(l->turn->calls[i].tool, pattern, STR_LIKE_ANY_CASE))
			return true;
	return false;
}

static bool look_in_range(uint64_t n, const struct rules_pattern *p)
{
	return n >= p->from && n < p->below;
}

static bool look_fits(const struct look *l, enum rules_kind kind, const struct rules_pattern *p)
{
	switch (kind) {
	case RULE_SAYS:
		return str_has(l->said, p->words);
	case RULE_BEGINS:
		return str_starts(l->opening, p->words);
	case RULE_ASKS:
		return p->choice ? l->asks_last : l->asks;
	case RULE_TOOL:
		return look_calls_tool(l, p->text);
	case RULE_RUNS:
		return look_runs_any(l, p->text);
	case RULE_ARGS:
		return str_has_nocase(l->args, p->text);
	case RULE_CALLS:
		return look_in_range(l->turn->all_calls, p);
	case RULE_AFTER:
		return l->after == p->choice;
	case RULE_SHAPE:
		return l->shapes & 1u << p->choice;
	case RULE_LENGTH:
		return look_in_range(l->length, p);
	case RULE_PLACE:
		return p->choice ? l->is_last : l->is_first;
	case RULE_ALWAYS:
	case RULE_KINDS:
		break;
	}
	return true;
}

const struct rules_pattern *look_find(const struct look *l, const struct rules_row *r)
{
	for (size_t i = 0; i < r->count; i++)
		if (look_fits(l, r->kind, &r->patterns[i]))
			return &r->patterns[i];
	return NULL;
}
