/* Keys of redaction: 32 random bytes as hexadecimal digits, in a file of the directory of keys that only its owner can
 * read. */
#ifndef SINK_REDACT_KEY_H
#define SINK_REDACT_KEY_H

#include "base/arena.h"
#include "base/err.h"
#include "transform/redact.h"

/*
 * The key of this name, redact-NAME.key in the directory of keys (ledger/key.h), made when there is none: *made tells
 * so. With a slash in it, `name` is the path of a key that must be there. *path is where it is, in the arena. The
 * caller wipes the key. ERR_USAGE for a name that is none,
 * ERR_DATA for a file that is no key or that others can read, ERR_IO.
 */
bool redact_key_load(struct arena *a, struct str name, uint8_t key[REDACT_KEY], struct str *path, bool *made,
		     struct err *err);

#endif
