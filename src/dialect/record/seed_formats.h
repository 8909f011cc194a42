/* How the project's own formats are read and written; the dialects of the same names refer to these. */
#ifndef DIALECT_RECORD_SEED_FORMATS_H
#define DIALECT_RECORD_SEED_FORMATS_H

#include "dialect/dialect.h"

extern const struct read_ops agent_trace_read, trajectory_read, conversation_read;
extern const struct write_ops agent_trace_write, trajectory_write, conversation_write;

#endif
