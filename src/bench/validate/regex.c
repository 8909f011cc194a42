/*
 * Compiles into the caller's arena, where freeing is no work, and matches in memory of the heap that is given back
 * after each text. The callout `spend` is called before each item of a pattern and is what ends a match that takes too
 * long; PCRE2's own limits stand behind it.
 */
#include "bench/validate/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "bench/validate/regex_syntax.h"

#define HEAP_KIB 65536u
#define STEPS 20000000u

struct regex {
	pcre2_code *code;
	bool refers_back;
};

/* ---- compiling ---- */

/* PCRE2's allocator for compiling: 16 bytes is the alignment that malloc would give. */
static void *arena_piece(size_t size, void *arena)
{
	return arena_alloc(arena, size, 16);
}

static void arena_keeps(void *p, void *arena)
{
	(void)p;
	(void)arena;
}

/* PCRE2's own words for an error. Always false. */
static bool regex_fail(struct regex_fault *fault, int code, size_t at)
{
	if (fault) {
		fault->at = at;
		if (pcre2_get_error_message(code, (PCRE2_UCHAR *)fault->text, sizeof(fault->text)) < 0)
			snprintf(fault->text, sizeof(fault->text), "error %d", code);
	}
	return false;
}

/* Compiles with PCRE2 into the arena; places of faults are those of the pattern as it was given. */
static bool compile(struct arena *a, struct regex *r, const struct regex_reading *from, enum regex_syntax syntax,
		    struct regex_fault *fault)
{
	pcre2_general_context *memory = pcre2_general_context_create(arena_piece, arena_keeps, a);
	pcre2_compile_context *how = pcre2_compile_context_create(memory);
	uint32_t options = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_AUTO_CALLOUT;
	PCRE2_SIZE at = 0;
	uint32_t back = 0;
	int code = 0;

	if (syntax == REGEX_TEXT)
		options |= PCRE2_LITERAL | PCRE2_CASELESS;
	else
		options |= PCRE2_NEVER_BACKSLASH_C;
	if (syntax == REGEX_PYTHON)
		options |= PCRE2_UCP;
	if (syntax == REGEX_ECMA)
		options |= PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS;
	pcre2_set_newline(how, PCRE2_NEWLINE_LF);
	r->code = pcre2_compile((PCRE2_SPTR)from->text.p, from->text.n, options, &code, &at, how);
	if (!r->code)
		return regex_fail(fault, code, at < from->text.n ? from->origin[at] : from->length);
	pcre2_pattern_info(r->code, PCRE2_INFO_BACKREFMAX, &back);
	r->refers_back = back > 0;
	return true;
}

struct regex *regex_new(struct arena *a, struct str pattern, enum regex_syntax syntax, struct regex_fault *fault)
{
	struct regex *r = arena_new(a, struct regex);
	struct regex_reading from;

	if (pattern.n > REGEX_PATTERN_MAX) {
		if (fault) {
			fault->at = REGEX_PATTERN_MAX;
			snprintf(fault->text, sizeof(fault->text), "it is longer than %d bytes", REGEX_PATTERN_MAX);
		}
		return NULL;
	}
	if (!regex_read(a, pattern, syntax, &from, fault))
		return NULL;
	return compile(a, r, &from, syntax, fault) ? r : NULL;
}

/* ---- matching ---- */

struct spending {
	uint64_t *left;
	size_t last; /* where the last callout was */
	bool refers_back;
};

/*
 * The callout. Takes what was passed since the last one from the budget, in either direction, for going back costs too.
 * A budget that is too small is emptied, so that the patterns after this one end at once.
 */
static int spend(pcre2_callout_block *b, void *context)
{
	struct spending *s = context;
	size_t at = b->current_position;
	uint64_t cost = 1 + (at > s->last ? at - s->last : s->last - at);

	for (uint32_t i = 1; s->refers_back && i < b->capture_top; i++)
		if (b->offset_vector[2 * i] != PCRE2_UNSET && b->offset_vector[2 * i + 1] > b->offset_vector[2 * i])
			cost += b->offset_vector[2 * i + 1] - b->offset_vector[2 * i];
	s->last = at;
	if (cost > *s->left) {
		*s->left = 0;
		return PCRE2_ERROR_MATCHLIMIT;
	}
	*s->left -= cost;
	return 0;
}

/* May be NULL: a match for which there is no memory is undecided and does not end the program. */
static void *heap_piece(size_t size, void *context)
{
	(void)context;
	return mem_try_alloc(size);
}

static void heap_free(void *p, void *context)
{
	(void)context;
	mem_free(p);
}

/* Every limit and every lack of memory is one answer: it was not decided. */
static enum regex_answer answer_of(int code)
{
	if (code == PCRE2_ERROR_NOMATCH)
		return REGEX_NO;
	return code >= 0 ? REGEX_YES : REGEX_LIMIT;
}

enum regex_answer regex_match(const struct regex *r, struct str text, bool whole, uint64_t *budget)
{
	uint32_t options = PCRE2_NO_UTF_CHECK | (whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
	uint64_t own = REGEX_BUDGET + (uint64_t)REGEX_PER_BYTE * text.n;
	struct spending spending = { .left = budget ? budget : &own, .last = 0, .refers_back = r->refers_back };
	pcre2_general_context *memory = pcre2_general_context_create(heap_piece, heap_free, NULL);
	pcre2_match_context *how = memory ? pcre2_match_context_create(memory) : NULL;
	pcre2_match_data *found = how ? pcre2_match_data_create(1, memory) : NULL;
	enum regex_answer answer = REGEX_LIMIT;

	if (found) {
		pcre2_set_match_limit(how, STEPS);
		pcre2_set_depth_limit(how, STEPS);
		pcre2_set_heap_limit(how, HEAP_KIB);
		pcre2_set_callout(how, spend, &spending);
		answer = answer_of(
			pcre2_match(r->code, (PCRE2_SPTR)(text.n ? text.p : ""), text.n, 0, options, found, how));
	}
	pcre2_match_data_free(found);
	pcre2_match_context_free(how);
	pcre2_general_context_free(memory);
	return answer;
}
