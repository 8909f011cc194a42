/*
 * Parts of the Gemini CLI dialect: the sessions it keeps (session.c), what it prints (print.c), and the order of both
 * (fold.c). gemini_cli.c decides which is which.
 */
#ifndef DIALECT_GEMINI_CLI_GEMINI_CLI_H
#define DIALECT_GEMINI_CLI_GEMINI_CLI_H

#include "dialect/reading/reading.h"
#include "model/assemble.h"

enum gemini_cli_what {
	GEMINI_CLI_PRINTED, /* of what it prints: goes on at once */
	GEMINI_CLI_NOTE,    /* of a session: stands where it stands */
	GEMINI_CLI_MESSAGE, /* of a message, which replaces an earlier one of the same id */
	GEMINI_CLI_CONTEXT, /* of a message that the model is given again; one that is known stays as it was */
	GEMINI_CLI_REWIND,  /* the message `id`, and all behind it, are taken back */
};

/* The hint of an event. */
struct gemini_cli_hint {
	enum gemini_cli_what what;
	struct str id; /* of the message; p NULL: none */
	bool begins;   /* the first event of its message */
	bool again;    /* RESULT: only when nobody told one for the call */
};

/* How well a value fits a session, or a line of one; what is printed. 0 to 100. */
int gemini_cli_session_fits(struct val v);
int gemini_cli_print_fits(struct val v);

/* Add the events of a value of each. What is nothing known becomes a NOTE with all of it. */
void gemini_cli_session_read(struct reading *r, struct val v);
void gemini_cli_print_read(struct reading *r, struct val v);

/* As in struct read_ops. gemini_cli_fold_end leaves the fold as new. */
void *gemini_cli_fold_open(void);
void gemini_cli_fold_close(void *fold);
bool gemini_cli_fold(void *fold, const struct event *e, struct assemble *as, struct err *err);
bool gemini_cli_fold_end(void *fold, struct assemble *as, struct err *err);

#endif
