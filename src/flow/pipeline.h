/*
 * The sequential half of a conversion: events of files in order, to the bytes of another format. Files that belong
 * together (a file group) are one source; its events go through the dialect's fold, the assembler, the prices and the
 * writer. Outputs are opened, filled and closed through the caller's functions: one for everything, or one for
 * each run.
 */
#ifndef FLOW_PIPELINE_H
#define FLOW_PIPELINE_H

#include "dialect/dialect.h"
#include "dialect/writing.h"
#include "model/event.h"
#include "transform/price_gaps.h"

struct convert_sink {
	/* A run begins that gets an output of its own: the input's name, and its number in it, from 1. Only per run. */
	bool (*open)(void *context, struct str input, uint64_t run, struct err *err);
	bool (*put)(void *context, struct str bytes, struct err *err);
	bool (*close)(void *context, struct err *err); /* only per run */
	/* Instead of all these, when no format is to be written: finished events, each for the call. */
	bool (*event)(void *context, const struct event *e, struct err *err);
	/* Beside all these, may be NULL: every finished event before it is written; of `as_read` each as it is read. */
	void (*seen)(void *context, const struct event *e);
	void (*begin)(void *context, const struct dialect *from); /* before the first of a source; may be NULL */
	void *context;
};

struct convert_options {
	const struct dialect *from; /* NULL: by content */
	const struct dialect *to;   /* NULL: events are what is wanted, and the sink takes them */
	const struct dialect *raw;  /* a format whose bytes are wanted as they are (convert_flow.raw); or NULL */
	/* Formats whose events go to the sink's `event` or `seen` as they were read, by line; ended by NULL, or NULL */
	const struct dialect *const *as_read;
	const char *variant;        /* of the target, or NULL */
	bool per_run;
	bool apart;                 /* nothing that comes of a source depends on those before it */
	bool chunks;
	bool coverage;
	bool permissive;            /* other versions of a format are read as if they were the one that is known */
	const struct prices *prices; /* NULL: nothing is priced */
	int64_t start_ns; /* when runs without times begin, in a format that needs them; 0: they are left out */
};

/* What came out of a source, or of all. */
struct convert_tally {
	uint64_t runs, events[EVENT_KINDS];
	uint64_t untimed; /* runs that were left out because the target needs times; of a source */
	uint64_t bytes_in, bytes_out;
};

struct pipeline;

/* The options outlive it. Never NULL; pipeline_close takes NULL too, and writes nothing more. */
struct pipeline *pipeline_open(const struct convert_options *o, struct convert_sink sink);
void pipeline_close(struct pipeline *c);

/* A source begins. sha256 is hex of the file, p NULL when it is not known; all live until its end. */
void pipeline_begin(struct pipeline *c, const struct dialect *from, struct str name, struct str sha256);

/* Events of the source at hand, in order. False, with *err, when the sink or a writer failed. */
bool pipeline_add(struct pipeline *c, const struct event *events, size_t count, struct err *err);

/* Nothing more will come for a while: what is ready is handed over. False, with *err, when the sink failed. */
bool pipeline_flush(struct pipeline *c, struct err *err);

/*
 * The source is over. `interrupted`: it could not be read to its end. *tally (when not NULL) gets what came of it, also
 * when it fails. False, with *err, when the sink or a writer failed.
 */
bool pipeline_end(struct pipeline *c, bool interrupted, struct convert_tally *tally, struct err *err);

/*
 * Everything is over: what a writer still holds comes out. Once, after the last pipeline_end; without it the output may
 * be cut short. False, with *err, when the sink or a writer failed.
 */
bool pipeline_finish(struct pipeline *c, struct err *err);

const struct convert_tally *pipeline_tally(const struct pipeline *c); /* of all */

/* The models that had no price, of all sources; lives as long as the pipeline. */
const struct price_gaps *pipeline_unpriced(const struct pipeline *c);

/* What the target format had no place for, of all sources; lives as long as the pipeline. */
const struct losses *pipeline_losses(const struct pipeline *c);

#endif
