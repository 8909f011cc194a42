#include "base/buf.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/fatal.h"

#define FIRST_SIZE ((size_t)256)

void buf_init(struct buf *b)
{
	*b = (struct buf){ 0 };
}

void buf_free(struct buf *b)
{
	mem_free(b->p);
	buf_init(b);
}

void buf_grow(struct buf *b, size_t more)
{
	size_t need, cap = b->cap < FIRST_SIZE ? FIRST_SIZE : b->cap;

	if (__builtin_add_overflow(b->n, more, &need) || need > PTRDIFF_MAX)
		fatal_exit("out of memory");
	while (cap < need)
		cap = cap > PTRDIFF_MAX / 2 ? need : cap * 2;
	b->p = mem_resize(b->p, cap);
	b->cap = cap;
	assert(b->cap - b->n >= more);
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
	va_list again;
	char *p = buf_reserve(b, 1);
	size_t n;
	int length;

	va_copy(again, args);
	length = vsnprintf(p, b->cap - b->n, format, args);
	assert(length >= 0);
	n = (size_t)length;
	if (n >= b->cap - b->n)
		vsnprintf(buf_reserve(b, n + 1), n + 1, format, again);
	va_end(again);
	b->n += n;
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(b, format, args);
	va_end(args);
}
