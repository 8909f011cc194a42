#include "cmd/bench/load_shown.h"

#include "harness/test.h"

TEST(the_line_that_moves_says_how_far_we_are)
{
	struct load_progress p = { .due = 212, .ok = 190, .failed = 3, .not_sent = 2, .open = 17, .stage = 1,
				   .elapsed_ns = UINT64_C(87000000000), .output_tokens = 87000 };
	struct buf b;

	buf_init(&b);
	load_shown_progress(&b, &p, UINT64_C(120000000000), 3);
	CHECK_STR(buf_str(&b), STR("load 212 due  ok 190  failed 3  not sent 2  open 17  stage 2/3  1.00k tok/s  01:27 of 02:00"));
	buf_clear(&b);
	p = (struct load_progress){ .due = 1, .open = 1 };
	load_shown_progress(&b, &p, 0, 1);
	CHECK_STR(buf_str(&b), STR("load 1 due  ok 0  open 1  00:00"));
	buf_free(&b);
}

TEST(only_the_named_members_and_the_schema_are_printed)
{
	struct opt_maybe some = { .given = true, .value = STR("seed") }, all = { .given = true, .value = { NULL, 0 } };
	struct str json = STR("{\"schema\": \"s/1\", \"seed\": 4, \"all\": {\"due\": 1}}");
	struct buf b;

	buf_init(&b);
	load_shown_json(&b, json, some);
	CHECK_STR(buf_str(&b), STR("{\n  \"schema\": \"s/1\",\n  \"seed\": 4\n}\n"));
	buf_clear(&b);
	load_shown_json(&b, json, all);
	CHECK(str_find(buf_str(&b), STR("\"due\": 1")) != (size_t)-1);
	buf_free(&b);
}

TEST(the_tables_fit_a_terminal)
{
	double rates[2] = { 5, 10 };
	struct target target = { .model = STR("m") };
	struct arrivals_options arrivals = { .kind = ARRIVALS_POISSON, .rates = rates, .rate_count = 2, .duration_ns = 2000000000,
					     .requests = ARRIVALS_NO_END, .speed = 1 };
	struct load_options o = { .target = &target, .arrivals = &arrivals };
	struct load_stats s;
	struct load_run run = { .wall_ns = 5000000000 };
	struct load_report r = { .run_id = STR("id"), .target = STR("mock:m"), .options = &o, .stats = &s, .run = &run };
	struct term t = { .width = 80 };
	struct load_outcome x = { .end = LOAD_OK, .streamed = true, .due_ns = 1000, .sent_ns = 2000, .token_ns = 90000000,
				  .ended_ns = 300000000, .output_tokens = 9 };
	struct str rest, line;
	struct arena a;
	struct buf b;

	arena_init(&a);
	buf_init(&b);
	load_stats_init(&s, &a, 500, 2);
	load_stats_add(&s, &x);
	x.stage = 1;
	load_stats_add(&s, &x);
	load_shown_text(&b, &a, &r, &t);
	CHECK(str_starts(buf_str(&b), STR("load test id: mock:m, poisson at 5, 10/s, 2 s each\n\nstage ")));
	CHECK(str_find(buf_str(&b), STR("\nstage 2, ")) != (size_t)-1);
	CHECK(str_find(buf_str(&b), STR("n too small")) != (size_t)-1);
	for (rest = buf_str(&b); rest.n;) {
		line = str_cut(rest, '\n', &rest);
		CHECK(line.n <= 80 || str_find(line, STR("~")) != (size_t)-1);
	}
	load_stats_free(&s);
	buf_free(&b);
	arena_free(&a);
}
