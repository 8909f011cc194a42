#include "ledger/tree.h"

#include <stdio.h>

#include "base/crypto/base64.h"
#include "harness/test.h"
#include "json/json.h"

#define LEAVES 70

static struct sha256 s;
static struct digest leaves[LEAVES];

static bool same(struct digest a, struct digest b)
{
	return memcmp(a.b, b.b, SHA256_SIZE) == 0;
}

static void begin(void)
{
	sha256_init(&s);
	for (size_t i = 0; i < LEAVES; i++)
		leaves[i] = merkle_leaf(&s, str_of(&i, sizeof(i)));
}

/* As the RFC writes it: the hash of leaves from `first` on. */
static struct digest mth(size_t first, size_t n)
{
	struct merkle m;

	merkle_init(&m);
	for (size_t i = 0; i < n; i++)
		merkle_add(&m, &s, leaves[first + i]);
	return merkle_root(&m, &s);
}

/* RFC 6962, 2.1.1: PATH, leaf side first. */
static void naive_path(size_t m, size_t first, size_t n, struct tree_proof *out)
{
	size_t k = 1;

	if (n <= 1)
		return;
	while (2 * k < n)
		k *= 2;
	if (m < k) {
		naive_path(m, first, k, out);
		out->hashes[out->count++] = mth(first + k, n - k);
	} else {
		naive_path(m - k, first + k, n - k, out);
		out->hashes[out->count++] = mth(first, k);
	}
}

/* RFC 6962, 2.1.2: SUBPROOF. */
static void naive_subproof(size_t m, size_t first, size_t n, bool is_whole, struct tree_proof *out)
{
	size_t k = 1;

	if (m == n) {
		if (!is_whole)
			out->hashes[out->count++] = mth(first, n);
		return;
	}
	while (2 * k < n)
		k *= 2;
	if (m <= k) {
		naive_subproof(m, first, k, is_whole, out);
		out->hashes[out->count++] = mth(first + k, n - k);
	} else {
		naive_subproof(m - k, first + k, n - k, false, out);
		out->hashes[out->count++] = mth(first, k);
	}
}

static void check_same_proof(const struct tree_proof *got, const struct tree_proof *want)
{
	CHECK_INT(got->count, want->count);
	for (size_t i = 0; i < want->count; i++)
		CHECK(same(got->hashes[i], want->hashes[i]));
}

/* Complete subtrees only, as tiles have them. */
static bool read_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	size_t *size = context;

	CHECK(level < 64 && (n + 1) << level <= *size);
	(void)err;
	*out = mth((size_t)n << level, (size_t)1 << level);
	return true;
}

TEST(a_root_is_made_of_complete_subtrees)
{
	struct err err = { .kind = ERR_NONE };
	struct digest root;

	begin();
	for (size_t size = 0; size <= LEAVES; size++) {
		struct tree_reader r = { read_hash, &size };

		test_case("size %zu", size);
		CHECK(tree_root(&s, &r, size, &root, &err));
		CHECK(same(root, mth(0, size)));
	}
	CHECK(same(tree_node(&s, leaves[0], leaves[1]), mth(0, 2)));
	sha256_free(&s);
}

TEST(every_leaf_of_every_small_tree_is_proved_as_the_recursion_does_it)
{
	struct err err = { .kind = ERR_NONE };

	begin();
	for (size_t size = 1; size <= LEAVES; size++)
		for (size_t i = 0; i < size; i++) {
			struct tree_reader r = { read_hash, &size };
			struct tree_proof got, want = { .count = 0 };

			test_case("%zu of %zu", i, size);
			naive_path(i, 0, size, &want);
			CHECK(tree_prove_inclusion(&s, &r, i, size, &got, &err));
			check_same_proof(&got, &want);
			CHECK(tree_includes(&s, i, size, leaves[i], got.hashes, got.count, mth(0, size)));
		}
	sha256_free(&s);
}

TEST(every_pair_of_small_trees_is_consistent_as_the_recursion_shows_it)
{
	struct err err = { .kind = ERR_NONE };

	begin();
	for (size_t size2 = 0; size2 <= LEAVES; size2++)
		for (size_t size1 = 0; size1 <= size2; size1++) {
			struct tree_reader r = { read_hash, &size2 };
			struct tree_proof got, want = { .count = 0 };

			test_case("%zu to %zu", size1, size2);
			if (size1 > 0)
				naive_subproof(size1, 0, size2, true, &want);
			CHECK(tree_prove_consistency(&s, &r, size1, size2, &got, &err));
			check_same_proof(&got, &want);
			CHECK(tree_is_consistent(&s, size1, size2, mth(0, size1), mth(0, size2), got.hashes, got.count));
		}
	sha256_free(&s);
}

/* What else the arguments could be, one change at a time: nothing of it may pass. */
static void spoil_inclusion(size_t index, size_t size, struct tree_proof *p)
{
	struct digest root = mth(0, size), leaf = leaves[index], other = root;

	other.b[31] ^= 1;
	for (size_t i = 0; i <= size; i++)
		CHECK(i == index || !tree_includes(&s, i, size, leaf, p->hashes, p->count, root));
	CHECK(!tree_includes(&s, index, size, leaf, p->hashes, p->count, other));
	CHECK(!tree_includes(&s, index, size, other, p->hashes, p->count, root));
	p->hashes[p->count] = leaf;
	CHECK(!tree_includes(&s, index, size, leaf, p->hashes, p->count + 1, root));
	CHECK(p->count == 0 || !tree_includes(&s, index, size, leaf, p->hashes, p->count - 1, root));
	for (size_t i = 0; i < p->count; i++) {
		p->hashes[i].b[i % 32] ^= 0x80;
		CHECK(!tree_includes(&s, index, size, leaf, p->hashes, p->count, root));
		p->hashes[i].b[i % 32] ^= 0x80;
	}
}

TEST(a_proof_with_anything_changed_proves_nothing)
{
	begin();
	for (size_t size = 1; size <= 20; size++)
		for (size_t i = 0; i < size; i++) {
			struct tree_proof p = { .count = 0 };

			test_case("%zu of %zu", i, size);
			naive_path(i, 0, size, &p);
			spoil_inclusion(i, size, &p);
		}
	sha256_free(&s);
}

static void spoil_consistency(size_t size1, size_t size2, struct tree_proof *p)
{
	struct digest root1 = mth(0, size1), root2 = mth(0, size2), other = root1;

	other.b[0] ^= 1;
	CHECK(!tree_is_consistent(&s, size1, size2, other, root2, p->hashes, p->count));
	CHECK(size1 == 0 || !tree_is_consistent(&s, size1, size2, root1, other, p->hashes, p->count));
	p->hashes[p->count] = root2;
	CHECK(!tree_is_consistent(&s, size1, size2, root1, root2, p->hashes, p->count + 1));
	CHECK(p->count == 0 || !tree_is_consistent(&s, size1, size2, root1, root2, p->hashes, p->count - 1));
	CHECK(size1 == size2 || !tree_is_consistent(&s, size2, size1, root2, root1, p->hashes, p->count));
	for (size_t i = 0; i < p->count; i++) {
		p->hashes[i].b[31] ^= 1;
		CHECK(!tree_is_consistent(&s, size1, size2, root1, root2, p->hashes, p->count));
		p->hashes[i].b[31] ^= 1;
	}
}

TEST(a_consistency_proof_with_anything_changed_proves_nothing)
{
	begin();
	for (size_t size2 = 0; size2 <= 20; size2++)
		for (size_t size1 = 0; size1 <= size2; size1++) {
			struct tree_proof p = { .count = 0 };

			test_case("%zu to %zu", size1, size2);
			if (size1 > 0)
				naive_subproof(size1, 0, size2, true, &p);
			spoil_consistency(size1, size2, &p);
		}
	sha256_free(&s);
}

TEST(the_empty_tree_has_the_root_of_nothing_and_no_other)
{
	begin();
	CHECK(tree_is_consistent(&s, 0, 0, mth(0, 0), mth(0, 0), NULL, 0));
	CHECK(!tree_is_consistent(&s, 0, 0, mth(0, 0), mth(0, 1), NULL, 0));
	CHECK(tree_is_consistent(&s, 0, 5, mth(0, 0), mth(0, 5), NULL, 0));
	CHECK(!tree_is_consistent(&s, 0, 5, mth(0, 5), mth(0, 5), NULL, 0));
	CHECK(!tree_includes(&s, 0, 0, leaves[0], NULL, 0, mth(0, 0)));
	CHECK(!tree_includes(&s, UINT64_MAX, 0, leaves[0], NULL, 0, leaves[0]));
	sha256_free(&s);
}

/* Each of these would come out even if the sizes were not looked at. */
TEST(sizes_count_and_not_only_hashes)
{
	struct digest above;

	begin();
	above = tree_node(&s, leaves[1], leaves[0]);
	CHECK(!tree_includes(&s, 0, 1, leaves[0], &leaves[1], 1, above));
	CHECK(!tree_is_consistent(&s, 1, 1, leaves[0], above, &leaves[1], 1));
	CHECK(!tree_is_consistent(&s, 2, 1, above, above, NULL, 0));
	CHECK(!tree_is_consistent(&s, 4, 3, above, above, NULL, 0));
	CHECK(!tree_is_consistent(&s, 1, 0, mth(0, 0), mth(0, 0), NULL, 0));
	sha256_free(&s);
}

static bool any_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	(void)context;
	(void)err;
	*out = (struct digest){ { (uint8_t)level, (uint8_t)n } };
	return true;
}

TEST(the_largest_log_has_proofs_that_fit_and_verify)
{
	static const uint64_t places[] = { 0, 1, INT64_MAX / 2, INT64_MAX - 1 };
	struct err err = { .kind = ERR_NONE };
	struct tree_reader r = { any_hash, NULL };
	struct tree_proof p;
	struct digest root, leaf;

	sha256_init(&s);
	CHECK(tree_root(&s, &r, INT64_MAX, &root, &err));
	for (size_t i = 0; i < COUNT(places); i++) {
		test_case("%llu", (unsigned long long)places[i]);
		CHECK(any_hash(NULL, 0, places[i], &leaf, &err));
		CHECK(tree_prove_inclusion(&s, &r, places[i], INT64_MAX, &p, &err));
		CHECK(p.count <= TREE_PROOF_MAX);
		/* the hashes do not hang together, so the way is right when its length is */
		CHECK(!tree_includes(&s, places[i], INT64_MAX, leaf, p.hashes, p.count, leaf));
		CHECK_INT(tree_prove_consistency(&s, &r, places[i] + 3, INT64_MAX, &p, &err), places[i] + 3 <= INT64_MAX);
		CHECK(p.count <= TREE_PROOF_MAX + 1);
	}
	sha256_free(&s);
}

static bool no_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	int *left = context;

	return (*left)-- > 0 ? any_hash(NULL, level, n, out, err) : err_set(err, ERR_IO, "tile is gone");
}

TEST(a_hash_that_cannot_be_read_is_an_error_wherever_it_is)
{
	struct tree_proof p;
	struct digest root;

	sha256_init(&s);
	for (int at = 0; at < 3; at++) {
		struct err err = { .kind = ERR_NONE };
		int left = at;
		struct tree_reader r = { no_hash, &left };

		test_case("%d", at);
		CHECK(!tree_root(&s, &r, 15, &root, &err));
		CHECK_STR(str_from(err.text), STR("tile is gone"));
		left = at;
		CHECK(!tree_prove_inclusion(&s, &r, 2, 15, &p, &err));
		left = at;
		CHECK(!tree_prove_consistency(&s, &r, 3, 15, &p, &err));
	}
	sha256_free(&s);
}

TEST(what_is_beyond_the_size_has_no_proof)
{
	struct err err = { .kind = ERR_NONE };
	struct tree_reader r = { any_hash, NULL };
	struct tree_proof p;

	sha256_init(&s);
	CHECK(!tree_prove_inclusion(&s, &r, 7, 7, &p, &err));
	CHECK_STR(str_from(err.text), STR("there is no entry 7 in a log of 7"));
	CHECK(!tree_prove_inclusion(&s, &r, 0, 0, &p, &err));
	CHECK(!tree_prove_consistency(&s, &r, 8, 7, &p, &err));
	CHECK_STR(str_from(err.text), STR("a log of 7 entries cannot have had 8"));
	sha256_free(&s);
}

TEST(a_log_beyond_63_bits_is_refused)
{
	struct err err = { .kind = ERR_NONE };
	struct tree_reader r = { any_hash, NULL };
	struct tree_proof p;
	struct digest root;

	sha256_init(&s);
	CHECK(!tree_root(&s, &r, UINT64_MAX, &root, &err));
	CHECK_INT(err.kind, ERR_LIMIT);
	CHECK(!tree_prove_inclusion(&s, &r, 0, UINT64_MAX, &p, &err));
	CHECK(!tree_prove_consistency(&s, &r, 3, UINT64_MAX, &p, &err));
	sha256_free(&s);
}

/* ---- published proofs ---- */

struct vector {
	struct arena arena;
	struct json_parser *parser;
	struct tree_proof proof;
	bool is_whole; /* every hash was one: one that is not makes the proof wrong before it is looked at */
};

static struct digest hash_of(struct vector *v, struct val text)
{
	struct digest d = { { 0 } };

	if (!val_is(text, JSON_STRING) || !base64_parse_bytes(d.b, SHA256_SIZE, val_text(text, &v->arena)))
		v->is_whole = false;
	return d;
}

/* Some roots stand for "whatever": they are not hashes, and all that matters is which of them are equal. */
static struct digest root_of(struct vector *v, struct val text)
{
	struct digest d = { { 0 } };
	struct buf bytes;

	buf_init(&bytes);
	if (!val_is(text, JSON_STRING) || !base64_parse(&bytes, val_text(text, &v->arena)) || bytes.n == 0)
		v->is_whole = false;
	else if (bytes.n == SHA256_SIZE)
		memcpy(d.b, bytes.p, SHA256_SIZE);
	else
		d = sha256_of(&s, buf_str(&bytes));
	buf_free(&bytes);
	return d;
}

static uint64_t number_of(struct val object, const char *name)
{
	uint64_t n;

	CHECK(num_parse_u64(val_raw(val_get(object, str_from(name))), &n));
	return n;
}

static void read_proof(struct vector *v, struct val c)
{
	struct val_iter it = val_begin(val_get(c, STR("proof")));
	struct val hash;

	v->is_whole = true;
	v->proof.count = 0;
	while (val_next(&it, &hash)) {
		CHECK(v->proof.count < COUNT(v->proof.hashes));
		v->proof.hashes[v->proof.count++] = hash_of(v, hash);
	}
}

static bool is_inclusion(struct vector *v, struct val c)
{
	struct digest leaf, root;

	read_proof(v, c);
	leaf = hash_of(v, val_get(c, STR("leafHash")));
	root = root_of(v, val_get(c, STR("root")));
	return v->is_whole && tree_includes(&s, number_of(c, "leafIdx"), number_of(c, "treeSize"), leaf, v->proof.hashes,
					    v->proof.count, root);
}

static bool is_consistency(struct vector *v, struct val c)
{
	struct digest root1, root2;

	read_proof(v, c);
	root1 = root_of(v, val_get(c, STR("root1")));
	root2 = root_of(v, val_get(c, STR("root2")));
	return v->is_whole && tree_is_consistent(&s, number_of(c, "size1"), number_of(c, "size2"), root1, root2, v->proof.hashes,
						 v->proof.count);
}

/*
 * Rows of "file expect desc". Three cases begin at size 0: the publisher refuses to answer, and the witness protocol
 * wants such a proof to be empty and right. Ours agree where the root is not that of the empty tree.
 */
static void check_table(const char *table, bool (*verify)(struct vector *v, struct val c), size_t conventions)
{
	struct vector v = { .parser = json_parser_open((struct json_options){ .max_depth = 0 }) };
	struct str rest = test_read(test_shared(table));
	size_t accepted = 0, refused = 0, ours = 0;
	struct val c;

	arena_init(&v.arena);
	sha256_init(&s);
	str_cut(rest, '\n', &rest);
	while (rest.n > 0) {
		struct str line = str_cut(rest, '\n', &rest), columns, file = str_cut(line, '\t', &columns);
		bool want = str_starts(columns, STR("accept"));
		struct str path = arena_printf(&v.arena, "corpora/06-merkle-notes/dev/proofs/%.*s", STR_ARG(file));

		test_case("%.*s", STR_ARG(file));
		CHECK(json_parse_copy(v.parser, test_read(test_shared(path.p)), &c, NULL));
		if (!want && verify == is_consistency && number_of(c, "size1") == 0 && verify(&v, c))
			ours++;
		else
			CHECK_INT(verify(&v, c), want);
		accepted += want;
		refused += !want;
	}
	CHECK(accepted > 0 && refused > 0);
	CHECK(ours <= conventions);
	json_parser_close(v.parser);
	arena_free(&v.arena);
	sha256_free(&s);
}

TEST(the_published_inclusion_proofs_are_judged_as_published)
{
	check_table("corpora/06-merkle-notes/dev/proofs/EXPECT.inclusion.tsv", is_inclusion, 0);
}

TEST(the_published_consistency_proofs_are_judged_as_published)
{
	check_table("corpora/06-merkle-notes/dev/proofs/EXPECT.consistency.tsv", is_consistency, 3);
}

static void check_valid(const char *file, bool (*verify)(struct vector *v, struct val c))
{
	struct vector v = { .parser = json_parser_open((struct json_options){ .max_depth = 0 }) };
	struct str rest = test_read(test_shared(file));
	size_t n = 0;
	struct val c;

	arena_init(&v.arena);
	sha256_init(&s);
	for (; rest.n > 0; n++) {
		struct str line = str_cut(rest, '\n', &rest);

		test_case("%.*s", STR_ARG(line));
		CHECK(json_parse_copy(v.parser, line, &c, NULL));
		CHECK(val_text_is(val_get(c, STR("expect")), STR("accept")));
		CHECK(verify(&v, c));
	}
	CHECK(n > 0);
	json_parser_close(v.parser);
	arena_free(&v.arena);
	sha256_free(&s);
}

TEST(the_valid_proofs_are_valid)
{
	check_valid("corpora/06-merkle-notes/dev/proofs_valid/inclusion.jsonl", is_inclusion);
	check_valid("corpora/06-merkle-notes/dev/proofs_valid/consistency.jsonl", is_consistency);
}
