/* One entry of a ledger with all that belongs to it: its leaf, its object, and what later entries say about it. */
#ifndef CMD_LEDGER_SHOW_H
#define CMD_LEDGER_SHOW_H

#include "cmd/frame/command.h"
#include "ledger/index.h"

extern const char *const ledger_show_fields[]; /* of --json; ended by NULL */

/* Of an entry: its leaf bytes and what they say. */
struct shown_entry {
	struct index_row row;
	struct str bytes;
	struct entry entry;
	struct str object; /* p NULL: it has none, or it was erased */
	bool is_other;     /* the object's bytes are not those that were sealed */
};

struct ledger_show {
	struct arena *arena; /* holds everything */
	struct ledger *ledger;
	struct shown_entry it;
	struct shown_entry *about; /* the entries that refer to it, in log order */
	size_t about_count;
};

/*
 * Reads the entry of `row`, its object and the entries about it. `arena` and `ledger` must be set. False with *err when
 * something cannot be read or an entry is damaged (ERR_DATA); an object that is missing or changed is no error.
 * Everything lives in the arena.
 */
bool ledger_show_read(struct ledger_show *s, struct index *x, const struct index_row *row, struct err *err);

/* For people: the entry, whether its bytes are intact, and the entries about it. Safe for a terminal. */
void ledger_show_add_text(struct buf *out, const struct ledger_show *s);
/*
 * The document trackway.ledger-show/1, with the members that are selected. Entries and records stand in it as they were
 * sealed; bytes that are no JSON become a string, those that are missing null.
 */
void ledger_show_add_json(struct buf *out, const struct ledger_show *s, struct opt_maybe selected);

#endif
