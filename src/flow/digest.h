/*
 * The hashes of every input of a source: of a JSON document the SHA-256 of its canonical form, of JSON
 * lines that of the canonical lines, each with LF, and of an OTUTL log those of its runs. What an input
 * is shows in its first lines. Chunks are worked on in parallel; memory does not grow with the input.
 *
 * A worker has to know what a chunk belongs to, and the chunk that tells may still be with another. So
 * it guesses by the lines it has, and the emitting side, which sees chunks in order, does again what was
 * guessed wrong: rarely anything, since a log looks like a log everywhere.
 */
#ifndef FLOW_DIGEST_H
#define FLOW_DIGEST_H

#include "base/crypto/sha256.h"
#include "base/finding.h"
#include "dialect/otutl/otutl.h"
#include "source/source.h"

enum digest_format {
	DIGEST_JSON,
	DIGEST_JSONL,
	DIGEST_OTUTL,
	DIGEST_ZIP, /* an archive, such as an .eval: it has no canonical form, only its bytes have a digest */
};

/* One input, when it is over. All of it lives during the callback. */
struct digest_input {
	struct str name;
	enum digest_format format;
	uint64_t records;
	bool has_sha256; /* JSON and lines without an error */
	struct digest sha256;
	const struct otutl_run *runs; /* logs only */
	size_t run_count;
	const struct findings *findings;
	const struct err *failure; /* not NULL: it could not be read to its end, and no hash means anything */
};

struct digest_flow {
	struct source *from;
	unsigned jobs;        /* as in struct flow */
	bool lossy;           /* numbers of logs as ECMAScript takes them, see otutl_scanner_init */
	bool values_only;     /* a log is JSON like any other */
	size_t finding_limit; /* findings kept whole for each input; 0 keeps all */
	/* False, with *err, stops. */
	bool (*input)(void *context, const struct digest_input *input, struct err *err);
	/* A chunk was dealt with; may be NULL. */
	void (*tick)(void *context, const struct source *from);
	void *context;
};

/*
 * False, with *err, when `input` did not want to go on, or the process is asked to stop. An input that cannot be read
 * is told to `input` as its failure, and the flow goes on.
 */
bool digest_flow_run(struct digest_flow *f, struct err *err);

/* "json", "jsonl", "otutl", "zip". */
const char *digest_format_name(enum digest_format f);

#endif
