/*
 * Offline proofs: what is read is written the same. The first bytes are also taken for a tree, whose proofs must hold, and
 * whose proofs with the given hashes in them must not.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "ledger/proof.h"

#define LEAVES_MAX 40

struct leaves {
	struct digest hashes[LEAVES_MAX];
	struct sha256 *s;
};

static bool read_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	struct leaves *l = context;
	struct merkle m;

	(void)err;
	merkle_init(&m);
	for (uint64_t i = n << level; i < (n + 1) << level; i++) {
		FUZZ_CHECK(i < LEAVES_MAX);
		merkle_add(&m, l->s, l->hashes[i]);
	}
	*out = merkle_root(&m, l->s);
	return true;
}

static void check_tree(struct sha256 *s, const uint8_t *data, const struct tree_proof *foreign)
{
	uint64_t size = 1 + data[0] % LEAVES_MAX, index = data[1] % size, old = data[2] % (size + 1);
	struct leaves l = { .s = s };
	struct tree_reader r = { read_hash, &l };
	struct err err = { .kind = ERR_NONE };
	struct digest root, old_root;
	struct tree_proof p;

	for (uint8_t i = 0; i < LEAVES_MAX; i++)
		l.hashes[i] = merkle_leaf(s, str_of(&i, 1));
	FUZZ_CHECK(tree_root(s, &r, size, &root, &err) && tree_root(s, &r, old, &old_root, &err));
	FUZZ_CHECK(tree_prove_inclusion(s, &r, index, size, &p, &err));
	FUZZ_CHECK(tree_includes(s, index, size, l.hashes[index], p.hashes, p.count, root));
	FUZZ_CHECK(!tree_includes(s, index, size, root, p.hashes, p.count, root) || size == 1);
	if (foreign->count != p.count || memcmp(foreign->hashes, p.hashes, p.count * sizeof(p.hashes[0])) != 0)
		FUZZ_CHECK(!tree_includes(s, index, size, l.hashes[index], foreign->hashes, foreign->count, root));
	FUZZ_CHECK(tree_prove_consistency(s, &r, old, size, &p, &err));
	FUZZ_CHECK(tree_is_consistent(s, old, size, old_root, root, p.hashes, p.count));
	if (foreign->count != p.count || memcmp(foreign->hashes, p.hashes, p.count * sizeof(p.hashes[0])) != 0)
		FUZZ_CHECK(!tree_is_consistent(s, old, size, old_root, root, foreign->hashes, foreign->count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t seed[ED25519_SEED] = { 7 };
	struct str text = str_of(data, size);
	struct err err = { .kind = ERR_NONE };
	struct signer log;
	struct sha256 s;
	struct proof p;
	struct buf b;
	const char *why = NULL;

	if (size < 3)
		return 0;
	sha256_init(&s);
	buf_init(&b);
	if (proof_parse(text, &p, &why)) {
		FUZZ_CHECK(p.path.count <= TREE_PROOF_MAX);
		proof_add_text(&b, &p);
		FUZZ_CHECK(str_eq(buf_str(&b), text));
		FUZZ_CHECK(signer_init(&log, STR("log.example/fuzz"), KEY_LOG, seed, &err));
		FUZZ_CHECK(!proof_check(&s, &p, text, &log.key, NULL, &why) && *why);
	} else {
		FUZZ_CHECK(why && *why);
		p.path.count = 0;
	}
	check_tree(&s, data + size - 3, &p.path);
	buf_free(&b);
	sha256_free(&s);
	return 0;
}
