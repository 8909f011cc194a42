/* What a client sends and nobody may see: its key, the values of its headers, the password of its address. */
#ifndef PROVIDER_PROVIDER_SECRET_H
#define PROVIDER_PROVIDER_SECRET_H

#include "provider/provider_row.h"

#define SECRET_IN_WORDS 4 /* bytes of a secret that is hidden in messages: a shorter one may be any word */
#define SECRET_IN_SHAPE 8 /* bytes of one that is looked for in base64 and in hexadecimal, too */
#define SECRET_IN_TEXT 16 /* in what a model said: some keys are words, such as "ollama" */

/* Of the options, once they are settled. */
void provider_secrets_gather(struct provider_client *c);

/* One more: "user:password" of an address. */
void provider_secrets_add_user(struct provider_client *c, struct str user);

/*
 * The text with "..." for each secret of `least` bytes or more, also where it stands in base64 (of either alphabet,
 * alone or inside of something longer, on one line) or in hexadecimal; the text itself when there is none in it.
 */
struct str provider_hide(struct arena *a, const struct provider_client *c, size_t least, struct str text);

/* The same for all that came in an answer. */
void provider_hide_answer(struct arena *a, const struct provider_client *c, struct provider_answer *out);

#endif
