/* What events.jsonl is told. */
#include "bench/run/runner_log.h"

#include "json/put.h"

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

void runner_log_text(struct runner_log *log, const char *name, struct str text)
{
	json_put_text_or_null(&log->w, name, text);
}

void runner_log_count(struct runner_log *log, const char *name, int64_t n)
{
	json_put_i64_or_null(&log->w, name, n);
}

void runner_log_real(struct runner_log *log, const char *name, double v)
{
	json_put_double(&log->w, name, v);
}

void runner_log_truth(struct runner_log *log, const char *name, bool v)
{
	json_put_bool(&log->w, name, v);
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

	runner_log_text(log, "end", str_from(ends[report->end]));
	runner_log_count(log, "rows", (int64_t)p->total);
	runner_log_count(log, "rows_done", (int64_t)p->done);
	runner_log_count(log, "ok", (int64_t)p->ok);
	runner_log_count(log, "failed", (int64_t)p->failed);
	runner_log_count(log, "judged", (int64_t)p->judged);
	runner_log_count(log, "passed", (int64_t)p->passed);
	runner_log_count(log, "retries", (int64_t)p->retries);
	runner_log_count(log, "output_tokens", (int64_t)p->output_tokens);
	runner_log_real(log, "cost_usd", p->usd);
	runner_log_count(log, "elapsed_ms", (int64_t)p->elapsed_ms);
	runner_log_count(log, "wait_ms", (int64_t)report->wait_ms);
	runner_log_real(log, "late_p50_ms", report->late_p50_ms);
	runner_log_real(log, "late_p99_ms", report->late_p99_ms);
	runner_log_real(log, "busy", report->busy);
	runner_log_truth(log, "was_bottleneck", report->was_bottleneck);
}
