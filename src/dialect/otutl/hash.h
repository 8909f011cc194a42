/*
 * run_hash, run_root and canonical_file_sha256 of one log, fed with canonical forms in seq order. It
 * touches nothing but its own state, so it may run on a thread of its own behind the scan.
 */
#ifndef DIALECT_OTUTL_HASH_H
#define DIALECT_OTUTL_HASH_H

#include "base/buf.h"
#include "base/crypto/merkle.h"
#include "base/crypto/sha256.h"

struct otutl_hash {
	struct sha256 run, file, node;
	struct merkle tree;
	struct buf lines; /* canonical forms with newlines, to be hashed in one go */
};

/* Sets up the hashes of an empty log, to be freed with otutl_hash_free. */
void otutl_hash_init(struct otutl_hash *h);
void otutl_hash_free(struct otutl_hash *h);

/* Back to the beginning, for the next log. */
void otutl_hash_restart(struct otutl_hash *h);

/*
 * Adds `count` records, one after the other in `canonical`, the i-th up to ends[i]. `leaves` are their leaf
 * hashes (merkle_leaf); NULL has them made here.
 */
void otutl_hash_add(struct otutl_hash *h, struct str canonical, const size_t *ends, const struct digest *leaves,
		    size_t count);

struct otutl_digests {
	struct digest run, root, file; /* run_hash, run_root and canonical_file of otutl.h */
};

/* The digests of what was added so far; of an empty log those of no bytes. Adding may go on. */
struct otutl_digests otutl_hash_get(struct otutl_hash *h);

#endif
