/*
 * Claude Code, in two parts: line.c reads lines, one by one; fold.c knows what stands between
 * them.
 *
 * What a line knows and only the fold can use is in its events' hints. COST comes for the main line (result.usage) and
 * for each model (modelUsage); the fold chooses.
 */
#ifndef DIALECT_CLAUDE_CODE_CLAUDE_CODE_H
#define DIALECT_CLAUDE_CODE_CLAUDE_CODE_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

#define CLAUDE_CODE_STOPPED "interrupted" /* role of the note that the user interrupted the program */
#define CLAUDE_CODE_SIDECHAIN "sidechain" /* branch of a side chain without a name, until the fold gives it one */

/* The hint of an event (see event.h). Two lines with one uuid may still say different things: hence `message`. */
struct claude_code_hint {
	bool session;           /* of a session file; otherwise of a stream */
	bool own;               /* of a line that was written here: costs and the end of the run are told */
	bool by_model;          /* COST: of one model, not of the main line */
	uint32_t place;         /* of the event in its line */
	uint64_t line, message; /* digests: of the line's uuid (0: it has none), and of its message */
	struct str run, version; /* the session; the program's version */
	struct str agent;       /* RESULT: the sub-agent whose work it is */
	struct str before;      /* in a side chain without a name: the uuid of the line before; none at its beginning */
	struct str prompt;      /* CALL: what it gives a sub-agent; MESSAGE: a text that may be such a prompt */
	struct str printing, printed; /* NOTE: a call, and all that it has printed so far */
};

/*
 * How well a value fits: a line of a session or of a stream, a list of such, a capture of both directions. 0 to 100,
 * as in struct dialect; of a list the best of its first eight.
 */
int claude_code_fits(struct val v);

/*
 * Adds the events of a value: a line, a list of lines or a capture. What is no line at all becomes a NOTE, so nothing
 * is lost.
 */
void claude_code_read(struct reading *r, struct val v);

/*
 * For writing a NOTE as the line it was: the member that holds the content in lines of this type ("data" of
 * "progress"), p NULL when there is none; and whether notes of this role are lines of the user.
 */
struct str claude_code_note_member(struct str type);
bool claude_code_is_user_note(struct str role);

extern const struct write_ops claude_code_write;

/*
 * The fold, as struct read_ops has it. False only when the assembler refused an event, and then *err is its word; the
 * fold can be used on after claude_code_fold_end, which leaves it as new. Up to 256 events wait for the run to be
 * known, and 1 MB of pieces for each branch; pieces beyond that are dropped.
 */
void *claude_code_fold_open(void);
void claude_code_fold_close(void *fold);
bool claude_code_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool claude_code_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
