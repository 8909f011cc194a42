/*
 * A ledger: the log of complete trials, and beside it one of partial ones ("diagnostic"), of the same shape and signed
 * by the same secret under the origin <origin>/diagnostic. Which engine keeps them shows in its name: a directory, or a
 * postgres:// URL.
 */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include "ledger/entry.h"
#include "ledger/io.h"
#include "ledger/log.h"

enum ledger_part { LEDGER_MAIN, LEDGER_DIAGNOSTIC, LEDGER_PARTS };

const char *ledger_part_name(enum ledger_part p); /* "main", "diagnostic" */

#define LEDGER_SECOND "/diagnostic" /* behind the main log's origin, and its directory: those of the diagnostic log */

struct ledger_options {
	const struct io *io; /* NULL: io_system */
	struct str where;    /* a directory, or postgres:// or postgresql:// */
	struct str keys;     /* the directory of keys; p NULL: that of keys_home, when there is one */
	struct str vkey;     /* of the main log, when the user gave one; p NULL otherwise */
	bool read_only;      /* takes no lock, and needs no private key */
	bool on_network;     /* a directory on a network file system is all right */
	enum log_pending pending; /* what becomes of entries that wait to be signed and that nobody vouches for */
	void (*warn)(void *context, const char *sentence); /* what its user should know; may be NULL */
	void *context;
};

struct ledger {
	struct log *logs[LEDGER_PARTS]; /* the diagnostic one is NULL when it is not there (read only) */
	struct signer signers[LEDGER_PARTS]; /* only the diagnostic one, and only when the main log has a signer */
	struct key keys[LEDGER_PARTS];       /* whose signatures the logs have */
	bool is_dir;
	struct str where; /* without a password */
	struct arena *arena;
	void (*warn)(void *context, const char *sentence); /* that of the options */
	void *context;
};

/* Whether the text names a database. */
bool ledger_is_url(struct str where);

/*
 * Makes both logs, empty and signed. The signer's name is the origin. False with *err: perhaps the first one is made.
 * ERR_USAGE or ERR_DATA when there is a log already, ERR_USAGE when there is no place for keys, ERR_DATA when the
 * origin is too long to have the second log's name made of it. The arena is for work.
 */
bool ledger_make(struct arena *a, const struct ledger_options *o, const struct signer *s, struct err *err);

/*
 * Opens both logs of a ledger; that of partial trials stays NULL when it is read only and not there. False with *err,
 * and nothing to close, when one cannot be opened. Names lie in the arena, which must outlive the ledger.
 */
bool ledger_open(struct ledger *l, struct arena *a, const struct ledger_options *o, struct err *err);
void ledger_close(struct ledger *l); /* what is committed stays, published or not; closing twice does no harm */

/* Signs and publishes what both logs have committed. False with *err; the main log may be published then. */
bool ledger_publish(struct ledger *l, struct err *err);

/*
 * After they are committed: names for people (directories only; see entry_link_name). Best effort: a name that cannot
 * be made, or that something else has, is left out without a word, and a check finds it.
 */
void ledger_link(struct ledger *l, enum ledger_part p, const struct entry *e);

#endif
