#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "harness/test.h"
#include "unit/base/child.h"

/* There only in a build with AddressSanitizer. */
__attribute__((weak)) int __asan_address_is_poisoned(const volatile void *p);

/* Small numbers in no order, the same in every run. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static bool is_filled(const unsigned char *p, size_t n, unsigned char with)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != with)
			return false;
	return true;
}

static size_t random_size(uint32_t *state)
{
	static const size_t most[] = { 1, 16, 200, 5000, 40000, 300000 };

	return next_random(state) % most[next_random(state) % 6];
}

TEST(pieces_are_zeroed_aligned_and_apart_also_after_resets)
{
	struct arena a;
	uint32_t state = 1;

	arena_init(&a);
	for (int round = 0; round < 20; round++) {
		unsigned char *pieces[100];
		size_t sizes[100], total = 0;

		for (size_t i = 0; i < 100; i++) {
			size_t align = (size_t)1 << next_random(&state) % 8;

			sizes[i] = random_size(&state);
			pieces[i] = arena_alloc(&a, sizes[i], align);
			CHECK_INT((uintptr_t)pieces[i] % align, 0);
			CHECK(is_filled(pieces[i], sizes[i], 0));
			memset(pieces[i], (int)i + 1, sizes[i]);
			total += sizes[i] ? sizes[i] : 1;
		}
		for (size_t i = 0; i < 100; i++)
			CHECK(is_filled(pieces[i], sizes[i], (unsigned char)(i + 1)));
		CHECK_INT(a.used, total);
		arena_reset(&a);
		CHECK_INT(a.used, 0);
	}
	arena_free(&a);
}

TEST(any_power_of_two_is_an_alignment)
{
	struct arena a;

	arena_init(&a);
	for (size_t align = 1; align <= (size_t)4 << 20; align *= 2) {
		char *p = arena_alloc(&a, 3, align);

		test_case("%zu", align);
		CHECK_INT((uintptr_t)p % align, 0);
		memset(p, 0xff, 3);
	}
	arena_free(&a);
}

TEST(pieces_of_no_bytes_have_addresses_of_their_own)
{
	struct arena a;
	void *first, *second;

	arena_init(&a);
	first = arena_alloc(&a, 0, 1);
	second = arena_alloc(&a, 0, 1);
	CHECK(first && second && first != second);
	arena_free(&a);
}

TEST(a_large_piece_leaves_the_block_in_use_alone)
{
	struct arena a;
	char *before, *after;

	arena_init(&a);
	before = arena_alloc(&a, 8, 8);
	memset(arena_alloc(&a, 10 << 20, 1), 1, 10 << 20);
	after = arena_alloc(&a, 8, 8);
	CHECK(after > before && after - before < 200);
	arena_free(&a);
}

TEST(a_reset_keeps_one_block_but_not_the_memory_of_a_huge_batch)
{
	struct arena a;
	char *at;

	arena_init(&a);
	for (int i = 0; i < 1000; i++)
		arena_alloc(&a, 3000, 1);
	arena_reset(&a);
	CHECK(a.end - a.at > 900 << 10 && a.end - a.at <= 1 << 20);
	at = a.at;
	CHECK(arena_alloc(&a, 3000, 1) == at);

	arena_free(&a);
	CHECK(!a.blocks && !a.at);
	arena_alloc(&a, 64 << 20, 1);
	arena_reset(&a);
	CHECK(!a.blocks && !a.at);
	CHECK(arena_alloc(&a, 1, 1) != NULL);
	arena_free(&a);
}

TEST(a_small_arena_takes_little_until_it_is_used_and_grows_like_any_other)
{
	struct arena a;

	arena_init_small(&a);
	memset(arena_alloc(&a, 1, 1), 1, 1);
	CHECK(a.end - a.at < 2 << 10);
	for (int i = 0; i < 10000; i++)
		memset(arena_alloc(&a, 100, 8), i, 100);
	arena_reset(&a);
	CHECK(a.end - a.at > 100 << 10);
	arena_free(&a);
}

TEST(an_arena_that_was_only_reset_or_freed_can_be_used)
{
	struct arena a;

	arena_init(&a);
	arena_reset(&a);
	CHECK_INT(*arena_new(&a, int), 0);
	arena_free(&a);
	arena_free(&a);
	CHECK_INT(arena_array(&a, int, 7)[6], 0);
	arena_free(&a);
}

TEST(the_sanitizer_sees_the_bytes_around_a_piece_and_all_after_a_reset)
{
	static const size_t sizes[] = { 1, 7, 8, 13, 100, 4000, 5000, 1 << 20 };
	struct arena a;

	if (!__asan_address_is_poisoned)
		SKIP("this build has no AddressSanitizer");
	arena_init(&a);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *p = arena_alloc(&a, sizes[i], 1);

		test_case("%zu bytes", sizes[i]);
		CHECK(!__asan_address_is_poisoned(p));
		CHECK(!__asan_address_is_poisoned(p + sizes[i] - 1));
		CHECK(__asan_address_is_poisoned(p + sizes[i]));
		CHECK(__asan_address_is_poisoned(p - 1));
	}
	arena_reset(&a);
	for (char *p = a.at; p < a.end; p++)
		CHECK(__asan_address_is_poisoned(p));
	arena_free(&a);
}

TEST(a_copy_keeps_every_byte_and_is_followed_by_a_nul)
{
	static const struct str cases[] = { { "", 0 }, { NULL, 0 }, { "a\0b", 3 }, { "\xff\xfe", 2 } };
	struct arena a;
	char *large = calloc(1, 100000);

	arena_init(&a);
	memset(large, 'x', 99999);
	for (size_t i = 0; i < 4; i++) {
		struct str copy = arena_copy(&a, cases[i]);

		CHECK_STR(copy, cases[i]);
		CHECK(copy.p && copy.p != cases[i].p && copy.p[copy.n] == '\0');
	}
	CHECK_STR(arena_copy(&a, str_of(large, 99999)), str_of(large, 99999));
	arena_free(&a);
	free(large);
}

TEST(formatted_text_may_have_any_length)
{
	struct arena a;

	arena_init(&a);
	for (int n = 0; n < 600; n++) {
		struct str s = arena_printf(&a, "%*d|", n, 7);

		test_case("%d", n);
		CHECK_INT(s.n, (n > 1 ? n : 1) + 1);
		CHECK(s.p[s.n - 2] == '7' && s.p[s.n - 1] == '|' && s.p[s.n] == '\0');
	}
	CHECK_INT(arena_printf(&a, "%*d", 1 << 20, 1).n, 1 << 20);
	CHECK_STR(arena_printf(&a, "%s", ""), STR(""));
	arena_free(&a);
}

TEST(the_heap_gives_something_for_nothing_and_keeps_bytes_when_resized)
{
	char *p = mem_alloc(0), *q = mem_resize(NULL, 5);

	CHECK(p && q);
	memcpy(q, "12345", 5);
	q = mem_resize(q, 100000);
	CHECK(memcmp(q, "12345", 5) == 0);
	q = mem_resize(q, 0);
	CHECK(q);
	mem_free(p);
	mem_free(q);
	mem_free(NULL);
}

TEST(memory_that_is_not_there_is_null_for_those_who_can_go_on)
{
	void *p = mem_try_alloc(0), *q = mem_try_alloc(100000);

	CHECK(p && q && mem_try_alloc((size_t)PTRDIFF_MAX + 1) == NULL);
	mem_free(p);
	mem_free(q);
}

static void array_overflows(void)
{
	struct arena a;

	arena_init(&a);
	arena_alloc_array(&a, SIZE_MAX / 4, 8, 8);
}

static void array_wraps_to_a_small_size(void)
{
	struct arena a;

	arena_init(&a);
	arena_alloc_array(&a, SIZE_MAX / 16 + 2, 16, 8);
}

static void piece_wraps(void)
{
	struct arena a;

	arena_init(&a);
	arena_alloc(&a, SIZE_MAX, 4096);
}

static void copy_wraps(void)
{
	struct arena a;

	arena_init(&a);
	arena_copy(&a, str_of("", SIZE_MAX));
}

static void heap_piece_is_too_large(void)
{
	mem_alloc(SIZE_MAX - 8);
}

static void heap_resize_is_too_large(void)
{
	mem_resize(NULL, (size_t)PTRDIFF_MAX + 1);
}

TEST(impossible_sizes_end_the_process_with_status_3_and_one_line)
{
	static void (*const cases[])(void) = {
		array_overflows, array_wraps_to_a_small_size, piece_wraps, copy_wraps, heap_piece_is_too_large,
		heap_resize_is_too_large,
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct child_result r = child_run(cases[i]);

		test_case("%zu", i);
		CHECK_INT(r.status, 3);
		CHECK_STR(str_of(r.err, r.n), STR("trackway: out of memory\n"));
	}
}

TEST(parts_are_joined_whole_with_their_nul_bytes)
{
	struct arena a;
	struct str joined, part;
	char *text;

	arena_init(&a);
	joined = ARENA_JOIN(&a, STR("a\0b"), str_of(NULL, 0), STR("#2"));
	CHECK_STR(joined, STR("a\0b#2"));
	CHECK(joined.p[joined.n] == '\0');
	text = arena_array(&a, char, 9000);
	memset(text, 'x', 9000);
	part = str_of(text, 9000);
	joined = ARENA_JOIN(&a, part, part, STR("."));
	CHECK_INT(joined.n, 18001);
	CHECK(joined.p[18000] == '.');
	arena_free(&a);
}

TEST(a_list_grows_by_doubling_and_keeps_its_elements)
{
	uint64_t *list = NULL, *heap = NULL;
	uint32_t count = 0, cap = 0;
	size_t heap_cap = 0, moves = 0;
	struct arena a;

	arena_init(&a);
	for (; count < 1000; count++) {
		const uint64_t *before = list;

		arena_grow(&a, list, count, cap, 3);
		mem_grow(heap, count, heap_cap, 3);
		moves += list != before;
		CHECK(cap == heap_cap && list[count] == 0);
		list[count] = heap[count] = count;
	}
	CHECK_INT(cap, 3 << 9);
	CHECK_INT(moves, 10);
	for (uint32_t i = 0; i < count; i++)
		CHECK(list[i] == i && heap[i] == i);
	mem_free(heap);
	arena_free(&a);
}

TEST(what_a_buffer_holds_is_taken_and_the_buffer_is_empty)
{
	struct arena a;
	struct str text;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	text = arena_take(&a, &b);
	CHECK(text.p && text.n == 0 && text.p[0] == '\0');
	buf_add_str(&b, STR("one\0two"));
	text = arena_take(&a, &b);
	CHECK_STR(text, STR("one\0two"));
	CHECK(text.p[text.n] == '\0' && !b.p && b.n == 0 && b.cap == 0);
	arena_free(&a);
}
