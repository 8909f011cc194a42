#include "dialect/reading/waiting.h"

#include "harness/test.h"

static void add(struct waiting *w, struct buf *out, int64_t number)
{
	struct buf line = { 0 };

	buf_printf(&line, "%lld ", (long long)number);
	waiting_add(w, out, &line, number);
	buf_free(&line);
}

TEST(lines_go_out_by_their_numbers)
{
	static const int64_t numbers[] = { 3, 1, 2, -5, 2 };
	struct waiting *w = test_alloc(sizeof(*w));
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add(w, &out, numbers[i]);
	CHECK_INT(out.n, 0);
	waiting_drain(w, &out);
	CHECK_STR(buf_str(&out), STR("-5 1 2 2 3 "));
	buf_free(&out);
	waiting_free(w);
}

TEST(only_the_last_few_wait)
{
	struct waiting *w = test_alloc(sizeof(*w));
	struct buf out = { 0 };

	for (int64_t i = 0; i < WAITING_MAX + 2; i++)
		add(w, &out, i);
	CHECK_STR(buf_str(&out), STR("0 1 "));
	add(w, &out, 0); /* too late: it goes where it still can */
	waiting_drain(w, &out);
	CHECK(str_starts(buf_str(&out), STR("0 1 2 0 3 4 ")));
	buf_free(&out);
	waiting_free(w);
}
