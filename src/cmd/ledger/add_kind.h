/* What a file is that somebody wants to add to a ledger: a trial record, a review, or something else. */
#ifndef CMD_LEDGER_ADD_KIND_H
#define CMD_LEDGER_ADD_KIND_H

#include "base/err.h"
#include "dialect/dialect.h"

#define ADD_E_KIND "E_KIND" /* the code of a file that is neither */

enum add_kind {
	ADD_RECORD, /* or what its rules will find fault with */
	ADD_REVIEW,
	ADD_OTHER,
};

/*
 * By the beginning of the file, which must be padded when it is a document (`lines` false). Of ADD_OTHER *why says in a
 * sentence what it is and what to add instead. The parser is that of dialect_detect_open.
 */
enum add_kind add_kind_of(struct json_parser *detector, struct arena *a, struct str path, struct str head, bool lines,
			  struct err *why);

#endif
