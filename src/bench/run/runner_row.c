/* An answer becomes a row. */
#include "bench/run/runner_row.h"

#define NS_PER_MS 1000000

/* One refusal may be about what was asked; the same ones again and again are about who asks. */
static bool may_be_of_prompt(const struct provider_answer *answer, unsigned refusals)
{
	return answer->http_status && refusals < RUNNER_REFUSALS;
}

enum schedule_outcome runner_outcome(const struct provider_answer *answer, bool was_good, unsigned refusals)
{
	if (answer->status == PROVIDER_OK)
		return SCHEDULE_ANSWERED;
	if (answer->retryable)
		return answer->http_status || answer->status == PROVIDER_LIMITED ? SCHEDULE_BUSY : SCHEDULE_UNREACHED;
	switch (answer->status) {
	case PROVIDER_AUTH:
		/* a key is refused for all; 403 may also be about what was asked */
		return (answer->http_status == 403 && was_good) || may_be_of_prompt(answer, refusals) ?
			       SCHEDULE_ANSWERED : SCHEDULE_IMPOSSIBLE;
	case PROVIDER_UNAVAILABLE:
		return was_good || may_be_of_prompt(answer, refusals) ? SCHEDULE_ANSWERED : SCHEDULE_IMPOSSIBLE;
	case PROVIDER_LIMITED:
		return SCHEDULE_IMPOSSIBLE; /* a quota that is used up stays so for longer than a run */
	default:
		return answer->http_status >= 400 ? SCHEDULE_ANSWERED : SCHEDULE_BROKEN;
	}
}

static int64_t wall_ms(const struct runner_times *times, uint64_t mono)
{
	return ((int64_t)mono + times->offset) / NS_PER_MS;
}

/* Rounded; a span that did not end, or whose clock was read in the wrong order, is none. */
static int64_t span_ms(uint64_t from, uint64_t to)
{
	return to >= from ? (int64_t)((to - from + NS_PER_MS / 2) / NS_PER_MS) : 0;
}

void runner_row_begin(struct result *r, const struct target *t, const struct suite_prompt *p, uint64_t repetition,
		      enum provider_status status, struct str failure, const struct runner_times *times)
{
	*r = (struct result){
		.provider = str_from(provider_name(t->provider)),
		.model = t->model,
		.thinking = t->thinking,
		.prompt_id = p->id,
		.prompt_name = p->name,
		.status = status,
		.started_at_ms = wall_ms(times, times->first_sent ? times->first_sent : times->ended),
		.ended_at_ms = wall_ms(times, times->ended),
		.ttft_ms = -1,
		.success = status == PROVIDER_OK && !failure.p,
		.failure = failure,
		.input_tokens = -1,
		.output_tokens = -1,
		.attempts = times->attempts,
		.repetition = (int64_t)repetition + 1,
		.scheduled_at_ms = wall_ms(times, times->due),
		.cache_read_tokens = -1,
		.reasoning_tokens = -1,
		.ttfb_ms = -1,
		.tool_source = TOOLS_FROM_TEXT,
		.usd = -1,
	};
	if (times->last_sent && status != PROVIDER_UNAVAILABLE)
		r->e2e_ms = span_ms(times->last_sent, times->ended);
}

static int64_t tokens_of(struct figure f)
{
	return figure_is_known(f) && f.n <= INT64_MAX ? (int64_t)f.n : -1;
}

static int64_t until(const struct runner_times *times, uint64_t at)
{
	return at ? span_ms(times->last_sent, at) : -1;
}

void runner_row_answer(struct result *r, const struct target *t, const struct provider_answer *answer,
		       const struct prices *prices, const struct runner_times *times)
{
	struct price_ask ask = {
		.provider = str_from(provider_vendor(t->provider)),
		.model = t->model,
		.tier = answer->tier,
		.at_ns = (int64_t)times->ended + times->offset,
		.has_time = true,
		.usage = &answer->usage,
	};
	double usd;

	r->output = answer->text;
	if (r->status != PROVIDER_UNAVAILABLE) {
		r->ttft_ms = until(times, answer->token_ns);
		r->ttfb_ms = until(times, answer->byte_ns);
	}
	r->input_tokens = tokens_of(answer->usage.input);
	r->output_tokens = tokens_of(answer->usage.output);
	r->cache_read_tokens = tokens_of(answer->usage.cache_read);
	r->reasoning_tokens = tokens_of(answer->usage.reasoning);
	if (amount_is_known(answer->usd)) {
		r->usd = answer->usd.n;
	} else if (prices && price_usage(prices, &ask, &usd) == PRICE_FOUND) {
		r->usd = usd;
		r->usd_estimated = true;
	}
}

bool runner_is_empty(const struct provider_answer *answer)
{
	return answer->call_count == 0 && str_trim(answer->text).n == 0;
}
