/*
 * Content-Encoding taken off a body that comes in pieces: gzip, deflate (with or without zlib's frame, since servers
 * differ), zstd. What comes out is bounded, because a few bytes may unpack to very many.
 */
#ifndef CAPTURE_UNPACK_H
#define CAPTURE_UNPACK_H

#include "base/buf.h"
#include "base/str.h"

enum unpack_kind {
	UNPACK_PLAIN,
	UNPACK_GZIP,
	UNPACK_DEFLATE,
	UNPACK_ZSTD,
	UNPACK_UNKNOWN, /* brotli, several at once, words nobody knows: the bytes say nothing to us */
};

/* What a Content-Encoding header says; p NULL is plain. */
enum unpack_kind unpack_kind_of(struct str header);

struct unpack;

/* Not for plain and unknown ones. limit: bytes that may come out. */
struct unpack *unpack_open(enum unpack_kind kind, size_t limit);
void unpack_close(struct unpack *u);

/* Adds what comes of these bytes. False when they are damaged or the limit is reached: then nothing more will come. */
bool unpack_push(struct unpack *u, struct str bytes, struct buf *out);

/* Whether the packed stream has come to its end. */
bool unpack_is_done(const struct unpack *u);

#endif
