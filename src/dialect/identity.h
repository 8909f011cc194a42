/*
 * Records that a file must not hold twice. The scan makes the identity of each from its ids; the fold compares it with
 * those before, up to IDENTITIES_MAX of them, and says once when there are more.
 */
#ifndef DIALECT_IDENTITY_H
#define DIALECT_IDENTITY_H

#include "base/map.h"
#include "dialect/record/record.h"

#define IDENTITIES_MAX ((size_t)1 << 20) /* remembered in a file */

/* What a record is known by; all zero when it has nothing to be known by. */
struct identity {
	struct hash hash; /* wide: two records that differ are never taken for one, however long their ids are */
	uint32_t at, length; /* of what a finding is about, in the record's text */
	bool is_known;
};

/* The state of a fold, or the beginning of it. */
struct identities {
	struct map seen; /* hashes to the lines they were first seen on */
	bool full;
};

/* How a format tells of a record that came before, and of one too many. */
struct identity_kind {
	uint16_t on_twice, on_limit;
	const char *pointer; /* what a finding is about: "/trial_id" */
	const char *twice;   /* "an earlier review has this id"; the line is added */
};

/*
 * The identity of a record, by a text that is made of its ids, which is not kept. `about` (VAL_NONE: all of it) is
 * what findings point at, and must be a value of the record.
 */
struct identity identity_make(const struct record_scan *s, struct str ids, struct val about);

/*
 * For record_format.begin: f->state begins with a struct identities, which lives in f->arena. Nothing has to be freed.
 */
void identities_begin(struct record_fold *f);

/*
 * Compares a record with those before it: one that came before is a finding (on_twice), one that is not known passes.
 * Beyond IDENTITIES_MAX there is one finding (on_limit), and no record is compared any more.
 */
void identities_add(struct record_fold *f, const struct identity *one, const struct record_place *place,
		    const struct identity_kind *kind);

/* Whether a text is a SHA-256 as records write one: 64 hexadecimal digits in lower case. */
bool identity_is_digest(struct str text);

/*
 * All of a batch whose facts are identities and nothing else. The format's fact_size must be that of a struct
 * identity.
 */
void identities_add_all(struct record_fold *f, const struct record_batch *b, const struct identity_kind *kind);

#endif
