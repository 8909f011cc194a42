/*
 * Memory by lifetime. An arena hands out zeroed pieces and takes them back all at once; nothing is
 * freed piece by piece. Under AddressSanitizer everything not handed out is poisoned, so that a read
 * past a piece or after a reset is caught.
 *
 * An arena never returns NULL: running out of memory ends the process with exit status 3 and one
 * line on standard error, since no caller could do anything better.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena_block;
struct buf;

struct arena {
	struct arena_block *blocks; /* newest first */
	char *at, *end;             /* what is left of the newest block */
	size_t block_size;          /* of the next block */
	size_t used;                /* bytes handed out since init or reset */
};

/*
 * An empty arena. It takes no memory before the first piece is asked for. A small one begins with less: for what there
 * may be thousands of at once, each with little in it. Both grow as they are used.
 */
void arena_init(struct arena *a);
void arena_init_small(struct arena *a);

/* Everything handed out so far is gone. Keeps one block for the next use. */
void arena_reset(struct arena *a);

/* Gives everything back to the heap. The arena is as after arena_init and may be used again. */
void arena_free(struct arena *a);

/* `size` zeroed bytes, aligned to `align` (a power of two). */
void *arena_alloc(struct arena *a, size_t size, size_t align);

/* Like arena_alloc for `count` elements of `size` bytes, checked for overflow. */
void *arena_alloc_array(struct arena *a, size_t count, size_t size, size_t align);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type), _Alignof(type)))
#define arena_array(a, type, count) ((type *)arena_alloc_array((a), (count), sizeof(type), _Alignof(type)))

/*
 * Room for one more element behind the `count` of a list that an arena owns: when there is none, the list moves to
 * twice the room, `first` elements at the beginning. `list` and `cap` are variables and are set. New room is zeroed;
 * the old place goes with the arena.
 */
#define arena_grow(a, list, count, cap, first) \
	do { \
		if ((count) >= (cap)) { \
			(cap) = (cap) ? 2 * (cap) : (first); \
			(list) = arena_move_array((a), (list), (count), (cap), sizeof(*(list))); \
		} \
		assert((count) < (cap)); \
	} while (0)

/* A copy of the first `count` elements in a new array of `cap`. */
void *arena_move_array(struct arena *a, const void *list, size_t count, size_t cap, size_t size);

/* A copy of s that lives as long as the arena; followed by a NUL that is not counted. */
struct str arena_copy(struct arena *a, struct str s);

/* A copy of what is in the buffer, which is freed. */
struct str arena_take(struct arena *a, struct buf *b);

/* The parts one after the other, whole: for ids and names, which "%.*s" would cut at a NUL or when they are long. */
struct str arena_join(struct arena *a, const struct str *parts, size_t count);

#define ARENA_JOIN(a, ...) \
	arena_join((a), (const struct str[]){ __VA_ARGS__ }, COUNT(((const struct str[]){ __VA_ARGS__ })))

/* Formatted text that lives as long as the arena; followed by a NUL that is not counted. */
__attribute__((format(printf, 2, 3))) struct str arena_printf(struct arena *a, const char *format, ...);

/*
 * The one heap of the program, for what grows by moving or outlives every arena: never NULL. Bytes are not zeroed.
 * mem_free takes NULL too.
 */
void *mem_alloc(size_t size);
void *mem_resize(void *p, size_t size);
void mem_free(void *p);

/* As arena_grow, for a list of the heap; new room is not zeroed. */
#define mem_grow(list, count, cap, first) \
	do { \
		if ((count) >= (cap)) { \
			(cap) = (cap) ? 2 * (cap) : (first); \
			(list) = mem_resize_array((list), (cap), sizeof(*(list))); \
		} \
		assert((count) < (cap)); \
	} while (0)

/* Like mem_resize for `count` elements of `size` bytes, checked for overflow. */
void *mem_resize_array(void *p, size_t count, size_t size);

/* NULL when there is no memory: for code inside a program that must go on without it. */
void *mem_try_alloc(size_t size);

#endif
