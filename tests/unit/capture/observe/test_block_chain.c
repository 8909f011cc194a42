#include "capture/observe/block_chain.h"

#include "base/buf.h"
#include "dialect/record/field.h"
#include "harness/test.h"

#define BLOCK (16 * BLOCK_CHAIN_PER_TOKEN)

static const struct block_options with = { .tokens = 16, .key = { { 1, 2, 3 } } };

/* Text without long runs of base64, another one for another seed. */
static void fill(struct buf *out, size_t n, unsigned seed)
{
	for (size_t i = 0; i < n; i++)
		buf_add_byte(out, i % 7 == 6 ? ' ' : (char)('a' + (i * 31 + i / 26 * seed + seed) % 26));
}

static size_t common(const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
	size_t i = 0;

	while (i < n && i < m && a[i] == b[i])
		i++;
	return i;
}

TEST(equal_numbers_are_equal_beginnings)
{
	static const size_t parts[] = { 0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 5 * BLOCK + 17 };
	struct block_chain c;
	struct buf one, two;

	block_chain_init(&c, &with);
	for (size_t i = 0; i < COUNT(parts); i++) {
		uint64_t ids[64];
		size_t n;

		buf_init(&one);
		buf_init(&two);
		fill(&one, parts[i], 1);
		fill(&two, parts[i], 1);
		fill(&one, 9 * BLOCK, 2);
		fill(&two, 7 * BLOCK, 3);
		block_chain_begin(&c);
		block_chain_add(&c, buf_str(&one));
		n = c.count;
		memcpy(ids, c.ids, n * sizeof(ids[0]));
		CHECK_INT(n, one.n / BLOCK);
		block_chain_begin(&c);
		block_chain_add(&c, buf_str(&two));
		CHECK_INT(common(ids, n, c.ids, c.count), parts[i] / BLOCK);
		buf_free(&one);
		buf_free(&two);
	}
	block_chain_free(&c);
}

TEST(numbers_do_not_depend_on_pieces_and_fit_into_a_double)
{
	uint64_t ids[64], last, again;
	struct block_chain c;
	struct buf text;
	size_t n;

	buf_init(&text);
	fill(&text, 6 * BLOCK + 5, 1);
	block_chain_init(&c, &with);
	block_chain_add(&c, buf_str(&text));
	n = c.count;
	memcpy(ids, c.ids, n * sizeof(ids[0]));
	CHECK(block_chain_last(&c, &last));
	for (size_t piece = 1; piece < 2 * BLOCK; piece++) {
		block_chain_begin(&c);
		for (size_t at = 0; at < text.n; at += piece)
			block_chain_add(&c, str_of(text.p + at, text.n - at < piece ? text.n - at : piece));
		CHECK_INT(c.count, n);
		CHECK_INT(common(ids, n, c.ids, c.count), n);
		CHECK(block_chain_last(&c, &again) && again == last);
	}
	for (size_t i = 0; i < n; i++)
		CHECK(ids[i] < UINT64_C(1) << 53 && ids[i] != last);
	block_chain_free(&c);
	buf_free(&text);
}

TEST(another_key_gives_other_numbers)
{
	struct block_options other = with;
	struct block_chain a, b;
	struct buf text;

	other.key.b[31] = 1;
	buf_init(&text);
	fill(&text, 20 * BLOCK, 1);
	block_chain_init(&a, &with);
	block_chain_init(&b, &other);
	block_chain_add(&a, buf_str(&text));
	block_chain_add(&b, buf_str(&text));
	for (size_t i = 0; i < a.count; i++)
		for (size_t k = 0; k < b.count; k++)
			CHECK(a.ids[i] != b.ids[k]);
	block_chain_free(&a);
	block_chain_free(&b);
	buf_free(&text);
}

TEST(numbers_of_ones_own_are_alike_where_the_others_are)
{
	static const uint64_t one[] = { 1, 2, 3 }, two[] = { 1, 2, 4 };
	static const struct digest keys[] = { { { 1 } }, { { 2 } } };
	uint64_t *a, *b, *c;
	struct arena arena;

	arena_init(&arena);
	a = block_chain_own(&arena, &keys[0], one, COUNT(one));
	b = block_chain_own(&arena, &keys[0], two, COUNT(two));
	c = block_chain_own(&arena, &keys[1], one, COUNT(one));
	CHECK_INT(common(a, COUNT(one), b, COUNT(two)), 2);
	for (size_t i = 0; i < COUNT(one); i++)
		for (size_t k = 0; k < COUNT(one); k++)
			CHECK(a[i] != c[k] && a[i] < UINT64_C(1) << 53 && a[i] != one[k]);
	arena_free(&arena);
}

TEST(a_chain_goes_on_from_where_it_stood)
{
	struct block_chain c;
	uint64_t ids[64];
	struct buf text, held;
	size_t n;

	buf_init(&text);
	buf_init(&held);
	fill(&text, 10 * BLOCK, 1);
	block_chain_init(&c, &with);
	block_chain_add(&c, buf_str(&text));
	memcpy(ids, c.ids, c.count * sizeof(ids[0]));
	n = c.count;
	for (size_t cut = 0; cut <= text.n; cut += 11) {
		uint64_t before[64];
		size_t full;

		block_chain_begin(&c);
		block_chain_add(&c, str_of(text.p, cut));
		buf_clear(&held);
		buf_add_str(&held, block_chain_held(&c));
		full = c.count;
		if (full)
			memcpy(before, c.ids, full * sizeof(before[0]));
		block_chain_begin(&c);
		block_chain_add(&c, STR("something else"));
		block_chain_resume(&c, buf_str(&held), before, full);
		block_chain_add(&c, str_of(text.p + cut, text.n - cut));
		CHECK_INT(c.count, n);
		CHECK_INT(common(ids, n, c.ids, c.count), n);
	}
	block_chain_free(&c);
	buf_free(&text);
	buf_free(&held);
}

TEST(a_picture_counts_as_a_fixed_number_of_bytes_that_depend_on_all_of_it)
{
	struct block_chain c;
	struct buf text;
	uint64_t first;

	buf_init(&text);
	block_chain_init(&c, &with);
	buf_add_str(&text, STR("data:image/png;base64,"));
	for (size_t i = 0; i < 1000000; i++)
		buf_add_byte(&text, (char)('A' + i % 26));
	block_chain_add(&c, buf_str(&text));
	CHECK_INT(c.count, (22 + BLOCK_CHAIN_MEDIA) / BLOCK);
	first = c.ids[0];
	text.p[text.n - 1] = 'z';
	block_chain_begin(&c);
	block_chain_add(&c, buf_str(&text));
	CHECK(c.ids[0] != first);
	buf_clear(&text);
	for (size_t i = 0; i < BLOCK_CHAIN_MEDIA - 1; i++)
		buf_add_byte(&text, 'A');
	block_chain_begin(&c);
	block_chain_add(&c, buf_str(&text));
	CHECK_INT(c.count, (BLOCK_CHAIN_MEDIA - 1) / BLOCK);
	block_chain_free(&c);
	buf_free(&text);
}

TEST(what_is_not_known_has_a_length_and_follows_from_a_name)
{
	struct block_chain c;
	uint64_t one, two;

	block_chain_init(&c, &with);
	block_chain_add_unknown(&c, STR("resp_1"), 3 * BLOCK);
	CHECK_INT(c.count, 3);
	CHECK_INT(c.filled, 0);
	CHECK(!block_chain_last(&c, &one));
	one = c.ids[2];
	block_chain_begin(&c);
	block_chain_add_unknown(&c, STR("resp_2"), 3 * BLOCK);
	two = c.ids[2];
	CHECK(one != two);
	block_chain_free(&c);
}

TEST(a_prompt_of_too_many_blocks_is_over)
{
	struct block_chain c;
	struct buf text;

	buf_init(&text);
	block_chain_init(&c, &with);
	fill(&text, 1024 * BLOCK, 1);
	for (size_t i = 0; i < BLOCK_CHAIN_IDS / 1024; i++)
		block_chain_add(&c, buf_str(&text));
	CHECK(!c.over);
	CHECK_INT(c.count, BLOCK_CHAIN_IDS);
	block_chain_add(&c, buf_str(&text));
	CHECK(c.over);
	CHECK_INT(c.count, BLOCK_CHAIN_IDS);
	block_chain_begin(&c);
	CHECK(!c.over);
	block_chain_free(&c);
	buf_free(&text);
}
