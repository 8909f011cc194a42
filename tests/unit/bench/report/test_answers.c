#include "bench/report/answers.h"

#include "unit/bench/bench_run.h"

/* Three rows of two targets: P2 of b failed its validator, P1 of a was not answered. */
static void answers_sample(struct bench_run *b)
{
	struct result r = bench_row("b", "P2", 1);

	r.pass = VERDICT_FALSE;
	r.violation = STR("no");
	r.output = STR("\xc3\xa4\xc3\xa4 sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF");
	bench_run_add(b, &r);
	r = bench_row("a", "P1", 1);
	bench_run_fail(&r, PROVIDER_LIMITED, "http_429");
	bench_run_add(b, &r);
	r = bench_row("b", "P1", 2);
	r.output = STR("yes");
	r.pass = VERDICT_TRUE;
	bench_run_add(b, &r);
	bench_run_save(b);
}

static struct answers answers_of(struct bench_run *b, struct answers_wanted w)
{
	struct err err = { .kind = ERR_NONE };
	struct answers x;

	if (!answers_read(&x, &b->arena, b->dir, &w, &err))
		FAIL("%s", err.text);
	return x;
}

TEST(rows_stand_in_the_order_of_the_suite)
{
	struct bench_run *b = bench_run_new();
	struct answers x;

	answers_sample(b);
	bench_run_file(b, "config.json", STR("{\"prompts\":[{\"id\":\"P1\",\"name\":\"one\",\"prompt\":\"p\","
					     "\"validator\":{\"type\":\"noop\"}},"
					     "{\"id\":\"P2\",\"name\":\"two\",\"prompt\":\"p\","
					     "\"validator\":{\"type\":\"exact\",\"value\":\"x\"}}]}"));
	x = answers_of(b, (struct answers_wanted){ .most = 0 });
	CHECK_INT(x.count, 3);
	CHECK_INT(x.rows, 3);
	CHECK(x.repeats && !x.prompt);
	CHECK_STR(x.items[0].target, STR("mock:b")); /* the first target of the file */
	CHECK_STR(x.items[1].target, STR("mock:a"));
	CHECK_STR(x.items[2].row.prompt_id, STR("P2"));
	CHECK_STR(answer_verdict(&x.items[0]), STR("pass"));
	CHECK_STR(answer_verdict(&x.items[1]), STR("http_429"));
	CHECK_STR(answer_verdict(&x.items[2]), STR("fail"));
	x = answers_of(b, (struct answers_wanted){ .prompt = STR("two") });
	CHECK_INT(x.count, 1);
	CHECK_STR(x.prompt->id, STR("P2"));
	CHECK_STR(x.judged_by, STR("is exactly \"x\"\n"));
	bench_run_free(b);
}

TEST(rows_are_chosen)
{
	static const struct str names[] = { { "mock:b", 6 }, { "a", 1 }, { "mock__b__none", 13 }, { "c", 1 } };
	static const struct {
		struct answers_wanted wanted;
		size_t count;
	} cases[] = {
		{ { .prompt = { "P1", 2 } }, 2 },
		{ { .prompt = { "P", 1 } }, 0 },
		{ { .targets = &names[0], .target_count = 1 }, 2 },
		{ { .targets = &names[1], .target_count = 1 }, 1 },
		{ { .targets = &names[2], .target_count = 1 }, 2 },
		{ { .targets = &names[3], .target_count = 1 }, 0 },
		{ { .targets = &names[0], .target_count = 4 }, 3 },
		{ { .repetition = 2 }, 1 },
		{ { .failed = true }, 2 },
		{ { .failed = true, .targets = &names[2], .target_count = 1 }, 1 },
	};
	struct bench_run *b = bench_run_new();

	answers_sample(b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_case("%zu", i);
		CHECK_INT(answers_of(b, cases[i].wanted).count, cases[i].count);
	}
	bench_run_free(b);
}

TEST(answers_are_cut_between_characters_and_keys_are_hidden)
{
	struct bench_run *b = bench_run_new();
	struct answers x;

	answers_sample(b);
	x = answers_of(b, (struct answers_wanted){ .prompt = STR("P2"), .most = 3 });
	CHECK_STR(x.items[0].row.output, STR("\xc3\xa4"));
	CHECK(x.items[0].cut);
	CHECK_INT(x.items[0].bytes, 5 + 50);
	x = answers_of(b, (struct answers_wanted){ .prompt = STR("P2") });
	CHECK(!x.items[0].cut && x.items[0].masked);
	CHECK(str_has(x.items[0].row.output, STR("sk-proj-")) && !str_has(x.items[0].row.output, STR("abcdef")));
	CHECK_STR(x.items[0].got, STR("got=\"\xc3\xa4\xc3\xa4 sk-proj-\xe2\x80\xa6\""));
	x = answers_of(b, (struct answers_wanted){ .prompt = STR("P1") });
	CHECK(!x.items[0].got.p && !x.items[0].masked);
	bench_run_free(b);
}

TEST(a_run_that_cannot_be_read_is_an_error)
{
	struct err err = { .kind = ERR_NONE };
	struct answers_wanted w = { .most = 0 };
	struct answers x;
	struct arena a;

	arena_init(&a);
	CHECK(!answers_read(&x, &a, STR("/nowhere/at/all"), &w, &err));
	CHECK_INT(err.kind, ERR_IO);
	arena_free(&a);
}
