/* What people and events.jsonl are told. */
#include "bench/run/runner_private.h"

struct str runner_name(struct runner *r, size_t target)
{
	const struct target *t = &r->o->config->targets[target];

	return target_name(&r->work, str_from(provider_name(t->provider)), t->model, t->thinking);
}

void runner_tell(struct runner *r, struct str line)
{
	if (r->o->tell)
		r->o->tell(r->o->own, line);
}

void runner_tell_end(struct runner *r, const char *event)
{
	struct err other;

	runner_check(r, runner_log_end(&r->log, event, runner_err(r, &other)));
}

void runner_tell_target(struct runner *r, size_t target)
{
	runner_log_begin(&r->log);
	json_put_text_or_null(&r->log.w, "target", runner_name(r, target));
}

void runner_tell_row(struct runner *r, uint64_t row)
{
	uint64_t repetition, prompt;
	size_t target;

	schedule_row(r->schedule, row, &target, &repetition, &prompt);
	runner_tell_target(r, target);
	json_put_text_or_null(&r->log.w, "prompt_id", r->o->suite->prompts[prompt].id);
	json_put_i64_or_null(&r->log.w, "repetition", (int64_t)repetition + 1);
}

void runner_tell_retry(struct runner *r, const struct runner_call *c, const struct provider_answer *answer,
		       uint64_t ended, const struct schedule_fate *fate)
{
	int64_t began = (int64_t)c->asked_ns + r->line.offset;

	runner_tell_row(r, c->row);
	json_put_i64_or_null(&r->log.w, "attempt", fate->attempts);
	json_put_i64_or_null(&r->log.w, "started_at_ms", began / (int64_t)RUNNER_NS_PER_MS);
	json_put_i64_or_null(&r->log.w, "e2e_ms",
			 ended > c->asked_ns ? (int64_t)((ended - c->asked_ns) / RUNNER_NS_PER_MS) : 0);
	json_put_text_or_null(&r->log.w, "reason", str_from(answer->failure));
	json_put_text_or_null(&r->log.w, "message", answer->message);
	json_put_i64_or_null(&r->log.w, "retry_after_ms", answer->retry_after_ms);
	json_put_i64_or_null(&r->log.w, "delay_ms", (int64_t)fate->delay_ms);
	runner_tell_end(r, "retry");
}

void runner_tell_waited(struct runner *r, uint64_t row, unsigned attempts, uint64_t waited_ns)
{
	if (waited_ns == 0)
		return;
	r->report->wait_ms += waited_ns / RUNNER_NS_PER_MS;
	runner_tell_row(r, row);
	json_put_i64_or_null(&r->log.w, "attempts", attempts);
	json_put_i64_or_null(&r->log.w, "wait_ms", (int64_t)(waited_ns / RUNNER_NS_PER_MS));
	runner_tell_end(r, "waited");
}

void runner_tell_pause(struct runner *r, size_t target, int64_t retry_after_ms)
{
	size_t lane = r->lanes.lanes[target];
	struct str provider = r->lanes.names[lane];
	uint64_t until;

	schedule_limit(r->schedule, lane, &until);
	/* all that were open say it, one after the other */
	if (until < r->pauses[lane] + 1000 * RUNNER_NS_PER_MS)
		return;
	r->pauses[lane] = until;
	runner_log_begin(&r->log);
	json_put_text_or_null(&r->log.w, "provider", provider);
	json_put_i64_or_null(&r->log.w, "retry_after_ms", retry_after_ms);
	runner_tell_end(r, "pause");
	runner_tell(r, arena_printf(&r->work, "%.*s asks to wait for %lld s", STR_ARG(provider),
				    (long long)((retry_after_ms + 999) / 1000)));
}

/* What `auto` has come to, when that has changed. */
void runner_tell_limit(struct runner *r, size_t target)
{
	size_t lane = r->lanes.lanes[target];
	uint64_t paused_until;
	unsigned limit = schedule_limit(r->schedule, lane, &paused_until);

	if (limit == r->limits[lane])
		return;
	r->limits[lane] = limit;
	runner_log_begin(&r->log);
	json_put_text_or_null(&r->log.w, "provider", r->lanes.names[lane]);
	json_put_i64_or_null(&r->log.w, "limit", limit);
	runner_tell_end(r, "concurrency");
}

void runner_tell_progress(struct runner *r)
{
	struct runner_progress *p = &r->progress;
	uint64_t fresh = p->done - r->done_before;

	p->elapsed_ms = (clock_mono_ns() - r->began_ns) / RUNNER_NS_PER_MS;
	if (r->over)
		p->open = p->waiting = 0; /* the schedule is not told of what was given up */
	else
		schedule_load(r->schedule, &p->open, &p->waiting);
	p->eta_ms = fresh ? (int64_t)((double)p->elapsed_ms / (double)fresh * (double)(p->total - p->done)) : -1;
	if (r->o->progress)
		r->o->progress(r->o->own, p);
}

void runner_tell_lost(struct runner *r, size_t target, struct str message)
{
	const struct runner_target *t = &r->targets[target];

	runner_tell_target(r, target);
	json_put_text_or_null(&r->log.w, "status", str_from(provider_status_name(t->status)));
	json_put_text_or_null(&r->log.w, "failure_type", str_from(t->failure));
	json_put_text_or_null(&r->log.w, "message", message);
	runner_tell_end(r, "target_lost");
	runner_tell(r, arena_printf(&r->work, "%.*s cannot be used (%s%s%.*s): its remaining rows are not sent",
				    STR_ARG(runner_name(r, target)), t->failure, message.n ? ": " : "",
				    STR_ARG(message)));
}
