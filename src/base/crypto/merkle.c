#include "base/crypto/merkle.h"

#include <assert.h>

void merkle_init(struct merkle *m)
{
	m->depth = 0;
	m->count = 0;
}

/* A leaf and a node hash differently, so that neither can pass for the other. */
struct digest merkle_leaf(struct sha256 *s, struct str bytes)
{
	sha256_restart(s);
	sha256_add(s, STR("\0"));
	sha256_add(s, bytes);
	return sha256_end(s);
}

struct digest merkle_node(struct sha256 *s, struct digest left, struct digest right)
{
	uint8_t bytes[1 + 2 * SHA256_SIZE] = { 1 };

	memcpy(bytes + 1, left.b, SHA256_SIZE);
	memcpy(bytes + 1 + SHA256_SIZE, right.b, SHA256_SIZE);
	return sha256_of(s, str_of(bytes, sizeof(bytes)));
}

/*
 * The stack is the count in binary: one full subtree for each bit set, the largest first. Adding a
 * leaf is adding one, and every carry joins two subtrees of equal size.
 */
void merkle_add(struct merkle *m, struct sha256 *s, struct digest leaf)
{
	struct digest d = leaf;

	assert(m->count < UINT64_MAX);
	assert(m->depth == (unsigned)__builtin_popcountll(m->count));
	for (uint64_t carry = m->count; carry & 1; carry >>= 1)
		d = merkle_node(s, m->stack[--m->depth], d);
	m->stack[m->depth++] = d;
	m->count++;
}

/* The tree splits at the largest power of two below its size: so the subtrees join from the right. */
struct digest merkle_root(const struct merkle *m, struct sha256 *s)
{
	struct digest d;

	if (m->depth == 0)
		return sha256_of(s, STR(""));
	d = m->stack[m->depth - 1];
	for (unsigned i = m->depth - 1; i > 0; i--)
		d = merkle_node(s, m->stack[i - 1], d);
	return d;
}
