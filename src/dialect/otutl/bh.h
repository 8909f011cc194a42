/*
 * behavior_hash, version bh/v1: what the agent did, so that a faithful replay with new ids and times,
 * or with parallel calls in another order, has the same hash.
 *
 *	SHA-256("bh/v1" LF | P0 | P1 | ...)
 *
 * P is a record's projection. Cost records are left out. A model_step, run_start or run_end begins a
 * group and stands first in it; then come the calls of the group sorted by the bytes of
 * C({args, tool}), equal ones as they came; then results, and errors that answer a call, in the order
 * of their calls; then the rest as it came. Call ids (call_id, parent_call_id and the strings of
 * call_ids at the top of a record) are renamed c0, c1, ... in the order in which the result of all
 * this first mentions them. So are those in `request` and `response` (see otutl/content.h), where the
 * id of a call that the log does not have becomes x0, x1, ...; what the log has is known when the
 * group ends, so that a response may name the calls that follow it.
 *
 * A group waits in memory until it is over. One above the limit makes the hash unavailable, and only
 * this hash.
 */
#ifndef DIALECT_OTUTL_BH_H
#define DIALECT_OTUTL_BH_H

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "dialect/otutl/calls.h"
#include "dialect/otutl/record.h"

struct otutl_bh {
	struct sha256 sha;
	struct otutl_calls *calls; /* of the log; not ours */
	struct buf bytes;          /* the group's projections */
	struct buf holes;          /* struct otutl_hole */
	struct buf items;          /* the group's records */
	struct buf keys;           /* what calls are sorted by */
	struct buf out;            /* projections with names, to be hashed in large pieces */
	uint32_t names, foreign_names;
	size_t limit; /* bytes of a group, with its records and holes */
	bool is_over; /* above the limit */
};

/* Sets up the hash of an empty log. `calls` must outlive it; `limit` is in bytes of a group. Freed by otutl_bh_free. */
void otutl_bh_init(struct otutl_bh *b, struct otutl_calls *calls, size_t limit);
void otutl_bh_free(struct otutl_bh *b);

/* Back to the beginning, for the next log. The names in `calls` are the caller's to clear. */
void otutl_bh_restart(struct otutl_bh *b);

/*
 * Copies the next record, in the order of seq; `answers`: it is a result, or an error, of an earlier call. Costs,
 * and all that follows a group above the limit, are passed over.
 */
void otutl_bh_add(struct otutl_bh *b, struct otutl_view v, bool answers);

/*
 * Ends the log: nothing may be added before a restart. False when a group was above the limit; *out is no
 * behavior_hash then.
 */
bool otutl_bh_end(struct otutl_bh *b, struct digest *out);

#endif
