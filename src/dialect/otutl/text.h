/*
 * Canonical JSON (RFC 8785) written straight into a buffer, for those who know the order of their members. A merge
 * writes an object whose members come from two places, both in order: the caller's own, known beforehand, and
 * pieces that were kept from a foreign record. Nothing here parses; payloads are canonical text already.
 */
#ifndef DIALECT_OTUTL_TEXT_H
#define DIALECT_OTUTL_TEXT_H

#include "base/arena.h"
#include "base/buf.h"

#define OTUTL_SAFE_MAX ((uint64_t)9007199254740991) /* 2^53 - 1, the largest integer of a log */

/* A string with its quotes and the escapes RFC 8785 asks for. `text` is well-formed UTF-8. */
void otutl_put_text(struct buf *out, struct str text);

/* A count; beyond OTUTL_SAFE_MAX its digits as a string. */
void otutl_put_count(struct buf *out, uint64_t n);

/* A number; what no log can hold (not finite, beyond OTUTL_SAFE_MAX) is null. */
void otutl_put_number(struct buf *out, double n);

/* ---- pieces: the members of an object ---- */

struct otutl_piece {
	struct str name; /* unescaped */
	struct str json; /* empty: the member is not to be written at all */
};

struct otutl_pieces {
	struct otutl_piece *list;
	size_t count, cap;
};

/* Frees the list, not what its texts point to. It may be used again then; zeros are an empty one. */
void otutl_pieces_free(struct otutl_pieces *p);

/* Adds a member at the end. Both texts are borrowed. */
void otutl_pieces_add(struct otutl_pieces *p, struct str name, struct str json);

/*
 * Adds the members of a canonical object, in order; of anything else nothing. Texts point into `json`; names with
 * escapes are in the arena.
 */
void otutl_pieces_add_object(struct otutl_pieces *p, struct arena *a, struct str json);

/* In the order of RFC 8785; of equal names the last. */
void otutl_pieces_sort(struct otutl_pieces *p);

/* ---- an object being written ---- */

struct otutl_merge {
	struct buf *out;
	const struct otutl_piece *list; /* sorted */
	size_t left;
	bool begun;
};

/*
 * Writes the bracket. `pieces` (NULL: none) must be sorted and stay as they are until the end. Between begin and end
 * the caller's own names must come in order too.
 */
struct otutl_merge otutl_merge_begin(struct buf *out, const struct otutl_pieces *pieces);

/* Writes the pieces that are left, and the other bracket. */
void otutl_merge_end(struct otutl_merge *m);

/*
 * Writes the pieces before `name` (plain ASCII). Gives the piece of that name, which is not written then, or NULL;
 * it lasts as long as the list.
 */
const struct otutl_piece *otutl_merge_reach(struct otutl_merge *m, struct str name);

/* A member's name, given as `,"name":`. Its value is to follow. */
static inline void otutl_merge_name(struct otutl_merge *m, struct str lead)
{
	buf_add(m->out, lead.p + !m->begun, lead.n - !m->begun);
	m->begun = true;
}

#endif
