/* From lines to rows. Each kind has a reader of its patterns; a message names the line and what would be right. */
#include "trial/classify/rules.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "base/num.h"
#include "trial/classify/look.h"

const char *const rules_kinds[RULE_KINDS + 1] = {
	"says", "begins", "asks", "tool", "runs", "args", "calls", "after", "shape", "length", "place", "always", NULL,
};

static const char *const asks_words[] = { "any", "last", NULL };
static const char *const after_words[] = { "nothing", "answer", "success", "error", NULL };
static const char *const shape_words[] = { "code", "numbers", "bullets", "table", "json", "heading", NULL };
static const char *const place_words[] = { "first", "last", NULL };
static const char *const always_words[] = { "-", NULL };

/* Where we are: for messages. */
struct rules_place {
	struct str name;
	uint64_t line;
};

/* Always false. Shows at most 40 bytes of what is wrong. */
static bool rules_refuse(const struct rules_place *at, const char *what, struct str shown, const char *right,
			 struct err *err)
{
	return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ": %s \"%.*s%s\" should be %s", STR_ARG(at->name), at->line, what,
		       (int)(shown.n < 40 ? shown.n : 40), shown.p, shown.n > 40 ? "..." : "", right);
}

/* ---- patterns ---- */

static bool rules_read_choice(struct rules_row *r, const char *const *words)
{
	for (r->choice = 0; words[r->choice]; r->choice++)
		if (str_eq(r->pattern, str_from(words[r->choice])))
			return true;
	return false;
}

/* "0", "3+", "<200" */
static bool rules_read_range(struct rules_row *r)
{
	struct str s = r->pattern;
	bool less = str_starts(s, STR("<")), more = str_ends(s, STR("+"));
	uint64_t n;

	if (less && more)
		return false;
	s = str_of(s.p + less, s.n - less - more);
	if (!num_parse_u64(s, &n) || n >= UINT32_MAX || (less && n == 0))
		return false;
	r->from = less ? 0 : n;
	r->below = less ? n : more ? UINT64_MAX : n + 1;
	return true;
}

/* " let me check ", or " verif" for the beginning of a word. */
static bool rules_read_words(struct arena *a, struct rules_row *r)
{
	bool open = str_ends(r->pattern, STR("*"));
	struct str s = str_of(r->pattern.p, r->pattern.n - open);

	if (memchr(s.p, '*', s.n))
		return false;
	r->words = look_words(a, s);
	if (open && r->words.n > 1 && s.n && s.p[s.n - 1] != ' ')
		r->words.n--;
	return r->words.n > 1;
}

static bool rules_read_pattern(struct arena *a, const struct rules_place *at, struct rules_row *r, struct err *err)
{
	static const char *const right[RULE_KINDS] = {
		[RULE_SAYS] = "words, with a * only at the end",
		[RULE_BEGINS] = "words, with a * only at the end",
		[RULE_ASKS] = "any or last",
		[RULE_TOOL] = "the name of a tool",
		[RULE_RUNS] = "a program and words behind it, one space between them",
		[RULE_ARGS] = "characters",
		[RULE_CALLS] = "a number: 0, 2+ or <3",
		[RULE_AFTER] = "nothing, answer, success or error",
		[RULE_SHAPE] = "code, numbers, bullets, table, json or heading",
		[RULE_LENGTH] = "a number: 800+ or <200",
		[RULE_PLACE] = "first or last",
		[RULE_ALWAYS] = "-",
	};
	bool good = true;

	if (r->kind == RULE_SAYS || r->kind == RULE_BEGINS)
		good = rules_read_words(a, r);
	else if (r->kind == RULE_CALLS || r->kind == RULE_LENGTH)
		good = rules_read_range(r);
	else if (r->kind == RULE_RUNS)
		good = !str_has(r->pattern, STR("  "));
	else if (r->kind != RULE_TOOL && r->kind != RULE_ARGS)
		good = rules_read_choice(r, r->kind == RULE_ASKS    ? asks_words
					    : r->kind == RULE_AFTER ? after_words
					    : r->kind == RULE_SHAPE ? shape_words
					    : r->kind == RULE_PLACE ? place_words
								    : always_words);
	return good || rules_refuse(at, "the pattern", r->pattern, right[r->kind], err);
}

/* ---- rows ---- */

static bool rules_read_weight(struct str s, int *out)
{
	bool minus = str_starts(s, STR("-"));
	uint64_t n;

	if (!num_parse_u64(str_skip(s, minus), &n) || n == 0 || n > RULES_WEIGHT)
		return false;
	*out = minus ? -(int)n : (int)n;
	return true;
}

static bool rules_read_kind(struct str s, enum rules_kind *out)
{
	for (size_t i = 0; i < RULE_KINDS; i++) {
		if (!str_eq(s, str_from(rules_kinds[i])))
			continue;
		*out = (enum rules_kind)i;
		return true;
	}
	return false;
}

static bool rules_read_row(struct arena *a, const struct rules_place *at, struct str line, struct rules_row *r,
			   struct err *err)
{
	struct str field[5], rest = line;
	size_t tabs = str_count(line, '\t');

	*r = (struct rules_row){ .line = at->line };
	if (tabs != 4)
		return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ": a row has five fields parted by tabs: bond, weight, "
			       "kind, pattern, why; this one has %zu", STR_ARG(at->name), at->line, tabs + 1);
	for (size_t i = 0; i < COUNT(field); i++)
		field[i] = str_trim(str_cut(rest, '\t', &rest));
	if (!bond_find(field[0], &r->bond))
		return rules_refuse(at, "the bond", field[0],
				    "execution, verification, deliberation or exploration", err);
	if (!rules_read_weight(field[1], &r->weight))
		return rules_refuse(at, "the weight", field[1], "a whole number from -100 to 100, not 0", err);
	if (!rules_read_kind(field[2], &r->kind))
		return rules_refuse(at, "the kind", field[2], "says, begins, asks, tool, runs, args, calls, after, "
				    "shape, length, place or always", err);
	if (field[3].n == 0 || field[3].n > RULES_PATTERN)
		return rules_refuse(at, "the pattern", field[3], "given, in at most 200 bytes", err);
	r->pattern = arena_copy(a, field[3]);
	r->why = arena_copy(a, field[4]);
	return rules_read_pattern(a, at, r, err);
}

/* Two rows of one bond for the same: the later is the one to blame. */
static bool rules_check_twice(const struct rules_place *at, const struct rules_row *rows, size_t last, struct err *err)
{
	const struct rules_row *r = &rows[last];

	for (size_t i = 0; i < last; i++)
		if (rows[i].bond == r->bond && rows[i].kind == r->kind && str_eq(rows[i].pattern, r->pattern))
			return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ": the same bond, kind and pattern as in line "
				       "%" PRIu64, STR_ARG(at->name), at->line, rows[i].line);
	return true;
}

static void rules_set_digest(struct rules *rules)
{
	struct sha256 s;
	struct buf b;

	sha256_init(&s);
	buf_init(&b);
	for (size_t i = 0; i < rules->count; i++) {
		const struct rules_row *r = &rules->rows[i];

		buf_printf(&b, "%s\t%d\t%s\t", bond_names[r->bond], r->weight, rules_kinds[r->kind]);
		buf_add_str(&b, r->pattern);
		buf_add_byte(&b, '\n');
	}
	memcpy(rules->digest, "sha256:", 7);
	digest_hex(rules->digest + 7, sha256_of(&s, buf_str(&b)));
	rules->digest[7 + SHA256_HEX] = '\0';
	buf_free(&b);
	sha256_free(&s);
}

bool rules_parse(struct arena *a, struct str text, struct str name, struct rules *out, struct err *err)
{
	struct rules_place at = { .name = name };
	struct rules_row *rows = arena_array(a, struct rules_row, RULES_MOST);
	size_t count = 0;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_skip(text, 3);
	while (text.n) {
		struct str line = str_cut(text, '\n', &text), trimmed = str_trim(line);

		at.line++;
		if (trimmed.n == 0 || trimmed.p[0] == '#')
			continue;
		if (count == RULES_MOST)
			return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ": more than %d rules", STR_ARG(name), at.line,
				       RULES_MOST);
		if (!rules_read_row(a, &at, line, &rows[count], err) || !rules_check_twice(&at, rows, count, err))
			return false;
		count++;
	}
	if (count == 0)
		return err_set(err, ERR_DATA, "%.*s: there is no rule in it", STR_ARG(name));
	*out = (struct rules){ .rows = rows, .count = count };
	rules_set_digest(out);
	return true;
}
