/*
 * Records come in pieces of many, so that SHA-256 gets long runs of bytes; lines are copied once, for their
 * newlines.
 */
#include "dialect/otutl/hash.h"

void otutl_hash_init(struct otutl_hash *h)
{
	sha256_init(&h->run);
	sha256_init(&h->file);
	sha256_init(&h->node);
	merkle_init(&h->tree);
	buf_init(&h->lines);
}

void otutl_hash_free(struct otutl_hash *h)
{
	sha256_free(&h->run);
	sha256_free(&h->file);
	sha256_free(&h->node);
	buf_free(&h->lines);
}

void otutl_hash_restart(struct otutl_hash *h)
{
	sha256_restart(&h->run);
	sha256_restart(&h->file);
	merkle_init(&h->tree);
}

void otutl_hash_add(struct otutl_hash *h, struct str canonical, const size_t *ends, const struct digest *leaves,
		    size_t count)
{
	size_t from = 0;

	sha256_add(&h->run, canonical);
	buf_clear(&h->lines);
	buf_reserve(&h->lines, canonical.n + count);
	for (size_t i = 0; i < count; i++) {
		struct str record = str_of(canonical.p + from, ends[i] - from);

		buf_add_str(&h->lines, record);
		buf_add_byte(&h->lines, '\n');
		merkle_add(&h->tree, &h->node, leaves ? leaves[i] : merkle_leaf(&h->node, record));
		from = ends[i];
	}
	sha256_add(&h->file, buf_str(&h->lines));
}

struct otutl_digests otutl_hash_get(struct otutl_hash *h)
{
	return (struct otutl_digests){ sha256_peek(&h->run), merkle_root(&h->tree, &h->node), sha256_peek(&h->file) };
}
