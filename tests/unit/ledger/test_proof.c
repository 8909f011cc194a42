#include "ledger/proof.h"

#include <stdio.h>

#include "harness/test.h"

#define FIRST "c2sp.org/tlog-proof@v1\n"
#define HASH "tIzfgmRXRV/AUNGMzX4+03Zep7FOBGCGtjuomt0jjgA=\n"

static struct proof proof;
static struct sha256 s;
static const char *why;

static struct key key_of(const char *file)
{
	struct key k;

	CHECK(key_parse(test_data(file), &k));
	return k;
}

TEST(a_proof_shows_that_its_entry_is_in_the_log)
{
	struct key log = key_of("ledger/log.vkey");
	struct str text = test_data("ledger/trial-4.tlog-proof");
	struct checkpoint c;
	struct buf b;

	buf_init(&b);
	sha256_init(&s);
	CHECK(proof_parse(text, &proof, &why));
	CHECK_INT(proof.index, 4);
	CHECK_INT(proof.path.count, 3);
	CHECK(!proof.extra.p);
	CHECK_STR(proof.checkpoint, test_data("ledger/checkpoint"));
	CHECK(proof_check(&s, &proof, test_data("ledger/trial-4.entry"), &log, &c, &why));
	CHECK_STR(c.origin, STR("log.example/tests"));
	CHECK_INT(c.size, 7);
	CHECK(proof_check(&s, &proof, test_data("ledger/trial-4.entry"), &log, NULL, &why));
	proof_add_text(&b, &proof);
	CHECK_STR(buf_str(&b), text);
	sha256_free(&s);
	buf_free(&b);
}

TEST(without_a_key_the_entry_must_be_in_the_tree_of_the_proof)
{
	struct str entry = test_data("ledger/trial-4.entry"), text = test_data("ledger/trial-4.tlog-proof");

	sha256_init(&s);
	CHECK(proof_parse(text, &proof, &why));
	CHECK(proof_check_unsigned(&s, &proof, entry, &why));
	CHECK(!proof_check_unsigned(&s, &proof, STR("another entry"), &why));
	CHECK(str_starts(str_from(why), STR("the hashes of the proof do not lead from the entry to the root")));
	proof.index = 7;
	CHECK(!proof_check_unsigned(&s, &proof, entry, &why));
	CHECK_STR(str_from(why), STR("the index of the proof is beyond the size of the checkpoint"));
	proof.index = 4;
	proof.checkpoint = STR("no note\n");
	CHECK(!proof_check_unsigned(&s, &proof, entry, &why));
	CHECK_STR(str_from(why), STR("the note has no empty line between its text and its signatures"));
	sha256_free(&s);
}

TEST(a_proof_that_does_not_hold_says_what_is_wrong)
{
	struct key log = key_of("ledger/log.vkey"), witness = key_of("ledger/witness.vkey"), other = log;
	struct str entry = test_data("ledger/trial-4.entry"), text = test_data("ledger/trial-4.tlog-proof");

	sha256_init(&s);
	CHECK(proof_parse(text, &proof, &why));
	CHECK(!proof_check(&s, &proof, STR("another entry"), &log, NULL, &why));
	CHECK(str_starts(str_from(why), STR("the hashes of the proof do not lead from the entry to the root")));
	proof.index = 5;
	CHECK(!proof_check(&s, &proof, entry, &log, NULL, &why));
	proof.index = 7;
	CHECK(!proof_check(&s, &proof, entry, &log, NULL, &why));
	CHECK_STR(str_from(why), STR("the index of the proof is beyond the size of the checkpoint"));
	proof.index = 4;
	CHECK(!proof_check(&s, &proof, entry, &witness, NULL, &why));
	CHECK_STR(str_from(why), STR("the key is that of a witness, not of a log"));
	other.id[0] ^= 1;
	CHECK(!proof_check(&s, &proof, entry, &other, NULL, &why));
	CHECK_STR(str_from(why), STR("the checkpoint is not signed by this key"));
	other = log;
	other.public[0] ^= 1;
	CHECK(!proof_check(&s, &proof, entry, &other, NULL, &why));
	CHECK(str_starts(str_from(why), STR("the signature of the checkpoint is wrong")));
	proof.checkpoint = STR("no note\n");
	CHECK(!proof_check(&s, &proof, entry, &log, NULL, &why));
	CHECK_STR(str_from(why), STR("the note has no empty line between its text and its signatures"));
	sha256_free(&s);
}

/* A log may sign only checkpoints of its own name: what it says about another log is not that log's word. */
TEST(a_checkpoint_of_another_log_does_not_count)
{
	uint8_t seed[ED25519_SEED] = { 3 };
	struct err err = { .kind = ERR_NONE };
	struct checkpoint c = { .origin = STR("log.example/mine"), .size = 1 }, got;
	struct signer mine;
	struct buf b;

	buf_init(&b);
	CHECK(signer_init(&mine, STR("log.example/mine"), KEY_LOG, seed, &err));
	CHECK(checkpoint_sign(&b, &c, &mine, &err));
	CHECK(checkpoint_check(buf_str(&b), &mine.key, &got, &why));
	CHECK(checkpoint_check(buf_str(&b), &mine.key, NULL, &why));
	CHECK_STR(got.origin, STR("log.example/mine"));
	buf_clear(&b);
	c.origin = STR("log.example/yours");
	CHECK(checkpoint_sign(&b, &c, &mine, &err));
	CHECK(!checkpoint_check(buf_str(&b), &mine.key, &got, &why));
	CHECK_STR(str_from(why), STR("the checkpoint is of another log than the key"));
	buf_free(&b);
}

TEST(no_flipped_bit_of_a_proof_passes_but_those_of_a_witness)
{
	struct key log = key_of("ledger/log.vkey");
	struct str text = test_data("ledger/trial-4.tlog-proof"), entry = test_data("ledger/trial-4.entry");
	size_t witness = str_find(text, STR("\xe2\x80\x94 witness"));
	char *copy = test_alloc(text.n);

	sha256_init(&s);
	memcpy(copy, text.p, text.n);
	for (size_t bit = 0; bit < 8 * witness; bit++) {
		copy[bit / 8] ^= (char)(1 << bit % 8);
		test_case("bit %zu of byte %zu", bit % 8, bit / 8);
		CHECK(!proof_parse(str_of(copy, text.n), &proof, &why) || !proof_check(&s, &proof, entry, &log, NULL, &why));
		copy[bit / 8] ^= (char)(1 << bit % 8);
	}
	for (size_t n = 0; n < text.n; n++)
		CHECK(!proof_parse(str_of(text.p, n), &proof, &why) || !proof_check(&s, &proof, entry, &log, NULL, &why) || n == witness);
	sha256_free(&s);
}

TEST(what_is_no_proof_is_refused_with_a_sentence)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "it is not a proof: its first line is not c2sp.org/tlog-proof@v1" },
		{ "c2sp.org/tlog-proof@v2\nindex 0\n\n", "it is not a proof: its first line is not c2sp.org/tlog-proof@v1" },
		{ "c2sp.org/tlog-proof@v1", "it is not a proof: its first line is not c2sp.org/tlog-proof@v1" },
		{ FIRST, "the proof does not say the index of its entry" },
		{ FIRST "index 0", "the proof does not say the index of its entry" },
		{ FIRST "index\n\n", "the proof does not say the index of its entry" },
		{ FIRST "index 01\n\n", "the proof does not say the index of its entry" },
		{ FIRST "index -1\n\n", "the proof does not say the index of its entry" },
		{ FIRST "index 18446744073709551616\n\n", "the proof does not say the index of its entry" },
		{ FIRST "Index 1\n\n", "the proof does not say the index of its entry" },
		{ FIRST "extra Zg==\n", "the proof does not say the index of its entry" },
		{ FIRST "extra Zg==\nextra Zg==\nindex 0\n\n", "the proof does not say the index of its entry" },
		{ FIRST "extra Zh==\nindex 0\n\n", "what the proof has as extra is not base64" },
		{ FIRST "index 0\n", "the proof has no empty line before its checkpoint" },
		{ FIRST "index 0\n" HASH, "the proof has no empty line before its checkpoint" },
		{ FIRST "index 0\nAAAA\n\n", "the proof has a line that is not a hash in base64" },
		{ FIRST "index 0\n " HASH "\n", "the proof has a line that is not a hash in base64" },
		{ FIRST "index 0\nextra Zg==\n\n", "the proof has a line that is not a hash in base64" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu: %s", i, cases[i].text);
		CHECK(!proof_parse(str_from(cases[i].text), &proof, &why));
		CHECK_STR(str_from(why), str_from(cases[i].why));
	}
}

TEST(what_a_proof_has_besides_is_kept_as_it_is)
{
	static const char *const cases[] = {
		FIRST "index 0\n\n",
		FIRST "extra Zg==\nindex 18446744073709551615\n" HASH HASH "\nanything",
		FIRST "extra \nindex 0\n\n",
	};
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_case("%zu", i);
		CHECK(proof_parse(str_from(cases[i]), &proof, &why));
		buf_clear(&b);
		proof_add_text(&b, &proof);
		CHECK_STR(buf_str(&b), str_from(cases[i]));
	}
	buf_free(&b);
}

TEST(a_proof_has_limits)
{
	static char huge[2 * NOTE_MAX + 1];
	struct buf b;

	buf_init(&b);
	buf_add_str(&b, STR(FIRST "index 0\n"));
	for (int i = 0; i < TREE_PROOF_MAX; i++)
		buf_add_str(&b, STR(HASH));
	buf_add_byte(&b, '\n');
	CHECK(proof_parse(buf_str(&b), &proof, &why));
	CHECK_INT(proof.path.count, TREE_PROOF_MAX);
	b.n--;
	buf_add_str(&b, STR(HASH "\n"));
	CHECK(!proof_parse(buf_str(&b), &proof, &why));
	CHECK_STR(str_from(why), STR("the proof has more than 63 hashes"));
	CHECK(!proof_parse(str_of(huge, sizeof(huge)), &proof, &why));
	CHECK_STR(str_from(why), STR("the proof is longer than 2 MiB"));
	buf_free(&b);
}
