/*
 * Damage, by number: the same seed gives the same damage on every machine. What it does is what happens to
 * files (cut off, bytes lost or twice, lines in another order, two files in one) and what a careless writer
 * does to values.
 */
#ifndef FAULT_MUTATE_H
#define FAULT_MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

struct mutate {
	uint64_t state;
	struct str other; /* a text to take pieces from */
};

/* splitmix64 */
static inline uint64_t mutate_next(struct mutate *m)
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* 0 to limit - 1; 0 when there is nothing to choose from. */
static inline size_t mutate_below(struct mutate *m, size_t limit)
{
	return limit ? (size_t)(mutate_next(m) % limit) : 0;
}

static inline void mutate_remove(struct buf *b, size_t at, size_t n)
{
	if (b->n)
		memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

/* `text` must not be part of the buffer. */
static inline void mutate_insert(struct buf *b, size_t at, struct str text)
{
	if (text.n == 0)
		return;
	buf_reserve(b, text.n);
	memmove(b->p + at + text.n, b->p + at, b->n - at);
	memcpy(b->p + at, text.p, text.n);
	b->n += text.n;
}

/* The whole line around a place, with its LF. */
static inline struct str mutate_line(const struct buf *b, size_t at)
{
	size_t from = at, to = at;

	while (from > 0 && b->p[from - 1] != '\n')
		from--;
	while (to < b->n && b->p[to] != '\n')
		to++;
	return str_of(b->p + from, to - from + (to < b->n));
}

static inline void mutate_insert_copy(struct buf *b, size_t at, struct str part)
{
	char copy[512];
	size_t n = part.n < sizeof(copy) ? part.n : sizeof(copy);

	memcpy(copy, part.p, n);
	mutate_insert(b, at, str_of(copy, n));
}

static inline void mutate_move_line(struct mutate *m, struct buf *b, bool keep)
{
	struct str line = mutate_line(b, mutate_below(m, b->n));
	size_t from = (size_t)(line.p - b->p), to;
	struct buf copy;

	buf_init(&copy);
	buf_add_str(&copy, line);
	if (!keep)
		mutate_remove(b, from, line.n);
	to = b->n ? (size_t)(mutate_line(b, mutate_below(m, b->n)).p - b->p) : 0;
	mutate_insert(b, to, buf_str(&copy));
	buf_free(&copy);
}

static inline void mutate_insert_word(struct mutate *m, struct buf *b)
{
	static const char *const words[] = {
		"null", "-1", "0", "1e999", "1e-999", "9007199254740993", "-0.0", "\"\"", "{}", "[]", "{", "}", "[", "]", ",",
		":", "\"", "\\", "\\u0000", "\\ud800", "\n", "\r\n", "\n\n", " ", "true", "\"a\":1,", "\xef\xbb\xbf", "\xff",
		"\xc3\xa9", "\xe2\x80\xa8", "2026-02-30T25:61:61Z", "sk-ant-api03-", "/etc/passwd", "http://u:p@h/",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\x7f", "\x1b[31m",
	};

	mutate_insert(b, mutate_below(m, b->n + 1), str_from(words[mutate_below(m, sizeof(words) / sizeof(words[0]))]));
}

static inline void mutate_once(struct mutate *m, struct buf *b)
{
	size_t at = mutate_below(m, b->n), left = b->n - at;
	size_t n = 1 + mutate_below(m, left < 40 ? left : 40);

	if (b->n == 0) {
		mutate_insert_word(m, b);
		return;
	}
	if (n > left)
		n = left;
	switch (mutate_below(m, 9)) {
	case 0:
		b->p[at] = (char)(b->p[at] ^ 1 << mutate_below(m, 8));
		break;
	case 1:
		b->p[at] = (char)mutate_next(m);
		break;
	case 2:
		mutate_remove(b, at, n);
		break;
	case 3:
		mutate_insert_copy(b, at, str_of(b->p + at, n));
		break;
	case 4:
		mutate_insert(b, at, str_of(m->other.p + mutate_below(m, m->other.n / 2), mutate_below(m, m->other.n / 2)));
		break;
	case 5:
		mutate_move_line(m, b, false);
		break;
	case 6:
		mutate_move_line(m, b, true);
		break;
	case 7:
		mutate_insert_word(m, b);
		break;
	default:
		mutate_insert_copy(b, mutate_below(m, b->n), str_of(b->p + at, n));
		break;
	}
}

#endif
