/* Where exported runs go: standard output, a file, or a directory with the traces in it. And what is told of it. */
#ifndef CMD_EXPORT_OUTPUT_H
#define CMD_EXPORT_OUTPUT_H

#include "cmd/logs.h"
#include "cmd/screen/term_json.h"
#include "sink/export/export.h"
#include "sink/export/parts.h"

struct export_output {
	/* set by the caller */
	struct arena *arena;
	const struct frame *frame;
	struct logs *logs;
	const struct export_format *format; /* NULL: nothing is written */
	bool is_binary; /* no text for a terminal */
	const struct export_options *options;
	struct str path; /* p NULL or "-": standard output */
	/* its own */
	const struct trace_list *runs;
	struct export_parts parts;
	struct term_json screen;
	int fd; /* -1: the directory's file that is open */
	uint64_t bytes;
};

/*
 * Begins the output; the first members must be set, the rest zero. Makes a directory where the format goes into one.
 * ERR_USAGE when an input would be replaced, or a directory is named for a format that has none. export_output_free
 * must follow in any case: it leaves nothing of what was not written whole.
 */
bool export_output_init(struct export_output *o, struct err *err);
void export_output_free(struct export_output *o);

/* For struct log_flow, when the format wants the traces' bytes: `runs` are in the list so far. */
bool export_output_keep(struct export_output *o, size_t runs, bool begins, struct str bytes, struct err *err);

/* Writes the runs, all or nothing, and says what was written and what was left out. False with *err. */
bool export_output_write(struct export_output *o, const struct trace_list *runs, struct err *err);

#endif
