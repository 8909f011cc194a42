#include "unit/ledger/log_dir_kit.h"

#include "ledger/proof.h"

/* A log of this many entries, published. */
static struct log *made(struct kit *k, unsigned count)
{
	struct log *l;

	kit_begin(k);
	l = kit_make(k);
	kit_append(k, l, 0, count);
	kit_publish(l);
	return l;
}

TEST(every_entry_of_a_log_has_a_proof_that_holds)
{
	static const unsigned sizes[] = { 1, 2, 7, 255, 256, 257, 600 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct kit k;
		struct log *l = made(&k, sizes[s]);

		for (unsigned i = 0; i < sizes[s]; i += sizes[s] > 20 ? 17 : 1) {
			struct err err = { .kind = ERR_NONE };
			struct checkpoint c;
			const char *why;
			struct proof p;

			test_case("entry %u of %u", i, sizes[s]);
			kit_must(log_prove(l, &k.arena, i, &p, &err), &err);
			CHECK_STR(p.checkpoint, kit_read(&k, "checkpoint"));
			CHECK(proof_check(&k.sha, &p, kit_number(&k, i).entry, &k.signer.key, &c, &why));
			CHECK(!proof_check(&k.sha, &p, kit_number(&k, i + 1).entry, &k.signer.key, &c, &why));
		}
		log_close(l);
		kit_end(&k);
	}
}

TEST(there_is_no_proof_of_what_is_not_published)
{
	struct err err = { .kind = ERR_NONE };
	struct proof p;
	struct kit k;
	struct log *l = made(&k, 2);

	kit_append(&k, l, 2, 1);
	CHECK(!log_prove(l, &k.arena, 2, &p, &err));
	CHECK_INT(err.kind, ERR_DATA);
	CHECK(strstr(err.text, "entry 2 is not published yet"));
	log_close(l);
	kit_end(&k);
}

TEST(entries_are_walked_from_anywhere_to_anywhere)
{
	static const unsigned spans[][2] = { { 0, 600 }, { 0, 0 }, { 255, 257 }, { 256, 257 }, { 300, 512 }, { 599, 600 } };
	struct err err = { .kind = ERR_NONE };
	struct log_entries it;
	struct str entry;
	uint64_t index;
	struct kit k;
	struct log *l = made(&k, 600);

	for (size_t s = 0; s < sizeof(spans) / sizeof(spans[0]); s++) {
		unsigned at = spans[s][0];

		log_entries_begin(&it, l, spans[s][0], spans[s][1], 600);
		while (log_entries_next(&it, &entry, &index, &err)) {
			CHECK_INT(index, at);
			CHECK_STR(entry, kit_number(&k, at++).entry);
		}
		kit_must(err.kind == ERR_NONE, &err);
		CHECK_INT(at, spans[s][1]);
		log_entries_end(&it);
	}
	log_entries_begin(&it, l, 599, 601, 600);
	CHECK(log_entries_next(&it, &entry, &index, &err));
	CHECK(!log_entries_next(&it, &entry, &index, &err));
	CHECK(strstr(err.text, "has no entry 600"));
	log_entries_end(&it);
	log_close(l);
	kit_end(&k);
}

TEST(hashes_of_every_level_are_those_of_the_tree)
{
	struct err err = { .kind = ERR_NONE };
	struct log_hashes *h;
	struct tree_reader r;
	struct kit k;
	struct log *l = made(&k, 600);

	h = log_hashes_open(l, 600);
	r = log_hashes_reader(h);
	for (unsigned level = 0; level < 10; level++)
		for (uint64_t n = 0; n < 600u >> level; n += 1 + (600u >> level) / 5) {
			struct digest got, want;
			struct merkle m;

			merkle_init(&m);
			for (uint64_t i = n << level; i < (n + 1) << level; i++)
				merkle_add(&m, &k.sha, merkle_leaf(&k.sha, kit_number(&k, (unsigned)i).entry));
			want = merkle_root(&m, &k.sha);
			test_case("level %u, %d", level, (int)n);
			kit_must(r.hash(r.context, level, n, &got, &err), &err);
			CHECK(memcmp(got.b, want.b, SHA256_SIZE) == 0);
		}
	{
		struct digest d;

		CHECK(!r.hash(r.context, 0, 600, &d, &err));
		CHECK(!r.hash(r.context, 9, 1, &d, &err));
		CHECK(!r.hash(r.context, 64, 0, &d, &err));
		CHECK(!r.hash(r.context, 63, UINT64_MAX, &d, &err));
	}
	log_hashes_close(h);
	log_close(l);
	kit_end(&k);
}

TEST(a_checkpoint_of_another_log_or_key_is_not_believed)
{
	struct err err = { .kind = ERR_NONE };
	uint8_t seed[ED25519_SEED] = { 9 };
	struct checkpoint c;
	struct signer other;
	struct note *note;
	struct buf text;
	struct kit k;
	struct log *l = made(&k, 2);

	kit_must(log_read_checkpoint(l, &k.arena, &c, &note, &err), &err);
	CHECK_INT(c.size, 2);
	CHECK_INT(note->count, 1);
	buf_init(&text);
	kit_must(signer_init(&other, KIT_ORIGIN, KEY_LOG, seed, &err), &err);
	kit_must(checkpoint_sign(&text, &c, &other, &err), &err);
	kit_write(&k, "checkpoint", buf_str(&text));
	CHECK(!log_read_checkpoint(l, &k.arena, &c, NULL, &err));
	CHECK(strstr(err.text, "not signed by the key"));
	buf_clear(&text);
	c.origin = STR("ledger.example/other");
	kit_must(checkpoint_sign(&text, &c, &k.signer, &err), &err);
	kit_write(&k, "checkpoint", buf_str(&text));
	CHECK(!log_read_checkpoint(l, &k.arena, &c, NULL, &err));
	CHECK(strstr(err.text, "of another log"));
	buf_clear(&text);
	c.origin = KIT_ORIGIN;
	kit_must(checkpoint_sign(&text, &c, &k.signer, &err), &err);
	text.p[KIT_ORIGIN.n + 1] = '3';
	kit_write(&k, "checkpoint", buf_str(&text));
	CHECK(!log_read_checkpoint(l, &k.arena, &c, NULL, &err));
	CHECK(strstr(err.text, "its signature is wrong"));
	kit_write(&k, "checkpoint", STR(""));
	CHECK(!log_read_checkpoint(l, &k.arena, &c, NULL, &err));
	CHECK(strstr(err.text, "cannot be trusted"));
	buf_free(&text);
	log_close(l);
	kit_end(&k);
}
