/*
 * OTUTL, the open tool-use log: one JSON record per line, seven types, and hashes on which two
 * implementations agree.
 *
 *	run_hash             SHA-256 over the canonical forms of the records in seq order, nothing between
 *	run_root             the Merkle tree hash of RFC 6962 with the canonical forms as leaves
 *	behavior_hash        SHA-256 over what the agent did, whatever the ids and times (otutl/bh.h)
 *	canonical_file       SHA-256 of the file that has each canonical form on a line of its own
 *
 * Two stages. otutl_scan looks at one chunk of lines and at nothing else: syntax, canonical form, the
 * fields of each record; chunks may be scanned on any threads at once. otutl_fold takes the batches in
 * file order and knows what lies between records: sequence, run ids, pairs of calls and results, the
 * beginning and the end of a log, the hashes.
 *
 * Records count in the order of their seq. One that comes too early waits for those before it, in at
 * most OTUTL_HOLD bytes; a log in file order needs no such memory. What remains per log is one entry
 * of 24 bytes for each call id ever used, because a call id must not be used twice.
 *
 * A line that is not a record (bad JSON, no object, a number that has no double) leaves a gap in the
 * sequence. A record whose seq cannot be read stands where the file has it.
 *
 * A file may hold several logs: a run_start directly after a run_end opens the next. A run_start with
 * seq 0 or 1 and another run_id opens one too, with E_RUN_START, because the log before it was never
 * ended and its rules would only make noise about the new one.
 */
#ifndef DIALECT_OTUTL_OTUTL_H
#define DIALECT_OTUTL_OTUTL_H

#include "base/err.h"
#include "base/finding.h"
#include "dialect/otutl/record.h"
#include "json/canon.h"
#include "json/json.h"

#define OTUTL_DEPTH 512 /* levels of nested JSON in a record */
#define OTUTL_HOLD ((size_t)256 << 20)  /* bytes of records that wait for those before them */
#define OTUTL_GROUP ((size_t)256 << 20) /* bytes of a group of the behaviour hash */

#define OTUTL_LABEL_RUN "otutl-v1:sha256:"
#define OTUTL_LABEL_RUN_LOSSY "otutl-v1-lossy:sha256:"
#define OTUTL_LABEL_ROOT "rfc6962-sha256:"
#define OTUTL_LABEL_BEHAVIOR "bh-v1:sha256:"

/* Ended by a row whose code is NULL. */
extern const struct rule otutl_rules[];

/* The row of a code, or NULL. */
const struct rule *otutl_find_rule(const char *code);

/*
 * Whether the text, which begins a file, is such a log: one of its first eight lines is an object with
 * one of the seven types, a run_id and a seq. Damaged lines are passed over, so that a log is told what
 * is wrong with it. The text is padded as for json_parse; the parser is one of otutl_detect_open.
 */
bool otutl_is_record(struct val v); /* such an object */
struct json_parser *otutl_detect_open(void); /* the caller closes it with json_parser_close */
bool otutl_detect(struct json_parser *parser, struct str text);

/* ---- scan: one chunk ---- */

/* One thread's tools. */
struct otutl_scanner {
	struct json_parser *parser;
	struct canon *canon;
	struct sha256 sha;
	struct buf members; /* of the record at hand */
	struct buf nested;  /* of the objects of its request or response that are open */
	struct arena arena; /* of the record at hand */
	bool lossy;
	size_t finding_limit;
	struct str run_id; /* the last good one: most records repeat it */
	char run_id_text[ID_UUID_TEXT];
	struct id run_id_value;
};

/*
 * `lossy` takes numbers as ECMAScript does (pure RFC 8785) where the profile refuses them. Of each chunk's findings
 * the first `finding_limit` of each code are kept whole (0: all) and the rest only counted: not fewer than the list
 * keeps to which the fold adds them. Freed by otutl_scanner_free.
 */
void otutl_scanner_init(struct otutl_scanner *s, bool lossy, size_t finding_limit);
void otutl_scanner_free(struct otutl_scanner *s);

struct otutl_chunk {
	struct str bytes;    /* whole lines, padded as for json_parse; only the file's last may lack its end */
	uint64_t first_line; /* number of the first of them */
	uint64_t origin;     /* offset of bytes.p in the input */
};

/*
 * Clears `out` and fills it with the records of a chunk and with what is wrong in each. It points into the chunk, so it
 * lasts no longer. Lines that are no records are findings, never errors.
 */
void otutl_scan(struct otutl_scanner *s, struct otutl_chunk in, struct otutl_batch *out);

/* ---- fold: all chunks of an input, in order ---- */

struct otutl_run {
	uint64_t index;     /* in the input, from 0 */
	uint64_t first_line;
	uint64_t records;
	struct str run_id;  /* empty when no record has a good one; lives during the callback */
	bool complete;      /* its last record is run_end */
	bool hashed;        /* no error but a torn last line: the digests are set */
	bool has_behavior;  /* hashed, and no group of calls was above the limit */
	struct digest run_hash, run_root, behavior_hash, canonical_file;
};

struct otutl_fold_options {
	struct findings *findings; /* gets every finding, in the order in which things were noticed */
	/* A log is over. */
	void (*run)(void *context, const struct otutl_run *run);
	/* Canonical forms of error-free records in seq order, nothing between them; may be NULL. */
	void (*canonical)(void *context, struct str bytes, const size_t *ends, size_t count);
	void *context;
	size_t hold;  /* bytes; 0 means OTUTL_HOLD */
	size_t group; /* bytes; 0 means OTUTL_GROUP */
};

struct otutl_fold;

/* Opens a fold in the arena, which must outlive it; otutl_fold_close frees what is not the arena's. Never NULL. */
struct otutl_fold *otutl_fold_open(struct arena *a, struct otutl_fold_options options);
void otutl_fold_close(struct otutl_fold *f);

/*
 * Adds the next batch, which may be cleared then. False, with *err (ERR_LIMIT), when a record comes so late that its
 * place cannot be kept; the fold can only be closed then.
 */
bool otutl_fold(struct otutl_fold *f, const struct otutl_batch *b, struct err *err);

/*
 * The input is over: gives the last log to the callback, with what still waits. The fold is then ready for the next
 * input.
 */
void otutl_finish(struct otutl_fold *f);

#endif
