/* How services say no: a status, a body, an event of a stream; and what that means for a benchmark. */
#ifndef PROVIDER_PROVIDER_REFUSAL_H
#define PROVIDER_PROVIDER_REFUSAL_H

#include "provider/provider_row.h"

#define REFUSAL_MESSAGE 300 /* bytes of a message that are shown */

/* What a status alone says: status, failure, retryable. Texts live in the arena. */
void provider_refuse_status(struct arena *a, int status, struct provider_answer *out);

/*
 * What the body of a refusal says too: the message (p points into the arena or the body), the model that is not there,
 * a quota that is used up. After provider_refuse_status: what the status says is changed only where the body knows
 * better. VAL_NONE: it is no JSON, and nothing changes.
 */
void provider_refuse_body(struct arena *a, struct val body, struct provider_answer *out);

/* What an error inside an answer says that began well; code and message may be empty. Texts live in the arena. */
void provider_refuse_event(struct arena *a, struct str code, struct str message, struct provider_answer *out);

/*
 * Keys masked, one line, at most REFUSAL_MESSAGE bytes, in the arena; "" of an empty text. `secret` (p NULL for none;
 * of fewer than 4 bytes not looked for) is hidden wherever it stands.
 */
struct str provider_message(struct arena *a, struct str text, struct str secret);

#endif
