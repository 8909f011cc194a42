/* Damage to a log of lines: the line `at` (from 1) is deleted, doubled, swapped with the next, glued to it, or cut. */
#ifndef UNIT_DIALECT_LOG_EDITS_H
#define UNIT_DIALECT_LOG_EDITS_H

#include <string.h>

#include "base/buf.h"
#include "harness/test.h"

enum log_edit { EDIT_DELETE, EDIT_DOUBLE, EDIT_SWAP, EDIT_GLUE, EDIT_CUT };

static inline struct str log_edit(struct str text, enum log_edit how, size_t at)
{
	struct str held = STR("");
	struct buf out = { 0 };
	char *copy;

	for (size_t line = 1; text.n > 0; line++) {
		struct str one = str_cut(text, '\n', &text);

		if (line == at && how == EDIT_DELETE)
			continue;
		if (line == at && how == EDIT_SWAP) {
			held = one;
			continue;
		}
		buf_add_str(&out, line == at && how == EDIT_CUT ? str_of(one.p, one.n / 2) : one);
		if (line != at || how != EDIT_GLUE)
			buf_add_byte(&out, '\n');
		if (line == at && how == EDIT_DOUBLE) {
			buf_add_str(&out, one);
			buf_add_byte(&out, '\n');
		}
		if (held.n) {
			buf_add_str(&out, held);
			buf_add_byte(&out, '\n');
			held = STR("");
		}
	}
	copy = test_alloc(out.n + 1);
	memcpy(copy, out.p, out.n);
	held = str_of(copy, out.n);
	buf_free(&out);
	return held;
}

#endif
