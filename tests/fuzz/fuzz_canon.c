/*
 * The canonical form, held against what it promises: it parses again, it is its own canonical form,
 * the same bytes come out of every variant and of the plain parser, and the profile only refuses more.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/canon.h"
#include "json/scan.h"
#include "json/slow.h"

#define DEPTH 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool canon_by(const char *variant, enum canon_profile profile, struct str text, struct buf *out)
{
	struct json_parser *p;
	struct canon *c = canon_open(profile);
	enum json_code code;
	uint32_t at;
	struct val v;
	bool ok;

	if (!json_use_variant(str_from(variant)))
		abort();
	p = json_parser_open((struct json_options){ .max_depth = DEPTH });
	ok = json_parse_copy(p, text, &v, NULL) && canon_value(c, v, out, &at, &code);
	if (!ok && out->n != 0)
		abort();
	canon_close(c);
	json_parser_close(p);
	return ok;
}

static bool canon_slowly(struct str text, struct buf *out)
{
	struct slow_tape tape;
	struct json_shapes shapes;
	struct arena arena;
	struct slow s = { .options = { .max_depth = DEPTH }, .single = true, .tape = &tape, .shapes = &shapes, .arena = &arena };
	struct canon *c = canon_open(CANON_JCS);
	struct buf copy;
	bool ok;

	buf_init(&copy);
	buf_add_str(&copy, text);
	memset(buf_reserve(&copy, JSON_PAD), 0, JSON_PAD);
	s.text = str_of(copy.p, text.n);
	slow_tape_init(&tape);
	shapes_init(&shapes);
	arena_init(&arena);
	ok = slow_parse(&s, 0);
	if (ok) {
		struct json_tape t = { copy.p, tape.toks, tape.count, &shapes };
		enum json_code code;
		uint32_t at;

		ok = canon_value(c, (struct val){ &t, 0 }, out, &at, &code);
	}
	slow_tape_free(&tape);
	shapes_free(&shapes);
	arena_free(&arena);
	buf_free(&copy);
	canon_close(c);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_of(data, size);
	const struct scan_variant *const *v;
	struct buf want, got;
	bool ok;

	buf_init(&want);
	buf_init(&got);
	ok = canon_slowly(text, &want);
	for (v = scan_variants(); *v; v++) {
		buf_clear(&got);
		if (canon_by((*v)->name, CANON_JCS, text, &got) != ok || (ok && !str_eq(buf_str(&got), buf_str(&want))))
			abort();
	}
	v = scan_variants();
	if (ok) {
		buf_clear(&got);
		if (!canon_by((*v)->name, CANON_JCS, buf_str(&want), &got) || !str_eq(buf_str(&got), buf_str(&want)))
			abort();
	}
	buf_clear(&got);
	if (canon_by((*v)->name, CANON_OTUTL, text, &got)) {
		if (!ok || !str_eq(buf_str(&got), buf_str(&want)))
			abort();
		buf_clear(&got);
		if (!canon_by((*v)->name, CANON_OTUTL, buf_str(&want), &got))
			abort();
	}
	buf_free(&want);
	buf_free(&got);
	return 0;
}
