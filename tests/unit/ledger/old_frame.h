/* A frame of the write-ahead file as version 0.1 wrote it: with a plain digest, which anybody can make. */
#ifndef UNIT_LEDGER_OLD_FRAME_H
#define UNIT_LEDGER_OLD_FRAME_H

#include "base/buf.h"
#include "base/crypto/sha256.h"

static inline void old_frame_add(struct buf *out, struct sha256 *s, uint64_t first, uint32_t count, struct str bundle)
{
	size_t at = out->n, body = 12 + bundle.n;
	struct digest d;

	buf_add_str(out, STR("LW1\0"));
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_byte(out, (char)(body >> shift));
	for (int shift = 56; shift >= 0; shift -= 8)
		buf_add_byte(out, (char)(first >> shift));
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_add_byte(out, (char)(count >> shift));
	buf_add_str(out, bundle);
	sha256_restart(s);
	sha256_add(s, STR("LW1\0"));
	sha256_add(s, str_of(out->p + at + 8, body));
	d = sha256_end(s);
	buf_add(out, d.b, SHA256_SIZE);
}

#endif
