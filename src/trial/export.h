/*
 * A ledger given away in other shapes: lines of JSON, the tree of files that AEC-Bench has, a crate of files with their
 * metadata (RO-Crate). What is published at the beginning is what is exported, in log order, one entry at a time; every
 * object is held against its digest on the way.
 */
#ifndef TRIAL_EXPORT_H
#define TRIAL_EXPORT_H

#include "ledger/ledger.h"
#include "ledger/note.h"

struct export_options {
	struct ledger *ledger;
	int part;              /* enum ledger_part, or -1 for both */
	struct str experiment; /* p NULL: all */
	const struct io *io;   /* of what is written; NULL: io_system */
	struct str dir;        /* tree and crate: made, or empty */
	bool force;            /* a directory that is not empty: files of the same name are replaced */
	struct str license;    /* crate: an address; p NULL: none is stated */
	/* jsonl: takes a line with its end. */
	bool (*put)(void *context, struct str line, struct err *err);
	void *context;
	void (*tick)(void *context, uint64_t done, uint64_t of); /* may be NULL */
	void *tick_context;
};

/* What was exported. */
struct export_sum {
	uint64_t entries, trials, reviews, artifacts, others; /* entries is the sum of the rest */
	uint64_t erased; /* whose objects are gone */
	uint64_t bytes;  /* of objects */
	/* tree: two entries came to one path, and the first has it */
	uint64_t left_out, unlinked;             /* files; links, by which records would find their artifacts */
	struct str first_left_out, first_unlinked; /* in the ledger's arena */
};

/*
 * {"index","part","leaf","entry":{...},"record":{...}|null} for each entry; no record where there is none or it is no
 * JSON (artifacts). Numbers are as they were written: only white space goes. False with *err when `put` gives false,
 * or as export_walk does; lines before that are put.
 */
bool export_jsonl(const struct export_options *o, struct export_sum *sum, struct err *err);

/*
 * <experiment>/<trial>.json, and beside it _artifacts/<trial>/<name> and _reviews/<trial>/<review>.json; the diagnostic
 * log below _diagnostic. The files of a run that are stored are in _/_artifacts/<run_id>. The bytes are those that
 * were sealed. The paths in records are there too, seen from the top and from _diagnostic:
 * artifacts/<experiment>/<trial> is a link to where the artifacts stand. False with *err, and nothing there (see
 * sink/export/dir.h), when the directory cannot be made or is not empty, or as export_walk does.
 */
bool export_tree(const struct export_options *o, struct export_sum *sum, struct err *err);

/*
 * Process Run Crate 0.6: ro-crate-metadata.json, the records, artifacts and reviews, a proof for each trial. Needs
 * the index, which it opens. Fails as export_tree does, and with ERR_DATA when a record is not JSON.
 */
bool export_crate(const struct export_options *o, struct export_sum *sum, struct err *err);

/* ---- for the shapes ---- */

struct export_item {
	enum ledger_part part;
	struct log *log;
	uint64_t index, size; /* of the log, when the export began */
	struct str note;      /* its checkpoint then */
	struct digest leaf;
	struct str bytes;     /* of the entry */
	struct entry entry;
	struct str experiment; /* of the entry, or of the trial that it refers to; "" when nobody says */
	bool has_object;       /* there is one, and it is not erased */
	struct str object;
};

/*
 * Each entry that is wanted, main log first; everything in the item lives until `each` returns. The arena too: it is
 * emptied then. *sum begins anew. False when `each` gives false, with its *err; or with ERR_DATA when an entry cannot
 * be read, or an object is not the one that was sealed. Erased objects are counted, and no failure.
 */
bool export_walk(const struct export_options *o, struct export_sum *sum,
		 bool (*each)(void *context, struct arena *a, const struct export_item *item, struct err *err),
		 void *context, struct err *err);

/*
 * "<experiment>/<trial>", safe for a path, in the arena; "_" stands for no experiment. Behind it stands what an
 * artifact or review is called.
 */
struct str export_trial_path(struct arena *a, struct str experiment, struct str trial);

/* The name of an artifact (its id without the trial's) as one part of a path, so that no name can be below another. */
struct str export_artifact_path(struct arena *a, struct str id, struct str trial);

/* JSON text without white space between its tokens. The text must be valid. */
void export_add_compact(struct buf *out, struct str json);

#endif
