/*
 * The Merkle tree hash of RFC 6962 section 2.1, one leaf at a time with a stack of at most 64
 * subtree hashes: memory does not grow with the number of leaves.
 */
#ifndef BASE_CRYPTO_MERKLE_H
#define BASE_CRYPTO_MERKLE_H

#include "base/crypto/sha256.h"

struct merkle {
	struct digest stack[64];
	unsigned depth;
	uint64_t count;
};

/*
 * A tree without leaves, to which leaves are added from the left. The sha256 is the caller's, is restarted each time
 * and holds nothing between the calls.
 */
void merkle_init(struct merkle *m);
struct digest merkle_leaf(struct sha256 *s, struct str bytes); /* SHA-256(0x00 | bytes) */
struct digest merkle_node(struct sha256 *s, struct digest left, struct digest right); /* SHA-256(0x01 | left | right) */
void merkle_add(struct merkle *m, struct sha256 *s, struct digest leaf);
struct digest merkle_root(const struct merkle *m, struct sha256 *s); /* of no leaves: SHA-256("") */

#endif
