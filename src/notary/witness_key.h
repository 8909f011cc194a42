/*
 * The key of a witness and the directory of what it remembers. They belong together: a witness that lost its state
 * would cosign what it has refused before, so the state names the key (in its file "vkey"), and a new key begins a new
 * one.
 */
#ifndef NOTARY_WITNESS_KEY_H
#define NOTARY_WITNESS_KEY_H

#include "ledger/io.h"
#include "ledger/key.h"

/* Makes a directory and those above it that are absent, durably. */
bool witness_make_dir(const struct io *io, struct arena *a, struct str dir, struct err *err);

/* Where a witness of this name keeps its state when nobody says otherwise: beside its key. */
struct str witness_state_home(struct arena *a, struct str keys, struct str name);

/* A private key out of a file of its owner only (mode 0600), which must be that of a witness. */
bool witness_key_load(struct arena *a, struct str path, struct signer *out, struct err *err);

/*
 * The key that the state names, out of the directory of keys; made, and the state too, when there is none yet (*made).
 * `name` must be the key's; with p NULL it may be any, but nothing is made then.
 */
bool witness_key_open(struct arena *a, struct str keys, struct str state, struct str name, struct signer *out,
		      bool *made, struct err *err);

#endif
