/* What 'trackway watch' prints beside the metrics: its figures as JSON, and warnings. */
#ifndef CMD_WATCH_OUTPUT_H
#define CMD_WATCH_OUTPUT_H

#include "cmd/frame/opt.h"
#include "watch/tail.h"

extern const char *const watch_fields[]; /* of --json */

/* Adds the figures as one JSON document with a newline; what nobody knows is null. */
void watch_output_add_json(struct buf *out, const struct figures *f, const struct tail *t, struct opt_maybe selected);

/* Which warnings were printed. */
struct watch_warned {
	bool failure, left_out, full;
};

/* Prints each warning for which there is a reason since the last pass, once; nothing with -q. */
void watch_output_warn(const struct frame *f, const struct tail *t, struct watch_warned *w);

#endif
