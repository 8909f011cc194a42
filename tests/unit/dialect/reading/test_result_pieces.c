#include "dialect/reading/result_pieces.h"

#include "harness/test.h"

static struct moment at_ms(int64_t ms)
{
	return (struct moment){ STR("2026-01-02T03:04:05.000Z"), ms * 1000000, MOMENT_VENDOR };
}

static const struct moment never = { { NULL, 0 }, 0, MOMENT_NONE };

static struct str take(struct result_pieces *p, const char *content)
{
	struct arena *a = test_alloc(sizeof(*a));
	struct event result = { .kind = EVENT_RESULT, .call = STR("c"), .ts = at_ms(900), .content = str_from(content) };

	arena_init(a);
	return result_pieces_take(p, a, &result);
}

static struct result_pieces *two_pieces(const char *first, const char *second)
{
	struct result_pieces *p = test_alloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	result_pieces_begin(p, STR("c"), at_ms(100));
	result_pieces_add(p, STR("c"), str_from(first), at_ms(150));
	result_pieces_add(p, STR("c"), str_from(second), at_ms(350));
	return p;
}

TEST(pieces_become_the_chunks_of_their_result)
{
	static const struct {
		const char *first, *second, *result, *chunks;
	} cases[] = {
		{ "a\n", "b\n", "\"a\\nb\\n\"", "[{\"data\":\"a\\n\",\"t_ms\":50},{\"data\":\"b\\n\",\"t_ms\":250}]" },
		/* the rest came with the result */
		{ "a", "b", "\"abc\"", "[{\"data\":\"a\",\"t_ms\":50},{\"data\":\"b\",\"t_ms\":250},{\"data\":\"c\",\"t_ms\":800}]" },
		/* lines of the program above it came at no time */
		{ "a", "b", "\"Exit code 1\\nab\"",
		  "[{\"data\":\"Exit code 1\\n\"},{\"data\":\"a\",\"t_ms\":50},{\"data\":\"b\",\"t_ms\":250}]" },
		/* a character that was cut in two is whole again */
		{ "h\xc3", "\xa9.", "\"h\xc3\xa9.\"", "[{\"data\":\"h\",\"t_ms\":50},{\"data\":\"\xc3\xa9.\",\"t_ms\":250}]" },
		/* what is no text need not add up */
		{ "a", "b", "[1]", "[{\"data\":\"a\",\"t_ms\":50},{\"data\":\"b\",\"t_ms\":250}]" },
		{ "a\x01", "\"", "\"a\\u0001\\\"\"", "[{\"data\":\"a\\u0001\",\"t_ms\":50},{\"data\":\"\\\"\",\"t_ms\":250}]" },
		/* what does not add up is nothing */
		{ "a", "b", "\"other\"", NULL },
		{ "a", "b", "\"\"", NULL },
		{ "a", "\xff", "[1]", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result_pieces *p = two_pieces(cases[i].first, cases[i].second);

		test_case("%s", cases[i].result);
		CHECK_STR(take(p, cases[i].result), str_from(cases[i].chunks));
		CHECK(take(p, cases[i].result).p == NULL); /* once */
		CHECK(p->count == 0 && p->bytes == 0);
	}
}

TEST(of_what_is_told_whole_each_time_only_what_is_new_is_a_piece)
{
	struct result_pieces p = { .open = NULL };

	result_pieces_add_whole(&p, STR("c"), STR("a"), never);
	result_pieces_add_whole(&p, STR("c"), STR("a"), never);
	result_pieces_add_whole(&p, STR("c"), STR("abc"), never);
	CHECK_STR(take(&p, "\"abcd\""), STR("[{\"data\":\"a\"},{\"data\":\"bc\"},{\"data\":\"d\"}]"));
	/* only the end of a long output is shown: nobody knows what came before */
	result_pieces_add_whole(&p, STR("c"), STR("abc"), never);
	result_pieces_add_whole(&p, STR("c"), STR("bcd"), never);
	CHECK(take(&p, "\"abcd\"").p == NULL);
	CHECK(p.count == 0 && p.bytes == 0);
}

TEST(calls_that_never_end_and_endless_output_take_no_more_than_they_may)
{
	static char big[1 << 20];
	struct result_pieces p = { .open = NULL };

	memset(big, 'x', sizeof(big));
	for (int i = 0; i < 20; i++)
		result_pieces_add(&p, STR("c"), str_of(big, sizeof(big)), never);
	CHECK(p.bytes <= RESULT_PIECES_BYTES);
	CHECK(take(&p, "\"x\"").p == NULL);
	for (int i = 0; i < 2000; i++) {
		result_pieces_begin(&p, str_of(&i, sizeof(i)), at_ms(i));
		result_pieces_add(&p, str_of(&i, sizeof(i)), STR("x"), never);
	}
	CHECK_INT(p.count, RESULT_PIECES_CALLS);
	result_pieces_reset(&p);
	CHECK(p.count == 0 && p.bytes == 0 && !p.open);
}
