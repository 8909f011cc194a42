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

static bool rules_read_choice(struct rules_pattern *p, const char *const *words)
{
	for (p->choice = 0; words[p->choice]; p->choice++)
		if (str_eq(p->text, str_from(words[p->choice])))
			return true;
	return false;
}

/* "0", "3+", "<200" */
static bool rules_read_range(struct rules_pattern *p)
{
	struct str s = p->text;
	bool less = str_starts(s, STR("<")), more = str_ends(s, STR("+"));
	uint64_t n;

	if (less && more)
		return false;
	s = str_of(s.p + less, s.n - less - more);
	if (!num_parse_u64(s, &n) || n >= UINT32_MAX || (less && n == 0))
		return false;
	p->from = less ? 0 : n;
	p->below = less ? n : more ? UINT64_MAX : n + 1;
	return true;
}

/* " let me check ", or " verif" for the beginning of a word. */
static bool rules_read_words(struct arena *a, struct rules_pattern *p)
{
	bool open = str_ends(p->text, STR("*"));
	struct str s = str_of(p->text.p, p->text.n - open);

	if (memchr(s.p, '*', s.n))
		return false;
	p->words = look_words(a, s);
	if (open && p->words.n > 1)
		p->words.n--;
	return p->words.n > 1;
}

static bool rules_read_pattern(struct arena *a, const struct rules_place *at, enum rules_kind kind,
			       struct rules_pattern *p, struct err *err)
{
	static const struct {
		const char *const *words; /* NULL: no choice */
		const char *right;
	} kinds[RULE_KINDS] = {
		[RULE_SAYS] = { NULL, "words, with a * only at the end" },
		[RULE_BEGINS] = { NULL, "words, with a * only at the end" },
		[RULE_ASKS] = { asks_words, "any or last" },
		[RULE_TOOL] = { NULL, "the name of a tool" },
		[RULE_RUNS] = { NULL, "a program and words behind it, one space between them" },
		[RULE_ARGS] = { NULL, "characters" },
		[RULE_CALLS] = { NULL, "a number: 0, 2+ or <3" },
		[RULE_AFTER] = { after_words, "nothing, answer, success or error" },
		[RULE_SHAPE] = { shape_words, "code, numbers, bullets, table, json or heading" },
		[RULE_LENGTH] = { NULL, "a number: 800+ or <200" },
		[RULE_PLACE] = { place_words, "first or last" },
		[RULE_ALWAYS] = { always_words, "-" },
	};
	bool good = true;

	if (p->text.n == 0 || p->text.n > RULES_PATTERN)
		return rules_refuse(at, "the pattern", p->text, "given, in at most 200 bytes", err);
	if (kind == RULE_SAYS || kind == RULE_BEGINS)
		good = rules_read_words(a, p);
	else if (kind == RULE_CALLS || kind == RULE_LENGTH)
		good = rules_read_range(p);
	else if (kind == RULE_RUNS)
		good = !str_has(p->text, STR("  "));
	else if (kinds[kind].words)
		good = rules_read_choice(p, kinds[kind].words);
	return good || rules_refuse(at, "the pattern", p->text, kinds[kind].right, err);
}

static bool rules_read_patterns(struct arena *a, const struct rules_place *at, struct rules_row *r, struct err *err)
{
	struct str rest = r->field;
	size_t cap = 0, bar;

	do {
		struct str one;

		bar = str_find(rest, STR(" | "));
		one = bar == (size_t)-1 ? rest : str_of(rest.p, bar);
		rest = bar == (size_t)-1 ? STR("") : str_skip(rest, bar + strlen(" | "));
		arena_grow(a, r->patterns, r->count, cap, 4);
		r->patterns[r->count] = (struct rules_pattern){ .text = str_trim(one) };
		if (!rules_read_pattern(a, at, r->kind, &r->patterns[r->count++], err))
			return false;
	} while (bar != (size_t)-1);
	return true;
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
			       "kind, patterns, why; this one has %zu", STR_ARG(at->name), at->line, tabs + 1);
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
	r->field = arena_copy(a, field[3]);
	r->why = arena_copy(a, field[4]);
	return rules_read_patterns(a, at, r, err);
}

/* Two rows of one bond for the same: the later is the one to blame. */
static bool rules_check_twice(const struct rules_place *at, const struct rules_row *rows, size_t last, struct err *err)
{
	const struct rules_row *r = &rows[last];

	for (size_t i = 0; i < last; i++)
		if (rows[i].bond == r->bond && rows[i].kind == r->kind && str_eq(rows[i].field, r->field))
			return err_set(err, ERR_DATA, "%.*s:%" PRIu64 ": the same bond, kind and patterns as in line "
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
		buf_add_str(&b, r->field);
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

struct str rules_builtin_text(void)
{
	return str_of(rules_builtin_bytes, rules_builtin_size);
}

void rules_builtin(struct arena *a, struct rules *out)
{
	struct err err;
	bool read = rules_parse(a, rules_builtin_text(), STR("bonds.tsv"), out, &err);

	assert(read);
	(void)read;
}
