/* What a client sends and nobody may see: its key, the values of its headers, the password of its address. */
#ifndef PROVIDER_PROVIDER_SECRET_H
#define PROVIDER_PROVIDER_SECRET_H

#include "provider/provider_row.h"

#define SECRET_IN_WORDS 4 /* bytes of a secret that is hidden in messages: a shorter one may be any word */
#define SECRET_IN_SHAPE 8 /* bytes of one that is looked for in base64 and in hexadecimal, too */
#define SECRET_IN_TEXT 16 /* in what a model said: some keys are words, such as "ollama" */

/* Finds the secrets of the client's options, once base and key are known. They live as long as the pool. */
void provider_secrets_gather(struct provider_client *c);

/* Adds "user:password" of an address, and the password alone. At most once for a client. */
void provider_secrets_add_user(struct provider_client *c, struct str user);

/*
 * The text with "..." for each secret of `least` bytes or more, also where it stands in base64 (of either alphabet,
 * alone or inside of something longer, on one line) or in hexadecimal. The text itself when there is none in it, else a
 * new one in the arena. Other encodings are not looked for.
 */
struct str provider_hide(struct arena *a, const struct provider_client *c, size_t least, struct str text);

/*
 * Hides secrets of SECRET_IN_TEXT bytes or more in all texts of an answer: text, model, id, calls. What changes, and
 * the list of calls, is new in the arena. The message is not looked at: it has a stricter rule (SECRET_IN_WORDS).
 */
void provider_hide_answer(struct arena *a, const struct provider_client *c, struct provider_answer *out);

#endif
