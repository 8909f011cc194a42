/* Help pages, made from the tables. Examples come first. Nothing here prints. */
#ifndef CMD_FRAME_HELP_H
#define CMD_FRAME_HELP_H

#include "base/buf.h"
#include "cmd/frame/command.h"
#include "cmd/frame/topics.h"

/* What `trackway` alone says: at most twelve lines with three examples. */
void help_add_intro(struct buf *out, const struct term *t, const struct command *const *table);

/* All commands, topics and global options. Of a group its row alone. */
void help_add_overview(struct buf *out, const struct term *t, const struct command *const *table);

/*
 * The page of a command: with -h examples, usage and options; with --help everything. That of a group has its commands
 * out of the table.
 */
void help_add_command(struct buf *out, const struct term *t, const struct command *const *table,
		      const struct command *c, bool is_full);

/* The page of a topic, filled to the width of the screen but at most 100 columns. */
void help_add_topic(struct buf *out, const struct term *t, const struct topic *topic);

/* "-o, --output FILE", "--json[=FIELDS]", "-h"; with `is_aligned` a missing letter leaves its room. */
void help_add_label(struct buf *out, const struct opt *o, bool is_aligned);

/* The environment variable that stands for the option in this command, a constant, or NULL. */
const char *help_find_variable(const struct command *c, const struct opt *o);

/* "The fields of --json: path, format." without a line end; nothing for a command without fields. */
void help_add_fields(struct buf *out, const struct command *c);

#endif
