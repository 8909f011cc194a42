/* The working state of one slow_parse, shared by slow.c, slow_scalar.c and slow_issue.c only. */
#ifndef JSON_SLOW_PRIVATE_H
#define JSON_SLOW_PRIVATE_H

#include "base/buf.h"
#include "json/slow.h"

struct slow_frame { /* an open container */
	uint32_t tok;
	uint32_t key;      /* object: token of its latest name */
	uint32_t count;    /* commas so far: the index of the element being read */
	uint32_t stamp;    /* marks the names of an object without a shape; 0 while it has one */
	size_t undo;       /* where its part of the undo list begins */
	size_t pointer_end; /* length of its pointer in run->pointer, plus 1; 0 when not made yet */
	uint16_t shape;
	bool object;
};

/* A name's stamp from before an object without a shape took it over. */
struct slow_undo {
	uint32_t key, stamp;
};

struct slow_run {
	struct slow *s;
	struct str text;
	size_t at;
	struct slow_frame *frames;
	uint32_t depth, frame_cap, max_depth;
	struct slow_undo *undo;
	size_t undo_count, undo_cap;
	struct issue_mark string_mark; /* at the latest string with something odd in it */
	struct buf pointer;
	struct buf name; /* the latest name with escapes, unescaped */
};

/* The innermost open container; there must be one. */
static inline struct slow_frame *slow_top(struct slow_run *r)
{
	return &r->frames[r->depth - 1];
}

/* The new token, to be completed by the caller; it moves when the next one is added. */
static inline struct json_tok *slow_add_tok(struct slow_run *r, enum json_type type, size_t off, size_t len)
{
	struct slow_tape *t = r->s->tape;

	mem_grow(t->toks, t->count, t->cap, 256);
	t->toks[t->count] = (struct json_tok){ .off = (uint32_t)off, .len = (uint32_t)len, .type = (uint8_t)type };
	return &t->toks[t->count++];
}

/* Whose pointer an issue gets. */
enum slow_about { SLOW_CONTAINER, SLOW_MEMBER };

/*
 * Completes and hands over s->issue, of which code, offset, length and message are set. Always false,
 * for what cannot be read over.
 */
bool slow_fail(struct slow_run *r, enum slow_about about);

/* The same for what lenient reading passes over: whether to go on. */
bool slow_note(struct slow_run *r, enum slow_about about);

/* To be called before an issue inside the string that begins at `quote`. */
void slow_mark_string(struct slow_run *r, size_t quote);

/* slow_fail with "expected ..., found ..." at r->at. */
bool slow_unexpected(struct slow_run *r, enum slow_about about, const char *expected);

/*
 * A string whose quote is at r->at, a number, or a word. They add a token and leave r->at behind it,
 * or fail. `type` is JSON_STRING or JSON_KEY.
 */
bool slow_read_string(struct slow_run *r, enum json_type type);
bool slow_read_number(struct slow_run *r);
bool slow_read_word(struct slow_run *r);

/* What to expect at the place of the value being read. */
const char *slow_expected_value(struct slow_run *r);

#endif
