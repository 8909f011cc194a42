/*
 * Proofs over the Merkle tree of RFC 6962. Verifying (RFC 9162, 2.1.3.2 and 2.1.4.2) needs nothing but its arguments;
 * making proofs asks for the hashes of complete subtrees, which are what tiles hold or follow from them.
 */
#ifndef LEDGER_TREE_H
#define LEDGER_TREE_H

#include "base/crypto/merkle.h"
#include "base/err.h"

#define TREE_PROOF_MAX 63 /* hashes: the levels of a log of 2^63 - 1 entries */

struct tree_proof {
	struct digest hashes[TREE_PROOF_MAX + 1];
	size_t count;
};

/* The hash of a node above these two. `s` is for work, here and below: nothing is kept in it. */
struct digest tree_node(struct sha256 *s, struct digest left, struct digest right);

/* Whether the proof leads from the leaf at `index` of `size` leaves to the root. Too long or too short is false. */
bool tree_includes(struct sha256 *s, uint64_t index, uint64_t size, struct digest leaf, const struct digest *proof,
		   size_t count, struct digest root);

/*
 * Whether the tree of size2 and root2 begins with that of size1 and root1. From 0 anything is consistent, with no
 * proof at all; then root1 must be that of the empty tree. False when size1 is above size2, or the proof is too long
 * or too short.
 */
bool tree_is_consistent(struct sha256 *s, uint64_t size1, uint64_t size2, struct digest root1, struct digest root2,
			const struct digest *proof, size_t count);

/*
 * Gives hash n of `level` (2^level leaves, complete): leaf hashes at level 0. False with *err, which then becomes
 * that of the function that asked.
 */
struct tree_reader {
	bool (*hash)(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err);
	void *context;
};

/*
 * The root of the first `size` leaves. False with *err when the reader fails, or size is beyond 2^63 - 1 (ERR_LIMIT).
 */
bool tree_root(struct sha256 *s, const struct tree_reader *r, uint64_t size, struct digest *out, struct err *err);
/*
 * The proof for tree_includes, from the leaf up. False with *err when the reader fails, index is not below size
 * (ERR_DATA), or size is beyond 2^63 - 1 (ERR_LIMIT).
 */
bool tree_prove_inclusion(struct sha256 *s, const struct tree_reader *r, uint64_t index, uint64_t size,
			  struct tree_proof *out, struct err *err);
/*
 * The proof for tree_is_consistent. Empty from 0 and between equal sizes. False with *err when the reader fails,
 * size1 is above size2 (ERR_DATA), or size2 is beyond 2^63 - 1 (ERR_LIMIT).
 */
bool tree_prove_consistency(struct sha256 *s, const struct tree_reader *r, uint64_t size1, uint64_t size2,
			    struct tree_proof *out, struct err *err);

#endif
