/* Where converted runs go: standard output, one file, or a file for each run in a directory. And what is told of it. */
#ifndef CMD_CONVERT_OUTPUT_H
#define CMD_CONVERT_OUTPUT_H

#include "base/map.h"
#include "cmd/convert_coverage.h"
#include "cmd/frame/command.h"
#include "cmd/screen/progress.h"
#include "cmd/screen/term_json.h"
#include "dialect/target.h"
#include "flow/convert.h"
#include "flow/packed_size.h"
#include "sink/spool.h"

#define CONVERT_FORMATS 64 /* at least as many as there are */

struct convert_output {
	/* set by the caller */
	struct arena *arena;
	const struct frame *frame;
	const struct target *target;
	struct str path; /* p NULL or "-": standard output; a directory, or a slash at its end: a file for each run */
	const struct str *named; /* the arguments */
	size_t named_count;
	bool coverage; /* show the table */
	struct str coverage_json; /* and write it there; p NULL for nowhere */
	/* its own */
	bool is_directory, made_directory;
	int fd; /* of the one output */
	struct term_json screen; /* standard output */
	struct spool spool; /* the file at hand, in a directory */
	struct str file;
	struct map inputs; /* the arguments again */
	struct map names;  /* of files written; behind the first one of a name stands how many there are */
	uint64_t files, skipped, failed, bytes;
	struct coverage *sum;
	struct convert_covered formats[CONVERT_FORMATS]; /* the same of each format, in the order they came */
	struct coverage *sums[CONVERT_FORMATS];
	size_t format_count;
	struct str from; /* the format of the sources, "several" when they differ */
	struct packed_size *packed_in, *packed_out;
	uint64_t bytes_in;
	struct progress progress;
};

/* False with an error when it cannot go there: an input would be replaced, or a directory cannot be made. */
bool convert_output_init(struct convert_output *o, struct err *err);

/* Adds what to do to an error about the output, where that is known. Always false. */
bool convert_output_explain(struct err *err);

/* A directory that was made for nothing goes again. */
void convert_output_free(struct convert_output *o);

/* Where the pipeline writes: standard output, one file, or a file for each run. Valid as long as `o`. */
struct convert_sink convert_output_sink(struct convert_output *o);

/* A source is over: what is wrong with it is said. For struct convert_flow. */
bool convert_output_part(void *output, const struct convert_input *part, struct err *err);
void convert_output_see(void *output, struct str bytes);
void convert_output_tick(void *output, const struct source *from);

/* An argument that is not there. */
void convert_output_missing(struct convert_output *o, const struct err *why);

/* Everything is over and in its place: what was written, what was left out, the table. The exit status. */
int convert_output_end(struct convert_output *o, const struct pipeline *c, struct err *err);

#endif
