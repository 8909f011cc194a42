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
	struct str where;
	struct log_report logs[LEDGER_PARTS];
	struct findings findings;
	bool has_vkey, has_policy, has_objects; /* what was asked for */
	bool all; /* list every finding */
};

/* Runs the check with a progress line. The check's findings and arena are set here. */
bool ledger_verify_run(struct ledger_verify *v, struct ledger_check *c, struct err *err);

/* The same of the ledger that was chosen: a directory as it lies there, a database through its engine. */
bool ledger_verify_chosen(struct ledger_verify *v, struct ledger_check *c, const struct ledger_choice *choice,
			  struct err *err);

/* Whether nothing was found that is wrong; warnings and notes do not count. */
bool ledger_verify_is_ok(const struct ledger_verify *v);
/* For people: findings, OK or NOT OK, each log, and what only a trusted key could show. */
void ledger_verify_add_text(struct buf *out, const struct ledger_verify *v);
/* The document trackway.ledger-verify/1 of a ledger, with the members that are selected. */
void ledger_verify_add_json(struct buf *out, const struct ledger_verify *v, struct opt_maybe selected);

extern const char *const ledger_verify_fields[]; /* of --json, of both commands and of proofs; ended by NULL */

/* Prints it in one form or the other; gives the exit status. */
int ledger_verify_print(const struct ledger_verify *v, struct opt_maybe json);

#endif
