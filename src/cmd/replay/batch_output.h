/* What `trackway replay --batch` says: progress, the table, the failures, the gates; for people or as JSON. */
#ifndef CMD_REPLAY_BATCH_OUTPUT_H
#define CMD_REPLAY_BATCH_OUTPUT_H

#include "cmd/replay/report.h"
#include "replay/batch_tally.h"

struct batch_told {
	struct batch_row *rows;
	size_t count, found; /* found: runs that there are; only `count` were wanted */
	enum batch_by by;
	struct batch_tally tally;
	int stopped_by;      /* a signal, or 0 */
	int status;
	double seconds;
};

/* "replay 37/412  replayed 30  diverged 5  ETA 01:12" */
void batch_output_progress(struct buf *out, const struct batch_row *rows, size_t count, uint64_t spent_ns);

/* Prints the answer on standard output in this form. */
void batch_output(struct arena *a, const struct frame *f, enum replay_form form, const struct batch_told *t);

/* The parts of it: the document `trackway.replay-batch/1`, a line; and the table in Markdown. */
void batch_output_json(struct buf *out, const struct batch_told *t);
void batch_output_markdown(struct buf *out, const struct batch_told *t);

/* "389 of 412 runs did the same again: 94.4 % (95 % interval 91.8 to 96.2)"; no line end. */
void batch_output_sentence(struct buf *out, const struct batch_told *t);

/* "by vendor" and so on: the heading of the first column; a constant. */
const char *batch_output_heading(enum batch_by by);

#endif
