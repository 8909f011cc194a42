#include "bench/run/bench_tries.h"

#include "harness/test.h"
#include "unit/bench/bench_run.h"

static struct bench_tries *tries_of(struct bench_run *b, const char *events)
{
	struct bench_tries *t = test_alloc(sizeof(*t));

	bench_run_file(b, "events.jsonl", str_from(events));
	bench_tries_read(t, &b->arena, b->dir);
	return t;
}

#define RETRY(prompt, attempt, at, reason) \
	"{\"event\":\"retry\",\"target\":\"mock:m\",\"prompt_id\":\"" prompt "\",\"repetition\":1,\"attempt\":" attempt \
	",\"at_ms\":" at ",\"delay_ms\":7,\"reason\":\"" reason "\"}\n"

TEST(the_tries_of_a_row_are_found_in_order)
{
	struct bench_run *b = bench_run_new();
	struct bench_tries *t = tries_of(b, RETRY("A", "1", "100", "http_503") RETRY("B", "1", "110", "connect_error")
					 RETRY("A", "2", "200", "http_429"));
	struct bench_try *one = bench_tries_find(t, STR("mock:m"), STR("A"), 1);

	CHECK_INT(bench_tries_count(t), 3);
	CHECK(one && one->sent && one->is_first);
	CHECK_INT(one->from, -1);
	CHECK_INT(one->to, 100);
	CHECK_INT(one->delay, 7);
	one = bench_tries_next(t, one);
	CHECK(one && !one->is_first);
	CHECK_INT(one->attempt, 2);
	CHECK(!bench_tries_next(t, one));
	CHECK(!bench_tries_find(t, STR("mock:m"), STR("B"), 1)->sent);
	CHECK(!bench_tries_find(t, STR("mock:m"), STR("A"), 2));
	CHECK(!bench_tries_find(t, STR("mock:n"), STR("A"), 1));
	bench_tries_free(t);
	bench_run_free(b);
}

TEST(what_is_no_event_and_no_file_has_no_tries)
{
	struct bench_run *b = bench_run_new();
	struct bench_tries *t = tries_of(b, "rubbish\n{}\n[]\n{\"event\":7}\n{\"event\":\"retry\"}\n{\"event\":\"target_begin\"}\n{\"eve");

	CHECK_INT(bench_tries_count(t), 0);
	CHECK(!bench_tries_endpoint(t, STR("mock:m"), 1).p);
	bench_tries_free(t);
	bench_tries_read(t, &b->arena, STR("/nonexistent"));
	CHECK_INT(bench_tries_count(t), 0);
	bench_tries_free(t);
	bench_run_free(b);
}

TEST(an_endpoint_holds_from_the_beginning_of_its_target_on)
{
	struct bench_run *b = bench_run_new();
	struct bench_tries *t = tries_of(b, "{\"event\":\"target_begin\",\"target\":\"mock:m\",\"at_ms\":100,\"endpoint\":\"http://a\"}\n"
					    "{\"event\":\"target_begin\",\"target\":\"mock:m\",\"at_ms\":200,\"endpoint\":\"http://b\"}\n");

	CHECK_STR(bench_tries_endpoint(t, STR("mock:m"), 50), STR("http://a"));
	CHECK_STR(bench_tries_endpoint(t, STR("mock:m"), 150), STR("http://a"));
	CHECK_STR(bench_tries_endpoint(t, STR("mock:m"), 200), STR("http://b"));
	CHECK(!bench_tries_endpoint(t, STR("mock:n"), 200).p);
	bench_tries_free(t);
	bench_run_free(b);
}
