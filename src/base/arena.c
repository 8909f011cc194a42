#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/fatal.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED 1
#endif

#ifdef WATCHED
#include <sanitizer/asan_interface.h>
#define RED_ZONE ((size_t)32)
#define MIN_ALIGN ((size_t)8) /* the sanitizer's shadow can only begin a piece at a multiple of 8 */
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define RED_ZONE ((size_t)0)
#define MIN_ALIGN ((size_t)1)
#endif

#define FIRST_BLOCK ((size_t)16 << 10)
#define SMALL_BLOCK ((size_t)1 << 10)
#define LARGEST_BLOCK ((size_t)1 << 20)

/* A block this large may survive a reset: a single huge batch must not keep its memory for good. */
#define KEEP_MAX LARGEST_BLOCK

struct arena_block {
	struct arena_block *next;
	size_t size; /* of data */
	_Alignas(max_align_t) char data[];
};

static void check_size(size_t size)
{
	if (size > PTRDIFF_MAX - sizeof(struct arena_block) - RED_ZONE)
		fatal_exit("out of memory");
}

void *mem_alloc(size_t size)
{
	void *p;

	check_size(size);
	p = malloc(size ? size : 1);
	if (!p)
		fatal_exit("out of memory");
	return p;
}

void *mem_resize(void *p, size_t size)
{
	void *q;

	check_size(size);
	q = realloc(p, size ? size : 1);
	if (!q)
		fatal_exit("out of memory");
	return q;
}

static size_t array_size(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		fatal_exit("out of memory");
	return bytes;
}

void *mem_resize_array(void *p, size_t count, size_t size)
{
	return mem_resize(p, array_size(count, size));
}

void mem_free(void *p)
{
	free(p);
}

void *mem_try_alloc(size_t size)
{
	return size <= PTRDIFF_MAX ? malloc(size ? size : 1) : NULL;
}

static struct arena_block *block_init(void *memory, size_t size)
{
	struct arena_block *b = memory;

	if (!b)
		fatal_exit("out of memory");
	b->size = size;
	ASAN_POISON_MEMORY_REGION(b->data, size);
	return b;
}

static void block_free(struct arena_block *b)
{
	ASAN_UNPOISON_MEMORY_REGION(b->data, b->size);
	mem_free(b);
}

static void block_use(struct arena *a, struct arena_block *b)
{
	a->at = b ? b->data + RED_ZONE : NULL;
	a->end = b ? b->data + b->size : NULL;
}

static size_t padding(const char *at, size_t align)
{
	return -(uintptr_t)at & (align - 1);
}

/*
 * A block for one piece, zeroed, goes behind the newest, whose rest stays in use. calloc gets large
 * blocks from the system already zero and does not touch them.
 */
static char *take_own_block(struct arena *a, size_t size, size_t align)
{
	struct arena_block *b, **where = a->blocks ? &a->blocks->next : &a->blocks;
	size_t total = RED_ZONE + align + size;
	char *p;

	b = block_init(calloc(1, sizeof(*b) + total), total);
	b->next = *where;
	*where = b;
	p = b->data + RED_ZONE;
	return p + padding(p, align);
}

static void add_block(struct arena *a)
{
	struct arena_block *b = block_init(malloc(sizeof(*b) + a->block_size), a->block_size);

	b->next = a->blocks;
	a->blocks = b;
	block_use(a, b);
	if (a->block_size < LARGEST_BLOCK)
		a->block_size *= 2;
}

static char *take_shared_block(struct arena *a, size_t size, size_t align)
{
	size_t room = (size_t)(a->end - a->at), skip = padding(a->at, align);
	char *p;

	if (room < skip || room - skip < size) {
		add_block(a);
		skip = padding(a->at, align);
	}
	p = a->at + skip;
	assert(p >= a->blocks->data && size <= (size_t)(a->end - p));
	a->at = (size_t)(a->end - p) - size > RED_ZONE ? p + size + RED_ZONE : a->end;
	return p;
}

/* `size` bytes of any content; *zeroed tells whether they are known to be zero. */
static char *take(struct arena *a, size_t size, size_t align, bool *zeroed)
{
	char *p;

	assert(align && (align & (align - 1)) == 0);
	check_size(size);
	align = align > MIN_ALIGN ? align : MIN_ALIGN;
	size += size == 0; /* no two pieces have the same address */
	check_size(size + align);
	a->used += size;
	*zeroed = size + align > a->block_size / 4;
	p = *zeroed ? take_own_block(a, size, align) : take_shared_block(a, size, align);
	ASAN_UNPOISON_MEMORY_REGION(p, size);
	return p;
}

void arena_init(struct arena *a)
{
	*a = (struct arena){ .block_size = FIRST_BLOCK };
}

void arena_init_small(struct arena *a)
{
	*a = (struct arena){ .block_size = SMALL_BLOCK };
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = NULL, *next;

	for (struct arena_block *b = a->blocks; b; b = next) {
		struct arena_block *loser = b;

		next = b->next;
		if (b->size <= KEEP_MAX && (!keep || b->size > keep->size)) {
			loser = keep;
			keep = b;
		}
		if (loser)
			block_free(loser);
	}
	if (keep) {
		keep->next = NULL;
		ASAN_POISON_MEMORY_REGION(keep->data, keep->size);
	}
	a->blocks = keep;
	a->used = 0;
	block_use(a, keep);
}

void arena_free(struct arena *a)
{
	struct arena_block *next;

	for (struct arena_block *b = a->blocks; b; b = next) {
		next = b->next;
		block_free(b);
	}
	arena_init(a);
}

void *arena_alloc(struct arena *a, size_t size, size_t align)
{
	bool zeroed;
	char *p = take(a, size, align, &zeroed);

	if (!zeroed)
		memset(p, 0, size);
	return p;
}

void *arena_alloc_array(struct arena *a, size_t count, size_t size, size_t align)
{
	return arena_alloc(a, array_size(count, size), align);
}

void *arena_move_array(struct arena *a, const void *list, size_t count, size_t cap, size_t size)
{
	void *moved = arena_alloc_array(a, cap, size, _Alignof(max_align_t));

	assert(count < cap);
	if (list)
		memcpy(moved, list, count * size);
	return moved;
}

struct str arena_copy(struct arena *a, struct str s)
{
	bool zeroed;
	char *p;

	assert(s.p || s.n == 0);
	check_size(s.n);
	p = take(a, s.n + 1, 1, &zeroed);
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return str_of(p, s.n);
}

struct str arena_take(struct arena *a, struct buf *b)
{
	struct str copy = arena_copy(a, buf_str(b));

	buf_free(b);
	return copy;
}

struct str arena_join(struct arena *a, const struct str *parts, size_t count)
{
	size_t n = 0;
	bool zeroed;
	char *p, *at;

	for (size_t i = 0; i < count; i++) {
		check_size(parts[i].n);
		n += parts[i].n;
		check_size(n);
	}
	p = at = take(a, n + 1, 1, &zeroed);
	for (size_t i = 0; i < count; i++) {
		if (parts[i].n)
			memcpy(at, parts[i].p, parts[i].n);
		at += parts[i].n;
	}
	*at = '\0';
	return str_of(p, n);
}

struct str arena_printf(struct arena *a, const char *format, ...)
{
	char few[256], *p;
	va_list args;
	bool zeroed;
	size_t n;
	int length;

	va_start(args, format);
	length = vsnprintf(few, sizeof(few), format, args);
	va_end(args);
	assert(length >= 0);
	n = (size_t)length;
	if (n < sizeof(few))
		return arena_copy(a, str_of(few, n));
	p = take(a, n + 1, 1, &zeroed);
	va_start(args, format);
	vsnprintf(p, n + 1, format, args);
	va_end(args);
	return str_of(p, n);
}
