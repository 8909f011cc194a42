/*
 * Any JSON value as a row of results.jsonl: one that is taken is written as a line that every strict reader takes, and
 * read again it is the same row.
 */
#include "fuzz/fuzz.h"

#include "bench/run/result.h"

static bool same_text(struct str x, struct str y)
{
	return str_eq(x, y) && (x.p != NULL) == (y.p != NULL);
}

static void check_same(const struct result *x, const struct result *y)
{
	FUZZ_CHECK(same_text(x->run_id, y->run_id) && same_text(x->provider, y->provider));
	FUZZ_CHECK(same_text(x->model, y->model) && same_text(x->thinking, y->thinking));
	FUZZ_CHECK(same_text(x->prompt_id, y->prompt_id) && same_text(x->prompt_name, y->prompt_name));
	FUZZ_CHECK(same_text(x->failure, y->failure) && same_text(x->violation, y->violation));
	FUZZ_CHECK(x->status == y->status && x->success == y->success && x->pass == y->pass);
	FUZZ_CHECK(x->started_at_ms == y->started_at_ms && x->ended_at_ms == y->ended_at_ms && x->e2e_ms == y->e2e_ms);
	FUZZ_CHECK(x->ttft_ms == y->ttft_ms && x->ttfb_ms == y->ttfb_ms && x->scheduled_at_ms == y->scheduled_at_ms);
	FUZZ_CHECK(x->input_tokens == y->input_tokens && x->output_tokens == y->output_tokens);
	FUZZ_CHECK(x->cache_read_tokens == y->cache_read_tokens && x->reasoning_tokens == y->reasoning_tokens);
	FUZZ_CHECK(x->attempts == y->attempts && x->repetition == y->repetition && x->expects == y->expects);
	FUZZ_CHECK(x->usd == y->usd && x->usd_estimated == y->usd_estimated);
	FUZZ_CHECK((x->parsed.p != NULL) == (y->parsed.p != NULL) && x->parsed.n == y->parsed.n);
	FUZZ_CHECK(x->tool_success == y->tool_success && x->tool_source == y->tool_source);
	FUZZ_CHECK(x->tool_count == y->tool_count);
	for (size_t i = 0; i < x->tool_count; i++)
		FUZZ_CHECK(str_eq(x->tools[i], y->tools[i]));
	/* a text that was too long has been cut by the writer */
	FUZZ_CHECK(str_starts(x->output, y->output) && y->output.n <= RESULT_OUTPUT_MAX);
	FUZZ_CHECK(y->truncated || x->output.n == y->output.n);
}

static void check_row(const struct result *r, struct arena *a)
{
	struct json_parser *strict = json_parser_open((struct json_options){ .max_depth = JSON_DEPTH_MAX });
	struct result again;
	struct buf line;
	struct val v;

	buf_init(&line);
	result_write(&line, r);
	FUZZ_CHECK(memchr(line.p, '\n', line.n) == line.p + line.n - 1);
	FUZZ_CHECK(json_parse_copy(strict, buf_str(&line), &v, NULL));
	FUZZ_CHECK(result_read(&again, a, v));
	check_same(r, &again);
	json_parser_close(strict);
	buf_free(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_parser *parser = json_parser_open((struct json_options){ .max_depth = 0 });
	struct result r;
	struct arena a;
	struct val v;

	arena_init(&a);
	if (json_parse_copy(parser, str_of(data, size), &v, NULL) && result_read(&r, &a, v))
		check_row(&r, &a);
	arena_free(&a);
	json_parser_close(parser);
	return 0;
}
