/* What the commands on a ledger share: the option that names it, how it is opened, and words about its keys. */
#ifndef CMD_LEDGER_ARGS_H
#define CMD_LEDGER_ARGS_H

#include "cmd/frame/command.h"
#include "cmd/screen/progress.h"
#include "json/write.h"
#include "ledger/index.h"
#include "ledger/ledger.h"

#define LEDGER_DEFAULT "ledger"

/* Which ledger; a member `ledger` of the options struct of every such command. */
struct ledger_choice {
	struct str where, vkey; /* p NULL when not given */
	bool force_network;
	enum log_pending pending; /* what becomes of entries that wait and that nobody vouches for */
};

/* Rows for option tables. */
#define LEDGER_OPTION(type) \
	{ OPT_STR, 0, "ledger", offsetof(type, ledger.where), "DIR|URL", \
	  "the ledger: a directory, or postgres://... (default: ./" LEDGER_DEFAULT ")" }
#define LEDGER_VKEY_OPTION(type) \
	{ OPT_STR, 0, "vkey", offsetof(type, ledger.vkey), "KEY|FILE", \
	  "the public key that must have signed, as init printed it, or a file that holds it" }
#define LEDGER_NETWORK_OPTION(type) \
	{ OPT_FLAG, 0, "force-network", offsetof(type, ledger.force_network), NULL, \
	  "also write to a network file system, where locks and syncs may fail" }

extern const struct opt_env ledger_env[]; /* TRACKWAY_LEDGER for --ledger */

/* The directory or URL meant; LEDGER_DEFAULT when none was given. A URL may hold a password: do not print it. */
struct str ledger_args_where(const struct ledger_choice *c);

enum ledger_access {
	LEDGER_READ,  /* what is published; takes no lock, changes nothing */
	LEDGER_WRITE, /* needs the private key, since whatever is added is published */
	LEDGER_MEND,  /* may write what follows from the log; needs no key */
};

/*
 * Opens the chosen ledger; the caller closes it with ledger_close. False with *err and what to do: nothing is there
 * (ERR_DATA), --vkey is no key (ERR_USAGE or ERR_DATA), the private key is missing for LEDGER_WRITE (ERR_DATA), or it
 * cannot be opened. Warnings while it is open go to standard error. What it holds lives in the arena.
 */
bool ledger_args_open(struct ledger *l, struct arena *a, const struct frame *f, const struct ledger_choice *c,
		      enum ledger_access access, struct err *err);

/*
 * Whether `where` is a ledger. ERR_DATA with what to do when it is not there, or is some other directory. A database is
 * not looked at: always true.
 */
bool ledger_args_check_there(struct str where, struct err *err);

/*
 * Reads the text of --vkey: a key, or a file of at most 4096 bytes that has one. *out is the key's text, in `given` or
 * in the arena; with p NULL it stays so. ERR_USAGE when it is neither key nor file, ERR_DATA when the file has no key.
 */
bool ledger_args_read_vkey(struct arena *a, struct str given, struct str *out, struct err *err);

/*
 * Reads a file with a private key (PRIVATE+KEY+...). ERR_DATA when it is none, or when others can read it, since then
 * they may have. Its name lies in the arena.
 */
bool ledger_args_read_signer(struct arena *a, struct str path, struct signer *out, struct err *err);

/* The vkey of a key, in the arena. */
struct str ledger_args_vkey(struct arena *a, const struct key *k);

/*
 * Shows "entries 12 of 40" when it is due, while an index is made or a log is checked. The context is a struct
 * progress.
 */
void ledger_args_tick(void *progress, uint64_t done, uint64_t of);

/*
 * Opens the index, bringing it up to date first, with its progress on standard error. NULL with *err. index_close
 * closes it, before the ledger.
 */
struct index *ledger_args_open_index(struct ledger *l, const struct frame *f, struct err *err);

/* 64 hexadecimal digits, in the arena. */
struct str ledger_args_hex(struct arena *a, struct digest d);

/*
 * Parses an option that is a number, such as --min-reward; *out is NAN when it was not given (p NULL). False with
 * ERR_USAGE, which names the option.
 */
bool ledger_args_number(struct str given, const char *option, double *out, struct err *err);

#endif
