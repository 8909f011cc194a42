/*
 * Asks one question after the other, on a loop of its own that runs while somebody waits: for an answer, or for the
 * time of the next try. A tick looks for Ctrl-C and for the end of either wait.
 */
#include "trial/classify/judge.h"

#include "base/clock.h"
#include "base/stop.h"
#include "transform/backoff.h"
#include "trial/classify/judge_talk.h"

#define JUDGE_TICK_MS 50
#define JUDGE_SEED 1 /* of the waits: they need not differ from run to run */
#define NS_PER_MS 1000000

struct classify_judge {
	const struct judge_options *o;
	struct judge_use use;
	uv_loop_t loop;
	uv_timer_t tick;
	struct provider_pool *pool;
	struct provider_client *client;
	struct stats_random random;
	uint64_t until; /* of what is waited for, by clock_mono_ns; 0: for ever */
	bool stopped, expired;
	/* of the try under way */
	struct provider_call *call;
	struct arena answers;   /* of the question at hand */
	struct provider_answer answer; /* texts in `answers` */
};

/* ---- waiting ---- */

static void judge_end_wait(struct classify_judge *j)
{
	uv_timer_stop(&j->tick);
	uv_stop(&j->loop);
}

static void judge_on_tick(uv_timer_t *timer)
{
	struct classify_judge *j = timer->data;

	j->stopped = stop_signal() != 0;
	j->expired = j->until && clock_mono_ns() >= j->until;
	if (j->stopped || j->expired)
		judge_end_wait(j);
}

/* Runs the loop until the answer is there, the time is over, or we are to stop. */
static void judge_wait(struct classify_judge *j, uint64_t ms)
{
	j->until = ms ? clock_mono_ns() + ms * NS_PER_MS : 0;
	j->expired = false;
	uv_timer_start(&j->tick, judge_on_tick, JUDGE_TICK_MS, JUDGE_TICK_MS);
	uv_run(&j->loop, UV_RUN_DEFAULT);
}

/* ---- what it cost ---- */

static void judge_add_figure(struct figure *sum, struct figure f)
{
	if (!figure_is_known(f) || sum->state == FIGURE_NULL) {
		*sum = (struct figure){ .state = FIGURE_NULL };
		return;
	}
	sum->n += f.n;
	sum->state = FIGURE_KNOWN;
}

/* A figure that one answer does not tell is not known of all. */
static void judge_add_use(struct classify_judge *j, const struct provider_answer *answer)
{
	struct price_ask ask = {
		.provider = str_from(provider_vendor(j->o->provider)), .model = j->o->model, .tier = answer->tier,
		.usage = &answer->usage,
	};
	double usd = answer->usd.n;
	bool known = amount_is_known(answer->usd) ||
		     (j->o->prices && price_usage(j->o->prices, &ask, &usd) == PRICE_FOUND);

	judge_add_figure(&j->use.input_tokens, answer->usage.input);
	judge_add_figure(&j->use.output_tokens, answer->usage.output);
	if (!known || j->use.usd.state == FIGURE_NULL) {
		j->use.usd = (struct amount){ .state = FIGURE_NULL };
		return;
	}
	j->use.usd.n += usd;
	j->use.usd.state = FIGURE_KNOWN;
	if (!amount_is_known(answer->usd))
		j->use.usd.source = FIGURE_ESTIMATED;
}

/* ---- one question ---- */

static void judge_on_answer(void *own, const struct provider_answer *answer)
{
	struct classify_judge *j = own;

	j->call = NULL;
	j->answer = *answer;
	j->answer.text = arena_copy(&j->answers, answer->text);
	j->answer.message = arena_copy(&j->answers, answer->message);
	j->answer.failure = answer->failure ? arena_copy(&j->answers, str_from(answer->failure)).p : NULL;
	judge_end_wait(j);
}

static void judge_try(struct classify_judge *j, struct str question)
{
	struct provider_question q = {
		.model = j->o->model, .thinking = j->o->thinking, .prompt = question,
		.system = str_from(judge_instructions), .temperature = 0, .whole = j->o->whole,
	};

	j->answer = (struct provider_answer){ .status = PROVIDER_ERROR, .failure = "timeout" };
	j->call = provider_ask(j->client, &q, judge_on_answer, j);
	judge_wait(j, j->o->timeout_ms);
	if (j->call)
		provider_cancel(j->call, NULL);
	j->call = NULL;
}

static void judge_tell_retry(struct classify_judge *j, int64_t delay)
{
	if (j->o->tell)
		j->o->tell(j->o->context, arena_printf(&j->answers, "the judge said %s; it is asked again in %.1f s",
						       j->answer.failure, (double)delay / 1000));
}

static bool judge_fail(const struct classify_judge *j, unsigned tries, struct err *err)
{
	const struct provider_answer *answer = &j->answer;

	if (j->stopped)
		return err_set(err, ERR_IO, "stopped while the judge was asked");
	return err_set(err, ERR_IO, "the judge %s:%.*s gave no answer: %s%s%.*s (%u %s)",
		       provider_name(j->o->provider), STR_ARG(j->o->model),
		       answer->failure ? answer->failure : "nothing was said", answer->message.n ? ": " : "",
		       STR_ARG(answer->message), tries, tries == 1 ? "try" : "tries");
}

/* The answer is in j->answer then. */
static bool judge_ask(struct classify_judge *j, struct str question, struct err *err)
{
	uint64_t base = j->o->retry_ms ? j->o->retry_ms : BACKOFF_BASE_MS;
	unsigned tries = 1;

	arena_reset(&j->answers);
	j->use.questions++;
	for (;; tries++) {
		int64_t delay;

		judge_try(j, question);
		if (j->answer.status == PROVIDER_OK)
			break;
		delay = backoff_delay_ms(&j->random, tries, base, j->answer.retry_after_ms);
		if (j->stopped || !j->answer.retryable || delay < 0 || tries > BACKOFF_RETRIES)
			return judge_fail(j, tries, err);
		j->use.retries++;
		judge_tell_retry(j, delay);
		judge_wait(j, delay > 0 ? (uint64_t)delay : 1);
		if (j->stopped)
			return judge_fail(j, tries, err);
	}
	judge_add_use(j, &j->answer);
	return str_trim(j->answer.text).n || judge_fail(j, tries, err);
}

bool classify_judge_turns(struct classify_judge *j, struct arena *a, const struct turns *t, struct classify_turn *out,
			  struct err *err)
{
	size_t to;

	for (size_t from = 0; from < t->count; from = to) {
		struct arena question;
		bool done;

		to = t->count - from > JUDGE_BATCH ? from + JUDGE_BATCH : t->count;
		arena_init(&question);
		done = judge_ask(j, judge_question(&question, t, from, to), err) &&
		       judge_read_reply(a, j->answer.text, from, to, out + from, err);
		arena_free(&question);
		if (!done)
			return err_context(err, arena_copy(a, t->from.path).p);
	}
	return true;
}

/* ---- its life ---- */

struct judge_use classify_judge_used(const struct classify_judge *j)
{
	return j->use;
}

struct classify_judge *classify_judge_open(const struct judge_options *o, struct err *err)
{
	struct classify_judge *j = mem_alloc(sizeof(*j));

	*j = (struct classify_judge){ .o = o };
	arena_init(&j->answers);
	stats_random_init(&j->random, JUDGE_SEED);
	uv_loop_init(&j->loop);
	uv_timer_init(&j->loop, &j->tick);
	j->tick.data = j;
	j->pool = provider_pool_open(&j->loop);
	j->client = provider_open(j->pool, o->provider, &o->reach, err);
	if (j->client)
		return j;
	classify_judge_close(j);
	return NULL;
}

void classify_judge_close(struct classify_judge *j)
{
	if (!j)
		return;
	provider_pool_close(j->pool);
	uv_close((uv_handle_t *)&j->tick, NULL);
	uv_run(&j->loop, UV_RUN_DEFAULT);
	provider_pool_free(j->pool);
	uv_loop_close(&j->loop);
	arena_free(&j->answers);
	mem_free(j);
}
