#include <string.h>

#include "harness/test.h"
#include "trackway.h"

#define ROOT "\xb4\x8c\xdf\x82\x64\x57\x45\x5f\xc0\x50\xd1\x8c\xcd\x7e\x3e\xd3\x76\x5e\xa7\xb1\x4e\x04\x60\x86\xb6\x3b\xa8\x9a\xdd\x23\x8e\x00"

/* test_data is not terminated. */
static const char *text_of(const char *path)
{
	struct str s = test_data(path);
	char *p = test_alloc(s.n + 1);

	memcpy(p, s.p, s.n);
	return p;
}

TEST(a_proof_is_verified_with_nothing_but_the_key)
{
	struct str proof = test_data("ledger/trial-4.tlog-proof"), entry = test_data("ledger/trial-4.entry");
	const char *vkey = text_of("ledger/log.vkey");
	struct tw_checkpoint c = { .size = sizeof(c), .error = "not yet" };

	CHECK_INT(tw_proof_verify(proof.p, proof.n, entry.p, entry.n, vkey, &c), 1);
	CHECK(!c.error);
	CHECK_STR(str_from(c.origin), STR("log.example/tests"));
	CHECK_INT(c.entries, 7);
	CHECK_INT(c.index, 4);
	CHECK(memcmp(c.root, ROOT, 32) == 0);
	CHECK_INT(tw_proof_verify(proof.p, proof.n, entry.p, entry.n, vkey, NULL), 1);
}

TEST(a_proof_that_does_not_hold_says_why_and_tells_nothing_else)
{
	struct str proof = test_data("ledger/trial-4.tlog-proof"), entry = test_data("ledger/trial-4.entry");
	const char *log = text_of("ledger/log.vkey"), *witness = text_of("ledger/witness.vkey");
	const struct {
		struct str proof, entry;
		const char *vkey, *error;
	} cases[] = {
		{ proof, STR("another"), log, "the hashes of the proof do not lead from the entry to the root" },
		{ proof, STR(""), log, "the hashes of the proof do not lead from the entry to the root" },
		{ STR(""), entry, log, "it is not a proof" },
		{ { NULL, 0 }, entry, log, "it is not a proof" },
		{ { NULL, 5 }, entry, log, "there are bytes at NULL" },
		{ proof, { NULL, 5 }, log, "there are bytes at NULL" },
		{ proof, { NULL, 0 }, log, "the hashes of the proof do not lead from the entry to the root" },
		{ { proof.p, proof.n - 1 }, entry, log, "the last line of the note does not end" },
		{ proof, entry, witness, "the key is that of a witness, not of a log" },
		{ proof, entry, "", "the verifier key is not one" },
		{ proof, entry, NULL, "the verifier key is not one" },
		{ proof, entry, "log.example/tests+bc190136+AAAA", "the verifier key is not one" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tw_checkpoint c = { .size = sizeof(c), .origin = "left", .entries = 9, .index = 9 };

		test_case("%zu", i);
		CHECK_INT(tw_proof_verify(cases[i].proof.p, cases[i].proof.n, cases[i].entry.p, cases[i].entry.n, cases[i].vkey, &c), 0);
		CHECK(str_starts(str_from(c.error), str_from(cases[i].error)));
		CHECK(c.origin[0] == '\0' && c.entries == 0 && c.index == 0);
		CHECK_INT(c.size, sizeof(c));
		CHECK_INT(tw_proof_verify(cases[i].proof.p, cases[i].proof.n, cases[i].entry.p, cases[i].entry.n, cases[i].vkey, NULL), 0);
	}
}

TEST(a_checkpoint_is_verified_by_the_key_of_its_log)
{
	struct str note = test_data("ledger/checkpoint");
	const char *log = text_of("ledger/log.vkey"), *witness = text_of("ledger/witness.vkey");
	struct tw_checkpoint c = { .size = sizeof(c), .index = 5 };

	CHECK_INT(tw_checkpoint_verify(note.p, note.n, log, &c), 1);
	CHECK(!c.error);
	CHECK_STR(str_from(c.origin), STR("log.example/tests"));
	CHECK_INT(c.entries, 7);
	CHECK_INT(c.index, 0);
	CHECK(memcmp(c.root, ROOT, 32) == 0);
	CHECK_INT(tw_checkpoint_verify(note.p, note.n, log, NULL), 1);
	CHECK_INT(tw_checkpoint_verify(note.p, note.n, witness, &c), 0);
	CHECK_STR(str_from(c.error), STR("the key is that of a witness, not of a log"));
	CHECK_INT(tw_checkpoint_verify(note.p, 30, log, &c), 0);
	CHECK_INT(tw_checkpoint_verify(NULL, 0, log, &c), 0);
	CHECK_INT(tw_checkpoint_verify(NULL, 30, log, &c), 0);
	CHECK_INT(tw_checkpoint_verify(note.p, note.n, NULL, &c), 0);
}

TEST(a_program_of_an_older_header_gets_what_it_has_room_for)
{
	struct str note = test_data("ledger/checkpoint");
	struct tw_checkpoint c = { .size = offsetof(struct tw_checkpoint, index), .index = 99 };

	CHECK_INT(tw_checkpoint_verify(note.p, note.n, text_of("ledger/log.vkey"), &c), 1);
	CHECK_INT(c.entries, 7);
	CHECK_INT(c.index, 99);
	c = (struct tw_checkpoint){ .size = 0, .entries = 99 };
	CHECK_INT(tw_checkpoint_verify(note.p, note.n, text_of("ledger/log.vkey"), &c), 1);
	CHECK_INT(c.entries, 99);
}

TEST(a_cosignature_tells_its_time)
{
	struct str note = test_data("ledger/checkpoint");
	const char *log = text_of("ledger/log.vkey"), *witness = text_of("ledger/witness.vkey");
	char *changed = test_alloc(note.n);
	uint64_t time = 0;

	CHECK_INT(tw_cosignature_verify(note.p, note.n, witness, &time), 1);
	CHECK_INT(time, 1767225600);
	CHECK_INT(tw_cosignature_verify(note.p, note.n, witness, NULL), 1);
	time = 5;
	CHECK_INT(tw_cosignature_verify(note.p, note.n, log, &time), 0);
	CHECK_INT(tw_cosignature_verify(note.p, note.n, "x", &time), 0);
	CHECK_INT(tw_cosignature_verify(note.p, note.n, NULL, &time), 0);
	CHECK_INT(tw_cosignature_verify(NULL, 9, witness, &time), 0);
	memcpy(changed, note.p, note.n);
	changed[0] ^= 1;
	CHECK_INT(tw_cosignature_verify(changed, note.n, witness, &time), 0);
	CHECK_INT(time, 5);
}
