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

/* A finding of the scan. A torn last line does not count against the hashes. */
void otutl_log_add_finding(struct otutl_log *l, const struct finding *f, bool torn);

/* A finding about one member of a record. */
__attribute__((format(printf, 5, 6))) void otutl_log_note(struct otutl_log *l, const struct otutl_record *r,
							  enum otutl_place where, enum otutl_code code,
							  const char *format, ...);

/* Checks the run_id of a record that has been read, in the order of the file and not yet of seq. */
void otutl_log_see(struct otutl_log *l, const struct otutl_record *r);

/* The next record in the order of seq. Its bytes must last until otutl_log_flush. */
void otutl_log_take(struct otutl_log *l, struct otutl_view v);

/* Hashes the records taken so far: their bytes are needed no longer. */
void otutl_log_flush(struct otutl_log *l);

/* Nothing more comes: the last findings, then what there is to say of the run. */
void otutl_log_end(struct otutl_log *l, struct otutl_run *out);

#endif
