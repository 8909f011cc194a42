/* Where converted runs go: standard output, one file, or a file for each run in a directory. And what is told of it. */
#ifndef CMD_CONVERT_OUTPUT_H
#define CMD_CONVERT_OUTPUT_H

#include "base/map.h"
#include "cmd/convert_coverage.h"
#include "cmd/convert_tree.h"
#include "cmd/frame/command.h"
#include "cmd/logs.h"
#include "cmd/screen/term_json.h"
#include "dialect/target.h"
#include "flow/convert.h"
#include "flow/packed_size.h"
#include "sink/spool.h"


struct convert_output {
	/* set by the caller */
	struct arena *arena;
	const struct frame *frame;
	const struct target *target;
	struct str path; /* p NULL or "-": standard output; a directory, or a slash at its end: a file for each run */
	bool flat;        /* all of them in that directory itself, instead of a tree with an index */
	bool update;      /* in a tree: not those that are there and unchanged */
	struct str maker; /* in a tree: see struct mirror_options */
	const struct str *named; /* the arguments */
	size_t named_count;
	bool coverage; /* show the table */
	struct str coverage_json; /* and write it there; p NULL for nowhere */
	void (*seen)(void *context, const struct event *e); /* each event before it is written; may be NULL */
	void *seen_context;
	/* its own */
	bool is_directory, made_directory; /* made_directory: by us, so it may be removed again */
	int fd; /* of the one output */
	struct term_json screen; /* standard output */
	bool is_tree; /* the directory is one: */
	struct convert_tree tree;
	struct spool spool; /* the file at hand, in a flat directory */
	struct str source, file;
	struct map names;  /* of files written; behind the first one of a name stands how many there are */
	struct logs logs;
	uint64_t files, bytes;
	uint64_t ended, total; /* sources; of those that can be counted before they are read */
	struct coverage *sum;
	struct convert_covered formats[DIALECTS_MOST]; /* the same of each format, in the order they came */
	struct coverage *sums[DIALECTS_MOST];
	size_t format_count;
	struct str from; /* the format of the sources, "several" when they differ */
	struct packed_size *packed_in, *packed_out;
	struct packed_size *part_in, *part_out; /* of the source at hand */
	uint64_t bytes_in; /* of all sources, unpacked */
	uint64_t part_bytes_in, part_bytes; /* both of them when the source at hand began */
};

/*
 * Begins the output; the first members must be set, the rest zero. Makes a directory whose name ends in a slash.
 * ERR_USAGE when an input would be replaced, or two outputs would share standard output; ERR_IO when the directory
 * cannot be made. convert_output_free must follow in any case.
 */
bool convert_output_init(struct convert_output *o, struct err *err);

/* Frees everything. A directory that was made and got no file is removed again. */
void convert_output_free(struct convert_output *o);

/* Where the pipeline writes: standard output, one file, or a file for each run. Valid as long as `o`. */
struct convert_sink convert_output_sink(struct convert_output *o);

/*
 * Called by struct convert_flow when a source is over: says what is wrong with it, or with -v what it was read as, and
 * adds up its coverage. A failure is printed and counted, and does not end the command. False, with *err, when its
 * outputs cannot be put in their places in a tree.
 */
bool convert_output_part(void *output, const struct convert_input *part, struct err *err);
/* Bytes of a source as they are read, unpacked: counted for the coverage table. */
void convert_output_see(void *output, struct str bytes);
/* Shows the progress line when it is due, and remembers how much there is to do. */
void convert_output_tick(void *output, const struct source *from);

/*
 * To be called when everything is written: says what was written, what the format could not hold and what was skipped,
 * and shows the coverage. EXIT_YES; EXIT_CANNOT when an input failed or no run was found; EXIT_FAIL with *err when the
 * coverage cannot be written.
 */
int convert_output_end(struct convert_output *o, const struct pipeline *c, struct err *err);

/* Instead, when a signal or a fault ended the conversion: keeps what is finished, says what that is, how to go on. */
void convert_output_interrupt(struct convert_output *o);

#endif
