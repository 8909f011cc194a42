/*
 * Growable bytes, owned by whoever called buf_init, to be released with buf_free. Growing may move
 * the bytes, so a struct str into a buffer lasts until the next call that adds to it.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

struct buf {
	char *p;
	size_t n, cap;
};

/* An empty buffer, which holds no memory yet. buf_free gives the memory back and leaves such a one. */
void buf_init(struct buf *b);
void buf_free(struct buf *b);

/* Room for `more` further bytes at b->p + b->n. Growth is geometric. */
void buf_grow(struct buf *b, size_t more);

/* Where the next `more` bytes may be written; the caller adds to b->n what it wrote. Never NULL when more > 0. */
static inline char *buf_reserve(struct buf *b, size_t more)
{
	assert(b->n <= b->cap);
	if (b->cap - b->n < more)
		buf_grow(b, more);
	return b->n ? b->p + b->n : b->p; /* an offset, even 0, from NULL is not defined */
}

/* Forgets the bytes and keeps the room. */
static inline void buf_clear(struct buf *b)
{
	b->n = 0;
}

static inline void buf_add(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	assert(p);
	memcpy(buf_reserve(b, n), p, n);
	b->n += n;
}

static inline void buf_add_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

static inline void buf_add_byte(struct buf *b, char c)
{
	*buf_reserve(b, 1) = c;
	b->n++;
}

/* The bytes so far; valid until the next call that adds. */
static inline struct str buf_str(const struct buf *b)
{
	return str_of(b->p, b->n);
}

/* Adds formatted text, without a terminator. */
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b, const char *format, ...);
__attribute__((format(printf, 2, 0))) void buf_vprintf(struct buf *b, const char *format, va_list args);

#endif
