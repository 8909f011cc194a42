/* The rules about single values: names of types and members, times, run ids, URIs, characters, digits. */
#ifndef DIALECT_OTUTL_FIELD_H
#define DIALECT_OTUTL_FIELD_H

#include "base/clock.h"
#include "base/id.h"
#include "dialect/otutl/record.h"
#include "json/json.h"

/* The members that mean something to us at the top of a record. */
enum otutl_member {
	OTUTL_M_OTHER,
	OTUTL_M_TYPE,
	OTUTL_M_TS,
	OTUTL_M_RUN_ID,
	OTUTL_M_SEQ,
	OTUTL_M_CALL_ID,
	OTUTL_M_PARENT,
	OTUTL_M_CALL_IDS,
	OTUTL_M_TOOL,
	OTUTL_M_ARGS,
	OTUTL_M_RESULT,
	OTUTL_M_CHUNKS,
	OTUTL_M_BUDGET,
	OTUTL_M_RETRIEVAL_SET,
	OTUTL_M_CONTENT, /* request, response: see otutl/content.h */
	OTUTL_M_VARYING, /* from here on, what differs between runs that do the same: usage, totals, ... */
	OTUTL_M_EXT,
	OTUTL_M_DURATION,
	OTUTL_M_LATENCY,
	OTUTL_M_TTFT,
	OTUTL_MEMBERS,
};

/* The meaning of a member's name at the top of a record; OTUTL_M_OTHER for one that has none. */
enum otutl_member otutl_member_of(struct str name);

/* The type of that name, OTUTL_OTHER for none of the seven; and its name again, empty for OTUTL_OTHER. */
enum otutl_type otutl_type_of(struct str text);
struct str otutl_type_name(enum otutl_type type);

/*
 * Parses a time into *out. False, with *why (a phrase that follows the name) and *odd untouched, when it is not a
 * time OTUTL takes. Else *odd is NULL or tells what is unusual about it. Both are constants.
 */
bool otutl_check_ts(struct str text, struct stamp *out, const char **odd, const char **why);

/*
 * Parses a lower-case UUIDv7 into *out. False, with *why (a phrase that follows the name), for anything else; *out
 * is undefined then.
 */
bool otutl_check_run_id(struct str text, struct id *out, const char **why);

/*
 * RFC 3986 with a scheme; false, with *why, for anything else. *secret is always set: it has a user name with a
 * password.
 */
bool otutl_check_tool(struct str text, bool *secret, const char **why);

/* Where the first noncharacter (U+FFFE, U+FDD0, ...) begins in well-formed UTF-8, or text.n. */
size_t otutl_find_nonchar(struct str text);

/*
 * Whether the chunks of a result carry no data, or texts that add up to it. `chunks` may be anything: what is no
 * list carries none. The arena gets texts with escapes.
 */
bool otutl_chunks_add_up(struct arena *a, struct val chunks, struct str result);

/*
 * Whether a JSON number's text has significant digits that its canonical form lacks. Neither sign nor exponent is
 * compared.
 */
bool otutl_loses_digits(struct str text, struct str canonical);

#endif
