/*
 * The default detector's reading of an answer: fenced blocks line by line, code spans, quoted commands, prompts, each
 * with what must stand around it. doc/bench-detection.md tells the rules to users; what is not there is not done
 * here.
 */
#include "base/ascii.h"
#include "bench/validate/detect_names.h"
#include "model/shell.h"

/* A byte of a character beyond ASCII counts as a letter: a quote behind it is an apostrophe as well. */
static bool is_alnum(char c)
{
	return ascii_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Cuts the next line off, without its LF or CR LF; false at the end of the text. */
static bool detect_context_next_line(struct str *rest, struct str *line)
{
	if (rest->n == 0)
		return false;
	*line = str_cut(*rest, '\n', rest);
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static struct str skip_blanks(struct str s)
{
	while (s.n && ascii_is_blank(s.p[0]))
		s = str_skip(s, 1);
	return s;
}

/* ---- fences ---- */

enum block { BLOCK_NONE, BLOCK_SHELL, BLOCK_SESSION, BLOCK_PLAIN, BLOCK_OTHER };

struct fence {
	enum block kind;
	char mark;
	size_t length;
	size_t indent; /* blanks before it */
};

static bool is_one_of(struct str word, const char *const *list)
{
	for (; *list; list++)
		if (str_eq_nocase(word, str_from(*list)))
			return true;
	return false;
}

/*
 * What the word behind a fence promises, letters of either case. "bash {.numbered}" is bash; without a word a block may
 * be anything.
 */
static enum block block_of(struct str info)
{
	static const char *const shells[] = { "bash", "sh",   "shell", "zsh",        "fish",
					      "ksh",  "dash", "cmd",   "powershell", NULL };
	static const char *const sessions[] = { "console", "terminal", "shell-session", "shellsession", "sh-session",
						"bash-session", "session", NULL };
	struct str word = info;

	word.n = 0;
	while (word.n < info.n && !ascii_is_blank(info.p[word.n]) && info.p[word.n] != '{')
		word.n++;
	if (word.n == 0)
		return BLOCK_PLAIN;
	return is_one_of(word, shells) ? BLOCK_SHELL : is_one_of(word, sessions) ? BLOCK_SESSION : BLOCK_OTHER;
}

/* Whether the line begins with a fence: three or more backticks or tildes. Behind backticks no further one may come. */
static bool is_fence(struct str line, struct fence *out, struct str *info)
{
	size_t n = 0, whole = line.n;

	line = skip_blanks(line);
	if (line.n == 0 || (line.p[0] != '`' && line.p[0] != '~'))
		return false;
	while (n < line.n && line.p[n] == line.p[0])
		n++;
	*info = str_trim(str_skip(line, n));
	if (n < 3 || (line.p[0] == '`' && info->n && memchr(info->p, '`', info->n)))
		return false;
	*out = (struct fence){ block_of(*info), line.p[0], n, whole - line.n };
	return true;
}

/* As CommonMark has it: the same mark, no fewer of them, and nothing behind. */
static bool is_closing(struct str line, const struct fence *open)
{
	struct fence f;
	struct str info;

	return is_fence(line, &f, &info) && info.n == 0 && f.mark == open->mark && f.length >= open->length;
}

/* The lines of a block; *rest is left behind its closing fence, or at the end when there is none. */
static struct str take_block(struct str *rest, const struct fence *open)
{
	struct str block = *rest, line;
	const char *from = rest->p;

	while (detect_context_next_line(rest, &line)) {
		if (is_closing(line, open)) {
			block.n = (size_t)(line.p - from);
			break;
		}
	}
	return block;
}

/* ---- prompts ---- */

/*
 * The command behind a prompt at the start of the line, or an empty text: "$ free", "user@host:~$ free",
 * "[root@host ~]# free", in a session also "# free" and "> free" behind them.
 */
static struct str behind_prompt(struct str line, bool in_session)
{
	struct str s = skip_blanks(line);
	size_t at = 0;

	if (s.n == 0)
		return s;
	if (s.p[0] != '$' && s.p[0] != '#' && s.p[0] != '%') {
		while (at < s.n && at < 80 && s.p[at] != '$' && s.p[at] != '#' && s.p[at] != '%')
			at++;
		if (at == s.n || !memchr(s.p, '@', at) || (s.p[0] != '[' && memchr(s.p, ' ', at)))
			return STR("");
	} else if (s.p[0] != '$' && !in_session) {
		return STR("");
	}
	if (at + 1 >= s.n || !ascii_is_blank(s.p[at + 1]))
		return STR("");
	return skip_blanks(str_skip(s, at + 1));
}

/* The text after "# " at the start of a line; empty when the line does not start with it. */
static struct str behind_hash(struct str line)
{
	struct str s = skip_blanks(line);

	if (s.n < 3 || s.p[0] != '#' || !ascii_is_blank(s.p[1]))
		return STR("");
	return skip_blanks(str_skip(s, 1));
}

static bool is_expected(const struct detect_names *n, struct str name)
{
	for (size_t i = 0; i < n->expected_count; i++)
		if (str_eq_nocase(name, n->expected[i]))
			return true;
	return false;
}

/* ---- commands ---- */

/* Paths that people write to run something, rather than to name a file. */
static bool is_in_bin(struct str path)
{
	struct str name = str_basename(path), dir = str_of(path.p, path.n - name.n);

	return str_ends(dir, STR("bin/")) || str_starts(path, STR("./")) || str_starts(path, STR("~/"));
}

/*
 * The name that a command's word gives. /usr/bin/free is free; of other paths only those to run (./run.sh) are taken
 * where the line need not be shell. There, a name must also begin with a small letter (or be one like 7z).
 */
static struct str detect_context_name_of(struct str word, bool only_commands)
{
	struct str name = str_basename(word);
	bool letter = false;

	if (name.n != word.n && only_commands && !is_in_bin(word))
		return STR("");
	if (name.n == 0 || detect_name_end(name, 0, true) != name.n || name.p[0] == '-' || name.p[0] == '.')
		return STR("");
	for (size_t i = 0; i < name.n; i++) {
		if (only_commands && ascii_is_upper(name.p[i]) && i == 0)
			return STR("");
		letter = letter || ascii_is_alpha(name.p[i]) || (unsigned char)name.p[i] >= 0x80;
	}
	return letter ? name : STR("");
}

/* For lines that are shell, and for those that need not be. Both get the names as their context. */
static void detect_context_add(void *context, struct str word)
{
	struct str name = detect_context_name_of(word, false);

	if (name.n)
		detect_names_add(context, name);
}

static void detect_context_add_sure(void *context, struct str word)
{
	struct str name = detect_context_name_of(word, true);

	if (name.n)
		detect_names_add(context, name);
}

/*
 * "# free -h" may be a root's prompt, a heading or a comment. It is taken for a prompt when the command that it would
 * run is one that the prompt of the benchmark expects.
 */
static bool read_hash(struct detect_names *n, struct str line)
{
	struct str typed = n->expected_count ? behind_hash(line) : STR("");
	struct arena scratch;
	struct detect_names found = { .arena = &scratch };
	struct shell_script script = { .command = detect_context_add_sure, .context = &found };
	bool taken;

	if (typed.n == 0)
		return false;
	arena_init(&scratch);
	map_init(&found.seen, &scratch);
	shell_read_line(&script, typed);
	taken = found.count && is_expected(n, found.list[0]);
	for (size_t i = 0; taken && i < found.count; i++)
		detect_names_add(n, found.list[i]);
	arena_free(&scratch);
	return taken;
}

/* Whether there is nothing in the block but lines that begin with "# ": of comments alone nobody makes a script. */
static bool is_all_hash(struct str block)
{
	struct str line;
	bool any = false;

	while (detect_context_next_line(&block, &line)) {
		if (str_trim(line).n == 0)
			continue;
		if (behind_hash(line).n == 0)
			return false;
		any = true;
	}
	return any;
}

static bool detect_context_has_prompt(struct str block, bool in_session)
{
	struct str line;

	while (detect_context_next_line(&block, &line))
		if (behind_prompt(line, in_session).n)
			return true;
	return false;
}

/*
 * A block with prompts is a record of a session: what is behind a prompt was typed, the rest is what came back. Without
 * them, a block that says it is shell is commands from top to bottom; one that says nothing may as well be output, so
 * only its first line counts, if it is not indented as the heads of tables are.
 */
static void read_block(struct detect_names *n, struct str block, const struct fence *f)
{
	enum block kind = f->kind == BLOCK_SHELL && is_all_hash(block) ? BLOCK_SESSION : f->kind;
	bool prompts = kind != BLOCK_OTHER && detect_context_has_prompt(block, kind == BLOCK_SESSION);
	bool unsure = kind == BLOCK_PLAIN && !prompts;
	struct shell_script script = { .command = unsure ? detect_context_add_sure : detect_context_add, .context = n };
	struct str line;

	if (kind == BLOCK_OTHER)
		return;
	while (detect_context_next_line(&block, &line)) {
		struct str typed = prompts ? behind_prompt(line, kind == BLOCK_SESSION) : line;

		if (!shell_is_within(&script) &&
		    ((kind != BLOCK_SESSION && read_hash(n, line)) || str_trim(typed).n == 0))
			continue;
		if (unsure && line.n - skip_blanks(line).n > f->indent)
			break;
		shell_read_line(&script, prompts && typed.n == 0 ? line : typed);
		if (unsure && !shell_is_within(&script))
			break;
	}
}

/* ---- code spans ---- */

static size_t run_of(struct str s, size_t at, char c)
{
	size_t n = 0;

	while (at + n < s.n && s.p[at + n] == c)
		n++;
	return n;
}

/* Where the run of exactly n backticks begins that closes a span, or s.n. */
static size_t find_close(struct str s, size_t at, size_t n)
{
	while (at < s.n) {
		size_t run = run_of(s, at, '`');

		if (run == n)
			return at;
		at += run ? run : 1;
	}
	return s.n;
}

/* `$ free -h` and `free -h` in backticks are the same command. */
static void read_span(struct detect_names *n, struct str code)
{
	struct str typed = behind_prompt(code, false);
	struct shell_script script = { .command = detect_context_add_sure, .context = n };

	shell_read_line(&script, typed.n ? typed : code);
}

/* Lengths of runs that found no partner in this line are remembered, so that a line of backticks is read once. */
static void read_spans(struct detect_names *n, struct str line)
{
	uint64_t alone = 0;

	for (size_t at = 0; at < line.n;) {
		size_t run = run_of(line, at, '`'), close;

		if (run == 0) {
			at++;
			continue;
		}
		at += run;
		if (run > 63 || alone >> run & 1)
			continue;
		close = find_close(line, at, run);
		if (close == line.n) {
			alone |= (uint64_t)1 << run;
			continue;
		}
		read_span(n, str_of(line.p + at, close - at));
		at = close + run;
	}
}

/* ---- quoted commands ---- */

/* Words that begin a quotation in prose and are no commands. */
static bool is_prose(struct str word)
{
	static const char *const words[] = { "a",     "an",     "the",  "this", "that", "these", "those", "i",
					     "it",    "its",    "is",   "are",  "was",  "were",  "be",    "we",
					     "you",   "he",     "she",  "they", "my",   "your",  "our",   "their",
					     "in",    "on",     "of",   "and",  "or",   "but",   "to",    "for",
					     "from",  "with",   "not",  "no",   "yes",  "so",    "as",    "by",
					     "some",  "any",    "all",  "how",  "what", "when",  "where", "why",
					     "do",    "does",   "did",  "don",  "can",  "could", "would", "should",
					     "will",  "please", "very", "too",  "more", "most",  "only",  "just",
					     "there", "here",   "now",  "then", "if",   "per",   NULL };

	return is_one_of(word, words);
}

/* One word alone is a name or a citation, not a command line: something must stand behind it. */
static void detect_context_read_quoted(struct detect_names *n, struct str quoted)
{
	struct shell_script script = { .command = detect_context_add_sure, .context = n };
	struct str word = str_of(quoted.p, detect_name_end(quoted, 0, false));

	if (word.n == 0 || word.n == quoted.n || !ascii_is_blank(quoted.p[word.n]) || is_prose(word))
		return;
	shell_read_line(&script, quoted);
}

/*
 * "free -h" and 'free -h': a command and something behind it, in quotes that close on the same line. A quote behind a
 * letter opens nothing: it's, the users' files.
 */
static void read_quotes(struct detect_names *n, struct str line)
{
	bool closes[2] = { true, true }; /* "single" and "double" may still find their end in this line */

	for (size_t at = 0; at < line.n; at++) {
		const char *close;
		char quote = line.p[at];

		if ((quote != '"' && quote != '\'') || !closes[quote == '"'] || (at > 0 && is_alnum(line.p[at - 1])))
			continue;
		close = memchr(line.p + at + 1, quote, line.n - at - 1);
		while (close && quote == '\'' && close + 1 < line.p + line.n && is_alnum(close[1]))
			close = memchr(close + 1, quote, (size_t)(line.p + line.n - close) - 1);
		closes[quote == '"'] = close;
		if (!close)
			continue;
		detect_context_read_quoted(n, str_of(line.p + at + 1, (size_t)(close - line.p) - at - 1));
		at = (size_t)(close - line.p);
	}
}

/* ---- prompts in prose ---- */

/* "$ free -h" at the start of a line, or behind a blank and before a word that begins with a letter. */
static void read_prompts(struct detect_names *n, struct str line)
{
	struct shell_script script = { .command = detect_context_add_sure, .context = n };
	struct str typed = behind_prompt(line, false);

	if (typed.n) {
		shell_read_line(&script, typed);
		return;
	}
	if (read_hash(n, line))
		return;
	for (size_t at = 1; at + 2 < line.n; at++) {
		if (line.p[at] != '$' || !ascii_is_blank(line.p[at + 1]) ||
		    !(ascii_is_blank(line.p[at - 1]) || line.p[at - 1] == '('))
			continue;
		typed = skip_blanks(str_skip(line, at + 1));
		if (typed.n && ascii_is_lower(typed.p[0]))
			shell_read_line(&script, typed);
		return;
	}
}

/* ---- the passes ---- */

/*
 * Calls `outside` for each line that is not in a fenced block. With `blocks` the blocks are read too, in their place:
 * one of the passes does so, and each name comes in the order of the first pass that finds it.
 */
static void pass_over(struct detect_names *n, struct str text, void (*outside)(struct detect_names *, struct str),
		      bool blocks)
{
	struct str rest = text, line, info;
	struct fence f;

	while (detect_context_next_line(&rest, &line)) {
		if (!is_fence(line, &f, &info)) {
			outside(n, line);
			continue;
		}
		line = take_block(&rest, &f);
		if (blocks)
			read_block(n, line, &f);
	}
}

void detect_by_context(struct detect_names *n, struct str text)
{
	pass_over(n, text, read_spans, true);
	pass_over(n, text, read_quotes, false);
	pass_over(n, text, read_prompts, false);
}
