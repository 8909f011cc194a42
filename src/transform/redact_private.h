/* What the files of redaction share. */
#ifndef TRANSFORM_REDACT_PRIVATE_H
#define TRANSFORM_REDACT_PRIVATE_H

#include "base/arena.h"
#include "base/crypto/secret.h"
#include "base/crypto/sha256.h"
#include "base/map.h"
#include "transform/redact.h"
#include "transform/redact_names.h"

#define REDACT_LEVELS 4 /* of texts in texts: a line, a body in it, arguments in that */

/* Bytes of a text that others take the place of. */
struct redact_edit {
	size_t from, to;
	struct str with;
};

/* In order of place, none inside another; both lists and texts are the arena's. */
struct redact_edits {
	struct redact_edit *list;
	size_t count, cap;
};

void redact_edits_add(struct redact_edits *e, struct arena *a, size_t from, size_t to, struct str with);
void redact_edits_apply(const struct redact_edits *e, struct str text, struct buf *out);
/* Where a place of the old text is in the new one; inside an edit, in proportion. */
size_t redact_edits_map(const struct redact_edits *e, size_t old);

/* A string of an event that is a part of a longer text. */
struct redact_piece {
	size_t edit; /* in the plan's list: from and to are set, `with` is what resolving gives */
	struct str text;
	uint64_t group;
	enum redact_kind kind;
	enum redact_class class;
};

/* One text that is being redacted. */
struct redact_plan {
	struct redact *r;
	struct arena *arena;
	unsigned level;
	struct str text;
	struct redact_edits edits;
	struct redact_piece *pieces;
	size_t piece_count, piece_cap;
	struct map groups; /* of pieces: what they are pieces of */
	uint64_t epoch;    /* messages that are told apart although their events have no ids */
	bool ends;         /* the last value walked ends a stream */
};

struct redact_tally {
	struct redact_sum *list;
	size_t count, cap;
};

enum redact_use { REDACT_USE_ID, REDACT_USE_VALUE, REDACT_USE_CHECK, REDACT_USES };

struct redact {
	struct digest keys[REDACT_USES]; /* that follow from the key */
	char id[REDACT_ID];
	enum redact_mode mode;
	struct secret_scanner *scanner;
	struct json_parser *parsers[REDACT_LEVELS]; /* by the level of a plan */
	struct arena arena; /* of the record at hand */
	struct redact_tally sums; /* the classes, then the rules that hit */
	struct redact_tally waiting; /* of a line that may have to be walked again */
	bool unsure;                 /* it may */
	struct hash *tokens; /* a set of those that were laid, open addressing */
	size_t token_count, token_cap;
	bool many; /* more than are told apart */
	struct buf held; /* lines of a stream that is not over */
	uint64_t quiet;  /* of them at the end: without a piece */
};

/* ---- redact_token.c ---- */

/* The token of a value, in the arena; counted. */
struct str redact_token(struct redact *r, struct arena *a, struct str value, enum redact_class class);
/* Adds an edit for each key of a service in the text, tokens passed over. */
void redact_find_secrets(struct redact *r, struct arena *a, struct str text, struct redact_edits *out);
bool redact_has_secret(struct redact *r, struct str text);
/* Counts what waits, or forgets it. */
void redact_settle(struct redact *r, bool counts);

/* ---- redact_text.c: one string, and texts of several values ---- */

/* What becomes of a string of content, as edits of it. */
void redact_string(struct redact_plan *p, struct str text, enum redact_kind kind, enum redact_class class,
		   struct redact_edits *out);
/* Plans a text of JSON, lines of JSON or events; false, with nothing planned, when it is none of these. */
bool redact_plan_text(struct redact_plan *p);
void redact_plan_init(struct redact_plan *p, struct redact *r, struct arena *a, unsigned level, struct str text);

/* ---- redact_walk.c ---- */

/* Adds the edits of a value that stands in p->text (its tape's text is p->text.p + base). */
void redact_walk(struct redact_plan *p, struct val v, size_t base, enum redact_kind kind, enum redact_class class);
/* Joins the pieces and lays what becomes of them over their edits. Once, when all values are walked. */
void redact_resolve(struct redact_plan *p);

#endif
