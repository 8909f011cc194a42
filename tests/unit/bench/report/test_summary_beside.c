#include "bench/report/summary_beside.h"

#include "unit/bench/bench_run.h"

static struct str size_of(struct bench_run *b, const char *model)
{
	struct summary_group g = { .model = str_from(model), .tag = STR("t") };

	beside_group(&b->arena, b->dir, &g);
	return g.size;
}

TEST(the_size_of_a_model_comes_from_the_list_of_ollama)
{
	struct bench_run *b = bench_run_new();

	CHECK(!size_of(b, "a:7b").p);
	bench_run_file(b, "inventory.json", STR("{\"ollama_list\":[1,{\"name\":\"a:7b\",\"size\":\"4.1 GB\"},"
						"{\"name\":\"b:latest\",\"size\":\"2.0 GB\"},{\"name\":\"c\",\"size\":3}]}"));
	CHECK_STR(size_of(b, "a:7b"), STR("4.1 GB"));
	CHECK_STR(size_of(b, "b"), STR("2.0 GB"));
	CHECK(!size_of(b, "c").p);
	CHECK(!size_of(b, "a").p);
	bench_run_file(b, "inventory.json", STR("{\"ollama_list\":{\"error\":\"ollama is not installed\"}}"));
	CHECK(!size_of(b, "a:7b").p);
	bench_run_file(b, "inventory.json", STR("nonsense"));
	CHECK(!size_of(b, "a:7b").p);
	bench_run_free(b);
}

TEST(resources_are_found_beside_a_directory_and_beside_a_file)
{
	struct bench_run *b = bench_run_new();
	struct summary_group g = { .model = STR("m"), .tag = STR("t") };

	bench_run_file(b, "resources_t_before.txt", STR("mem_available_bytes: 11\n"));
	bench_run_file(b, "results.jsonl", STR(""));
	beside_group(&b->arena, ARENA_JOIN(&b->arena, b->dir, STR("/results.jsonl")), &g);
	CHECK(g.before.known && !g.after.known);
	CHECK_INT(g.before.mem_available, 11);
	/* of several runs the first one's */
	bench_run_file(b, "resources_t_before.txt", STR("mem_available_bytes: 12\n"));
	bench_run_file(b, "resources_t_after.txt", STR("mem_available_bytes: 13\n"));
	beside_group(&b->arena, b->dir, &g);
	CHECK_INT(g.before.mem_available, 11);
	CHECK_INT(g.after.mem_available, 13);
	bench_run_free(b);
}

TEST(a_client_that_was_too_slow_is_told_by_an_event)
{
	struct bench_run *b = bench_run_new();

	CHECK(!beside_bottleneck(b->dir));
	bench_run_file(b, "events.jsonl", STR("{\"event\":\"x\",\"was_bottleneck\":false}\nnonsense\n{\"event\""));
	CHECK(!beside_bottleneck(b->dir));
	bench_run_file(b, "events.jsonl", STR("{\"event\":\"x\"}\n{\"event\":\"y\",\"was_bottleneck\":true}\n"));
	CHECK(beside_bottleneck(b->dir));
	bench_run_free(b);
}

TEST(a_run_has_the_name_of_its_directory)
{
	struct bench_run *b = bench_run_new();

	CHECK_STR(beside_name(&b->arena, b->dir), str_basename(b->dir));
	bench_run_file(b, "results.jsonl", STR(""));
	CHECK_STR(beside_name(&b->arena, ARENA_JOIN(&b->arena, b->dir, STR("/results.jsonl"))), str_basename(b->dir));
	CHECK_STR(beside_name(&b->arena, STR("/nonexistent")), STR("unknown"));
	CHECK_STR(beside_name(&b->arena, STR("/")), STR("unknown"));
	bench_run_free(b);
}
