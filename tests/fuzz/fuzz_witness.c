/* The body of add-checkpoint: what is taken reads back as it was written, byte for byte; what is not has a reason. */
#include "fuzz/fuzz.h"

#include "notary/witness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = str_of(data, size);
	struct witness_ask ask, again;
	const char *why = NULL;
	struct buf text;

	if (!witness_parse(body, &ask, &why)) {
		FUZZ_CHECK(why && why[0]);
		return 0;
	}
	FUZZ_CHECK(ask.proof.count <= TREE_PROOF_MAX && ask.note.n > 0);
	buf_init(&text);
	witness_add_text(&text, &ask);
	FUZZ_CHECK(str_eq(buf_str(&text), body));
	FUZZ_CHECK(witness_parse(buf_str(&text), &again, &why));
	FUZZ_CHECK(again.old == ask.old && again.proof.count == ask.proof.count && str_eq(again.note, ask.note));
	buf_free(&text);
	return 0;
}
