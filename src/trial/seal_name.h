/*
 * The names that what is sealed gets in a ledger's directory, for people: each belongs to one entry. Two ids can come
 * to the same name, since long ones are cut; whoever comes second is told so before anything is written.
 */
#ifndef TRIAL_SEAL_NAME_H
#define TRIAL_SEAL_NAME_H

#include "base/map.h"
#include "ledger/ledger.h"

/* The names that a batch asks for. */
struct seal_names {
	struct ledger *ledger;
	struct arena *arena;
	struct map claimed; /* the wide hash of part and name, to a hash of who has it */
};

/* Begins without names. Ledger and arena must outlive it; there is nothing to free. */
void seal_names_init(struct seal_names *n, struct ledger *l, struct arena *a);

/* The name of the entry, when another entry of the batch has it or something else stands there; else p is NULL. A
 * database has no names. */
struct str seal_names_claim(struct seal_names *n, enum ledger_part part, const struct entry *e);

#endif
