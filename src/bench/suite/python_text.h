/*
 * Python's idea of text, as far as the benchmark's rulings lean on it: the harness that this one must agree with was
 * written in Python, so its words, lines and quoted values are Python's. Text is UTF-8 here and code points there; a
 * byte that is no character counts as one that is not blank.
 */
#ifndef BENCH_SUITE_PYTHON_TEXT_H
#define BENCH_SUITE_PYTHON_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/json.h"

/* What str.isspace, str.split, str.strip and \s take for blank: 29 characters, U+001C to U+001F among them. */
bool python_is_space(uint32_t code);

/* The length in bytes of the blank character at `at`, or 0 when another one stands there or none. */
size_t python_space_at(struct str s, size_t at);

/* str.strip, str.rstrip and str.lstrip without arguments. */
struct str python_strip(struct str s);
struct str python_rstrip(struct str s);
struct str python_lstrip(struct str s);

/* How many parts str.split() gives. */
size_t python_count_words(struct str s);

/* str.splitlines(): the next line, without its end; false when there is none. Ten characters and CRLF end a line. */
bool python_next_line(struct str *rest, struct str *line);

/* repr() of a text, and of a JSON value as json.loads gives it. Both add to `out`. */
void python_repr(struct buf *out, struct str text);
void python_repr_value(struct buf *out, struct val v);

#endif
