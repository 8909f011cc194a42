/*
 * From what an entry is (its ident) to where it is: a table of the first N entries of a log, made in one piece and
 * replaced in one piece (so a crash leaves the old one or the new one, never a half), and the few entries since, in
 * memory. It holds hashes, not idents: a hit is a candidate, and the entry itself decides. A table that is absent, of
 * another log (its root does not fit), ahead of it or damaged is made anew from the entries.
 *
 *	"LIDX" | u32be(version) | u64be(N) | root at N | u64be(blocks) | 8 bytes of SHA-256 over these | zeros to 1024
 *	block = 63 slots of u64be(hash) u64be(index + 1), 0 in free ones, filled from the front | 8 zeros | 8 of SHA-256
 *
 * The hash is the first 8 bytes of SHA-256(ident); its block is the hash times the number of blocks, high half; what
 * finds its block full goes to the next one, around the end. So a question reads one block, and a block that was
 * changed by anybody but us is seen.
 */
#ifndef LEDGER_IDS_H
#define LEDGER_IDS_H

#include "ledger/io.h"
#include "ledger/tree.h"

struct ids;

/*
 * Opens the table at `path`, which is copied; its bytes may be garbage. Never fails: an unusable table covers
 * nothing. To be closed with ids_close, which writes nothing and takes NULL too. `io` must outlive it.
 */
struct ids *ids_open(const struct io *io, const char *path);
void ids_close(struct ids *t);

/* How many of the first entries the table at hand covers, and their root (to be held against the log's). */
uint64_t ids_covered(const struct ids *t, struct digest *root);
void ids_forget(struct ids *t); /* drops the table and what is in memory: it does not fit, or is damaged */

/*
 * Adds entry `index`, which must be the next one not known yet: any other is passed over without a word. An ident
 * without p: the entry has none, and is never found. The ident is hashed, not kept.
 */
void ids_add(struct ids *t, struct str ident, uint64_t index);
uint64_t ids_count(const struct ids *t); /* the next one */

/*
 * Candidates for an ident, those in memory first, newest first: *state 0 at the beginning. False: no more, or the
 * table is damaged (ids_is_sound tells). Nothing may be added between two calls of a walk.
 */
bool ids_next(struct ids *t, struct str ident, uint64_t *state, uint64_t *index);

/* False once the table was found to be damaged: what ids_next said may lack something. ids_forget mends it. */
bool ids_is_sound(const struct ids *t);

/* Whether enough was added that the table should be written; less is enough when the handle is closing. */
bool ids_is_due(const struct ids *t, bool closing);
/*
 * Writes the table of all entries known so far, whose root this is: all or nothing. What was in memory is then in the
 * table. False with *err when it cannot be written (ERR_IO) or the old one is damaged (ERR_DATA): the old one stays.
 * The name is not synced: a table that a crash loses is made anew.
 */
bool ids_save(struct ids *t, struct digest root, struct err *err);

#endif
