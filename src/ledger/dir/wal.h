/*
 * Frames of entries that are committed and perhaps not published:
 *
 *	frame = head | code | SHA-256(head | code)
 *	head  = "LW2\0" | u32be(len(body)) | body
 *	code  = HMAC-SHA-256(key, head)
 *	body  = u64be(first_index) | u32be(count) | bundle(entries)
 *
 * The digest tells a frame that is whole from one that a crash tore; the code tells who wrote it. Its key follows from
 * the private key of the log and from the log's name (HKDF, "trackway wal v1"), so that whoever can write to the
 * directory cannot put an entry there that the owner then signs, nor move one over from the diagnostic log.
 *
 * Version 0.1 wrote "LW1\0" | u32be(len(body)) | body | SHA-256("LW1\0" | body), which anybody can make.
 *
 * The first frame that is not whole ends the file, whatever is behind it. Pure: bytes in, frames out.
 */
#ifndef LEDGER_DIR_WAL_H
#define LEDGER_DIR_WAL_H

#include "base/buf.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/sha256.h"

#define WAL_FRAME_MAX ((size_t)64 << 20) /* bytes of a body */
#define WAL_OVERHEAD (8 + 12 + 2 * SHA256_SIZE)

struct wal_key {
	struct digest secret;
};

enum wal_proof {
	WAL_PROVEN,  /* by whoever has the private key */
	WAL_UNKNOWN, /* it has a code, and there is no key here to check it with */
	WAL_OLD,     /* of version 0.1, without a code */
	WAL_FALSE,   /* its code is not the key's */
};

struct wal_frame {
	uint64_t first; /* the index of its first entry */
	uint32_t count; /* of entries, as it declares: the bundle may hold more or less */
	struct str bundle;
	struct digest last; /* its last bytes */
	enum wal_proof proof;
	size_t size; /* of the whole frame */
};

/*
 * The key that frames of this log are proven with: it follows from the log's seed and name. It is a secret, to be
 * wiped.
 */
void wal_key_init(struct wal_key *out, const uint8_t seed[ED25519_SEED], struct str origin);

/* Whether nothing but zeros, which are written ahead, stands here; also true of no bytes at all. */
bool wal_is_zero(struct str s);

/*
 * Adds a whole frame of the `count` entries in the bundle, of which the first has the number `first`. The caller
 * keeps the bundle to WAL_FRAME_MAX - WAL_OVERHEAD bytes: a longer one could not be read again.
 */
void wal_add_frame(struct buf *out, struct sha256 *s, const struct wal_key *key, uint64_t first, uint32_t count,
		   struct str bundle);

/*
 * The frame at the beginning of the bytes, which then begin behind it. `key` NULL: there is none here, and proofs are
 * WAL_UNKNOWN. False, and nothing changed, when there is no whole frame. The bundle points into the bytes.
 */
bool wal_next(struct str *rest, struct sha256 *s, const struct wal_key *key, struct wal_frame *out);

#endif
