/* The configuration of a run, from the options. */
#include "base/build.h"
#include "base/file.h"
#include "base/num.h"
#include "cmd/bench/run.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"

#define PRICES_MAX ((size_t)16 << 20)

bool bench_job_prices(struct bench_job *j, struct str path, struct err *err)
{
	struct str text;

	j->prices = prices_new(j->arena);
	j->config.prices = path;
	if (!path.p)
		return true;
	return file_read(j->arena, path, PRICES_MAX, &text, err) && prices_override(j->prices, text, path, err);
}

bool bench_job_concurrency(struct str given, uint64_t *out, struct err *err)
{
	*out = 0;
	if (!given.p || str_eq(given, STR("auto")))
		return true;
	if (num_parse_u64(given, out) && *out >= 1 && *out <= 10000)
		return true;
	return usage_set(err, "write auto, or a number from 1 to 10000",
			 "--concurrency: '%.*s' is not a number of calls", STR_ARG(given));
}

/* -1 without a budget. A budget needs --max-tokens, because only then is there a highest cost of a call. */
static bool read_budget(const struct bench_asked *o, double *out, struct err *err)
{
	struct str given = o->sending.budget;

	*out = -1;
	if (!given.p)
		return true;
	if (num_parse_double(given, out) != NUM_OK || *out < 0)
		return usage_set(err, "write dollars, as 2.50", "--budget-usd: '%.*s' is not an amount",
				 STR_ARG(given));
	if (!o->how.max_tokens)
		return usage_set(err, "add --max-tokens N",
				 "--budget-usd needs a limit on the length of an answer");
	return true;
}

/* Bounds of numbers, before they are multiplied with each other. */
static bool check_counts(const struct bench_asked *o, struct err *err)
{
	if (o->sending.repeat < 1 || o->sending.repeat > 1000000)
		return usage_set(err, "ask every prompt at least once", "--repeat must be from 1 to 1000000");
	if (o->how.timeout < 1 || o->how.timeout > 86400)
		return usage_set(err, "write seconds", "--timeout must be from 1 to 86400");
	if (o->sending.retries > 100)
		return usage_set(err, "5 is usual", "--retries must be at most 100");
	return true;
}

static void name_suites(struct bench_job *j)
{
	j->config.suites = bench_args_suites(j->arena, &j->suite);
	j->config.suite_count = j->suite.file_count;
	j->config.suite_digest = ledger_args_hex(j->arena, suite_digest(&j->suite));
	j->config.prompts = j->suite.prompts;
	j->config.prompt_count = j->suite.count;
}

bool bench_job_finish(struct bench_job *j, struct err *err)
{
	struct config *c = &j->config;

	c->bases = arena_array(j->arena, struct str, c->target_count + 1);
	for (size_t i = 0; i < c->target_count; i++)
		if (!provider_where(j->arena, c->targets[i].provider, &j->providers[i], &c->bases[i], err))
			return false;
	c->price_table = arena_copy(j->arena, prices_hash(j->prices));
	plan_make(&j->plan, j->arena, c, &j->suite, j->prices);
	return true;
}

void bench_asked_settle(struct bench_asked *o)
{
	const struct {
		unsigned *value, usual;
	} counts[] = {
		{ &o->sending.repeat, 1 },
		{ &o->sending.warmup, 0 },
		{ &o->sending.retries, BENCH_RETRIES },
		{ &o->sending.retry_delay, BENCH_RETRY_DELAY },
		{ &o->how.timeout, BENCH_TIMEOUT },
		{ &o->how.max_tokens, 0 },
		{ &o->how.seed, 0 },
	};

	for (size_t i = 0; i < COUNT(counts); i++)
		if (*counts[i].value == BENCH_UNSET)
			*counts[i].value = counts[i].usual;
	if (o->sending.detector < 0)
		o->sending.detector = 0;
}

bool bench_job_make(struct bench_job *j, const struct bench_asked *o, const struct str *suites, size_t count,
		    struct err *err)
{
	struct config *c = &j->config;
	struct suite_options how;

	*c = (struct config){
		.created_at = bench_args_now(j->arena),
		.version = STR(BUILD_VERSION),
		.repeat = o->sending.repeat,
		.timeout_ms = (uint64_t)o->how.timeout * 1000,
		.retries = o->sending.retries,
		.retry_delay_ms = o->sending.retry_delay,
		.stream = !o->how.no_stream,
		.max_tokens = o->how.max_tokens,
		.system = o->how.system,
		.detector = o->sending.detector ? DETECT_REFERENCE : DETECT_DEFAULT,
		.seed = o->how.seed,
		.warmup = o->sending.warmup,
		.tags = o->what.tags.items,
		.tag_count = o->what.tags.count,
		.allow_commands = o->what.allow_commands.given,
		.allow_unreachable = o->allow_unreachable,
	};
	if (!check_counts(o, err) || !bench_job_concurrency(o->sending.concurrency, &c->concurrency, err) ||
	    !bench_args_temperature(&o->how, &c->temperature, err) || !read_budget(o, &c->budget_usd, err) ||
	    !bench_args_targets(j->arena, &o->who, &c->targets, &c->target_count, err) ||
	    !bench_args_providers(j->arena, &o->who, c->targets, c->target_count, &j->providers, c,
				  err) ||
	    !bench_job_prices(j, o->sending.prices, err) ||
	    !bench_args_suite(j->arena, j->frame, suites, count, &o->what, &j->suite, &how, err))
		return false;
	c->vars = how.vars;
	c->var_count = how.var_count;
	if (c->allow_commands)
		c->sandbox = str_from(validator_sandbox());
	name_suites(j);
	c->command = bench_args_command(j->arena, j->frame, &c->command_count);
	return bench_job_finish(j, err);
}
