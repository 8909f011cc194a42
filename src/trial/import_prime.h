/*
 * Samples of hosted evaluations of Prime, and results of verifiers, as trial records: doc/import.md has the table.
 * Every record is partial: nobody pinned the adapter, the tools and the files of such a run.
 *
 * Beside the record a sample leaves three artifacts: the conversation, what was submitted (if anything), and the sample
 * itself, byte for byte, so that whatever has no field in a record is still there.
 */
#ifndef TRIAL_IMPORT_PRIME_H
#define TRIAL_IMPORT_PRIME_H

#include "trial/import.h"

#define PRIME_SAMPLE_MAX ((size_t)64 << 20)  /* bytes of one sample */
#define PRIME_OUTPUT_MAX ((size_t)256 << 20) /* bytes of one answer of the command line tool */
#define PRIME_PAGES_MAX 100000

struct prime;

enum prime_source {
	PRIME_HOSTED,
	PRIME_VERIFIERS, /* metrics stand among the members of a sample, times too; or a line is an episode of traces */
};

/* Where a sample stands, for messages. */
struct prime_place {
	struct str file;
	uint64_t line; /* 0: not known */
	uint64_t n;    /* which sample it is, counted from 1 */
};

/*
 * One evaluation: the answer of `prime eval get`, which is copied. `experiment` with p NULL: made from the
 * evaluation's id. NULL with ERR_DATA when it is not an object of JSON; `name` is for that message. prime_close takes
 * NULL too. prime_experiment and prime_id live as long as it does; the id is "unknown" when the evaluation has none.
 */
struct prime *prime_open(enum prime_source source, struct str name, struct str evaluation, struct str experiment,
			 struct err *err);
void prime_close(struct prime *p);
struct str prime_experiment(const struct prime *p);
struct str prime_id(const struct prime *p);

/*
 * A sample into the ledger (or not: see import_ask). One that has no reward is refused, and one that is no sample;
 * both are told to the import. Every trace of an episode becomes a trial. False with *err only when the import has to
 * stop.
 */
bool prime_import(struct prime *p, struct import *im, struct val sample, struct prime_place at, struct err *err);

/* Where a document comes from: `read` gives the next bytes, nothing at the end, false with *err. */
struct prime_bytes {
	bool (*read)(void *context, struct str *piece, struct err *err);
	void *context;
};

/*
 * All samples of a document, {"samples": [...]} or a bare array. *n goes on counting; *pages (may be NULL) gets
 * total_pages when it is there. One sample at a time is held. ERR_DATA or ERR_LIMIT with the place when it is not
 * JSON; samples before that are imported.
 */
bool prime_import_samples(struct prime *p, struct import *im, struct str name, struct prime_bytes from, uint64_t *n,
			  uint64_t *pages, struct err *err);

/*
 * One sample on each line of a file, compressed or not. A line that is not JSON is refused, and counts. False with
 * *err when the file cannot be read, or a line is longer than PRIME_SAMPLE_MAX; samples before that are imported.
 */
bool prime_import_lines(struct prime *p, struct import *im, struct str path, struct err *err);

/*
 * The samples of a file, by its name: lines when it ends in .jsonl or .ndjson (before .gz or .zst), else a document.
 * Fails as prime_import_lines and prime_import_samples do.
 */
bool prime_import_file(struct prime *p, struct import *im, struct str path, struct err *err);

/*
 * From the service, by its command line tool: the evaluation, then page after page of 100 samples. *out gets the
 * evaluation (to be closed by the caller), also when it fails later; else NULL. ERR_USAGE when `id` cannot be one,
 * ERR_IO when the tool is not installed or fails, ERR_LIMIT beyond PRIME_PAGES_MAX pages.
 */
bool prime_import_hosted(struct import *im, struct str id, struct str experiment, struct prime **out, struct err *err);

/*
 * A directory with results.jsonl and metadata.json, or (version 0.4 and on) traces.jsonl; one in which there is such a
 * directory; or a file. `metadata` with p NULL: metadata.json beside it, NAME.metadata.json for NAME.results.jsonl,
 * configs/resolved/eval.json, or none. *out as above. ERR_DATA when there is no run in the directory, or several, or
 * the metadata is not a JSON object.
 */
bool verifiers_import(struct import *im, struct str path, struct str metadata, struct str experiment,
		      struct prime **out, struct err *err);

#endif
