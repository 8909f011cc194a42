/*
 * What a judge replies, and a file with a reference: refused with a sentence, or read; a reply that was read has a bond
 * and a confidence for each turn, and a reference that was read is written and read the same.
 */
#include "fuzz/fuzz.h"

#include "trial/classify/judge.h"
#include "trial/classify/reference.h"

static void check_reply(struct arena *a, struct str text)
{
	struct classify_turn out[3];
	struct err err = { .kind = ERR_NONE };

	if (!judge_read_reply(a, text, 5, 8, out, &err)) {
		FUZZ_CHECK(err.kind == ERR_DATA && err.text[0]);
		return;
	}
	for (size_t i = 0; i < COUNT(out); i++)
		FUZZ_CHECK(out[i].bond < BONDS && out[i].confidence >= 0 && out[i].confidence <= 1);
}

static void check_reference(struct arena *a, struct str text)
{
	struct classify_reference r, again;
	struct buf one, two;
	struct err err = { .kind = ERR_NONE };

	if (!reference_read(&r, a, text, STR("r.json"), &err)) {
		FUZZ_CHECK(err.kind == ERR_DATA && str_starts(str_from(err.text), STR("r.json:")));
		return;
	}
	buf_init(&one);
	buf_init(&two);
	reference_write(&one, &r);
	FUZZ_CHECK(reference_read(&again, a, buf_str(&one), STR("again"), &err));
	reference_write(&two, &again);
	FUZZ_CHECK(str_eq(buf_str(&one), buf_str(&two)));
	buf_free(&one);
	buf_free(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;

	arena_init(&a);
	check_reply(&a, str_of(data, size));
	check_reference(&a, str_of(data, size));
	arena_free(&a);
	return 0;
}
