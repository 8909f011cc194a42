/*
 * Lists as the variables of OpenTelemetry have them: "key=value,key2=value2", with blanks around each and
 * percent-encoded bytes in both. Pure: nothing here looks at the environment.
 */
#ifndef SINK_PUSH_PAIRS_H
#define SINK_PUSH_PAIRS_H

#include "base/arena.h"
#include "base/err.h"

struct push_pair {
	struct str key, value; /* decoded, UTF-8; the key is not empty */
};

#define PUSH_PAIRS 1000 /* in a list, at most */

/*
 * The pairs in their order, in the arena; of equal keys all. Items without anything in them are passed over, so that a
 * comma at the end is fine. False and ERR_USAGE, which names `what` and the item by its number and never shows it (it
 * may be a secret): no '=', no key, a '%' without two hex digits, bytes that are not UTF-8, too many.
 */
bool push_pairs_parse(struct arena *a, struct str text, const char *what, struct push_pair **out, size_t *count,
		      struct err *err);

#endif
