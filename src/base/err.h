/*
 * An error means we could not do our work (what is odd about the user's data is a finding, see
 * finding.h). It is data, the last parameter, untouched on success, and needs no freeing.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum err_kind {
	ERR_NONE,
	ERR_USAGE, /* the command line or configuration is wrong: exit 2 */
	ERR_DATA,  /* the input cannot be used at all: exit 3 */
	ERR_LIMIT, /* a limit of ours was reached: exit 3 */
	ERR_IO,    /* the system refused: exit 3 */
};

/* What could help, for cmd/frame/advice.h to put into words: only the command line has options and commands. */
enum err_advice {
	ADVICE_NONE,
	ADVICE_RECORD_LIMIT,     /* allow longer records */
	ADVICE_PERMISSIVE,       /* read other versions as the one that is known */
	ADVICE_LEDGER_KEY,       /* see that the public key is the right one; else the checkpoint is wrong */
	ADVICE_LEDGER_NETWORK,   /* write to a network file system all the same */
	ADVICE_REPAIR_INDEX,     /* make the index of the ledger again */
	ADVICE_ACCEPT_PENDING,   /* sign entries that wait */
	ADVICE_DROP_PENDING,     /* leave them out */
	ADVICE_DECIDE_PENDING,   /* one of the two */
	ADVICE_WITNESS_KEY,      /* make a key of a witness */
	ADVICE_WITNESS_STATE,    /* keep the witness elsewhere */
	ADVICE_WITNESS_NEW,      /* begin a new one elsewhere */
	ADVICE_REPLACE_FILES,    /* replace what is there */
	ADVICE_PRIME_FILES,      /* give the files of an evaluation */
	ADVICE_COMPARE_TARGETS,  /* name the two targets */
	ADVICE_RUN_ID,           /* name the new run */
	ADVICE_UPSTREAM,         /* give the address of a service */
	ADVICE_START,            /* say when a run without times began */
	ADVICE_RESUME,           /* go on with the run that is there, or name the new one */
};

struct err {
	enum err_kind kind;
	enum err_advice advice;
	int errnum; /* errno at the time, or 0 */
	char text[1000];
};

/* Stands before what to do about an error, which is shown on a line of its own: "no such run" ERR_HELP "look in ..." */
#define ERR_HELP "\n= help: "

/* Always false, so that failing is one line. Long text is cut at a character boundary. */
__attribute__((format(printf, 3, 4))) bool err_set(struct err *e, enum err_kind kind, const char *format, ...);

/* Like err_set with ERR_IO, and ": " and the text of `errnum` added. */
__attribute__((format(printf, 3, 4))) bool err_system(struct err *e, int errnum, const char *format, ...);

/* Says what could help with an error already set. Always false, so that it can follow err_set. */
bool err_advise(struct err *e, enum err_advice advice);

/* Puts "what: " before the text of an error already set. Always false. */
bool err_context(struct err *e, const char *what);

#endif
