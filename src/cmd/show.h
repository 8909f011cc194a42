/*
 * A profile of a run for people, for programs and for other tools. show_text.c has the tables, show_waterfall.c the
 * nodes along the time, show_json.c and show_plain.c the other two.
 */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include "cmd/frame/command.h"
#include "flow/profile.h"

struct show {
	struct arena *arena;
	const struct term *term;
	struct str path; /* of the trace */
	struct profile *profile;
	bool raw;         /* all digits */
	const char *hint; /* what to do for the rows that are left out; NULL when nothing can be done */
};

/* Everything, in the order people ask: what became of it, where the time went, tokens, models, tools, stalls. */
void show_add_text(struct buf *out, const struct show *s);

/* The nodes along the time, one on each line; nothing without any. */
void show_add_waterfall(struct buf *out, const struct show *s);

/* Lines of fields parted by tabs; the first says what the line is about. */
void show_add_plain(struct buf *out, const struct show *s);

extern const char *const show_fields[]; /* of the JSON; ended by NULL */
void show_add_json(struct buf *out, const struct show *s, struct opt_maybe selected);

/* The letter of a kind in the waterfall. */
char show_sign(enum at_kind kind);

#endif
