#include "bench/run/block_sizes.h"

#include "harness/test.h"

#define MOST 8

struct call {
	uint32_t tokens;
	uint64_t ids[MOST]; /* ended by 0 */
	uint32_t sizes[MOST];
};

/* The sizes of all calls of a trace, as they must be. */
static void check(const struct call *calls, size_t count)
{
	struct recorded_item items[MOST] = { 0 };
	uint64_t blocks[MOST * MOST];
	const uint32_t *sizes;
	struct buf out;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		items[i] = (struct recorded_item){ .block_at = n, .input_tokens = calls[i].tokens };
		for (size_t k = 0; k < MOST && calls[i].ids[k]; k++) {
			blocks[n++] = calls[i].ids[k];
			items[i].block_count++;
		}
	}
	buf_init(&out);
	block_sizes_find(&out, items, count, blocks, n);
	CHECK_INT(out.n, n * sizeof(uint32_t));
	sizes = (const uint32_t *)(const void *)out.p;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < items[i].block_count; k++) {
			test_case("call %zu, block %zu", i, k);
			CHECK_INT(sizes[items[i].block_at + k], calls[i].sizes[k]);
		}
	buf_free(&out);
}

TEST(what_is_not_known_yet_is_divided_among_new_blocks)
{
	static const struct call calls[] = {
		{ 100, { 9, 8, 7 }, { 34, 33, 33 } },
		{ 200, { 9, 8, 6, 5 }, { 34, 33, 67, 66 } },
		{ 200, { 9, 8, 6, 5 }, { 34, 33, 67, 66 } },
		{ 134, { 9, 8, 6 }, { 34, 33, 67 } },
		{ 50, { 4 }, { 50 } },
	};

	check(calls, 5);
}

TEST(a_call_that_says_nothing_or_too_little_has_blocks_all_the_same)
{
	static const struct call calls[] = {
		{ 90, { 9, 8 }, { 45, 45 } },
		{ 0, { 9, 7, 6 }, { 45, 60, 60 } }, /* the mean: 90 tokens of a block and a half */
		{ 10, { 9, 8, 5, 4 }, { 45, 45, 1, 1 } },
		{ 1000, { 3, 3 }, { 500, 500 } },
		{ 7, { 0 }, { 0 } },
	};

	check(calls, 1);
	check(calls, 2);
	check(calls + 2, 0);
	check((struct call[]){ calls[0], { 10, { 9, 8, 5, 4 }, { 45, 45, 1, 1 } }, calls[3], calls[4] }, 4);
}

TEST(without_any_number_of_tokens_blocks_are_those_of_mooncake)
{
	static const struct call calls[] = { { 0, { 1, 2 }, { RECORDED_BLOCK, RECORDED_BLOCK } } };

	check(calls, 1);
}
