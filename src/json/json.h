/*
 * The JSON core: bytes in, values out, nothing known of agents.
 *
 * A parser turns text into a tape: one 16-byte token per key and value, in document order, that says
 * where in the text the thing is. Nothing is copied, unescaped or converted while parsing; a value is
 * a span of the input, numbers keep their text, and whoever needs a string or a double asks for it.
 * A struct val is a handle into a tape, passed by value; val.h looks at it.
 *
 * Checked in full, always: RFC 8259 grammar, UTF-8, control characters, escapes, nesting. Checked and
 * refused unless the options say otherwise: a byte order mark, names that are equal after unescaping,
 * lone surrogates (the I-JSON rules of RFC 7493).
 *
 * How it is fast: each variant in scan_*.c classifies 64 bytes at a time into bitmaps and writes an
 * index of the places that matter (brackets, opening quotes, first bytes of other scalars, line ends;
 * escapes in a list of their own). Commas, colons and closing quotes are not indexed: they are
 * checked by looking back from the next indexed place, which also gives a string's length for free.
 * Objects are followed along shapes (see shape.h), so that a name seen before in the same place costs
 * one comparison, duplicates included. An error is never located in the fast path: the record is
 * parsed again by the plain scalar parser in slow.c, which knows exact places, and which the fuzzer
 * holds against every variant.
 *
 * Not taken: a DOM (pointers cost more than the text), on-demand parsing (an unread part would stay
 * unchecked), conversion of numbers while parsing (most are never asked for, and their text is
 * evidence).
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/str.h"
#include "json/val.h"

#define JSON_PAD 64       /* readable bytes that must follow any text given to a parser */
#define JSON_DEPTH 1024   /* default limit of nesting */
#define JSON_DEPTH_MAX 65535

enum json_code {
	JSON_OK,
	JSON_E_BOM,           /* a byte order mark before the value */
	JSON_E_UTF8,          /* bytes that are no character */
	JSON_E_CTRL,          /* a control character in a string, not escaped */
	JSON_E_SYNTAX,        /* anything else that is not JSON */
	JSON_E_TRAILING,      /* something behind the value */
	JSON_E_DEPTH,         /* nested deeper than max_depth */
	JSON_E_DUP_KEY,       /* a name twice in one object */
	JSON_E_SURROGATE,     /* half of a surrogate pair, alone */
	JSON_E_NUM_RANGE,     /* a number beyond the largest double */
	JSON_E_NUM_UNDERFLOW, /* one that is not zero, but would become zero */
	JSON_E_NUM_UNSAFE_INT, /* an integer beyond 2^53-1 */
	JSON_E_NUM_PRECISION, /* reported as W_NUM_PRECISION */
	JSON_E_NONCHAR,       /* reported as W_NONCHAR */
	JSON_E_LIMIT,         /* larger, or with more in it, than is read */
	JSON_CODES,
};

/* "E_SYNTAX" and so on; the names the spec pages and reports use. A constant. */
const char *json_code_name(enum json_code c);

/* What is wrong, where. */
struct json_issue {
	enum json_code code;
	size_t offset;       /* in the text given */
	size_t length;       /* of the wrong piece, at least 1 except at the end of the text */
	uint64_t line;       /* 1-based, counted from the start of the text given */
	uint64_t column;     /* 1-based, in code points */
	struct str pointer;  /* RFC 6901: the value being read */
	char message[120];
};

struct json_options {
	uint32_t max_depth;    /* 0 means JSON_DEPTH */
	size_t max_values;     /* of one text, about; more is JSON_E_LIMIT before memory is taken. 0 means any number */
	bool allow_duplicates; /* keep them and flag the later key */
	bool allow_lone;       /* keep lone surrogates and flag the string */
	bool allow_bom;        /* skip one at the start */
};

struct json_parser;

/*
 * Owns its tape, index, keys and shapes; made and freed by the caller's side of a thread. Never NULL. Closing it ends
 * the life of every value it gave; NULL is allowed.
 */
struct json_parser *json_parser_open(struct json_options options);
void json_parser_close(struct json_parser *p);

/*
 * One value with white space around it. `text` must be followed by JSON_PAD readable bytes and must outlive the value.
 * On failure false, *out is untouched, and *issue (when not NULL) says what and where; its pointer lives until the next
 * parse. A text of 4 GiB or more, or with more than max_values, is JSON_E_LIMIT.
 */
bool json_parse(struct json_parser *p, struct str text, struct val *out, struct json_issue *issue);

/*
 * Like json_parse for text without padding: copies it first; the copy is the parser's, and the value lasts until the
 * parser parses again.
 */
bool json_parse_copy(struct json_parser *p, struct str text, struct val *out, struct json_issue *issue);

/* ---- lines: one value per line ---- */

enum json_line { JSON_LINE_VALUE, JSON_LINE_BLANK, JSON_LINE_BAD, JSON_LINE_END };

struct json_lines {
	struct json_parser *parser;
	struct str text;       /* the chunk */
	size_t at;             /* where the next batch begins */
	size_t batch_end;
	size_t alone_until;    /* lines before it are parsed one by one: their batch has a fault */
	uint32_t next_row, rows; /* of the batch at hand */
	uint64_t line;         /* of the next line to give */
};

struct json_record {
	struct str text;   /* the line without its end (LF or CRLF) */
	size_t offset;     /* of the line in the chunk */
	uint64_t line;     /* first_line of json_lines_begin + lines before */
	bool ended;        /* by a line end; false for a last line without one */
	struct val value;  /* JSON_LINE_VALUE only */
};

/*
 * Iterates over a chunk of lines (padded as for json_parse). A value lasts until the next call. JSON_LINE_BAD: the line
 * is not one JSON value; *issue says why, with line as in the record and offset in the chunk; the
 * iteration goes on with the next line.
 */
void json_lines_begin(struct json_lines *it, struct json_parser *p, struct str chunk, uint64_t first_line);
enum json_line json_lines_next(struct json_lines *it, struct json_record *out, struct json_issue *issue);

/* The name of the variant in use ("avx2"); all variants give the same tapes. */
const char *json_variant(void);

/*
 * Chooses a variant by name, before any parser is opened and before threads are started; false, with nothing changed,
 * when there is none of this name that can run on this machine.
 */
bool json_use_variant(struct str name);

#endif
