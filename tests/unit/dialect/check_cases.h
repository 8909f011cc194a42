/* Single lines with the one code each must give: code, pointer (? for any) and line, parted by tabs. */
#ifndef UNIT_DIALECT_CHECK_CASES_H
#define UNIT_DIALECT_CHECK_CASES_H

#include <stdio.h>

#include "check_feed.h"

/* `before` stands before each of the lines; its own findings must be none. */
static inline size_t check_cases(const struct dialect *d, const char *file, struct str before)
{
	struct str rest = test_data(file);
	size_t rows = 0;

	while (rest.n > 0) {
		struct str row = str_cut(rest, '\n', &rest), line, pointer;
		struct str code = str_cut(row, '\t', &line);
		char *text = test_alloc(before.n + row.n + 1);
		struct check_feed f;

		if (str_starts(code, STR("#")))
			continue;
		pointer = str_cut(line, '\t', &line);
		test_case("%.*s", STR_ARG(row));
		memcpy(text, before.p, before.n);
		memcpy(text + before.n, line.p, line.n);
		text[before.n + line.n] = '\n';
		check_feed(&f, d, str_of(text, before.n + line.n + 1), 1);
		if (str_eq(code, STR("-"))) {
			CHECK_STR(check_feed_list(&f), STR(""));
		} else {
			CHECK_STR(check_feed_list(&f),
				  arena_printf(&f.arena, "%d:%.*s", before.n ? 2 : 1, STR_ARG(code)));
			if (!str_eq(pointer, STR("?")))
				CHECK_STR(f.findings.kept[0].pointer, pointer);
			CHECK(f.findings.kept[0].message.n > 0);
		}
		arena_free(&f.arena);
		rows++;
	}
	return rows;
}

#endif
