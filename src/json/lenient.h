/*
 * Foreign logs: several values on a line, odd numbers, damaged lines. Values are given one by one;
 * whatever is wrong is reported and the reading goes on, at the next newline when it cannot go on
 * in the line. Clean lines take the fast path.
 *
 * What is passed over: see slow.h. Of duplicates, lone surrogates and byte order marks those that the
 * parser's options allow are not reported. A further value on a line is reported as E_TRAILING and
 * given all the same. Of a line that is damaged, the values before the damage are given.
 */
#ifndef JSON_LENIENT_H
#define JSON_LENIENT_H

#include "json/issue.h"
#include "json/json.h"

struct json_lenient {
	struct json_parser *parser;
	struct str text;
	size_t at, line_start, line_end;
	uint64_t line;
	bool within; /* a line has been begun and is not used up */
	struct issue_mark mark; /* in that line */
	void (*report)(void *context, const struct json_issue *issue); /* may be NULL */
	void *context;
};

/*
 * `chunk` padded with JSON_PAD bytes, made of whole lines. An issue has its offset in the chunk and its line counted
 * from first_line; it lasts for the call. Parser and chunk must outlive the iteration.
 */
void json_lenient_begin(struct json_lenient *it, struct json_parser *p, struct str chunk, uint64_t first_line,
			void (*report)(void *context, const struct json_issue *issue), void *context);

/* The next value, its line number in *line; false at the end of the chunk. Valid until the next call. */
bool json_lenient_next(struct json_lenient *it, struct val *out, uint64_t *line);

#endif
