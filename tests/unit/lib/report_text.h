/* Reports as text, so that two of them can be compared whole. */
#ifndef UNIT_LIB_REPORT_TEXT_H
#define UNIT_LIB_REPORT_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "trackway.h"

/* All that a report says. Frees the report; the text lives as long as the test. */
static inline struct str report_text(struct tw_report *r)
{
	char *json = tw_report_json(r), *copy;
	size_t n = strlen(json);

	copy = test_alloc(n + 1);
	memcpy(copy, json, n);
	tw_text_free(json);
	tw_report_free(r);
	return str_of(copy, n);
}

static inline struct str report_of_memory(struct str bytes, const struct tw_validate_options *options)
{
	return report_text(tw_validate_memory(bytes.p, bytes.n, "x.jsonl", options));
}

/* The bytes in pieces of `piece`, each a copy of its own that is gone after the call. */
static inline struct tw_report *report_of_pieces(struct str bytes, size_t piece, const struct tw_validate_options *options)
{
	struct tw_validator *v = tw_validator_open("x.jsonl", options);

	for (size_t at = 0; at < bytes.n; at += piece) {
		size_t n = bytes.n - at < piece ? bytes.n - at : piece;
		char *copy = malloc(n);

		memcpy(copy, bytes.p + at, n);
		tw_validator_feed(v, copy, n);
		free(copy);
	}
	return tw_validator_finish(v);
}

/* `count` copies of a text, one after the other. */
static inline struct str report_repeat(struct str text, size_t count)
{
	char *all = test_alloc(text.n * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(all + i * text.n, text.p, text.n);
	return str_of(all, text.n * count);
}

#endif
