/*
 * A profile of a run for people, for programs and for other tools. show_text.c has the tables, show_waterfall.c the
 * nodes along the time, show_json.c and show_plain.c the other two.
 */
#ifndef CMD_SHOW_H
#define CMD_SHOW_H

#include "cmd/frame/command.h"
#include "flow/profile.h"
#include "trial/signals.h"

struct show {
	struct arena *arena;
	const struct term *term;
	struct str path; /* of the trace */
	struct profile *profile; /* not const: reading a percentile sorts what it holds */
	bool raw;         /* all digits */
	const char *hint; /* what to do for the rows that are left out; NULL when nothing can be done */
	const char *format;            /* of the log */
	const struct signals *signals; /* of its content; NULL or without a transcript: it has none */
	struct str forked_from; /* "RUN at seq N"; empty: it goes on from none */
	struct str bench; /* the run is a benchmark: its directory, as a command would name it; else p NULL */
};

/*
 * Everything, in the order people ask: what became of it, where the time went, tokens, models, tools, stalls,
 * waterfall. A trace without calls gets only the first lines and the notes. Names of the trace are made safe for a
 * terminal.
 */
void show_add_text(struct buf *out, const struct show *s);

/*
 * The nodes along the time, one on each line, and what the signs mean; nothing without any. Nodes that the profile left
 * out are counted, with `hint` behind it.
 */
void show_add_waterfall(struct buf *out, const struct show *s);

/*
 * Lines of fields parted by tabs; the first says what the line is about. Times are seconds with six places; what nobody
 * measured is an empty field.
 */
void show_add_plain(struct buf *out, const struct show *s);

extern const char *const show_fields[]; /* of the JSON; ended by NULL */
/*
 * The document trackway.show/1 on one line, with the members that are selected. Times are seconds; what is not known is
 * null.
 */
void show_add_json(struct buf *out, const struct show *s, struct opt_maybe selected);

/* The letter of a kind in the waterfall; '?' for a number that is no kind. */
char show_sign(enum at_kind kind);

#endif
