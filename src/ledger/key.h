/*
 * Keys of logs and of witnesses, in the texts of C2SP signed-note: a vkey is name+id+base64, a private key the same
 * behind PRIVATE+KEY+. The id is four bytes of a digest over name, kind and public key, so that a key under another
 * name is another key.
 */
#ifndef LEDGER_KEY_H
#define LEDGER_KEY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/crypto/ed25519.h"
#include "base/err.h"

enum key_kind {
	KEY_LOG = 1,     /* signs checkpoints: plain Ed25519 */
	KEY_WITNESS = 4, /* cosigns them: Ed25519 over a time and the checkpoint */
};

#define KEY_ID 4 /* bytes */
#define KEY_NAME_MAX 255

struct key {
	struct str name;
	uint8_t kind; /* enum key_kind, or one that is not known here */
	uint8_t id[KEY_ID];
	uint8_t public[ED25519_PUBLIC];
};

struct signer {
	struct key key;
	uint8_t seed[ED25519_SEED]; /* the secret that the key is made of */
};

/* UTF-8 without spaces (Unicode's too), control characters and '+'; not empty, at most KEY_NAME_MAX bytes. */
bool key_is_name(struct str name);

/* What others may call theirs, as c2sp.org/signed-note has it: of any length, and only the lowest controls are out. */
bool key_is_foreign_name(struct str name);

/* Strict: known kind, canonical base64, the id that belongs to it. The name points into the text. White space around
 * it (a line end) is passed over. False for anything else, without more to say than that. */
bool key_parse(struct str vkey, struct key *out);
/* The vkey, name+id+base64, without a line end: behind what the buffer has, or in the arena. */
void key_add_text(struct buf *out, const struct key *k);
struct str key_text(struct arena *a, const struct key *k);

/* Whether both are the same key under the same name, of the same kind. */
bool key_eq(const struct key *a, const struct key *b);

/* From a public key: works out the id. The name is borrowed, and not checked. */
void key_init(struct key *out, struct str name, enum key_kind kind, const uint8_t public[ED25519_PUBLIC]);

/*
 * From a seed: fills everything. The name is borrowed. ERR_USAGE when it cannot name a key; *out is untouched on
 * failure.
 */
bool signer_init(struct signer *out, struct str name, enum key_kind kind, const uint8_t seed[ED25519_SEED],
		 struct err *err);
/*
 * From the text of a private key; its name points into it. White space around it is passed over. ERR_DATA when it is
 * not one, or when its id does not belong to it: it was changed.
 */
bool signer_parse(struct str skey, struct signer *out, struct err *err);
/* Adds the text of the private key, which is a secret: wipe the buffer. */
void signer_add_text(struct buf *out, const struct signer *s);

/* ---- the directory of keys: $TRACKWAY_KEYS, else $XDG_CONFIG_HOME/trackway/keys, else ~/.config/trackway/keys ---- */

/* That directory, in the arena; it need not exist. ERR_USAGE when the environment names none. */
bool keys_home(struct arena *a, struct str *out, struct err *err);

/* Whether a directory of keys with this mode is its owner's alone to change: what a key has signed is remembered in it,
 * and whoever could put back an older memory could have a second history signed. ERR_DATA otherwise. */
bool keys_check_mode(struct str dir, unsigned mode, struct err *err);

/*
 * A new signer from random bytes, written to <dir>/<id>.key (directory 0700, file 0600, durable, never replaced). Its
 * name lies in the arena. False with *err when the name cannot name a key (ERR_USAGE), others can write to the
 * directory (ERR_DATA), or it cannot be written (ERR_IO).
 */
bool keys_make(struct arena *a, struct str dir, struct str name, enum key_kind kind, struct signer *out,
	       struct err *err);

/*
 * Writes a signer that came from elsewhere, likewise; the same one that is there already is left as it is, and is no
 * failure. ERR_DATA when another key of the same id has the name.
 */
bool keys_add(struct arena *a, struct str dir, const struct signer *s, struct err *err);

/*
 * <dir>/<id>.key, when it is there and of this name. False with *found false and no error when there is none; false
 * with *found true and an error when it is unreadable, is not a key, or can be read by others (mode), or when others
 * can write to the directory.
 */
bool keys_find(struct arena *a, struct str dir, const struct key *k, struct signer *out, bool *found, struct err *err);

/*
 * The same by name, kind and id alone, where the public key is what is looked for. In both, the name in *out lies in
 * the arena, and *out is untouched unless true is returned.
 */
bool keys_find_id(struct arena *a, struct str dir, const struct key *k, struct signer *out, bool *found,
		  struct err *err);

#endif
