/*
 * What a cassette keeps and what changes from one run to the next: the one list of it. Its digest stands in the header
 * of every cassette, so that whoever replays one knows by which rules it was made.
 */
#ifndef CAPTURE_CASSETTE_RULES_H
#define CAPTURE_CASSETTE_RULES_H

#include "base/crypto/sha256.h"
#include "base/str.h"

#define CASSETTE_PROFILE "nz-1"

enum cassette_rule_kind {
	CASSETTE_HEADER,   /* kept; a name that ends in '*' stands for all that begin so */
	CASSETTE_VOLATILE, /* a kind of text that is new in every run */
	CASSETTE_IGNORED,  /* a member that says nothing about what is asked */
	CASSETTE_SAMPLING, /* a member that is compared by itself */
	CASSETTE_VERSION,  /* a header of a request that is compared by itself */
};

struct cassette_rule {
	enum cassette_rule_kind kind;
	const char *name;
};

/* Ended by a row without a name. */
extern const struct cassette_rule cassette_rules[];

/*
 * Whether a header, in any case, is written: on the list, and none that lets others in. Names above 128 bytes are not.
 */
bool cassette_keeps_header(struct str name);

/* The digest of the list as text: "kind name" and LF for each row, in order. */
struct digest cassette_rules_digest(void);

#endif
