/*
 * The parts an issue is made of: the place, the piece found there, the pointer. Shared by everything
 * that reads JSON step by step, so that the same fault has the same place and words everywhere.
 */
#ifndef JSON_ISSUE_H
#define JSON_ISSUE_H

#include "base/buf.h"
#include "base/finding.h"
#include "json/json.h"

#define ISSUE_AHEAD 32 /* bytes from the place on that a message may depend on */

/* How far lines and columns have been counted; all zero at the start of a text. */
struct issue_mark {
	size_t offset;
	uint64_t line, column; /* of offset; both count from 1, 0 stands for 1 */
};

/* Counts on to `offset`, which must not lie before the mark. */
void issue_mark_move(struct issue_mark *m, struct str text, size_t offset);

/* printf into the message; too long a text is cut at a character. */
__attribute__((format(printf, 2, 3))) void issue_say(struct json_issue *issue, const char *format, ...);

/*
 * "expected X, found Y", where Y is what stands at `at`. Sets code, offset, length and message; the
 * code is E_UTF8 instead when no character stands there. `expected` NULL leaves out its part.
 */
void issue_unexpected(struct json_issue *issue, struct str text, size_t at, enum json_code code,
		      const char *expected);

/* What is expected: the value of a member, of an element after `commas` commas, or of the document. */
enum issue_inside { ISSUE_DOCUMENT, ISSUE_ARRAY, ISSUE_OBJECT };
const char *issue_expected_value(enum issue_inside inside, uint64_t commas);
const char *issue_expected_name(uint64_t commas);
const char *issue_expected_next(enum issue_inside inside);
#define ISSUE_EXPECTED_COLON "':' after a name"

/* The text has no byte at all. */
void issue_empty(struct json_issue *issue);

/* The text begins with a byte order mark. */
void issue_bom(struct json_issue *issue);

/* The bracket at `at` is one more than `max_depth`. */
void issue_depth(struct json_issue *issue, size_t at, uint32_t max_depth);

/* The bytes at `at` are not UTF-8: code, offset, length, and why. */
void issue_bad_utf8(struct json_issue *issue, struct str text, size_t at);

/* The control character at `at` stands in a string as it is. */
void issue_control(struct json_issue *issue, struct str text, size_t at);

/*
 * The name of the member whose name is `raw` (without quotes, escapes as they are) occurs again; `at` is its opening
 * quote. About 48 bytes of it are shown, and nothing in it that a terminal would act upon.
 */
void issue_duplicate(struct json_issue *issue, struct str raw, size_t at);

/*
 * Adds "/name" or "/index" to a pointer. `raw` is a name as it stands in the text; ~ and / are escaped, ill-formed
 * bytes become U+FFFD.
 */
void issue_pointer_add_name(struct buf *pointer, struct str raw);
void issue_pointer_add_index(struct buf *pointer, uint64_t index);

/*
 * The issue as a finding, an error. `line` is the text of the line it is in, `number` that line's, `origin` its place
 * in the file, `at` the place in the line.
 */
void issue_add_finding(struct findings *list, const struct json_issue *issue, struct str line, uint64_t number,
		       uint64_t origin, size_t at);

/* The same for an issue of json_lines_next: `record` is its line, `origin` the place of the chunk in the file. */
void issue_add_in_line(struct findings *list, const struct json_issue *issue, const struct json_record *record,
		       uint64_t origin);

/* The same for an issue of a document, whose bytes are `text`: the line around the place is looked for there. */
void issue_add_in_document(struct findings *list, const struct json_issue *issue, struct str text);

#endif
