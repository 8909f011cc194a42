/*
 * What was signed, and by whom it was asked for. Ed25519 is the real one; a text that was signed or checked before is
 * not signed or checked again, since a million states have few different texts. The program is linked so that calls of
 * ed25519_sign and ed25519_is_signed come here (ld --wrap).
 */
#ifndef CRASH_SIGNING_H
#define CRASH_SIGNING_H

#include "ledger/note.h"

struct signing_text {
	uint64_t size;
	struct digest root;
};

/* Checkpoints signed so far, in order. States are branches: what a branch signed is forgotten at its end. */
size_t signing_count(void);
const struct signing_text *signing_get(size_t i);
void signing_forget(size_t from);
void signing_end(void); /* frees everything */

#endif
