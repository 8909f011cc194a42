/*
 * One model has many names: with the day of its snapshot, with the vendor or the region in front, with a dot or a
 * hyphen in its version. Here they become one, for looking up prices.
 */
#ifndef TRANSFORM_PRICE_NAME_H
#define TRANSFORM_PRICE_NAME_H

#include "base/str.h"

#define PRICE_NAME_MAX 96 /* a longer name is nobody's */

/*
 * Folds the name of a model: lower case; what stands before the last '/' and in front of a dot or colon after
 * letters only ("us.anthropic.", "openai:") goes; so do "-v1:0" and "[1m]" at the end; '.', '_' and '@' become '-';
 * the family stands before the version ("claude-3-5-sonnet" is "claude-sonnet-3-5"). The result lies in `out`; it is
 * empty when the name is empty or too long.
 */
struct str price_name_fold(char out[PRICE_NAME_MAX], struct str model);

/*
 * A folded name without "-latest", "-20250929" or "-2024-08-06" at its end; the same name when it has none. Part of
 * `folded`, and lives as long.
 */
struct str price_name_undated(struct str folded);

/*
 * Folds the name of a provider: lower case, "google" for "gcp.gemini" and so on. The result lies in `out`; it is empty
 * when there is no name or it is too long.
 */
struct str price_name_provider(char out[PRICE_NAME_MAX], struct str provider);

/* Whether this provider (folded) runs models on the user's own machines, where nobody's list price counts. */
bool price_name_is_local(struct str provider);

#endif
