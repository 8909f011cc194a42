/* Sends questions and takes answers. */
#include <math.h>
#include <stdio.h>

#include "bench/run/plan.h"
#include "bench/run/runner_private.h"

void runner_count(struct runner_progress *p, const struct result *row)
{
	p->done++;
	p->ok += row->success;
	p->failed += !row->success;
	p->judged += row->pass != VERDICT_NULL;
	p->passed += row->pass == VERDICT_TRUE;
	p->output_tokens += row->output_tokens > 0 ? (uint64_t)row->output_tokens : 0;
	p->usd += row->usd > 0 ? row->usd : 0;
}

/* ---- from an answer to a line ---- */

/* A row that is judged by a thread, with all that it needs. */
struct verdict_job {
	uv_work_t work;
	struct runner *runner;
	struct arena arena;
	struct result row;
	const struct suite_prompt *prompt;
	struct judged judged;
};

/* Writes a row and counts it. */
static void put_row(struct runner *r, const struct result *row)
{
	struct err other;

	runner_check(r, run_dir_add_result(r->o->dir, row, runner_err(r, &other)));
	runner_count(&r->progress, row);
	if (row->success)
		quantile_add(&r->latency, (double)row->e2e_ms);
}

static void do_judge(uv_work_t *work)
{
	struct verdict_job *j = work->data;

	judge(&j->row, &j->arena, j->prompt, j->runner->o->config->detector, &j->judged);
}

/* Its answer has come: it is written even when the run was stopped meanwhile. */
static void on_judged(uv_work_t *work, int status)
{
	struct verdict_job *j = work->data;
	struct runner *r = j->runner;

	(void)status;
	r->threads--;
	if (r->report->end != RUNNER_FAILED)
		put_row(r, &j->row);
	arena_free(&j->arena);
	mem_free(j);
	runner_pump(r);
}

/* Judges on a thread; the answer is copied, for the provider takes it back. */
static void judge_later(struct runner *r, const struct result *row, const struct suite_prompt *prompt,
			const struct judged *judged)
{
	struct verdict_job *j = mem_alloc(sizeof(*j));
	struct provider_call_made *calls;

	*j = (struct verdict_job){ .runner = r, .row = *row, .prompt = prompt, .judged = *judged };
	arena_init(&j->arena);
	calls = arena_array(&j->arena, struct provider_call_made, judged->call_count);
	for (size_t i = 0; i < judged->call_count; i++) {
		calls[i].name = arena_copy(&j->arena, judged->calls[i].name);
		calls[i].arguments = arena_copy(&j->arena, judged->calls[i].arguments);
	}
	j->judged.calls = calls;
	j->judged.output = j->row.output = arena_copy(&j->arena, row->output);
	j->work.data = j;
	r->threads++;
	uv_queue_work(&r->loop, &j->work, do_judge, on_judged);
}

/* A program that judges may take seconds, in which all other answers would seem late. */
static void deliver(struct runner *r, struct result *row, const struct suite_prompt *prompt,
		    const struct judged *judged)
{
	if (row->success && r->o->config->allow_commands) {
		judge_later(r, row, prompt, judged);
	} else {
		judge(row, &r->work, prompt, r->o->config->detector, judged);
		put_row(r, row);
	}
	arena_reset(&r->work);
}

/* `answer` NULL: it was not sent. Gives what it cost; negative: not known. */
static double write_row(struct runner *r, uint64_t number, enum provider_status status, struct str failure,
			const struct runner_times *times, const struct provider_answer *answer)
{
	const struct config *c = r->o->config;
	struct judged judged = { .output = STR(""), .output_tokens = -1 };
	const struct suite_prompt *prompt;
	uint64_t repetition, prompt_at;
	struct result row;
	size_t target;

	schedule_row(r->schedule, number, &target, &repetition, &prompt_at);
	prompt = &r->o->suite->prompts[prompt_at];
	runner_row_begin(&row, &c->targets[target], prompt, repetition, status, failure, times);
	row.run_id = run_dir_id(r->o->dir);
	if (answer) {
		runner_row_answer(&row, &c->targets[target], answer, r->o->prices, times);
		judged = (struct judged){ row.output, answer->calls, answer->call_count, row.output_tokens };
	}
	deliver(r, &row, prompt, &judged);
	return row.usd;
}

/* All its rows that are left end with this status and failure, by runner_skip. */
static void lose_target(struct runner *r, size_t target, enum provider_status status,
			const struct provider_answer *answer)
{
	struct runner_target *t = &r->targets[target];

	t->lost = true;
	t->status = status;
	snprintf(t->failure, sizeof(t->failure), "%s", answer->failure ? answer->failure : "exception");
	runner_tell_lost(r, target, answer->message);
}

/* Those who could not be reached may be down, or it was a connection too many. */
static enum provider_status status_of(const struct provider_answer *answer, enum schedule_outcome outcome, bool lost)
{
	if (outcome != SCHEDULE_UNREACHED)
		return answer->status;
	return lost ? PROVIDER_UNAVAILABLE : PROVIDER_ERROR;
}

static struct str failure_of(const struct provider_answer *answer, enum provider_status status)
{
	if (status != PROVIDER_OK)
		return str_from(answer->failure ? answer->failure : "exception");
	return runner_is_empty(answer) ? STR("empty_response") : str_of(NULL, 0);
}

/* An answer has come: the row is tried again, or written with what the answer cost. */
static void take_answer(struct runner *r, struct runner_call *c, const struct provider_answer *answer, uint64_t ended)
{
	struct runner_target *t = &r->targets[c->target];
	enum schedule_outcome outcome;
	struct schedule_fate fate;
	struct runner_times times;
	enum provider_status status;
	double usd;

	c->answered = true;
	t->refusals = answer->http_status == t->refused_with ? t->refusals + 1 : 1;
	t->refused_with = answer->http_status;
	outcome = runner_outcome(answer, t->was_good, t->refusals);
	t->was_good = t->was_good || answer->status == PROVIDER_OK;
	fate = schedule_answered(r->schedule, c->row, outcome, answer->retry_after_ms, clock_mono_ns());
	r->reserved_usd -= c->ceiling;
	if (outcome == SCHEDULE_BUSY && answer->retry_after_ms > 0 && !fate.asks_too_much)
		runner_tell_pause(r, c->target, answer->retry_after_ms);
	runner_tell_limit(r, c->target);
	if (fate.again) {
		r->progress.retries++;
		runner_tell_retry(r, c, answer, ended, &fate);
		arena_reset(&r->work);
		return;
	}
	status = status_of(answer, outcome, t->lost || fate.lost);
	if (fate.lost)
		lose_target(r, c->target, status, answer);
	runner_tell_waited(r, c->row, fate.attempts, fate.waited);
	times = (struct runner_times){ r->line.offset, fate.due, fate.first_sent, c->asked_ns, ended, fate.attempts };
	usd = write_row(r, c->row, status, failure_of(answer, status), &times, answer);
	if (usd < 0 && outcome == SCHEDULE_BROKEN)
		usd = c->ceiling; /* it may have been said to the end, only not to us */
	r->used_usd += usd > 0 ? usd : 0;
}

void runner_skip(struct runner *r, const struct schedule_step *step, uint64_t now)
{
	struct runner_target *t = &r->targets[step->target];
	struct runner_times times = { .offset = r->line.offset, .due = step->due, .first_sent = step->first_sent,
				      .ended = now, .attempts = step->attempts };

	t->skipped++;
	runner_tell_waited(r, step->row, step->attempts, step->waited);
	write_row(r, step->row, t->status, str_from(t->failure), &times, NULL);
}

/* ---- questions ---- */

static struct runner_call *new_call(struct runner *r, size_t target)
{
	struct runner_call *c = r->spare;

	if (c)
		r->spare = c->next;
	else
		c = arena_new(&r->keep, struct runner_call);
	*c = (struct runner_call){ .runner = r, .next = r->open, .target = target };
	if (r->open)
		r->open->before = c;
	r->open = c;
	return c;
}

static void free_call(struct runner *r, struct runner_call *c)
{
	if (c->before)
		c->before->next = c->next;
	else
		r->open = c->next;
	if (c->next)
		c->next->before = c->before;
	c->next = r->spare;
	r->spare = c;
}

/* A warm-up call is over: it is logged, counts against the budget, and the next begins. */
static void on_warmed(struct runner *r, struct runner_call *c, const struct provider_answer *answer)
{
	runner_tell_target(r, c->target);
	json_put_i64_or_null(&r->log.w, "number", (int64_t)r->targets[c->target].warmed);
	json_put_text_or_null(&r->log.w, "status", str_from(provider_status_name(answer->status)));
	json_put_text_or_null(&r->log.w, "failure_type",
			answer->failure ? str_from(answer->failure) : str_of(NULL, 0));
	json_put_i64_or_null(&r->log.w, "e2e_ms", (int64_t)((clock_mono_ns() - c->asked_ns) / RUNNER_NS_PER_MS));
	runner_tell_end(r, "warmup");
	r->used_usd += c->ceiling;
	runner_target_warmed(r, c->target);
}

/* Also called when the run is over: then the answer is dropped, since its row will be asked again by --resume. */
static void runner_ask_on_answer(void *own, const struct provider_answer *answer)
{
	struct runner_call *c = own;
	struct runner *r = c->runner;
	uint64_t now = clock_mono_ns();

	schedule_hold(r->schedule, false); /* what it costs is known now */
	if (!r->over && c->warms) {
		on_warmed(r, c, answer);
	} else if (!r->over) {
		quantile_add(&r->late, (double)answer->late_ns / 1e6);
		take_answer(r, c, answer, answer->ended_ns ? answer->ended_ns : now);
	}
	free_call(r, c);
	runner_pump(r);
}

/*
 * Sends the question of a row or of a warm-up. The answer comes later, from the loop, so the caller can tell the
 * schedule first that it was sent.
 */
static void runner_ask(struct runner *r, struct runner_call *c, const struct suite_prompt *prompt)
{
	const struct config *config = r->o->config;
	const struct target *t = &config->targets[c->target];
	struct provider_question q = {
		.model = t->model,
		.prompt = prompt->prompt,
		.thinking = t->thinking,
		.system = config->system,
		.temperature = config->temperature,
		.max_tokens = config->max_tokens < UINT32_MAX ? (uint32_t)config->max_tokens : UINT32_MAX,
		.whole = !config->stream,
	};

	c->asked_ns = clock_mono_ns();
	c->call = provider_ask(r->lanes.clients[c->target], &q, runner_ask_on_answer, c);
}

/* The most that a question can cost, as far as that is known. */
static double ceiling_of(struct runner *r, size_t target, const struct suite_prompt *prompt)
{
	const struct config *c = r->o->config;
	double usd = plan_ceiling(r->o->prices, &c->targets[target], c, prompt->prompt);

	if (isfinite(usd))
		return usd;
	if (c->budget_usd >= 0 && !r->told_price) {
		r->told_price = true;
		runner_tell(r, arena_printf(&r->work,
					    "the cost of %.*s is not known without a price and a limit on output "
					    "tokens: only known costs count against the budget",
					    STR_ARG(runner_name(r, target))));
	}
	return 0;
}

/* Whether the budget allows for it. Without open questions, which may turn out to be cheaper, a no is the end. */
static bool is_affordable(struct runner *r, double ceiling)
{
	const struct config *c = r->o->config;
	uint64_t open, waiting;

	if (c->budget_usd < 0 || r->used_usd + r->reserved_usd + ceiling <= c->budget_usd)
		return true;
	schedule_load(r->schedule, &open, &waiting);
	if (open > 0) {
		schedule_hold(r->schedule, true);
		return false;
	}
	schedule_stop(r->schedule);
	runner_log_begin(&r->log);
	json_put_double(&r->log.w, "budget_usd", c->budget_usd);
	json_put_double(&r->log.w, "used_usd", r->used_usd);
	json_put_double(&r->log.w, "next_usd", ceiling);
	runner_tell_end(r, "budget_stop");
	r->report->end = RUNNER_BUDGET;
	return false;
}

void runner_send(struct runner *r, const struct schedule_step *step)
{
	uint64_t repetition, prompt_at;
	const struct suite_prompt *prompt;
	struct runner_call *c;
	double ceiling;
	size_t target;

	schedule_row(r->schedule, step->row, &target, &repetition, &prompt_at);
	prompt = &r->o->suite->prompts[prompt_at];
	ceiling = ceiling_of(r, target, prompt);
	if (!is_affordable(r, ceiling))
		return;
	c = new_call(r, target);
	c->row = step->row;
	c->ceiling = ceiling;
	r->reserved_usd += ceiling;
	runner_ask(r, c, prompt);
	schedule_sent(r->schedule, c->row, c->asked_ns);
}

/* What came until then is kept as the row's output; the row itself is an error, and is not tried again. */
static void on_expired(void *own, const struct provider_answer *seen)
{
	struct runner_call *c = own;
	struct runner *r = c->runner;
	struct provider_answer answer = *seen;

	answer.status = PROVIDER_ERROR;
	answer.failure = "timeout";
	answer.retryable = false;
	answer.http_status = 0;
	answer.retry_after_ms = -1;
	runner_tell_row(r, c->row);
	json_put_i64_or_null(&r->log.w, "timeout_ms", (int64_t)r->o->config->timeout_ms);
	runner_tell_end(r, "timeout");
	take_answer(r, c, &answer, clock_mono_ns());
}

void runner_expire(struct runner *r, uint64_t row)
{
	struct runner_call *c = r->open;

	while (c && (c->warms || c->row != row))
		c = c->next;
	if (!c)
		return;
	provider_cancel(c->call, on_expired);
	if (!c->answered)
		on_expired(c, &(struct provider_answer){ .text = STR("") });
	free_call(r, c);
}

void runner_warm(struct runner *r, size_t target)
{
	struct runner_call *c = new_call(r, target);

	c->warms = true;
	c->ceiling = ceiling_of(r, target, &r->o->suite->prompts[0]);
	runner_ask(r, c, &r->o->suite->prompts[0]);
}

void runner_expire_warming(struct runner *r)
{
	uint64_t limit = r->o->config->timeout_ms * RUNNER_NS_PER_MS, now = clock_mono_ns();
	struct runner_call *next;

	for (struct runner_call *c = r->open; c && limit; c = next) {
		next = c->next;
		if (!c->warms || now - c->asked_ns < limit)
			continue;
		provider_cancel(c->call, NULL);
		on_warmed(r, c, &(struct provider_answer){ .status = PROVIDER_ERROR, .failure = "timeout" });
		free_call(r, c);
	}
}
