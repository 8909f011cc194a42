/*
 * Content-Encoding taken off a body that comes in pieces: gzip, deflate (with or without zlib's frame, since servers
 * differ), zstd. What comes out is bounded, because a few bytes may unpack to very many, and it comes in small pieces.
 * What zstd may look back to is bounded by 8 MiB, the most that RFC 9659 allows for Content-Encoding.
 */
#ifndef NET_HTTP_UNPACK_H
#define NET_HTTP_UNPACK_H

#include "base/buf.h"
#include "base/str.h"

enum unpack_kind {
	UNPACK_PLAIN,
	UNPACK_GZIP,
	UNPACK_DEFLATE,
	UNPACK_ZSTD,
	UNPACK_UNKNOWN, /* brotli, several at once, words nobody knows: the bytes say nothing to us */
};

/* What a Content-Encoding header says, in any case; empty or p NULL is plain. */
enum unpack_kind unpack_kind_of(struct str header);

struct unpack;

/*
 * Begins to unpack; the kind must be a packed one that is known. limit: bytes that may come out. Never NULL; want of
 * memory shows at the first push. Lives until unpack_close, which takes NULL too.
 */
struct unpack *unpack_open(enum unpack_kind kind, size_t limit);
void unpack_close(struct unpack *u);

/* Gets what was unpacked, piece by piece; a piece lasts until it returns. */
struct unpack_sink {
	void (*put)(void *context, struct str piece);
	void *context;
};

/*
 * Passes on what comes of these bytes. False when they are damaged, more than 4 GiB, or the limit is reached: nothing
 * more will come, now or later. What came out before the fault has been passed on.
 */
bool unpack_push(struct unpack *u, struct str bytes, struct unpack_sink to);

/* Bytes that may still come out. */
size_t unpack_left(const struct unpack *u);

/* Bytes of memory that it holds, nearly: of zlib what is known of it, of zstd what it says. */
size_t unpack_held(const struct unpack *u);

/* Whether the packed stream has come to its end. */
bool unpack_is_done(const struct unpack *u);

#endif
