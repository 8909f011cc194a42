/* The configuration of a run: from the options, or from the run that is gone on with. */
#include "base/build.h"
#include "base/file.h"
#include "base/num.h"
#include "cmd/bench_run.h"
#include "cmd/ledger_args.h"
#include "cmd/report.h"

#define PRICES_MAX ((size_t)16 << 20)

static bool read_prices(struct bench_job *j, struct str path, struct err *err)
{
	struct str text;

	j->prices = prices_new(j->arena);
	if (!path.p)
		return true;
	return file_read(j->arena, path, PRICES_MAX, &text, err) && prices_override(j->prices, text, path, err);
}

static bool read_concurrency(struct str given, uint64_t *out, struct err *err)
{
	*out = 0;
	if (!given.p || str_eq(given, STR("auto")))
		return true;
	if (num_parse_u64(given, out) && *out >= 1 && *out <= 10000)
		return true;
	return usage_set(err, "write auto, or a number from 1 to 10000", "--concurrency: '%.*s' is no number of calls",
			 STR_ARG(given));
}

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
				 "--budget-usd needs to know how much an answer can cost, and nothing limits its "
				 "length");
	return true;
}

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

static bool finish(struct bench_job *j, struct err *err)
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
	};
	if (!check_counts(o, err) || !read_concurrency(o->sending.concurrency, &c->concurrency, err) ||
	    !bench_args_temperature(&o->how, &c->temperature, err) || !read_budget(o, &c->budget_usd, err) ||
	    !bench_args_targets(j->arena, &o->who, &c->targets, &c->target_count, err) ||
	    !bench_args_providers(j->arena, &o->who, c->targets, c->target_count, &j->providers, err) ||
	    !read_prices(j, o->sending.prices, err) ||
	    !bench_args_suite(j->arena, j->frame, suites, count, &o->what, &j->suite, &how, err))
		return false;
	c->vars = how.vars;
	c->var_count = how.var_count;
	if (c->allow_commands)
		c->sandbox = str_from(validator_sandbox());
	name_suites(j);
	c->command = bench_args_command(j->arena, j->frame, &c->command_count);
	return finish(j, err);
}

/* ---- going on ---- */

/* The suite as it was sent: the prompts of config.json are whole, variables filled in. */
static bool read_suite_again(struct bench_job *j, struct str path, struct err *err)
{
	struct suite_options how = {
		.filled = true, .finding_limit = REPORT_LIMIT, .allow_commands = j->config.allow_commands,
		.unsandboxed = str_eq(j->config.sandbox, STR("limits only")),
	};
	struct suite_text text = { .name = path };
	struct str digest;
	struct buf list;

	buf_init(&list);
	for (size_t i = 0; i < j->config.prompt_count; i++) {
		buf_add_byte(&list, i ? ',' : '[');
		buf_add_str(&list, j->config.prompts[i].canonical);
	}
	buf_add_byte(&list, ']');
	text.text = arena_copy(j->arena, buf_str(&list));
	buf_free(&list);
	suite_parse(&j->suite, j->arena, &text, 1, NULL, &how);
	if (!bench_args_check_suite(j->frame, &j->suite, err))
		return false;
	digest = ledger_args_hex(j->arena, suite_digest(&j->suite));
	if (!str_eq(digest, j->config.suite_digest))
		return err_set(err, ERR_DATA, "%.*s: the prompts are not those of suite_digest" ERR_HELP
			       "the file was changed after the run began; begin a new run", STR_ARG(path));
	j->config.prompts = j->suite.prompts;
	return true;
}

/* Where a provider was, unless it is named anew. The built-in mock has no address to go back to. */
static void keep_bases(struct bench_job *j)
{
	for (size_t i = 0; i < j->config.target_count; i++) {
		struct str base = j->config.bases[i];

		if (!j->providers[i].base.p && base.n && !str_eq(base, STR("builtin")))
			j->providers[i].base = base;
	}
}

bool bench_job_resume(struct bench_job *j, const struct bench_who *w, struct str prices, struct str dir,
		      struct err *err)
{
	struct str path = ARENA_JOIN(j->arena, dir, STR("/config.json"));
	struct config *c = &j->config;

	if (!config_read(c, j->arena, path, err))
		return false;
	for (size_t i = 0; i < c->target_count; i++)
		if (!c->targets[i].provider || !c->targets[i].model.n || !c->targets[i].tag.n)
			return err_set(err, ERR_DATA, "%.*s: target %zu cannot be asked" ERR_HELP
				       "'trackway validate %.*s' says what is wrong with it", STR_ARG(path), i + 1,
				       STR_ARG(path));
	if (!c->run_id.n || !c->target_count)
		return err_set(err, ERR_DATA, "%.*s: it has no run_id or no targets", STR_ARG(path));
	if (!read_prices(j, prices, err) || !read_suite_again(j, path, err) ||
	    !bench_args_providers(j->arena, w, c->targets, c->target_count, &j->providers, err))
		return false;
	keep_bases(j);
	return finish(j, err);
}
