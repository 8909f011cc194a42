/* Proofs and checkpoints of a ledger, for whoever has nothing but their bytes and the key of the log. */
#include "ledger/proof.h"

#include "trackway.h"

_Static_assert(sizeof((struct tw_checkpoint){ .size = 0 }.origin) > KEY_NAME_MAX, "a name and its end");

/* What a program was built with may be shorter than what we have; what is not there is not written. */
static void give(struct tw_checkpoint *out, const struct tw_checkpoint *answer)
{
	size_t first = offsetof(struct tw_checkpoint, error);
	size_t size = out && out->size < sizeof(*out) ? out->size : sizeof(*out);

	if (out && size > first)
		memcpy((char *)out + first, (const char *)answer + first, size - first);
}

/* Always 0. All members but the error become 0, so nothing of a proof that does not hold can be used by mistake. */
static int refuse(struct tw_checkpoint *out, const char *why)
{
	struct tw_checkpoint answer = { .error = why };

	give(out, &answer);
	return 0;
}

/* Always 1. The error stays NULL. */
static int accept(struct tw_checkpoint *out, const struct checkpoint *c, uint64_t index)
{
	struct tw_checkpoint answer = { .entries = c->size, .index = index };

	memcpy(answer.origin, c->origin.p, c->origin.n); /* it is the name of a key: short, and without a NUL */
	memcpy(answer.root, c->root.b, SHA256_SIZE);
	give(out, &answer);
	return 1;
}

/* *why is set before the key is read: it is only looked at when this gives false. */
static bool take_key(const char *vkey, struct key *out, const char **why)
{
	*why = "the verifier key is not one: it has the form name+id+base64";
	return key_parse(str_from(vkey), out);
}

/* Nothing at NULL is nothing; something at NULL is a mistake that must not become a crash. */
static bool is_there(const void *bytes, size_t size, const char **why)
{
	*why = "there are bytes at NULL";
	return bytes || size == 0;
}

int tw_checkpoint_verify(const void *note, size_t note_size, const char *vkey, struct tw_checkpoint *out)
{
	struct checkpoint c;
	const char *why;
	struct key log;

	if (!is_there(note, note_size, &why) || !take_key(vkey, &log, &why) ||
	    !checkpoint_check(str_of(note, note_size), &log, &c, &why))
		return refuse(out, why);
	return accept(out, &c, 0);
}

int tw_proof_verify(const void *proof, size_t proof_size, const void *entry, size_t entry_size, const char *vkey,
		    struct tw_checkpoint *out)
{
	struct checkpoint c;
	struct sha256 s;
	struct proof p;
	const char *why;
	struct key log;
	bool is;

	if (!is_there(proof, proof_size, &why) || !is_there(entry, entry_size, &why) || !take_key(vkey, &log, &why) ||
	    !proof_parse(str_of(proof, proof_size), &p, &why))
		return refuse(out, why);
	sha256_init(&s);
	is = proof_check(&s, &p, str_of(entry, entry_size), &log, &c, &why);
	sha256_free(&s);
	return is ? accept(out, &c, p.index) : refuse(out, why);
}

int tw_cosignature_verify(const void *note, size_t note_size, const char *vkey, uint64_t *time)
{
	struct key witness;
	struct note n;
	const char *why;
	uint64_t said;

	if (!is_there(note, note_size, &why) || !take_key(vkey, &witness, &why) || witness.kind != KEY_WITNESS ||
	    !note_parse(str_of(note, note_size), &n, &why) || note_check(&n, &witness, &said) != NOTE_GOOD)
		return 0;
	if (time)
		*time = said;
	return 1;
}
