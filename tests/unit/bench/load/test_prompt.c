#include "bench/load/prompt.h"

#include "bench/run/recorded.h"
#include "harness/test.h"

static struct str make(struct buf *b, const struct load_prompt *p)
{
	buf_init(b);
	load_prompt_make(b, p);
	return buf_str(b);
}

TEST(a_question_has_about_the_wanted_length)
{
	static const uint32_t wanted[] = { 1, 2, 100, 511, 512, 4000, 100000 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct load_prompt p = { .seed = 1, .tokens = wanted[i] };
		struct buf b;
		uint64_t got = load_prompt_tokens(make(&b, &p));

		test_case("%u", wanted[i]);
		CHECK(got >= wanted[i] && got <= wanted[i] + 2);
		buf_free(&b);
	}
}

TEST(the_same_request_is_the_same_and_others_begin_differently)
{
	struct load_prompt p = { .seed = 1, .number = 5, .tokens = 40 }, other = p;
	struct buf a, b;

	CHECK_STR(make(&a, &p), make(&b, &p));
	buf_free(&b);
	other.number = 6;
	make(&b, &other);
	CHECK(memcmp(a.p, b.p, 12) != 0);
	buf_free(&b);
	other = p;
	other.seed = 2;
	make(&b, &other);
	CHECK(memcmp(a.p, b.p, 12) != 0);
	buf_free(&b);
	buf_free(&a);
}

TEST(equal_blocks_are_equal_text_whoever_asks)
{
	static const uint64_t first[] = { 3, 9, 4 }, second[] = { 3, 9, 8 };
	struct load_prompt p = { .seed = 1, .number = 1, .tokens = 3 * RECORDED_BLOCK, .blocks = first, .block_count = 3 };
	struct load_prompt q = { .seed = 1, .number = 2, .tokens = 3 * RECORDED_BLOCK, .blocks = second, .block_count = 3 };
	struct load_prompt shared = { .seed = 1, .number = 7, .tokens = 2 * RECORDED_BLOCK, .blocks = first, .block_count = 2 };
	struct buf a, b, c;

	make(&a, &p);
	make(&b, &q);
	make(&c, &shared);
	CHECK(a.n > c.n && b.n > c.n);
	CHECK(memcmp(a.p, c.p, c.n) == 0 && memcmp(b.p, c.p, c.n) == 0);
	CHECK(memcmp(a.p + c.n, b.p + c.n, 20) != 0);
	buf_free(&a);
	buf_free(&b);
	buf_free(&c);
}

TEST(blocks_end_where_the_length_does_and_are_filled_up_by_words_of_its_own)
{
	static const uint64_t blocks[] = { 1, 2, 3, 4 };
	struct load_prompt p = { .seed = 1, .tokens = 600, .blocks = blocks, .block_count = 4 };
	struct buf b;

	CHECK(load_prompt_tokens(make(&b, &p)) <= 602);
	buf_free(&b);
	p.block_count = 1;
	CHECK(load_prompt_tokens(make(&b, &p)) >= 600);
	buf_free(&b);
}

/* Whole words that two texts have in common at their beginning. */
static size_t common_words(struct str a, struct str b)
{
	size_t words = 0;

	for (size_t i = 0; i < a.n && i < b.n && a.p[i] == b.p[i]; i++)
		words += a.p[i] == ' ';
	return words;
}

TEST(questions_share_as_many_blocks_as_their_ids_do)
{
	static const uint64_t ids[][6] = {
		{ 1, 2, 3, 4, 5, 6 }, { 1, 2, 3, 4, 5, 7 }, { 1, 2, 3, 14, 15, 16 }, { 1, 22, 3, 4, 5, 6 },
		{ 31, 2, 3, 4, 5, 6 }, { 1, 2, 3, 14, 45, 46 },
	};
	static const uint32_t sizes[][6] = {
		{ 16, 16, 16, 16, 16, 16 }, { 64, 64, 64, 64, 64, 64 }, { 57, 57, 57, 57, 57, 57 },
		{ 43, 80, 2, 512, 33, 8 },
	};
	const size_t n = sizeof(ids) / sizeof(ids[0]);

	for (size_t at = 0; at < sizeof(sizes) / sizeof(sizes[0]) * n * n; at++) {
		size_t i = at % n, k = at / n % n, alike = 0, tokens = 0;
		const uint32_t *each = sizes[at / n / n];
		struct load_prompt p = { .seed = 5, .number = i, .blocks = ids[i], .block_count = 6, .block_sizes = each };
		struct load_prompt q = p;
		struct buf a, b;

		if (i == k)
			continue;
		for (size_t of = 0; of < 6; of++)
			p.tokens += each[of];
		q.tokens = p.tokens;
		q.number = k;
		q.blocks = ids[k];
		while (ids[i][alike] == ids[k][alike])
			tokens += each[alike++];
		test_case("%zu, %zu and %zu", at / n / n, i, k);
		CHECK_INT(common_words(make(&a, &p), make(&b, &q)), (tokens * 3 + 3) / 4);
		buf_free(&a);
		buf_free(&b);
	}
}

TEST(tokens_are_estimated_by_words)
{
	CHECK_INT(load_prompt_tokens(STR("")), 0);
	CHECK_INT(load_prompt_tokens(STR("  one\ttwo\nthree ")), 4);
	CHECK_INT(load_prompt_tokens(STR("one")), 2);
}
