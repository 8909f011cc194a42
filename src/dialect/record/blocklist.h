/*
 * What telemetry must never hold: names of members and looks of values, a row each, and the walk that finds them in
 * any JSON value. The list is that of "Telemetry payload" in agent-trace.md. AT063 shares the names (leak.h).
 *
 * Strict where leak.h judges: a name counts however it is written, a value that only looks like an address counts too.
 * All is pure; nothing recurses, and the time is in proportion to the text.
 */
#ifndef DIALECT_RECORD_BLOCKLIST_H
#define DIALECT_RECORD_BLOCKLIST_H

#include "base/arena.h"
#include "json/val.h"

/* Names of members, ended by NULL. Case, '-' and '_' do not count; "*x" is every longer name that ends in x. */
extern const char *const blocklist_names[];

/* The row that a name fits, or NULL. outputText is output_text; prompt_tokens is none. */
const char *blocklist_find_name(struct str name);

/* Case, '-' and '_' of both do not count. */
bool blocklist_is_name(struct str name, const char *row);

struct blocklist_value {
	const char *name;  /* "email": for programs */
	const char *about; /* "an e-mail address", for people */
	bool (*fits)(struct str text);
};

/* Looks of values, ended by a row without a name. */
extern const struct blocklist_value blocklist_values[];

/* The first row that fits a text, or NULL. */
const struct blocklist_value *blocklist_find_value(struct str text);

/* A member or a value that must not be there. Its text is never kept. */
struct blocked {
	struct str pointer; /* RFC 6901; names on the way that are blocked values themselves are "***" */
	const char *rule;   /* the row's name */
	const char *about;  /* of a value, or of a name that looks like one; NULL for a name of the list */
	bool is_name;
	size_t bytes; /* of the text */
};

#define BLOCKED_KEPT 1000 /* of each list; the rest is only counted */

struct blocked_list {
	struct arena *arena;
	struct blocked *items;
	size_t count, cap;
	uint64_t total;
};

/*
 * Adds every blocked name and value of `root`, in the order of the text; *list must have its arena. Numbers count as
 * their digits. A name that occurs twice is looked at twice.
 */
void blocklist_check(struct blocked_list *list, struct val root);

#endif
