/* Small logs for tests of formats that hold exchanges: JSON with ' for ", converted to OTUTL, which must be valid. */
#ifndef UNIT_DIALECT_EXCHANGE_TEXT_H
#define UNIT_DIALECT_EXCHANGE_TEXT_H

#include <string.h>

#include "harness/convert.h"
#include "harness/test.h"

/* ' becomes ", and what was " a quote inside a text. */
static inline struct str exchange_text(struct arena *a, const char *text)
{
	size_t n = strlen(text), at = 0;
	char *out = arena_array(a, char, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"')
			out[at++] = '\\';
		out[at++] = text[i] == '\'' ? '"' : text[i];
	}
	return str_of(out, at);
}

static inline struct converted exchange_convert(struct arena *a, const char *from, const char *text)
{
	struct converted c = convert_with(a, exchange_text(a, text), (struct convert_how){ .from = from, .to = "otutl" });
	struct str first;

	if (!c.done)
		FAIL("not converted: %s", text);
	if (convert_errors(a, "otutl", c.out, &first) > 0)
		FAIL("%.*s\n%.*s", STR_ARG(first), STR_ARG(c.out));
	CHECK_INT(c.coverage.leaves.left, 0);
	return c;
}

/* A member of the n-th record of a type. */
static inline void exchange_check(struct arena *a, struct str out, const char *type, size_t n, const char *pointer, const char *want)
{
	struct str got = convert_get(a, convert_record(out, type, n), pointer);

	if (want ? !str_eq(got, str_from(want)) : got.p != NULL)
		FAIL("%s %zu %s: \"%.*s\" and not \"%s\" in\n%.*s", type, n, pointer, STR_ARG(got), want ? want : "(none)", STR_ARG(out));
}

static inline bool exchange_holds(struct str out, const char *word)
{
	return str_find(out, str_from(word)) != (size_t)-1;
}

#endif
