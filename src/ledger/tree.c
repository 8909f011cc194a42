/*
 * Verifying walks from the leaf up, with the numbers of the node and of the last node on its level. Making walks from
 * the root down, as the RFC defines the tree, and turns the result round.
 */
#include "ledger/tree.h"

#include <assert.h>
#include <inttypes.h>

/* ---- verifying: RFC 9162, 2.1.3.2 and 2.1.4.2 ---- */

struct digest tree_node(struct sha256 *s, struct digest left, struct digest right)
{
	return merkle_node(s, left, right);
}

/*
 * The way from a node to the root, one sibling a step: `fn` numbers the node on its level, `sn` the last node of that
 * level. Where the tree is ragged a node goes up several levels without a sibling.
 */
struct way {
	uint64_t fn, sn;
};

/* Whether the next sibling is on the left; goes up past the levels where there was none. */
static bool way_is_left(struct way *w)
{
	if (!(w->fn & 1) && w->fn != w->sn)
		return false;
	while (!(w->fn & 1) && w->fn != 0) {
		w->fn >>= 1;
		w->sn >>= 1;
	}
	return true;
}

static void way_up(struct way *w)
{
	w->fn >>= 1;
	w->sn >>= 1;
}

bool tree_includes(struct sha256 *s, uint64_t index, uint64_t size, struct digest leaf, const struct digest *proof,
		   size_t count, struct digest root)
{
	struct way w = { .fn = index, .sn = size - 1 };
	struct digest r = leaf;

	if (index >= size)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (w.sn == 0)
			return false;
		r = way_is_left(&w) ? merkle_node(s, proof[i], r) : merkle_node(s, r, proof[i]);
		way_up(&w);
	}
	return w.sn == 0 && digest_eq(r, root);
}

/* From `first`, the last complete subtree of the old tree, up to both roots at once. */
static bool is_extended(struct sha256 *s, struct way w, struct digest first, struct digest root1, struct digest root2,
			const struct digest *proof, size_t count)
{
	struct digest fr = first, sr = first;

	for (size_t i = 0; i < count; i++) {
		if (w.sn == 0)
			return false;
		if (way_is_left(&w)) {
			fr = merkle_node(s, proof[i], fr);
			sr = merkle_node(s, proof[i], sr);
		} else {
			sr = merkle_node(s, sr, proof[i]);
		}
		way_up(&w);
	}
	return w.sn == 0 && digest_eq(fr, root1) && digest_eq(sr, root2);
}

bool tree_is_consistent(struct sha256 *s, uint64_t size1, uint64_t size2, struct digest root1, struct digest root2,
			const struct digest *proof, size_t count)
{
	struct way w = { .fn = size1 - 1, .sn = size2 - 1 };

	if (size1 > size2)
		return false;
	if (size1 == 0 && !digest_eq(root1, sha256_of(s, STR(""))))
		return false;
	if (size1 == size2)
		return count == 0 && digest_eq(root1, root2);
	if (size1 == 0)
		return count == 0;
	while (w.fn & 1)
		way_up(&w);
	if ((size1 & (size1 - 1)) == 0) /* a complete tree is a node of the larger one: its hash is not repeated */
		return is_extended(s, w, root1, root1, root2, proof, count);
	return count > 0 && is_extended(s, w, proof[0], root1, root2, proof + 1, count - 1);
}

/* ---- making ---- */

static uint64_t split_of(uint64_t n) /* the largest power of two below n > 1 */
{
	return UINT64_C(1) << (63 - __builtin_clzll(n - 1));
}

/* The hash of n leaves from `begin`, a place where a subtree of n leaves can begin: folded from the right. */
static bool range_hash(struct sha256 *s, const struct tree_reader *r, uint64_t begin, uint64_t n, struct digest *out,
		       struct err *err)
{
	struct digest sum = { 0 }, h;
	bool is_first = true;

	for (unsigned level = 0; level < 64; level++) {
		uint64_t above = level < 63 ? n >> (level + 1) << (level + 1) : 0;

		if (!(n >> level & 1))
			continue;
		if (!r->hash(r->context, level, (begin + above) >> level, &h, err))
			return false;
		sum = is_first ? h : merkle_node(s, h, sum);
		is_first = false;
	}
	*out = sum;
	return true;
}

static bool is_too_large(uint64_t size, struct err *err)
{
	if (size <= INT64_MAX)
		return false;
	return !err_set(err, ERR_LIMIT, "a log has at most 2^63 - 1 entries");
}

bool tree_root(struct sha256 *s, const struct tree_reader *r, uint64_t size, struct digest *out, struct err *err)
{
	if (is_too_large(size, err))
		return false;
	if (size == 0) {
		*out = sha256_of(s, STR(""));
		return true;
	}
	return range_hash(s, r, 0, size, out, err);
}

/* Siblings are found from the root down, and a proof has them from the leaf up. */
static void turn_round(struct tree_proof *p)
{
	for (size_t i = 0; i < p->count / 2; i++) {
		struct digest d = p->hashes[i];

		p->hashes[i] = p->hashes[p->count - 1 - i];
		p->hashes[p->count - 1 - i] = d;
	}
}

/* A proof has at most 64 hashes, one for each time that the tree can be halved. */
static bool add_range(struct sha256 *s, const struct tree_reader *r, uint64_t begin, uint64_t n,
		      struct tree_proof *out, struct err *err)
{
	assert(out->count < COUNT(out->hashes));
	return range_hash(s, r, begin, n, &out->hashes[out->count++], err);
}

bool tree_prove_inclusion(struct sha256 *s, const struct tree_reader *r, uint64_t index, uint64_t size,
			  struct tree_proof *out, struct err *err)
{
	uint64_t begin = 0, n = size;

	out->count = 0;
	if (is_too_large(size, err))
		return false;
	if (index >= size)
		return err_set(err, ERR_DATA, "there is no entry %" PRIu64 " in a log of %" PRIu64, index, size);
	while (n > 1) {
		uint64_t k = split_of(n);
		bool is_left = index - begin < k;

		if (!add_range(s, r, is_left ? begin + k : begin, is_left ? n - k : k, out, err))
			return false;
		begin += is_left ? 0 : k;
		n = is_left ? k : n - k;
	}
	turn_round(out);
	return true;
}

bool tree_prove_consistency(struct sha256 *s, const struct tree_reader *r, uint64_t size1, uint64_t size2,
			    struct tree_proof *out, struct err *err)
{
	uint64_t begin = 0, m = size1, n = size2;

	out->count = 0;
	if (is_too_large(size2, err))
		return false;
	if (size1 > size2)
		return err_set(err, ERR_DATA, "a log of %" PRIu64 " entries cannot have had %" PRIu64, size2, size1);
	if (size1 == 0)
		return true;
	while (m != n) {
		uint64_t k = split_of(n);
		bool is_left = m <= k;

		if (!add_range(s, r, is_left ? begin + k : begin, is_left ? n - k : k, out, err))
			return false;
		begin += is_left ? 0 : k;
		m -= is_left ? 0 : k;
		n = is_left ? k : n - k;
	}
	if (begin > 0 && !add_range(s, r, begin, n, out, err)) /* else it is the whole old tree, which is known */
		return false;
	turn_round(out);
	return true;
}
