#include "base/crypto/secret.h"

#include <assert.h>
#include <dlfcn.h>
#include <hs/hs.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/crypto/secret_db.h"

/* A match whose end may still move on. */
struct pending {
	size_t from, to;
	bool open;
};

struct secret_scanner {
	hs_database_t *db;
	hs_scratch_t *scratch;
	struct secret_hit *hits;
	size_t count, cap;
	struct pending pending[SECRET_RULES_MAX];
	/* of the scan that runs */
	struct str text;
	const size_t *ends;
	size_t ends_count;
	size_t block_end; /* where the next line that ends a block ends */
	size_t block_line;
};

static bool is_quote(char c)
{
	return ascii_is_one_of(c, "`'\"\t\n\f\r ;");
}

/* `word` in lower case. */
static bool starts_with(struct str s, const char *word)
{
	size_t n = 0;

	for (; word[n]; n++)
		if (n >= s.n || ascii_lower(s.p[n]) != word[n])
			return false;
	return true;
}

/* The text of the buffer in which `at` lies. */
static void bounds_of(const struct secret_scanner *s, size_t at, size_t *from, size_t *to)
{
	size_t low = 0, high = s->ends_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->ends[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	*from = low > 0 ? s->ends[low - 1] + 1 : 0;
	*to = low < s->ends_count ? s->ends[low] : s->text.n;
}

/* Bits per byte, after Shannon. */
static double entropy_of(struct str key)
{
	unsigned counts[256] = { 0 };
	double sum = 0;

	for (size_t i = 0; i < key.n; i++)
		counts[(unsigned char)key.p[i]]++;
	for (size_t i = 0; i < 256; i++) {
		double share = (double)counts[i] / (double)key.n;

		if (counts[i])
			sum -= share * log2(share);
	}
	return sum;
}

/* Without their first four bytes, AIza, so that scanners of repositories do not take them for keys. */
static bool is_google_example(struct str key)
{
	static const char *const known[] = {
		"Syabcdefghijklmnopqrstuvwxyz1234567", "SyAnLA7NfeLquW1tJFpx_eQCxoX-oo6YyIs",
		"SyCkEhVjf3pduRDt6d1yKOMitrUEke8agEM", "SyDMAScliyLx7F0NPDEJi1QmyCgHIAODrlU",
		"SyD3asb-2pEZVqMkmL6M9N6nHZRR_znhrh0", "yDNSXIbFmlXbIE6mCzDLQAqITYefhixbX4A",
		"SyAdOS2zB6NCsk1pCdZ4-P6GBdi_UUPwX7c", "SyASWm6HmTMdYWpgMnjRBjxcQ9CKctWmLd4",
		"SyANUvH9H9BsUccjsu2pCmEkOPjjaXeDQgY", "SyA5_iVawFQ8ABuTZNUdcwERLJv_a_p4wtM",
		"SyA4UrcGxgwQFTfaI3no3t7Lt1sjmdnP5sQ", "SyDSb51JiIcB6OJpwwMicseKRhhrOq1cS7g",
		"SyBF2RrAIm4a0mO64EShQfqfd2AFnzAvvuU", "SyBcE-OOIbhjyR83gm4r2MFCu4MJmprNXsw",
		"SyB8qGxt4ec15vitgn44duC5ucxaOi4FmqE", "SyA8vmApnrHNFE0bApF4hoZ11srVL_n0nvY",
	};

	return str_is_word_of(str_skip(key, 4), known, COUNT(known));
}

static bool has_letters(struct str key)
{
	size_t run = 0;

	for (size_t i = key.n; i-- > 0;) {
		if (run >= 24 && key.p[i] == '.' && i > 0 && key.p[i - 1] == 's')
			return true;
		run = ascii_is_alpha(key.p[i]) ? run + 1 : 0;
	}
	return false;
}

/* A token that begins like a key of ours, but is of another shape than that key's. */
static bool begins_as_known(struct str key)
{
	for (size_t i = 0; i < secret_rules_count; i++)
		if (secret_rules[i].lead[0] && str_starts(key, str_from(secret_rules[i].lead)))
			return true;
	return str_has(key, STR(".atlasv1."));
}

/* True when the key is one of those that `allow` lets pass. */
static bool is_allowed(enum secret_allow allow, struct str key)
{
	switch (allow) {
	case SECRET_ALLOW_EXAMPLE: return key.n > 7 && str_ends(key, STR("EXAMPLE"));
	case SECRET_ALLOW_GOOGLE: return key.n > 4 && is_google_example(key);
	case SECRET_ALLOW_LETTERS: return has_letters(key);
	case SECRET_ALLOW_KNOWN: return begins_as_known(key);
	case SECRET_ALLOW_NONE: break;
	}
	return false;
}

static void add_hit(struct secret_scanner *s, const struct secret_rule *r, size_t from, size_t to)
{
	mem_grow(s->hits, s->count, s->cap, 16);
	s->hits[s->count++] = (struct secret_hit){ from, to - from, r };
}

/*
 * Hyperscan gets some expressions without their upper limit, since it cannot tell where a match with a
 * large one begins. What is too long begins at the next lead within reach, or ends early when nothing has to
 * follow.
 */
static bool fit(const struct secret_scanner *s, const struct secret_rule *r, size_t *from, size_t *to)
{
	size_t end = *to, lead = strlen(r->lead);
	char low[64];

	while (end > *from && s->text.p[end - 1] == '=')
		end--;
	if (r->most == 0 || end - *from <= r->most)
		return true;
	if (!(r->flags & SECRET_WORD)) {
		*to = *from + r->most;
		return true;
	}
	for (size_t i = 0; i <= lead; i++)
		low[i] = ascii_lower(r->lead[i]);
	for (size_t i = end - r->most; i + r->least <= end; i++) {
		if (ascii_is_word(s->text.p[i - 1]) || !starts_with(str_skip(s->text, i), low))
			continue;
		if (!(r->flags & SECRET_CASELESS) && memcmp(s->text.p + i, r->lead, lead) != 0)
			continue;
		*from = i;
		return true;
	}
	return false;
}

static void judge(struct secret_scanner *s, const struct secret_rule *r, size_t from, size_t to)
{
	struct str key;

	if (!fit(s, r, &from, &to))
		return;
	if ((r->flags & SECRET_ALONE) && from > 0 && (s->text.p[from - 1] == '-' || s->text.p[from - 1] == '+'))
		return;
	while (to > from && s->text.p[to - 1] == '\n')
		to--;
	key = str_of(s->text.p + from, to - from);
	if (key.n == 0 || (r->entropy > 0 && entropy_of(key) <= r->entropy) || is_allowed(r->allow, key))
		return;
	add_hit(s, r, from, to);
}

/* Where the first line "KEY-----" or "KEY BLOCK-----" that begins at `from` or later ends; or past the end. */
static size_t find_block_end(struct secret_scanner *s, size_t from)
{
	struct str text = s->text;

	if (s->block_end && s->block_line >= from)
		return s->block_end;
	for (size_t i = from; i < text.n; i++) {
		size_t n = 0;

		if ((text.p[i] | 0x20) != 'k')
			continue;
		if (starts_with(str_skip(text, i), "key-----"))
			n = strlen("key-----");
		else if (starts_with(str_skip(text, i), "key block-----"))
			n = strlen("key block-----");
		if (n) {
			s->block_line = i;
			return s->block_end = i + n;
		}
	}
	s->block_line = SIZE_MAX;
	return s->block_end = SIZE_MAX;
}

/* `to` is where the line that begins a block ends. */
static void judge_block(struct secret_scanner *s, const struct secret_rule *r, size_t to)
{
	size_t from, first, last, end;

	bounds_of(s, to - 1, &first, &last);
	end = last - to < 64 ? SIZE_MAX : find_block_end(s, to + 64);
	if (end > last)
		return;
	from = to - r->least;
	for (size_t i = to - r->least + 1; i-- > first && to - i <= r->most;)
		if (starts_with(str_skip(s->text, i), "-----begin"))
			from = i;
	add_hit(s, r, from, end);
}

/* Takes off what had to follow the key. */
static size_t without_tail(const struct secret_scanner *s, const struct secret_rule *r, size_t to)
{
	const char *end = s->text.p + to;

	switch (r->tail) {
	case SECRET_TAIL_NONE: break;
	case SECRET_TAIL_QUOTE:
		if (is_quote(end[-1]))
			return to - 1;
		if (to > 1 && end[-2] == '\\' && (end[-1] == 'n' || end[-1] == 'r'))
			return to - 2;
		break;
	case SECRET_TAIL_TOKEN: return ascii_is_word(end[-1]) || end[-1] == '-' ? to : to - 1;
	case SECRET_TAIL_AZURE: return ascii_is_word(end[-1]) || ascii_is_one_of(end[-1], "~.-") ? to : to - 1;
	}
	return to;
}

/* Where the value begins in a match that begins with its name. */
static size_t value_start(const struct secret_scanner *s, size_t from, size_t to)
{
	size_t at = to;

	while (at > from && s->text.p[at - 1] && !strchr(" \t\"'`=:>,;&?", s->text.p[at - 1]))
		at--;
	return at;
}

static void judge_pending(struct secret_scanner *s, size_t row)
{
	const struct secret_rule *r = &secret_rules[row];
	struct pending *p = &s->pending[row];
	size_t from = p->from, to = without_tail(s, r, p->to);

	assert(p->open && from <= to && to <= s->text.n);
	if ((r->flags & SECRET_HEAD) && !ascii_is_word(s->text.p[from]) && !strchr("~.", s->text.p[from]))
		from++;
	if ((r->flags & SECRET_NAMED) && to > from && s->text.p[to - 1] == ';')
		to--; /* it parts a password from what follows */
	if (r->flags & SECRET_NAMED)
		from = value_start(s, from, to);
	p->open = false;
	judge(s, r, from, to);
}

static int on_match(unsigned row, unsigned long long from, unsigned long long to, unsigned flags, void *context)
{
	struct secret_scanner *s = context;
	const struct secret_rule *r = &secret_rules[row];
	struct pending *p = &s->pending[row];

	(void)flags;
	assert(row < secret_rules_count && to <= s->text.n);
	if (r->flags & SECRET_BLOCK) {
		judge_block(s, r, to);
	} else if (secret_rules_has_start(r)) {
		to = without_tail(s, r, to);
		judge(s, r, to - r->least, to);
	} else if (p->open && p->from == from) {
		p->to = p->to > to ? p->to : to;
	} else {
		if (p->open)
			judge_pending(s, row);
		*p = (struct pending){ from, to, true };
	}
	return 0;
}

static int compare_hits(const void *a, const void *b)
{
	const struct secret_hit *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static void sort_hits(struct secret_scanner *s)
{
	size_t kept = 0, end = 0;

	if (s->count > 1)
		qsort(s->hits, s->count, sizeof(*s->hits), compare_hits);
	for (size_t i = 0; i < s->count; i++) {
		struct secret_hit h = s->hits[i];

		if (kept && h.at + h.length <= end)
			continue;
		end = h.at + h.length;
		s->hits[kept++] = h;
	}
	s->count = kept;
}

struct secret_hits secret_scan_many(struct secret_scanner *s, struct str texts, const size_t *ends, size_t count)
{
	assert(texts.n <= SECRET_TEXT_MAX);
	s->count = 0;
	if (texts.n == 0 || texts.n > SECRET_TEXT_MAX)
		return (struct secret_hits){ NULL, 0 };
	s->text = texts;
	s->ends = ends;
	s->ends_count = count;
	s->block_end = s->block_line = 0;
	hs_scan(s->db, texts.p, (unsigned)texts.n, 0, s->scratch, on_match, s);
	for (size_t i = 0; i < secret_rules_count; i++)
		if (s->pending[i].open)
			judge_pending(s, i);
	sort_hits(s);
	return (struct secret_hits){ s->hits, s->count };
}

struct secret_hits secret_scan(struct secret_scanner *s, struct str text)
{
	return secret_scan_many(s, text, NULL, 0);
}

bool secret_find(struct secret_scanner *s, struct str text, struct secret_hit *out)
{
	struct secret_hits hits = secret_scan(s, text);

	if (hits.count && out)
		*out = hits.list[0];
	return hits.count > 0;
}

static struct secret_scanner *scanner_of(hs_database_t *db, struct err *err)
{
	struct secret_scanner *s = mem_alloc(sizeof(*s));

	*s = (struct secret_scanner){ .db = db };
	if (hs_alloc_scratch(db, &s->scratch) == HS_SUCCESS)
		return s;
	secret_scanner_close(s);
	err_set(err, ERR_LIMIT, "no memory to look for keys in text");
	return NULL;
}

struct secret_scanner *secret_scanner_open(struct err *err)
{
	hs_database_t *db = NULL;

	if (hs_deserialize_database((const char *)secret_db, secret_db_size, &db) == HS_SUCCESS)
		return scanner_of(db, err);
	return secret_scanner_compile(err);
}

/*
 * The compiler is a library of its own, six times as large as what scans and written in C++. It is loaded
 * only here: linking with it would make every start of the program slower by a millisecond.
 */
struct secret_scanner *secret_scanner_compile(struct err *err)
{
	hs_error_t (*compile)(const char *const *, const unsigned *, const unsigned *, unsigned, unsigned,
			      const hs_platform_info_t *, hs_database_t **, hs_compile_error_t **);
	hs_error_t (*forget)(hs_compile_error_t *);
	static const char *const names[] = { "libhs.so.5", "libhs.so" };
	const char *expressions[SECRET_RULES_MAX];
	char (*text)[SECRET_EXPRESSION_MAX] = mem_alloc(SECRET_RULES_MAX * sizeof(*text));
	unsigned flags[SECRET_RULES_MAX], rows[SECRET_RULES_MAX];
	hs_compile_error_t *why = NULL;
	hs_database_t *db = NULL;
	void *library = NULL;

	assert(secret_rules_count <= SECRET_RULES_MAX);
	for (unsigned i = 0; i < secret_rules_count; i++) {
		secret_rules_expression(&secret_rules[i], text[i]);
		expressions[i] = text[i];
		flags[i] = secret_rules_has_start(&secret_rules[i]) ? 0 : HS_FLAG_SOM_LEFTMOST;
		rows[i] = i;
	}
	for (size_t i = 0; i < 2 && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	*(void **)&compile = library ? dlsym(library, "hs_compile_multi") : NULL;
	*(void **)&forget = library ? dlsym(library, "hs_free_compile_error") : NULL;
	if (compile)
		compile(expressions, flags, rows, (unsigned)secret_rules_count, HS_MODE_BLOCK, NULL, &db, &why);
	if (why && forget)
		forget(why);
	mem_free(text);
	if (db)
		return scanner_of(db, err);
	err_set(err, ERR_IO, "Hyperscan cannot run here: it needs SSSE3 or NEON, and its library libhs");
	return NULL;
}

void secret_scanner_close(struct secret_scanner *s)
{
	if (!s)
		return;
	hs_free_scratch(s->scratch);
	hs_free_database(s->db);
	mem_free(s->hits);
	mem_free(s);
}
