/*
 * The key of a witness and the directory of what it remembers. They belong together: a witness that lost its state
 * would cosign what it has refused before, so the state names the key (in its file "vkey"), and a new key begins a new
 * one.
 */
#ifndef NOTARY_WITNESS_KEY_H
#define NOTARY_WITNESS_KEY_H

#include "ledger/io.h"
#include "ledger/key.h"

/*
 * Makes a directory and those above it that are absent (mode 0700), durably. One that is there is fine. False with *err
 * when one cannot be made or synced; those above it may be made then. The arena is for work.
 */
bool witness_make_dir(const struct io *io, struct arena *a, struct str dir, struct err *err);

/* Where a witness of this name keeps its state when nobody says otherwise: beside its key. */
struct str witness_state_home(struct arena *a, struct str keys, struct str name);

/*
 * A private key out of a file of its owner only (mode 0600), which must be that of a witness. ERR_DATA when others may
 * read or change the file, or it is not such a key. The name lies in the arena; the seed in *out is a secret.
 */
bool witness_key_load(struct arena *a, struct str path, struct signer *out, struct err *err);

/*
 * The key that the state names, out of the directory of keys; made, and the state too, when there is none yet (*made).
 * `name` must be the key's; with p NULL it may be any, but nothing is made then. ERR_DATA when the state is of another
 * name, names no witness's key, or its private key is not in `keys`. The name in *out lies in the arena.
 */
bool witness_key_open(struct arena *a, struct str keys, struct str state, struct str name, struct signer *out,
		      bool *made, struct err *err);

#endif
