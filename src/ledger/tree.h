/*
 * Proofs over the Merkle tree of RFC 6962. Verifying (RFC 9162, 2.1.3.2 and 2.1.4.2) needs nothing but its arguments;
 * making proofs asks for the hashes of complete subtrees, which are what tiles hold or follow from them.
 */
#ifndef LEDGER_TREE_H
#define LEDGER_TREE_H

#include "base/crypto/merkle.h"
#include "base/err.h"

#define TREE_PROOF_MAX 63

struct tree_proof {
	struct digest hashes[TREE_PROOF_MAX + 1];
	size_t count;
};

/* The hash of a node above these two. */
struct digest tree_node(struct sha256 *s, struct digest left, struct digest right);

/* Whether the proof leads from the leaf at `index` of `size` leaves to the root. Too long or too short is false. */
bool tree_includes(struct sha256 *s, uint64_t index, uint64_t size, struct digest leaf, const struct digest *proof,
		   size_t count, struct digest root);

/* From 0 anything is consistent, with no proof at all; then root1 must be that of the empty tree. */
bool tree_is_consistent(struct sha256 *s, uint64_t size1, uint64_t size2, struct digest root1, struct digest root2,
			const struct digest *proof, size_t count);

/* Gives hash n of `level` (2^level leaves, complete): leaf hashes at level 0. */
struct tree_reader {
	bool (*hash)(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err);
	void *context;
};

/*
 * The root of the first `size` leaves. False with *err when the reader fails, or size is beyond 2^63 - 1 (ERR_LIMIT).
 */
bool tree_root(struct sha256 *s, const struct tree_reader *r, uint64_t size, struct digest *out, struct err *err);
/* An index that is not below the size is an error. */
bool tree_prove_inclusion(struct sha256 *s, const struct tree_reader *r, uint64_t index, uint64_t size,
			  struct tree_proof *out, struct err *err);
/* Empty from 0 and between equal sizes; a size1 above size2 is an error. */
bool tree_prove_consistency(struct sha256 *s, const struct tree_reader *r, uint64_t size1, uint64_t size2,
			    struct tree_proof *out, struct err *err);

#endif
