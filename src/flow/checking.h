/*
 * Checking one file after another, chunk by chunk, for whoever has the chunks: a flow with its threads, or
 * bytes that are pushed. The tools are one thread's; a result is one chunk's, and may travel between threads;
 * the checking itself takes results in file order.
 *
 * Which format a file has shows in its first chunk. A tool sees one chunk and may guess otherwise from a
 * later one; what was guessed wrong is then done again: rarely anything, since a log looks like a log everywhere.
 */
#ifndef FLOW_CHECKING_H
#define FLOW_CHECKING_H

#include "dialect/dialect.h"


/* What the text of a file of no known format is, by its first lines. */
enum validate_text_kind {
	TEXT_JSON, /* at least one value in them is JSON */
	TEXT_BLANK,
	TEXT_OTHER,
	TEXT_UTF16,
};

/* One file, when it is over. */
struct validate_input {
	struct str name;
	const struct dialect *dialect; /* NULL: none that we know */
	const char *looks_like;        /* then: what it may be instead, or NULL */
	const struct dialect *reads;   /* then: the format it is in, which has no rules but can be converted; or NULL */
	enum validate_text_kind text;  /* then, too */
	struct check_tally tally;
	uint64_t bytes;
	const struct findings *findings; /* in the order of their places */
	const struct err *failure;       /* not NULL: it could not be read to its end */
};

/* ---- one thread's tools, made when first needed: most files of a run are of one format ---- */

struct checking_tools {
	const struct dialect *as; /* NULL: by content */
	const struct check_options *options;
	struct json_parser *detector;
	void *scanners[DIALECTS_MOST];
	void *secrets; /* for formats that do not look for keys themselves, when asked */
};

/* `as` NULL: the format is seen in the content. The options outlive the tools. */
void checking_tools_init(struct checking_tools *t, const struct dialect *as, const struct check_options *options);
void checking_tools_free(struct checking_tools *t);

/* ---- one chunk's result; zeroed before its first use ---- */

struct checking_result {
	const struct dialect *dialect; /* as which the chunk was scanned; NULL for none */
	struct dialect_looks looks;
	enum validate_text_kind text;
	void *batches[DIALECTS_MOST];
	void *keys; /* what `secrets` found */
};

/* Frees what a thread put into it. */
void checking_result_free(struct checking_result *r);

/*
 * Scans a chunk into *r. The chunk must live as long as the result is in use. What is wrong with it becomes findings
 * there; nothing fails.
 */
void checking_scan(struct checking_tools *t, const struct check_chunk *in, struct checking_result *r);

/* ---- the files ---- */

struct checking {
	const struct check_options *options;
	struct checking_tools again; /* for chunks whose format was guessed wrong; made when needed */
	bool has_again;
	void *folds[DIALECTS_MOST];
	struct arena arena; /* the file's */
	struct findings findings;
	struct validate_input input; /* so far */
	struct err failure;
};

/* No file is begun. The options outlive it. */
void checking_init(struct checking *c, const struct check_options *options);
void checking_free(struct checking *c);

/* A file begins; its name must live until its end. */
void checking_begin(struct checking *c, struct str name);

/* The next chunk and what came of it. After a failure nothing more is looked at. */
void checking_add(struct checking *c, const struct check_chunk *in, struct checking_result *r);

/* The last result and its chunk are gone, or about to move. */
void checking_lose(struct checking *c);

/* The file cannot be read on. Loses the last result too. */
void checking_fail(struct checking *c, const struct err *why);

/* The file is over. The answer lives until the next begins. */
const struct validate_input *checking_end(struct checking *c);

#endif
