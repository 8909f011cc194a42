/*
 * What is said later about a sealed trial: that another one takes its place, or that its bytes are gone. Nothing is
 * rewritten; each is an entry of its own, which names the trial by id, index and leaf.
 */
#ifndef TRIAL_AMEND_H
#define TRIAL_AMEND_H

#include "ledger/index.h"

/* A trial in the ledger; what is erased may be a run or a benchmark, too. */
struct amend_target {
	enum ledger_part part;
	enum entry_kind kind; /* ENTRY_TRIAL is 0 */
	uint64_t index;
	struct digest leaf;
	struct str experiment, trial_id;
};

/* The trial of a row. Its texts are the row's, and live as long as those do. */
struct amend_target amend_target_of(const struct index_row *trial);

struct amend_result {
	uint64_t index; /* of the entry that says it */
	struct digest leaf;
	bool was_there; /* it had been said before */
	size_t erased;  /* objects that are gone now */
	size_t shared;  /* objects that are left, because other entries have them too */
};

/*
 * Seals that `by` takes the place of `old`. Both must be in the same log. Saying the same again is fine; another
 * successor or reason is refused (ERR_DATA, [E_CONFLICT]), and so is one whose own place `old` has come to take
 * (ERR_DATA). ERR_USAGE without a reason, or when both are the same trial. *out is untouched on failure. Not
 * published here.
 */
bool supersede_seal(struct ledger *l, const struct amend_target *old, const struct amend_target *by, struct str reason,
		    struct amend_result *out, struct err *err);

/*
 * Appends the entry, publishes, and then removes the object of the record, those of its artifacts and their names. An
 * object that another entry has too stays, and counts as shared. What was begun and not finished is finished by
 * calling it again, whatever the reason given then. ERR_USAGE without a reason, ERR_DATA when the target is not the
 * trial; after any other failure the entry may be in the log, and the error says so.
 */
bool erase_seal(struct ledger *l, const struct amend_target *trial, struct str reason, struct amend_result *out,
		struct err *err);

/*
 * Reads the trial's entry, which must be what the target says; text lies in the arena. For whoever refers to it.
 * ERR_DATA, with the advice to rebuild the index, when id, experiment or leaf are others.
 */
bool amend_read_target(struct ledger *l, struct arena *a, const struct amend_target *t, struct entry *out,
		       struct err *err);

/*
 * Appends an entry that says something about a trial, stamped with the time of now; its object, if it has one, is there
 * already. True with *out, and *conflict when an entry of the same ident says something else: then that one stays.
 * False with *err when it could not be appended. Not published here.
 */
bool amend_append(struct ledger *l, struct arena *a, enum ledger_part part, struct entry *e, struct amend_result *out,
		  bool *conflict, struct err *err);

#endif
