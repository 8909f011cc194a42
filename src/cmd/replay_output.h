/* What `trackway replay` says of a replay: the verdict and how it came about, for people or as one JSON document. */
#ifndef CMD_REPLAY_OUTPUT_H
#define CMD_REPLAY_OUTPUT_H

#include "cmd/frame/command.h"
#include "json/write.h"
#include "replay/replaying.h"

/* The fields of --json=...; ended by NULL. */
extern const char *const replay_fields[];

/* Prints the verdict on standard output. */
void replay_output_text(struct arena *a, const struct frame *f, const struct replaying_outcome *out);
void replay_output_json(struct opt_maybe selected, const struct replaying_outcome *out);

/* 0 for EXACT and EQUIVALENT, 1 for DIVERGED and INCOMPLETE, 3 for NOT_REPLAYABLE. */
int replay_output_status(const struct replaying_outcome *out);

/* Why the run cannot be replayed, and what to do; NULL where it can. A constant. */
const char *replay_output_why(const struct replaying_outcome *out);

#endif
