/*
 * Rows of the JSONL corpora, read by plain search so that the tests of base/ need no JSON parser of
 * ours. Good enough for flat rows whose strings hold no text that looks like a member.
 */
#ifndef UNIT_BASE_ROWS_H
#define UNIT_BASE_ROWS_H

#include <stdio.h>

#include "base/utf8.h"
#include "harness/test.h"

static inline bool row_next(struct str *rest, struct str *row)
{
	while (rest->n > 0) {
		*row = str_cut(*rest, '\n', rest);
		if (row->n > 0)
			return true;
	}
	return false;
}

/* The member's text as written, with the quotes of a string; empty when there is none. */
static inline struct str row_raw(struct str row, const char *name)
{
	char quoted[64];
	size_t at, n = 0;
	struct str value;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", name);
	at = str_find(row, str_from(quoted));
	if (at == (size_t)-1)
		return STR("");
	value = str_of(row.p + at + strlen(quoted), row.n - at - strlen(quoted));
	if (value.p[0] != '"') {
		while (value.p[n] != ',' && value.p[n] != '}')
			n++;
		return str_of(value.p, n);
	}
	for (n = 1; value.p[n] != '"'; n++)
		n += value.p[n] == '\\';
	return str_of(value.p, n + 1);
}

/* A string member, unescaped into `out`. */
static inline struct str row_text(struct str row, const char *name, char out[1024])
{
	struct str raw = row_raw(row, name);
	size_t n = 0;
	unsigned code;

	for (size_t i = 1; i + 1 < raw.n; i++) {
		CHECK(n < 1000);
		if (raw.p[i] != '\\') {
			out[n++] = raw.p[i];
		} else if (raw.p[++i] == 'u') {
			CHECK_INT(sscanf(raw.p + i + 1, "%4x", &code), 1);
			n += utf8_encode(out + n, code);
			i += 4;
		} else {
			out[n++] = raw.p[i] == 'n' ? '\n' : raw.p[i] == 't' ? '\t' : raw.p[i];
		}
	}
	return str_of(out, n);
}

static inline bool row_is_true(struct str row, const char *name)
{
	return str_eq(row_raw(row, name), STR("true"));
}

/* An integer member, with or without quotes. */
static inline bool row_integer(struct str row, const char *name, long long *out)
{
	struct str raw = row_raw(row, name);

	return raw.n > 0 && sscanf(raw.p[0] == '"' ? raw.p + 1 : raw.p, "%lld", out) == 1;
}

#endif
