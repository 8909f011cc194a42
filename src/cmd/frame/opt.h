/*
 * One option of a table and the field behind it. Nothing here walks a command line; see cmdline.h.
 */
#ifndef CMD_FRAME_OPT_H
#define CMD_FRAME_OPT_H

#include "cmd/frame/command.h"

/* The row, or NULL when there is none. A NULL table has no rows. */
const struct opt *opt_find_name(const struct opt *table, struct str name);
const struct opt *opt_find_letter(const struct opt *table, char letter);

/* True when the option cannot stand without a value, so that the next word may be its value. */
bool opt_needs_value(const struct opt *o);

/*
 * Stores `value` (p is NULL without one) in the field of o. `spelled` is what the user wrote, for the
 * message. Fails with ERR_USAGE on a value of the wrong kind, and then the field is untouched.
 */
bool opt_set(const struct opt *o, void *options, struct arena *a, struct str spelled, struct str value,
	     struct err *err);

/*
 * 4096, 64K, 64KiB, 64M, 1GiB, 2T in powers of 1024; 5kB, 5MB, 5GB, 5TB in powers of 1000. False for an unknown unit,
 * no digits, or more than size_t holds; *out is untouched then.
 */
bool opt_parse_size(struct str text, size_t *out);

/* The words of "auto|always|never", one per call; each points into the text. p is NULL at the end. */
struct str opt_next_choice(struct str *words);

/*
 * The fields of --json=a,b,c. Checking fails with ERR_USAGE on a name that is not in `known` (ended by
 * NULL). opt_has_field is true for every field when none was selected.
 */
bool opt_check_fields(struct opt_maybe selected, const char *const *known, struct err *err);
bool opt_has_field(struct opt_maybe selected, struct str field);

#endif
