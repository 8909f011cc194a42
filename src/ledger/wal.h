/*
 * Frames of entries that are committed and perhaps not published:
 *
 *	"LW1\0" | u32be(len(body)) | body | SHA-256("LW1\0" | body)
 *	body = u64be(first_index) | u32be(count) | bundle(entries)
 *
 * The first frame that does not hold ends the file, whatever is behind it. Pure: bytes in, frames out.
 */
#ifndef LEDGER_WAL_H
#define LEDGER_WAL_H

#include "base/buf.h"
#include "base/sha256.h"

#define WAL_FRAME_MAX ((size_t)64 << 20) /* bytes of a body */
#define WAL_OVERHEAD (8 + 12 + SHA256_SIZE)

struct wal_frame {
	uint64_t first;
	uint32_t count;
	struct str bundle;
	struct digest digest; /* its last bytes */
	size_t size;          /* of the whole frame */
};

void wal_add_frame(struct buf *out, struct sha256 *s, uint64_t first, uint32_t count, struct str bundle);

/* The frame at the beginning of the bytes. False when there is none that holds. */
bool wal_next(struct str *rest, struct sha256 *s, struct wal_frame *out);

#endif
