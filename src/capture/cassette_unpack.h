/* What an exchange said, without the packing of its bodies: a reader of a cassette wants the words, not zstd. */
#ifndef CAPTURE_CASSETTE_UNPACK_H
#define CAPTURE_CASSETTE_UNPACK_H

#include "base/arena.h"
#include "base/buf.h"
#include "capture/observe/observer.h"

#define CASSETTE_BODY_MOST ((size_t)64 << 20) /* bytes of a body that are unpacked */

struct cassette_half {
	struct str body;
	struct str packing; /* the Content-Encoding that was taken off; p NULL: none was */
	const struct observer_arrival *arrivals;
	size_t arrival_count;
};

/*
 * Takes the Content-Encoding off the body of a head (NULL: there is none). Where arrivals end moves with the bytes. A
 * body that cannot be unpacked to its end, or is too large then, stays as it came. `out` is empty and holds the bytes,
 * the arena the arrivals; both live as long as the half is used.
 */
void cassette_unpack(struct cassette_half *half, const struct http_head *h, struct arena *a, struct buf *out);

#endif
