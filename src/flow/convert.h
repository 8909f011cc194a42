/*
 * Converts every input of a source: chunks are read into events on any thread (dialect/reading/reading.h), and come
 * back in order to the pipeline. What an input is shows in its content. Memory does not grow with the input, but for
 * what the assembler must remember.
 */
#ifndef FLOW_CONVERT_H
#define FLOW_CONVERT_H

#include "dialect/reading/coverage.h"
#include "flow/pipeline.h"
#include "source/source.h"

/* One source, when it is over. Lives during the callback. */
struct convert_input {
	struct str name;
	const struct dialect *from;  /* NULL: in no format that can be read */
	struct dialect_looks looks;  /* then */
	bool empty;                  /* nothing but white space in it */
	struct convert_tally tally;
	uint64_t unreadable;         /* lines that could not be read, but for a last one */
	bool torn;                   /* that breaks off */
	const struct coverage *coverage; /* when asked for */
	bool is_member;              /* of an archive: others with this name may follow */
	const struct err *failure;   /* not NULL: it could not be read to its end */
};

struct convert_raw {
	struct str name;  /* of the source */
	struct str bytes; /* padded as for json_parse */
	uint64_t first_line;
	bool lines;       /* one value per line; else one document */
};

struct convert_flow {
	struct source *from;
	unsigned jobs;
	const struct convert_options *options;
	struct pipeline *to;
	bool digest; /* of each file, before it is read */
	bool (*input)(void *context, const struct convert_input *input, struct err *err);
	/*
	 * Bytes of a source in the format options->raw, in order: whole lines, or a document. `line` is the number of
	 * the first. They are not read into events. False, with *err, stops.
	 */
	bool (*raw)(void *context, const struct convert_raw *raw, struct err *err);
	/* Bytes of a source that are converted, not those of one that is skipped or refused; may be NULL. */
	void (*see)(void *context, struct str bytes);
	void (*tick)(void *context, const struct source *from); /* may be NULL */
	void *context;
};

/*
 * False, with *err, when a callback did not want to go on, the output failed, or the process is asked to stop. An input
 * that cannot be read, or is in no format, is told to `input`, and the flow goes on. pipeline_finish is the caller's to
 * call.
 */
bool convert_flow_run(struct convert_flow *f, struct err *err);

#endif
