/* A run directory of a test's own: rows are gathered, saved, and everything is gone at the end. */
#ifndef UNIT_BENCH_BENCH_RUN_H
#define UNIT_BENCH_BENCH_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/run/result.h"
#include "harness/test.h"

#define BENCH_RUN_START INT64_C(1771027200000)

struct bench_run {
	struct arena arena;
	struct str dir;
	struct buf rows;
};

static struct bench_run *bench_run_new(void)
{
	struct bench_run *b = test_alloc(sizeof(*b));

	arena_init(&b->arena);
	buf_init(&b->rows);
	b->dir = str_from(test_dir());
	return b;
}

/* A good answer that nobody has judged: 10 tokens in, 20 out, first token after 100 ms of 500. */
__attribute__((unused)) static struct result bench_row(const char *model, const char *prompt, int64_t repetition)
{
	int64_t at = BENCH_RUN_START + repetition * 1000;

	return (struct result){
		.run_id = STR("r1"), .provider = STR("mock"), .model = str_from(model), .prompt_id = str_from(prompt),
		.prompt_name = STR("name"), .status = PROVIDER_OK, .success = true, .started_at_ms = at, .ended_at_ms = at + 500,
		.e2e_ms = 500, .ttft_ms = 100, .input_tokens = 10, .output_tokens = 20, .output = STR("text"), .attempts = 1,
		.repetition = repetition, .scheduled_at_ms = at - 50, .cache_read_tokens = -1, .reasoning_tokens = -1,
		.ttfb_ms = -1, .usd = -1,
	};
}

__attribute__((unused)) static void bench_run_fail(struct result *r, enum provider_status status, const char *failure)
{
	r->status = status;
	r->success = false;
	r->failure = str_from(failure);
}

__attribute__((unused)) static void bench_run_add(struct bench_run *b, const struct result *r)
{
	result_write(&b->rows, r);
}

static void bench_run_file(struct bench_run *b, const char *name, struct str text)
{
	struct err err;

	if (!file_replace(ARENA_JOIN(&b->arena, b->dir, STR("/"), str_from(name)), text, 0666, &err))
		FAIL("%s", err.text);
}

__attribute__((unused)) static void bench_run_save(struct bench_run *b)
{
	bench_run_file(b, "results.jsonl", buf_str(&b->rows));
}

/* With the directory: the name was made by us and has nothing that a shell could act upon. */
static void bench_run_free(struct bench_run *b)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -r -- %s", b->dir.p);
	CHECK(system(command) == 0);
	buf_free(&b->rows);
	arena_free(&b->arena);
}

#endif
