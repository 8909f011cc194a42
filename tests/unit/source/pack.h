/* Makes gzip and zstd, for tests that read them. */
#ifndef UNIT_SOURCE_PACK_H
#define UNIT_SOURCE_PACK_H

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"

/* One gzip member, or one zstd frame with a checksum, added to `out`. */
static inline void pack_gzip(struct buf *out, struct str bytes)
{
	z_stream z = { .next_in = (z_const unsigned char *)(uintptr_t)bytes.p, .avail_in = (unsigned)bytes.n };
	size_t room;

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	room = deflateBound(&z, bytes.n);
	z.next_out = (unsigned char *)buf_reserve(out, room);
	z.avail_out = (unsigned)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	out->n += room - z.avail_out;
	deflateEnd(&z);
}

static inline void pack_zstd(struct buf *out, struct str bytes)
{
	size_t room = ZSTD_compressBound(bytes.n), size;
	ZSTD_CCtx *context = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(context, buf_reserve(out, room), room, bytes.p, bytes.n);
	if (ZSTD_isError(size))
		abort();
	out->n += size;
	ZSTD_freeCCtx(context);
}

/* One piece of a stored file: 'g' packs the bytes as a gzip member, 'z' as a zstd frame, '=' not at all. */
struct packing {
	char kind;
	struct str bytes;
};

static inline void pack_piece(struct buf *out, struct packing p)
{
	if (p.kind == 'g')
		pack_gzip(out, p.bytes);
	else if (p.kind == 'z')
		pack_zstd(out, p.bytes);
	else
		buf_add_str(out, p.bytes);
}

/* `out` cleared, then the pieces one after another; a kind of 0 ends them. */
static inline struct str pack_pieces(struct buf *out, const struct packing *pieces)
{
	buf_clear(out);
	for (; pieces->kind; pieces++)
		pack_piece(out, *pieces);
	return buf_str(out);
}

#endif
