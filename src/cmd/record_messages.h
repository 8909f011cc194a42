/* What record says on standard error when the child has ended: what was captured, what was lost, what to do next. */
#ifndef CMD_RECORD_MESSAGES_H
#define CMD_RECORD_MESSAGES_H

#include "capture/recording.h"
#include "cmd/frame/command.h"

/*
 * Prints it all on standard error: errors, warnings with help, what was recorded and which files were written. With -q
 * only errors and warnings. What to do when nothing was captured depends on the agent. The arena is for work only.
 */
void record_talk(struct arena *a, const struct frame *f, const struct agent_plan *plan,
		 const struct recording_outcome *out);

/* Before the child is started: how it is led, in a line on standard error. Nothing with -q, or for an unknown agent. */
void record_announce(const struct frame *f, const struct agent_plan *plan);

/* Adds "telemetry: 12 spans, 3 log records in 4 requests" and a line end; nothing where none came. */
void record_messages_add_telemetry(struct buf *b, const struct otlp_receiver_tally *t);

#endif
