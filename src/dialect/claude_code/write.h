/*
 * Parts of the writer of sessions: lines (write_line.c), answers of the model on them (write_answer.c), and everything
 * else, with the order in which it comes (write.c).
 */
#ifndef DIALECT_CLAUDE_CODE_WRITE_H
#define DIALECT_CLAUDE_CODE_WRITE_H

#include "base/map.h"
#include "dialect/otutl/emit.h"
#include "dialect/otutl/pairs.h"
#include "dialect/writing.h"
#include "json/put.h"

/* The writer. */
struct session_writer {
	struct writing *w;
	struct json_parser *parser, *inner; /* for what an event kept of its line; for payloads */
	struct otutl_emit emit;
	struct otutl_pairs pairs; /* calls, open and answered */
	struct arena run, hold, scratch; /* of the run, of the step at hand, of the event */
	struct map heads;  /* by branch: struct session_head */
	struct map uuids;  /* of lines that were lines before: the last of those that were made of it, or 0 */
	struct map agents; /* by call: the branch that works for it */
	struct id id;
	struct str session, version, vendor, cwd;
	uint64_t lines;
	bool open;
	struct event *step, *cost; /* the step at hand, or NULL */
	bool waits;                /* it is not written yet */
	struct buf own;            /* of the line at hand */
};

/* A line while it is written. */
struct session_line {
	struct json_writer j;
	const struct event *e; /* whose time and branch it has */
	struct val rest;       /* what that kept of its line; VAL_NONE when it was none of a session */
	struct str uuid;
	bool kept;             /* that is what it was */
	bool bare;             /* it has no uuid, as titles and snapshots have none */
};

/* ---- a line ---- */

/*
 * Adds what is left of the event, a copy of which the caller has taken what the line says, to what the line at hand
 * says in our member. `native`: what the event kept of its line is said too. `payload`: a payload is among what is
 * left. `more` (p NULL: none) are further members.
 */
void claude_code_write_own(struct session_writer *x, struct event left, bool native, bool payload, struct str more);

/* What an event kept of its line; of a step of several lines the piece of this one. VAL_NONE: it was none of these. */
struct val claude_code_find_rest(struct session_writer *x, const struct event *e, size_t piece);

/* Begins a line up to its type. Readers want directory and version in each; "" says that nobody knows. */
struct session_line claude_code_begin_line(struct session_writer *x, const struct event *e, struct val rest,
					   struct str type);
void claude_code_end_line(struct session_writer *x, struct session_line *l);

/* The branch that works for a call, by the lines so far; NULL when none does. Lives as long as the run. */
const struct str *claude_code_agent_of(const struct session_writer *x, struct str call);

/* ---- answers ---- */

/* What a line of an answer holds: a text, a thought, a call, or nothing. */
struct session_said {
	const char *type; /* "text", "thinking", or NULL */
	struct str text;
	const struct event *call;
};

/* The message of the line. `step` may be NULL: of a call whose step is not at hand. */
void claude_code_put_answer(struct session_writer *x, struct session_line *l, const struct event *step,
			    struct session_said said);

/* A block of text or of thought; the signature of a thought is in what was kept. */
void claude_code_put_spoken(struct session_writer *x, struct session_line *l, const char *type, struct str text);

/* Writes the step at hand: a line for what was thought, one for what was said, one for neither. */
void claude_code_flush_step(struct session_writer *x);

/* Whether the event belongs to the step at hand. */
bool claude_code_is_at_hand(const struct session_writer *x, const struct event *e);

/* A step that said nothing stands on the line of its first call. */
void claude_code_write_call(struct session_writer *x, const struct event *e);

#endif
