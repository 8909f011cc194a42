/*
 * Parts of the Cursor dialect: what the command line agent prints (stream.c), what the editor tells its hooks and the
 * transcripts it keeps (editor.c), and the order of all three (fold.c). cursor.c decides which is which.
 */
#ifndef DIALECT_CURSOR_CURSOR_H
#define DIALECT_CURSOR_CURSOR_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

enum cursor_what {
	CURSOR_OTHER,
	CURSOR_THOUGHT, /* STEP: a piece of what the model thinks; the answer it belongs to is named later */
	CURSOR_TOKEN,   /* STEP: a piece of what it says, which is told again when it is complete */
	CURSOR_AGAIN,   /* CALL: only if it was not told before */
	CURSOR_TURN,    /* STEP, CALL, RESULT: of the editor, which names turns and no answers */
	CURSOR_CHILD,   /* NOTE: a sub-agent begins inside the call of the event */
};

/* The hint of an event. */
struct cursor_hint {
	enum cursor_what what;
	struct str session;     /* whose event; p NULL: of the latest */
	struct str version;     /* of the editor */
	bool prints;            /* of the agent that prints how its run ended */
	enum run_status status; /* how the turn ended; STATUS_UNKNOWN when it does not say */
};

/* How well a line fits what the agent prints, a hook, a transcript: 0 to 100. */
int cursor_stream_fits(struct val v);
int cursor_hook_fits(struct val v);
int cursor_transcript_fits(struct val v);

/* Add the events of a line of each. One that is nothing known becomes a NOTE with all of it. */
void cursor_stream_read(struct reading *r, struct val v);
void cursor_hook_read(struct reading *r, struct val v);
void cursor_transcript_read(struct reading *r, struct val v);

/* As in struct read_ops. cursor_fold_end leaves the fold as new. */
void *cursor_fold_open(void);
void cursor_fold_close(void *fold);
bool cursor_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool cursor_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
