/* Answers of the mock server that no model gives: errors in each provider's shape, lists, vectors, counts. */
#ifndef PROVIDER_MOCK_PLAIN_H
#define PROVIDER_MOCK_PLAIN_H

#include "base/buf.h"
#include "base/crypto/sha256.h"
#include "provider/mock_request.h"
#include "provider/mock_talk.h"

#define MOCK_DIMENSIONS 256      /* of a vector, unless the request asks for another number */
#define MOCK_DIMENSIONS_MAX 4096
#define MOCK_FLOATS_MAX ((size_t)1 << 20) /* in one answer */

/* An error in the shape of a provider. `id` is where the answer's ids come from: SHA256_HEX digits. */
void mock_error_add(struct buf *out, enum mock_provider p, int status, struct str message, const char *id);

/* The same as the last event of a stream that began well. `sequence`: how many events came before it. */
void mock_error_add_event(struct buf *out, enum mock_endpoint e, enum mock_framing framing, int status,
			  struct str message, const char *id, uint64_t sequence);

/*
 * Models, tags, version, a count of tokens, a greeting. The models are "mock" and those that rules of the script name;
 * NULL for no script. False for an endpoint that is none of these.
 */
bool mock_list_add(struct buf *out, const struct mock_request *q, const struct mock_script *script);

/*
 * Vectors of length 1, made of the SHA-256 of each text: the same text has the same vector, and that is all they mean.
 * When too many numbers were asked for *why is a 400, and nothing is added to `out`.
 */
void mock_embed_add(struct buf *out, const struct mock_request *q, struct sha256 *sha, struct mock_refusal *why);

/* One of them: out[i] for each of `count` numbers, at least one. `sha` is restarted. */
void mock_embed_vector(struct sha256 *sha, struct str text, float *out, size_t count);

#endif
