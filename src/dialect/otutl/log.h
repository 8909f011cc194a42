/*
 * What the fold remembers of the log it is in, and the checks between its records. Inside the dialect
 * only; otutl/fold.c brings the records into the order of their seq, otutl/log.c takes them in that
 * order.
 */
#ifndef DIALECT_OTUTL_LOG_H
#define DIALECT_OTUTL_LOG_H

#include "dialect/otutl/bh.h"
#include "dialect/otutl/calls.h"
#include "dialect/otutl/hash.h"
#include "dialect/otutl/otutl.h"
#include "dialect/otutl/rules.h"
#include "dialect/otutl/spot.h"

/* Canonical forms that lie together and are hashed together. */
struct otutl_pending {
	const char *p;
	size_t n;
	struct buf ends;   /* size_t */
	struct buf leaves; /* struct digest */
};

struct otutl_log {
	const struct otutl_fold_options *options;
	struct otutl_calls calls;
	struct otutl_hash hash;
	struct otutl_bh bh;
	struct otutl_pending pending;

	/* all that follows begins anew with each log */
	uint64_t first_line, records, errors;
	bool has_run_id, has_ts, has_end, skew_checked;
	struct id run_id;
	int64_t ts_seconds;
	uint32_t ts_nanos;
	enum otutl_type last_type;
	struct place last_at;
	struct otutl_spot end; /* the last run_end */
};

/* Sets up the memory for any number of logs, to be freed with otutl_log_free. `options` must outlive it. */
void otutl_log_init(struct otutl_log *l, const struct otutl_fold_options *options);
void otutl_log_free(struct otutl_log *l);

/* Forgets the log before; the next one begins in this line. */
void otutl_log_begin(struct otutl_log *l, uint64_t first_line);

/*
 * Passes on a finding of the scan; an error ends the hashing of the log, but for that of a torn last line. One
 * without a message is only counted.
 */
void otutl_log_add_finding(struct otutl_log *l, const struct finding *f, bool torn);

/* Makes a finding about one member of a record, with the rule's severity, and passes it on as above. */
__attribute__((format(printf, 5, 6))) void otutl_log_note(struct otutl_log *l, const struct otutl_record *r,
							  enum otutl_place where, enum otutl_code code,
							  const char *format, ...);

/* Checks the run_id of a record that has been read, in the order of the file and not yet of seq. */
void otutl_log_see(struct otutl_log *l, const struct otutl_record *r);

/*
 * The next record in the order of seq: checks it, and adds it to the hashes while the log has no error. Its bytes
 * must last until otutl_log_flush.
 */
void otutl_log_take(struct otutl_log *l, struct otutl_view v);

/*
 * Hashes the records taken so far and gives them to the canonical callback, both only while there is no error. Their
 * bytes are needed no longer.
 */
void otutl_log_flush(struct otutl_log *l);

/*
 * Nothing more comes: adds the last findings, then fills in *out but for index and run_id. Digests are set only with
 * out->hashed.
 */
void otutl_log_end(struct otutl_log *l, struct otutl_run *out);

#endif
