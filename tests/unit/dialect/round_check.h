/* There and back: a text of a format, through OTUTL, is the same again, value by value. */
#ifndef UNIT_DIALECT_ROUND_CHECK_H
#define UNIT_DIALECT_ROUND_CHECK_H

#include "harness/convert.h"
#include "harness/test.h"
#include "json/canon.h"

/* Each line in its canonical form. */
static inline struct str round_canonical(struct arena *a, struct str lines)
{
	struct canon *c = canon_open(CANON_JCS);
	struct json_parser *p = json_parser_open((struct json_options){ .allow_duplicates = true });
	struct buf out = { 0 };
	struct str text;
	enum json_code code;
	uint32_t bad;
	struct val v;

	while (lines.n) {
		CHECK(json_parse_copy(p, str_cut(lines, '\n', &lines), &v, NULL));
		CHECK(canon_value(c, v, &out, &bad, &code));
		buf_add_byte(&out, '\n');
	}
	text = arena_copy(a, buf_str(&out));
	buf_free(&out);
	canon_close(c);
	json_parser_close(p);
	return text;
}

/* `from` is the format's name, `to` its name as a target. The OTUTL in between must be valid; it is returned. */
static inline struct str round_check(struct arena *a, const char *from, const char *to, struct str text)
{
	struct str otutl = convert_valid(a, from, text, "otutl");

	CHECK_STR(round_canonical(a, convert_text(a, "otutl", otutl, to)), round_canonical(a, text));
	return otutl;
}

#endif
