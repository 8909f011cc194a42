/* Manual pages in roff (man macros), made from the same tables as the help pages. */
#ifndef CMD_FRAME_MANUAL_H
#define CMD_FRAME_MANUAL_H

#include "base/buf.h"
#include "cmd/frame/command.h"

/* trackway(1): all commands, the global options, exit status and environment. */
void manual_add_program(struct buf *out, const struct command *const *table);

/* trackway-<name>(1). That of a group has its commands out of the table. */
void manual_add_command(struct buf *out, const struct command *const *table, const struct command *c);

/* trackway-trace(5): every format with its fields and codes. */
void manual_add_formats(struct buf *out);

/* "trackway-ledger-init" for the command "ledger init". */
void manual_add_name(struct buf *out, const struct command *c);

#endif
