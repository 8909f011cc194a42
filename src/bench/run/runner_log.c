/* What events.jsonl is told. */
#include "bench/run/runner_log.h"

void runner_log_init(struct runner_log *log, struct run_dir *dir)
{
	log->dir = dir;
	buf_init(&log->members);
}

void runner_log_free(struct runner_log *log)
{
	buf_free(&log->members);
}

void runner_log_begin(struct runner_log *log)
{
	buf_clear(&log->members);
	json_write_init(&log->w, &log->members, JSON_COMPACT);
	json_write_begin_object(&log->w);
}

bool runner_log_end(struct runner_log *log, const char *event, struct err *err)
{
	struct str all;

	json_write_end_object(&log->w);
	all = buf_str(&log->members);
	return run_dir_add_event(log->dir, event, str_of(all.p + 1, all.n - 2), err); /* without the braces */
}

void runner_log_report(struct runner_log *log, const struct runner_report *report)
{
	static const char *const ends[] = {
		[RUNNER_COMPLETE] = "complete",
		[RUNNER_STOPPED] = "stopped",
		[RUNNER_BUDGET] = "budget",
		[RUNNER_FAILED] = "failed",
	};
	const struct runner_progress *p = &report->last;

	json_put_text_or_null(&log->w, "end", str_from(ends[report->end]));
	json_put_i64_or_null(&log->w, "rows", (int64_t)p->total);
	json_put_i64_or_null(&log->w, "rows_done", (int64_t)p->done);
	json_put_i64_or_null(&log->w, "ok", (int64_t)p->ok);
	json_put_i64_or_null(&log->w, "failed", (int64_t)p->failed);
	json_put_i64_or_null(&log->w, "judged", (int64_t)p->judged);
	json_put_i64_or_null(&log->w, "passed", (int64_t)p->passed);
	json_put_i64_or_null(&log->w, "retries", (int64_t)p->retries);
	json_put_i64_or_null(&log->w, "output_tokens", (int64_t)p->output_tokens);
	json_put_double(&log->w, "cost_usd", p->usd);
	json_put_i64_or_null(&log->w, "elapsed_ms", (int64_t)p->elapsed_ms);
	json_put_i64_or_null(&log->w, "wait_ms", (int64_t)report->wait_ms);
	json_put_double(&log->w, "late_p50_ms", report->late_p50_ms);
	json_put_double(&log->w, "late_p99_ms", report->late_p99_ms);
	json_put_double(&log->w, "busy", report->busy);
	json_put_bool(&log->w, "was_bottleneck", report->was_bottleneck);
}
