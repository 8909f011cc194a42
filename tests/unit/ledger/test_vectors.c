/* Logs that others made: the ledger of 300 entries and tessera's, held against everything here at once. */
#include <stdio.h>
#include <stdlib.h>

#include "base/crypto/base64.h"
#include "harness/test.h"
#include "ledger/proof.h"
#include "ledger/tile.h"

#define ENTRIES 300
#define LEDGER "ledger/ledger/"
#define TESSERA "corpora/06-merkle-notes/dev/tlog_tessera/"

struct known {
	struct str entries[ENTRIES];
	struct digest leaves[ENTRIES];
	size_t count;
	struct sha256 sha;
};

static struct known known;

/* test_shared has one place for the path it gives. */
static struct str shared(const char *prefix, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s%s", prefix, name);
	return test_read(test_shared(path));
}

static bool same(struct digest a, struct digest b)
{
	return memcmp(a.b, b.b, SHA256_SIZE) == 0;
}

static void add_bundle(struct str bundle)
{
	bool broken;

	while (bundle_next(&bundle, &known.entries[known.count], &broken)) {
		known.leaves[known.count] = merkle_leaf(&known.sha, known.entries[known.count]);
		CHECK(++known.count < ENTRIES || bundle.n == 0);
	}
	CHECK(!broken);
}

static void open_ledger(void)
{
	sha256_init(&known.sha);
	add_bundle(shared(LEDGER, "static/tile/entries/000"));
	add_bundle(shared(LEDGER, "static/tile/entries/001.p/44"));
	CHECK_INT(known.count, ENTRIES);
}

static bool read_hash(void *context, unsigned level, uint64_t n, struct digest *out, struct err *err)
{
	struct merkle m;

	(void)context;
	(void)err;
	merkle_init(&m);
	for (uint64_t i = n << level; i < (n + 1) << level; i++)
		merkle_add(&m, &known.sha, known.leaves[i]);
	*out = merkle_root(&m, &known.sha);
	return true;
}

static const struct tree_reader reader = { read_hash, NULL };

static struct digest root_at(uint64_t size)
{
	struct err err = { .kind = ERR_NONE };
	struct digest root;

	CHECK(tree_root(&known.sha, &reader, size, &root, &err));
	return root;
}

static const char *const sizes[] = { "0", "1", "2", "3", "4", "7", "8", "9", "100", "255", "256", "257", "299", "300" };

TEST(checkpoints_of_the_ledger_are_signed_to_the_byte)
{
	struct err err = { .kind = ERR_NONE };
	struct signer s;
	struct key k;
	struct buf b;

	open_ledger();
	buf_init(&b);
	CHECK(signer_parse(shared(LEDGER, "skey.TEST-ONLY"), &s, &err));
	CHECK(key_parse(shared(LEDGER, "vkey"), &k));
	CHECK(memcmp(k.id, s.key.id, KEY_ID) == 0 && str_eq(k.name, s.key.name));
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct checkpoint c = { .origin = k.name, .size = strtoull(sizes[i], NULL, 10) }, got;
		char name[32];
		const char *why;

		test_case("%s", sizes[i]);
		snprintf(name, sizeof(name), "checkpoints/%s", sizes[i]);
		c.root = root_at(c.size);
		buf_clear(&b);
		CHECK(checkpoint_sign(&b, &c, &s, &err));
		CHECK_STR(buf_str(&b), shared(LEDGER, name));
		CHECK(checkpoint_check(buf_str(&b), &k, &got, &why));
		CHECK_INT(got.size, c.size);
	}
	buf_free(&b);
}

/* The JSON is read no further than "SIZE": {"root": "HEX". */
TEST(the_ledger_has_the_root_of_its_index_at_every_size)
{
	struct str rest = shared(LEDGER, "index.json");
	size_t n = 0;

	open_ledger();
	for (size_t at; (at = str_find(rest, STR("\"root\": \""))) != (size_t)-1; n++) {
		size_t size = 0;
		struct digest want;

		for (size_t i = at, quotes = 0; quotes < 2; i--)
			if (rest.p[i - 1] == '"' && ++quotes == 2)
				size = strtoull(rest.p + i, NULL, 10);
		test_case("%zu", size);
		CHECK(digest_parse(str_of(rest.p + at + 9, SHA256_HEX), &want));
		if (size <= ENTRIES)
			CHECK(same(root_at(size), want));
		rest = str_of(rest.p + at + 9, rest.n - at - 9);
	}
	CHECK(n >= COUNT(sizes));
}

TEST(proofs_of_the_ledger_are_made_to_the_byte_and_hold)
{
	static const char *const indexes[] = { "0", "1", "127", "255", "256", "299" };
	struct err err = { .kind = ERR_NONE };
	struct key k, witness;
	struct buf b;

	open_ledger();
	buf_init(&b);
	CHECK(key_parse(shared(LEDGER, "vkey"), &k));
	CHECK(key_parse(shared(LEDGER, "witness.vkey"), &witness));
	for (size_t i = 0; i < COUNT(indexes); i++) {
		static struct proof p, made;
		static struct note n;
		char name[40];
		struct str text, entry;
		const char *why;
		uint64_t time;

		test_case("%s", indexes[i]);
		snprintf(name, sizeof(name), "proofs/%s.tlog-proof", indexes[i]);
		text = shared(LEDGER, name);
		snprintf(name, sizeof(name), "proofs/%s.entry", indexes[i]);
		entry = shared(LEDGER, name);
		CHECK(proof_parse(text, &p, &why));
		CHECK_STR(entry, known.entries[p.index]);
		CHECK(proof_check(&known.sha, &p, entry, &k, NULL, &why));
		made = (struct proof){ .index = p.index, .checkpoint = p.checkpoint };
		CHECK(tree_prove_inclusion(&known.sha, &reader, p.index, ENTRIES, &made.path, &err));
		buf_clear(&b);
		proof_add_text(&b, &made);
		CHECK_STR(buf_str(&b), text);
		CHECK(note_parse(p.checkpoint, &n, &why));
		CHECK_INT(note_check(&n, &witness, &time), NOTE_GOOD);
		CHECK(time > 1700000000);
	}
	buf_free(&b);
}

TEST(the_consistency_proof_of_the_witness_body_is_made_to_the_byte)
{
	struct str body = shared(LEDGER, "witness-add-checkpoint-257-300.txt");
	struct err err = { .kind = ERR_NONE };
	struct tree_proof p;
	struct buf b;

	open_ledger();
	buf_init(&b);
	CHECK(tree_prove_consistency(&known.sha, &reader, 257, 300, &p, &err));
	CHECK(tree_is_consistent(&known.sha, 257, 300, root_at(257), root_at(300), p.hashes, p.count));
	buf_add_str(&b, STR("old 257\n"));
	for (size_t i = 0; i < p.count; i++) {
		base64_add(&b, str_of(p.hashes[i].b, SHA256_SIZE));
		buf_add_byte(&b, '\n');
	}
	buf_add_byte(&b, '\n');
	buf_add_str(&b, shared(LEDGER, "checkpoints/300"));
	CHECK_STR(buf_str(&b), body);
	buf_free(&b);
}

/* Every tile that its path names is, at its width, what the leaves make of it. */
static void check_tile(struct str path, struct str bytes)
{
	struct tile t;
	char again[TILE_PATH_MAX];

	test_case("%.*s", STR_ARG(path));
	CHECK(tile_parse_path(path, &t));
	CHECK_STR(str_of(again, tile_path(again, &t)), path);
	if (t.level == TILE_ENTRIES) {
		struct buf b;

		buf_init(&b);
		for (uint64_t i = 0; i < t.width; i++)
			bundle_add(&b, known.entries[t.n * TILE_WIDTH + i]);
		CHECK_STR(buf_str(&b), bytes);
		buf_free(&b);
		return;
	}
	CHECK_INT(bytes.n, t.width * SHA256_SIZE);
	for (unsigned i = 0; i < t.width; i++) {
		struct digest d;

		read_hash(NULL, 8 * t.level, t.n * TILE_WIDTH + i, &d, NULL);
		CHECK(memcmp(bytes.p + i * SHA256_SIZE, d.b, SHA256_SIZE) == 0);
	}
}

TEST(tiles_of_the_ledger_are_what_its_leaves_make_of_them)
{
	static const char *const tiles[] = {
		"tile/0/000", "tile/0/000.p/1", "tile/0/000.p/255", "tile/0/001.p/1", "tile/0/001.p/44", "tile/1/000.p/1",
		"tile/entries/000", "tile/entries/000.p/9", "tile/entries/001.p/44", "tile/entries/001.p/43",
	};

	open_ledger();
	for (size_t i = 0; i < COUNT(tiles); i++)
		check_tile(str_from(tiles[i]), shared(LEDGER "static/", tiles[i]));
}

/* Our own small log, whose proof another program made. */
TEST(the_proof_of_the_test_data_is_made_to_the_byte)
{
	static struct proof p, made;
	struct str text = test_data("ledger/trial-4.tlog-proof");
	struct err err = { .kind = ERR_NONE };
	struct checkpoint c;
	const char *why;
	struct key k;
	struct buf b;

	buf_init(&b);
	sha256_init(&known.sha);
	for (; known.count < 7; known.count++) {
		char entry[64];

		snprintf(entry, sizeof(entry), "{\"id\":\"trial-%zu\",\"kind\":\"trial\"}", known.count);
		known.leaves[known.count] = merkle_leaf(&known.sha, str_from(entry));
	}
	CHECK(key_parse(test_data("ledger/log.vkey"), &k));
	CHECK(proof_parse(text, &p, &why));
	CHECK(proof_check(&known.sha, &p, test_data("ledger/trial-4.entry"), &k, &c, &why));
	CHECK(same(c.root, root_at(7)));
	made = (struct proof){ .index = 4, .checkpoint = p.checkpoint };
	CHECK(tree_prove_inclusion(&known.sha, &reader, 4, 7, &made.path, &err));
	proof_add_text(&b, &made);
	CHECK_STR(buf_str(&b), text);
	buf_free(&b);
}

TEST(tesseras_checkpoints_have_the_roots_of_their_entries_and_good_signatures)
{
	static const char *const words[] = { "one", "two", "three", "four", "five", "six", "seven", "eit", "nain", "ten", "ileven", "twelf",
					     "threeten", "fourten", "fivten" };
	const char *vkey = "example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx";
	size_t n = 0;
	struct key k;

	test_shared(TESSERA "README.txt");
	sha256_init(&known.sha);
	CHECK(key_parse(str_from(vkey), &k));
	for (; known.count < COUNT(words); known.count++) {
		known.entries[known.count] = str_from(words[known.count]);
		known.leaves[known.count] = merkle_leaf(&known.sha, known.entries[known.count]);
	}
	for (size_t size = 0; size <= COUNT(words); size++) {
		char path[300], name[32];
		struct checkpoint c;
		const char *why;
		FILE *f;

		snprintf(name, sizeof(name), "checkpoint.%zu", size);
		snprintf(path, sizeof(path), "%s/data/" TESSERA "%s", getenv("TRACKWAY_SHARED") ? getenv("TRACKWAY_SHARED") : "../shared", name);
		f = fopen(path, "r");
		if (!f)
			continue; /* a part of them is kept elsewhere */
		fclose(f);
		test_case("%zu", size);
		CHECK(checkpoint_check(shared(TESSERA, name), &k, &c, &why));
		CHECK_INT(c.size, size);
		CHECK(same(c.root, root_at(size)));
		n++;
	}
	CHECK(n > 0);
}
