/*
 * Signed notes and checkpoints: what was taken is of the bytes given and has one spelling, what we sign is read back, and
 * no input is good for a key that did not sign it.
 */
#include "fuzz/fuzz.h"

#include "ledger/proof.h"

static void check_lines(const struct note *n, struct str bytes)
{
	const char *at = n->text.p + n->text.n + 1;

	FUZZ_CHECK(n->text.p == bytes.p && n->text.n > 0 && n->text.p[n->text.n - 1] == '\n');
	FUZZ_CHECK(n->count > 0 && n->count <= NOTE_SIGNATURES);
	for (size_t i = 0; i < n->count; i++) {
		const struct note_line *l = &n->lines[i];

		FUZZ_CHECK(l->line.p == at && l->line.p[l->line.n - 1] == '\n');
		FUZZ_CHECK(key_is_foreign_name(l->name) && l->blob_size <= sizeof(l->blob));
		at += l->line.n;
	}
	FUZZ_CHECK(at == bytes.p + bytes.n);
}

/* A key of our own under the name and id of each line: the line is found, and is not by it. */
static void check_strangers(const struct note *n)
{
	const uint8_t seed[ED25519_SEED] = { 1, 2, 3 };
	struct err err = { .kind = ERR_NONE };
	struct signer s;

	for (size_t i = 0; i < n->count && i < 3; i++)
		for (int kind = KEY_LOG; kind <= KEY_WITNESS; kind += KEY_WITNESS - KEY_LOG) {
			if (!signer_init(&s, n->lines[i].name, kind, seed, &err))
				continue;
			FUZZ_CHECK(note_check(n, &s.key, NULL) == NOTE_ABSENT);
			for (int b = 0; b < KEY_ID; b++)
				s.key.id[b] = n->lines[i].id[b];
			FUZZ_CHECK(note_check(n, &s.key, NULL) == NOTE_BAD);
		}
}

static void check_signing(const struct checkpoint *c)
{
	const uint8_t seed[ED25519_SEED] = { 4, 5, 6 };
	struct err err = { .kind = ERR_NONE };
	struct checkpoint again;
	struct signer log, witness;
	struct note n;
	struct buf b;
	const char *why;
	uint64_t time;

	if (!key_is_name(c->origin))
		return;
	buf_init(&b);
	FUZZ_CHECK(signer_init(&log, c->origin, KEY_LOG, seed, &err) && checkpoint_sign(&b, c, &log, &err));
	FUZZ_CHECK(checkpoint_check(buf_str(&b), &log.key, &again, &why));
	FUZZ_CHECK(again.size == c->size && str_eq(again.origin, c->origin));
	FUZZ_CHECK(signer_init(&witness, c->origin, KEY_WITNESS, seed, &err) && note_parse(buf_str(&b), &n, &why));
	buf_grow(&b, n.text.n + 1000); /* the text lies in what is added to */
	FUZZ_CHECK(note_parse(buf_str(&b), &n, &why));
	FUZZ_CHECK(cosignature_add_line(&b, n.text, &witness, c->size, &err));
	FUZZ_CHECK(note_parse(buf_str(&b), &n, &why) && n.count == 2);
	FUZZ_CHECK(note_check(&n, &witness.key, &time) == NOTE_GOOD && time == c->size);
	buf_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = str_of(data, size);
	struct checkpoint c;
	struct note n;
	struct buf b;
	const char *why = NULL;

	buf_init(&b);
	if (note_parse(bytes, &n, &why)) {
		check_lines(&n, bytes);
		check_strangers(&n);
		if (checkpoint_parse(n.text, &c, &why)) {
			FUZZ_CHECK(c.origin.n > 0 && c.size <= INT64_MAX);
			checkpoint_add_text(&b, &c);
			FUZZ_CHECK(str_starts(n.text, buf_str(&b)));
			check_signing(&c);
		}
	} else {
		FUZZ_CHECK(why && *why);
	}
	buf_free(&b);
	return 0;
}
