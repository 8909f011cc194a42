/* The body of a request to the mock server, as it was before its client packed it. */
#ifndef PROVIDER_MOCK_BODY_H
#define PROVIDER_MOCK_BODY_H

#include "base/buf.h"
#include "provider/mock_request.h"

/*
 * The body without its Content-Encoding: gzip, deflate or zstd. A plain one is given back as it came; of others the
 * bytes are in `out`, which must be empty, and live as long as that. What cannot be unpacked becomes a refusal in *why
 * and gives an empty text: 415 for a coding that nobody knows, 413 for more than `most` bytes, 400 for damage.
 */
struct str mock_body_unpack(const struct http_head *h, struct str body, size_t most, struct buf *out,
			    struct mock_refusal *why);

#endif
