/*
 * What the SIMD variants share: the working state of one parser and the table of variants. A variant
 * is one file scan_<name>.c that defines a few primitives on 32 or 64 bytes and includes scan_body.h.
 *
 * A batch is a run of whole lines, or one document. scan_run gives true and fills the tape and the
 * lines, or false with nothing promised: something in the batch is wrong, or only allowed by an
 * option, and slow.c has the word.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include "json/json.h"
#include "json/shape.h"

#define SCAN_BATCH ((size_t)64 << 10) /* keeps text, index and tape in the second-level cache */
#define SCAN_NO_ROOT UINT32_MAX
#define SCAN_SLACK 64 /* entries a variant may write past the last one */

struct scan_line {
	uint32_t off, end; /* of the line, without its LF */
	uint32_t root;     /* token, or SCAN_NO_ROOT for a blank line */
};

struct scan_frame {
	uint32_t open;  /* token of the container */
	uint16_t shape; /* reached so far, when it is an object */
	bool object;
};

struct scan {
	const uint8_t *text;
	uint32_t from, to; /* the batch */
	bool lines;        /* LF ends a value */

	uint32_t *index; /* ascending offsets, then `to` three times */
	size_t index_count, index_cap;
	uint32_t *escapes; /* offsets of the backslashes that begin an escape, then UINT32_MAX */
	size_t escapes_count, escapes_cap;

	struct json_tok *toks;
	uint32_t tok_count;
	size_t tok_cap;
	struct scan_line *rows;
	uint32_t row_count;
	size_t row_cap;

	struct json_shapes *shapes;
	struct scan_frame *stack; /* max_depth + 1 of them */
	uint32_t max_depth;
};

struct scan_variant {
	const char *name;
	bool (*run)(struct scan *s);
};

extern const struct scan_variant scan_scalar, scan_avx2, scan_avx512, scan_neon;

/* The variants this machine can run, best first, NULL after the last. */
const struct scan_variant *const *scan_variants(void);

/* The one in use: the best, unless json_use_variant said otherwise. */
const struct scan_variant *scan_chosen(void);

/*
 * Room for the batch's index; the tape and rows follow once the index is there. What was in them before is gone, and so
 * are the values of earlier tapes.
 */
void scan_fit_index(struct scan *s);
void scan_fit_tape(struct scan *s);

/*
 * The slow way through one name: a name not guessed, with escapes, or long. Fills in *out, and moves *escapes and
 * *shape on. False when it is no name with a colon, or the shape has it already.
 */
bool scan_name(struct scan *s, const uint32_t *ix, const uint32_t **escapes, uint16_t *shape, struct json_tok *out);

/*
 * Checks the escapes of the string that ends before q (the next index), from *escapes on; sets *flags and moves
 * *escapes behind them. False for one that is wrong, and for half a surrogate pair.
 */
bool scan_escapes(const uint8_t *text, const uint32_t **escapes, uint32_t q, uint8_t *flags);

/*
 * Grammar of numbers longer than 32 bytes. False when it is none; *flags otherwise, always with JSON_REWRITE, since
 * canonical forms are shorter.
 */
bool scan_long_number(const uint8_t *p, size_t n, uint8_t *flags);

/* Whether the members between two tokens, those of an object without a shape, have a name twice. */
bool scan_has_duplicate(struct json_shapes *shapes, const struct json_tok *toks, uint32_t at, uint32_t end);

/* The four bytes that JSON calls white space, without a branch for each. */
__attribute__((always_inline)) static inline bool scan_is_space(uint8_t c)
{
	return c <= ' ' && (UINT64_C(0x100002600) >> c & 1); /* bits 9, 10, 13 and 32 */
}

#endif
