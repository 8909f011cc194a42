/*
 * A review signed by its reviewer: its member "signer" has {"vkey", "signature"}, an Ed25519 signature (base64) over
 * the canonical form (RFC 8785) of the review without that member. Canonical JSON has no line ends, so what is signed
 * here can never pass for the text of a checkpoint.
 *
 * A good signature shows that whoever has the private key signed these words. Whose key it is, the review cannot tell.
 */
#ifndef LEDGER_SIGNED_H
#define LEDGER_SIGNED_H

#include "json/json.h"
#include "ledger/key.h"

#define SIGNED_MAX ((size_t)64 << 20) /* bytes of a review that is read for its signature */

enum signed_state {
	SIGNED_NOT,  /* it has no signer */
	SIGNED_WELL,
	SIGNED_BADLY, /* it has one, and the signature does not hold, or is none */
};

/*
 * Adds what is signed of a review: its canonical form without "signer". False, and nothing added, when the text is no
 * JSON object or has no canonical form. The parser is for work.
 */
bool signed_add_text(struct json_parser *p, struct str review, struct buf *out);

/*
 * Whether the review is signed, and by which key: *by, whose name lies in the arena, is filled in for SIGNED_WELL, and
 * for SIGNED_BADLY when the vkey is one (else its name has p NULL). *why is a static sentence for SIGNED_BADLY.
 */
enum signed_state signed_check(struct json_parser *p, struct arena *a, struct str review, struct key *by,
			       const char **why);

/* The signature of a review that has no signer yet, as base64 in the arena. ERR_DATA when there is nothing to sign. */
bool signed_make(struct json_parser *p, struct arena *a, struct str review, const struct signer *s, struct str *out,
		 struct err *err);

#endif
