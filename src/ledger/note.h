/*
 * Signed notes (c2sp.org/signed-note) and what we sign as such: checkpoints (c2sp.org/tlog-checkpoint) and the
 * cosignatures of witnesses (c2sp.org/tlog-cosignature). Reading is strict: base64 must be canonical, since a decoder
 * that overlooks trailing bits would let a changed signature line pass; line ends, lengths and names are checked.
 *
 * Nothing here owns anything: parts of a note point into its text.
 */
#ifndef LEDGER_NOTE_H
#define LEDGER_NOTE_H

#include "base/arena.h"
#include "base/crypto/sha256.h"
#include "ledger/key.h"

#define NOTE_MAX ((size_t)1 << 20) /* bytes of a whole note */
#define NOTE_SIGNATURES 100        /* lines taken of one note */

struct note_line {
	struct str name;
	uint8_t id[KEY_ID];
	struct str line;  /* whole, with its line end */
	uint8_t blob[128]; /* decoded, behind the id: a signature, or a time and one */
	size_t blob_size; /* 0: too long for `blob`, so of no kind that we know */
};

struct note {
	struct str text; /* what is signed, with its last line end */
	struct note_line lines[NOTE_SIGNATURES];
	size_t count;
};

/* The next line without its end; false when there is none, or it does not end. */
bool note_next_line(struct str *rest, struct str *line);

/*
 * Reads a note; its parts point into `bytes`. False with a static sentence in *why when it is not one, is longer than
 * NOTE_MAX, or has no signature or more than NOTE_SIGNATURES. No signature is checked here.
 */
bool note_parse(struct str bytes, struct note *out, const char **why);

/*
 * Adds to `out` the whole note with these lines of signatures in it. A line takes the place of the old one of the same
 * key, but never that of `own`, the log's. False, and *why, when `lines` are not lines of signatures; the result may
 * have more than NOTE_SIGNATURES lines. The arena is for work.
 */
bool note_replace_lines(struct arena *a, const struct note *old, struct str lines, const struct key *own,
			struct buf *out, const char **why);

enum note_verdict {
	NOTE_ABSENT,  /* no line of this key */
	NOTE_GOOD,
	NOTE_BAD,     /* a line says it is of this key, and is not: the whole note must be refused */
};

/*
 * Of a key of either kind. `time` (may be NULL) gets what a cosignature says, in seconds since 1970: the latest of
 * several, 0 for a log's key; untouched unless NOTE_GOOD. One bad line of the key makes it NOTE_BAD, whatever others
 * are.
 */
enum note_verdict note_check(const struct note *n, const struct key *k, uint64_t *time);

struct checkpoint {
	struct str origin;
	uint64_t size;
	struct digest root;
};

/*
 * The text of a note: origin, size, root, and perhaps more lines (extensions), which must end and not be empty but
 * are not used. The origin points into the text. False with a static sentence in *why, and *out untouched.
 * checkpoint_add_text adds the three lines.
 */
bool checkpoint_parse(struct str text, struct checkpoint *out, const char **why);
void checkpoint_add_text(struct buf *out, const struct checkpoint *c);

/*
 * Adds the whole signed note, to be published as it is. ERR_USAGE when it is not the key of a log; nothing is added
 * on failure. It does not ask what the key has signed before: see signer_head.h.
 */
bool checkpoint_sign(struct buf *out, const struct checkpoint *c, const struct signer *s, struct err *err);

/*
 * Adds the line of a witness for this text, with its line end. `time` is in seconds since 1970. ERR_USAGE when it is
 * not the key of a witness or the time has more than 63 bits; nothing is added on failure.
 */
bool cosignature_add_line(struct buf *out, struct str text, const struct signer *witness, uint64_t time,
			  struct err *err);

#endif
