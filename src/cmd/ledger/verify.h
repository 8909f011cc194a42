/* What a check of a whole ledger found, for people and as JSON; verify and fsck print it. */
#ifndef CMD_LEDGER_VERIFY_H
#define CMD_LEDGER_VERIFY_H

#include "cmd/frame/command.h"
#include "cmd/ledger/args.h"
#include "json/write.h"
#include "ledger/check/check.h"

struct ledger_verify {
	struct arena *arena;
	const struct frame *frame;
	struct str where; /* as it is shown; ledger_verify_chosen takes a password out */
	struct log_report logs[LEDGER_PARTS];
	struct findings findings; /* filled in by the check, like the logs */
	bool has_reviewers, has_vkey, has_policy, has_objects; /* what was asked for */
	bool all; /* list every finding */
};

/*
 * Runs the check with a progress line and fills in `logs` and `findings`. The check's findings, arena and tick are set
 * here; the rest of *c is the caller's. True also when the ledger is damaged: that is a finding. False with *err when
 * it could not be checked.
 */
bool ledger_verify_run(struct ledger_verify *v, struct ledger_check *c, struct err *err);

/*
 * The same of the ledger that was chosen: a directory as it lies there, a database through its engine, which is opened
 * and closed here. v->where loses its password.
 */
bool ledger_verify_chosen(struct ledger_verify *v, struct ledger_check *c, const struct ledger_choice *choice,
			  struct err *err);

/* Whether no finding is an error; warnings and notes do not count. After a check. */
bool ledger_verify_is_ok(const struct ledger_verify *v);
/*
 * For people: findings, OK or NOT OK, each log, and what only a trusted key could show. With -q only findings that are
 * errors are listed.
 */
void ledger_verify_add_text(struct buf *out, const struct ledger_verify *v);
/* The document trackway.ledger-verify/1 of a ledger, with the members that are selected. */
void ledger_verify_add_json(struct buf *out, const struct ledger_verify *v, struct opt_maybe selected);

extern const char *const ledger_verify_fields[]; /* of --json, of both commands and of proofs; ended by NULL */

/* Prints it in one form or the other on standard output; gives EXIT_YES, or EXIT_NO when an error was found. */
int ledger_verify_print(const struct ledger_verify *v, struct opt_maybe json);

#endif
