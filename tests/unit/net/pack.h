/* Bodies packed for tests, as clients and services pack them. */
#ifndef UNIT_NET_PACK_H
#define UNIT_NET_PACK_H

#include <zlib.h>
#include <zstd.h>

#include "harness/test.h"
#include "net/http/unpack.h"

/* raw: deflate without zlib's frame. The text is the test's memory. */
static inline struct str pack(struct str text, enum unpack_kind kind, bool raw)
{
	size_t room = text.n + 4096;
	char *out = test_alloc(room);
	z_stream z = { .zalloc = NULL };

	if (kind == UNPACK_ZSTD)
		return str_of(out, ZSTD_compress(out, room, text.p, text.n, 1));
	CHECK(deflateInit2(&z, 6, Z_DEFLATED, kind == UNPACK_GZIP ? 31 : raw ? -15 : 15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text.p;
	z.avail_in = (unsigned)text.n;
	z.next_out = (unsigned char *)out;
	z.avail_out = (unsigned)room;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return str_of(out, room - z.avail_out);
}

#endif
