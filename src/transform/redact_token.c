/* Tokens: made, recognised, counted; and the keys of services that become some wherever they stand. */
#include <string.h>

#include "base/crypto/hmac.h"
#include "transform/redact_private.h"

#define LEAD "[tw:"
#define CODE 16
#define CHECK 4
#define ROUNDS 16 /* a key that shows only when the one beside it is gone */
_Static_assert(sizeof(LEAD) - 1 + REDACT_ID + 1 + CODE + CHECK + 1 == REDACT_TOKEN, "the length of a token");

static void token_letters(char *out, size_t n, struct digest d)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned bits = 0, have = 0;

	for (size_t i = 0, at = 0; i < n; i++) {
		if (have < 5) {
			bits = bits << 8 | d.b[at++];
			have += 8;
		}
		out[i] = letters[bits >> (have - 5) & 31];
		have -= 5;
	}
}

/* Each use of the key has a key of its own. */
static struct digest token_code(const struct redact *r, enum redact_use use, struct str text)
{
	return hmac_of(str_of(r->keys[use].b, sizeof(r->keys[use].b)), text);
}

static void token_check(const struct redact *r, struct str code, char out[CHECK])
{
	token_letters(out, CHECK, token_code(r, REDACT_USE_CHECK, code));
}

bool redact_is_token(const struct redact *r, struct str text)
{
	char check[CHECK];
	size_t at = sizeof(LEAD) - 1;

	if (text.n != REDACT_TOKEN || !str_starts(text, STR(LEAD)) || text.p[text.n - 1] != ']' ||
	    memcmp(text.p + at, r->id, REDACT_ID) != 0 || text.p[at + REDACT_ID] != ':')
		return false;
	at += REDACT_ID + 1;
	token_check(r, str_of(text.p + at, CODE), check);
	return memcmp(text.p + at + CODE, check, CHECK) == 0;
}

/* ---- counting ---- */

static void token_put(struct redact *r, struct hash h)
{
	size_t i = h.a & (r->token_cap - 1);

	while (r->tokens[i].a | r->tokens[i].b) {
		if (r->tokens[i].a == h.a && r->tokens[i].b == h.b)
			return;
		i = (i + 1) & (r->token_cap - 1);
	}
	r->tokens[i] = h;
	r->token_count++;
}

static void token_remember(struct redact *r, struct str token)
{
	if (r->token_count >= REDACT_DISTINCT_MOST) {
		r->many = true;
		return;
	}
	if (2 * r->token_count >= r->token_cap) {
		struct hash *old = r->tokens;
		size_t cap = r->token_cap;

		r->token_cap = cap ? 2 * cap : 256;
		r->tokens = mem_alloc(r->token_cap * sizeof(*r->tokens));
		memset(r->tokens, 0, r->token_cap * sizeof(*r->tokens));
		r->token_count = 0;
		for (size_t i = 0; i < cap; i++)
			if (old[i].a | old[i].b)
				token_put(r, old[i]);
		mem_free(old);
	}
	token_put(r, str_hash_wide(token));
}

static void token_add(struct redact_tally *t, const char *name, uint64_t values, uint64_t bytes)
{
	size_t i = 0;

	while (i < t->count && strcmp(t->list[i].name, name) != 0)
		i++;
	if (i == t->count) {
		mem_grow(t->list, t->count, t->cap, 16);
		t->list[t->count++] = (struct redact_sum){ .name = name };
	}
	t->list[i].values += values;
	t->list[i].bytes += bytes;
}

static void token_count(struct redact *r, const char *name, size_t bytes)
{
	token_add(r->unsure ? &r->waiting : &r->sums, name, 1, bytes);
}

void redact_settle(struct redact *r, bool counts)
{
	for (size_t i = 0; counts && i < r->waiting.count; i++)
		token_add(&r->sums, r->waiting.list[i].name, r->waiting.list[i].values, r->waiting.list[i].bytes);
	r->waiting.count = 0;
	r->unsure = false;
}

static struct str token_make(struct redact *r, struct arena *a, struct str value)
{
	char *out = arena_array(a, char, REDACT_TOKEN), *at = out + sizeof(LEAD) - 1;

	memcpy(out, LEAD, sizeof(LEAD) - 1);
	memcpy(at, r->id, REDACT_ID);
	at[REDACT_ID] = ':';
	at += REDACT_ID + 1;
	token_letters(at, CODE, token_code(r, REDACT_USE_VALUE, value));
	token_check(r, str_of(at, CODE), at + CODE);
	at[CODE + CHECK] = ']';
	token_remember(r, str_of(out, REDACT_TOKEN));
	return str_of(out, REDACT_TOKEN);
}

struct str redact_token(struct redact *r, struct arena *a, struct str value, enum redact_class class)
{
	token_count(r, redact_class_name(class), value.n);
	return token_make(r, a, value);
}

/* ---- keys of services ---- */

/* The end of the part without a token that begins at `from`; *next is behind the token. */
static size_t token_part_end(const struct redact *r, struct str text, size_t from, size_t *next)
{
	for (size_t at = from; at < text.n;) {
		size_t found = str_find(str_skip(text, at), STR(LEAD));

		if (found == (size_t)-1 || text.n - (at + found) < REDACT_TOKEN)
			break;
		at += found;
		if (redact_is_token(r, str_of(text.p + at, REDACT_TOKEN))) {
			*next = at + REDACT_TOKEN;
			return at;
		}
		at++;
	}
	*next = text.n;
	return text.n;
}

/* Edits for the keys in one part of a text that has neither tokens nor edits. */
static void token_scan_part(struct redact *r, struct arena *a, struct str text, size_t from, size_t to,
			    struct redact_edits *out)
{
	struct secret_hits found = secret_scan(r->scanner, str_of(text.p + from, to - from));

	for (size_t i = 0; i < found.count; i++) {
		struct str key = str_of(text.p + from + found.list[i].at, found.list[i].length);

		token_count(r, found.list[i].rule->id, key.n);
		redact_edits_add(out, a, (size_t)(key.p - text.p), (size_t)(key.p - text.p) + key.n,
				 token_make(r, a, key));
	}
}

static void token_scan_parts(struct redact *r, struct arena *a, struct str text, size_t from, size_t to,
			     struct redact_edits *out)
{
	size_t next;

	for (; from < to; from = next) {
		size_t end = token_part_end(r, str_of(text.p, to), from, &next);

		token_scan_part(r, a, text, from, end, out);
	}
}

void redact_find_secrets(struct redact *r, struct arena *a, struct str text, struct redact_edits *out)
{
	bool more = text.n > 0 && text.n <= SECRET_TEXT_MAX;

	assert(out->count == 0);
	for (unsigned round = 0; more && round < ROUNDS; round++) {
		struct redact_edits all = { .count = 0 };
		size_t from = 0;

		for (size_t i = 0; i < out->count; i++) {
			token_scan_parts(r, a, text, from, out->list[i].from, &all);
			redact_edits_add(&all, a, out->list[i].from, out->list[i].to, out->list[i].with);
			from = out->list[i].to;
		}
		token_scan_parts(r, a, text, from, text.n, &all);
		more = all.count > out->count;
		*out = all;
	}
}

bool redact_has_secret(struct redact *r, struct str text)
{
	return text.n >= 8 && secret_find(r->scanner, text, NULL);
}

/* ---- the whole ---- */

const char *redact_class_name(enum redact_class c)
{
	static const char *const words[] = {
		[REDACT_PROMPT] = "prompt", [REDACT_OUTPUT] = "output", [REDACT_THINKING] = "thinking",
		[REDACT_ARGS] = "args", [REDACT_RESULTS] = "results", [REDACT_PATHS] = "paths",
		[REDACT_IMAGES] = "images", [REDACT_OTHER] = "other",
	};

	return words[c];
}

struct redact *redact_open(const uint8_t key[REDACT_KEY], enum redact_mode mode, struct err *err)
{
	static const char *const uses[] = { "id", "value", "check" };
	struct secret_scanner *scanner = secret_scanner_open(err);
	struct redact *r;

	if (!scanner)
		return NULL;
	r = mem_alloc(sizeof(*r));
	*r = (struct redact){ .mode = mode, .scanner = scanner };
	for (int i = 0; i < REDACT_USES; i++)
		r->keys[i] = hmac_derive(str_of(key, REDACT_KEY), STR("trackway redact"), str_from(uses[i]));
	token_letters(r->id, REDACT_ID, token_code(r, REDACT_USE_ID, STR("id")));
	for (size_t i = 0; i < REDACT_LEVELS; i++)
		r->parsers[i] = json_parser_open((struct json_options){ .max_depth = REDACT_DEPTH,
									.allow_duplicates = true, .allow_lone = true });
	for (int c = 0; c < REDACT_CLASSES; c++)
		token_add(&r->sums, redact_class_name((enum redact_class)c), 0, 0);
	arena_init(&r->arena);
	return r;
}

void redact_close(struct redact *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < REDACT_LEVELS; i++)
		json_parser_close(r->parsers[i]);
	secret_scanner_close(r->scanner);
	arena_free(&r->arena);
	buf_free(&r->held);
	mem_free(r->sums.list);
	mem_free(r->waiting.list);
	mem_free(r->tokens);
	explicit_bzero(r->keys, sizeof(r->keys));
	mem_free(r);
}

void redact_set_mode(struct redact *r, enum redact_mode mode)
{
	r->mode = mode;
}

struct str redact_key_id(const struct redact *r)
{
	return str_of(r->id, REDACT_ID);
}

const struct redact_sum *redact_sums(const struct redact *r)
{
	return r->sums.list;
}

const struct redact_sum *redact_secrets(const struct redact *r, size_t *count)
{
	*count = r->sums.count - REDACT_CLASSES;
	return r->sums.list + REDACT_CLASSES;
}

bool redact_distinct(const struct redact *r, uint64_t *out)
{
	*out = r->token_count;
	return !r->many;
}
