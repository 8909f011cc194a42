/* Going on with a run: as it was begun, and refusing by name what says otherwise. */
#include <unistd.h>

#include "base/mask.h"
#include "base/num.h"
#include "cmd/bench/run.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/report/report.h"

#define AS_BEGUN "a run continues with its first options: leave this one out, or start a new run"

/* ---- options ---- */

/* Always false: the usage error that names the option and, where it is short, what the run began with. */
static bool resumed_refuse(const char *option, struct str was, struct err *err)
{
	return usage_set(err, AS_BEGUN, "--resume: %s differs from the start of the run%s%.*s%s", option,
			 was.n ? " (" : "", STR_ARG(was), was.n ? ")" : "");
}

/* Numbers that were given must be those of the run; `times` turns them into the unit of config.json. */
static bool resumed_counts(struct bench_job *j, const struct bench_asked *o, struct err *err)
{
	const struct config *c = &j->config;
	const struct {
		const char *option;
		unsigned given;
		uint64_t times, was;
	} counts[] = {
		{ "--repeat", o->sending.repeat, 1, c->repeat },
		{ "--warmup", o->sending.warmup, 1, c->warmup },
		{ "--retries", o->sending.retries, 1, c->retries },
		{ "--retry-delay", o->sending.retry_delay, 1, c->retry_delay_ms },
		{ "--timeout", o->how.timeout, 1000, c->timeout_ms },
		{ "--max-tokens", o->how.max_tokens, 1, c->max_tokens },
		{ "--seed", o->how.seed, 1, c->seed },
	};

	for (size_t i = 0; i < COUNT(counts); i++)
		if (counts[i].given != BENCH_UNSET && counts[i].given * counts[i].times != counts[i].was)
			return resumed_refuse(counts[i].option,
					      arena_printf(j->arena, "%llu",
							   (unsigned long long)(counts[i].was / counts[i].times)),
					      err);
	return true;
}

/* Equal; written without ==, about which the compiler warns. */
static bool resumed_is_number(double x, double y)
{
	return !(x < y) && !(x > y);
}

static struct str resumed_number(struct arena *a, double was)
{
	return was < 0 ? STR("none") : arena_printf(a, "%g", was);
}

/* How it was asked: everything that is no plain number. An option that was not given is taken from the run. */
static bool resumed_ways(struct bench_job *j, const struct bench_asked *o, struct err *err)
{
	const struct config *c = &j->config;
	uint64_t concurrency = c->concurrency;
	double temperature = c->temperature, budget = c->budget_usd;

	if ((o->sending.concurrency.p && !bench_job_concurrency(o->sending.concurrency, &concurrency, err)) ||
	    (o->how.temperature.p && !bench_args_temperature(&o->how, &temperature, err)))
		return false;
	if (concurrency != c->concurrency)
		return resumed_refuse("--concurrency", c->concurrency ? arena_printf(j->arena, "%llu",
				      (unsigned long long)c->concurrency) : STR("auto"), err);
	if (!resumed_is_number(temperature, c->temperature))
		return resumed_refuse("--temperature", resumed_number(j->arena, c->temperature), err);
	if (o->sending.budget.p && (num_parse_double(o->sending.budget, &budget) != NUM_OK ||
				    !resumed_is_number(budget, c->budget_usd)))
		return resumed_refuse("--budget-usd", resumed_number(j->arena, c->budget_usd), err);
	if (o->sending.detector >= 0 && (o->sending.detector == 1) != (c->detector == DETECT_REFERENCE))
		return resumed_refuse("--detector", c->detector ? STR("reference") : STR("default"), err);
	if (o->how.no_stream && c->stream)
		return resumed_refuse("--no-stream", STR(""), err);
	if (o->how.system.p && !(c->system.p && str_eq(o->how.system, c->system)))
		return resumed_refuse("--system", STR(""), err);
	return true;
}

/* As config.json has it: what looks like a key is not in it. */
static bool resumed_has_var(const struct config *c, struct str name, struct str value)
{
	struct buf shown;
	bool found = false;

	buf_init(&shown);
	mask_text(&shown, value, 0, NULL, NULL);
	for (size_t i = 0; i < c->var_count; i++)
		found = found || (str_eq(c->vars[i].name, name) && str_eq(c->vars[i].value, buf_str(&shown)));
	buf_free(&shown);
	return found;
}

/* What was asked. Tags must be the same in the same order; each --var must be one that the run had. */
static bool resumed_what(struct bench_job *j, const struct bench_asked *o, struct err *err)
{
	const struct config *c = &j->config;
	bool same = o->what.tags.count == 0 || o->what.tags.count == c->tag_count;

	for (size_t i = 0; same && i < o->what.tags.count; i++)
		same = str_eq(o->what.tags.items[i], c->tags[i]);
	if (!same)
		return resumed_refuse("--tag", STR(""), err);
	for (size_t i = 0; i < o->what.vars.count; i++) {
		struct str name, value;

		if (!bench_args_pair(o->what.vars.items[i], &name, &value) || !resumed_has_var(c, name, value))
			return resumed_refuse("--var", STR(""), err);
	}
	if (o->what.table.p)
		return usage_set(err, "leave it out", "--resume: the run's prompts already contain --table");
	if (o->what.allow_commands.given && !c->allow_commands)
		return resumed_refuse("--allow-commands", STR(""), err);
	return true;
}

/* ---- files ---- */

/* An older version kept no word of the file that an option named; but the command line it kept. */
static bool resumed_was_given(const struct config *c, const char *option)
{
	size_t n = strlen(option);

	for (size_t i = 0; i < c->command_count; i++)
		if (str_starts(c->command[i], str_from(option)) &&
		    (c->command[i].n == n || c->command[i].p[n] == '='))
			return true;
	return false;
}

/* The file to read: what the run was begun with, wherever it is now. `was` p NULL: without one. */
static bool resumed_path(const struct config *c, const char *option, struct str was, struct str *given,
			 struct err *err)
{
	if (!c->knows_files && !given->p && resumed_was_given(c, option))
		return usage_set(err, "name it again", "--resume: the run was started with %s, and config.json "
				 "does not say what was in the file", option);
	if (c->knows_files && !was.p && given->p)
		return resumed_refuse(option, STR("none"), err);
	if (!c->knows_files || given->p)
		return true;
	if (was.p && access(was.p, R_OK) != 0)
		return usage_set(err, "give its new place with the same option",
				 "--resume: the run was started with %s %.*s, which cannot be read here", option,
				 STR_ARG(was));
	*given = was;
	return true;
}

/* By the digests that config.json keeps; the first header that differs is named. */
static bool resumed_headers(const struct config *was, const struct config *now, struct err *err)
{
	for (size_t i = 0; i < was->header_count || i < now->header_count; i++) {
		struct str name = i < was->header_count ? was->headers[i].name : now->headers[i].name;

		if (i < was->header_count && i < now->header_count && str_eq(name, now->headers[i].name) &&
		    str_eq(was->headers[i].sha256, now->headers[i].sha256))
			continue;
		return usage_set(err, AS_BEGUN, "--resume: --header-file: %.*s differs from the start of the run",
				 STR_ARG(name));
	}
	return true;
}

/* Reads them as they are now, and compares with what the run was begun with. */
static bool resumed_files(struct bench_job *j, const struct bench_asked *o, struct err *err)
{
	struct config was = j->config, *c = &j->config;
	struct bench_who who = o->who;
	struct str prices = o->sending.prices;

	if (!resumed_path(&was, "--mock-script", was.mock_script.path, &who.mock_script, err) ||
	    !resumed_path(&was, "--header-file", was.header_file, &who.header_file, err) ||
	    !resumed_path(&was, "--prices", was.prices, &prices, err))
		return false;
	if (!bench_args_providers(j->arena, &who, c->targets, c->target_count, &j->providers, c, err) ||
	    !bench_job_prices(j, prices, err))
		return err_context(err, "--resume");
	if (!was.knows_files)
		return true;
	if (was.mock_script.path.p && !str_eq(was.mock_script.sha256, c->mock_script.sha256))
		return resumed_refuse("the content of --mock-script", was.mock_script.path, err);
	if (was.prices.p && !str_eq(was.price_table, prices_hash(j->prices)))
		return resumed_refuse("the content of --prices", was.prices, err);
	return resumed_headers(&was, c, err);
}

/* ---- the rest ---- */

/* The suite as it was sent: the prompts of config.json are whole, variables filled in. */
static bool resumed_suite(struct bench_job *j, struct str path, bool unsandboxed, struct err *err)
{
	struct suite_options how = {
		.filled = true, .finding_limit = REPORT_LIMIT, .allow_commands = j->config.allow_commands,
		.unsandboxed = unsandboxed,
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
	text.text = arena_take(j->arena, &list);
	suite_parse(&j->suite, j->arena, &text, 1, NULL, &how);
	if (!bench_args_check_suite(j->frame, &j->suite, err))
		return false;
	digest = ledger_args_hex(j->arena, suite_digest(&j->suite));
	if (!str_eq(digest, j->config.suite_digest))
		return err_set(err, ERR_DATA, "%.*s: the prompts do not match suite_digest" ERR_HELP
			       "the file was changed after the run started; start a new run", STR_ARG(path));
	j->config.prompts = j->suite.prompts;
	return true;
}

/* Where a provider was, unless it is named anew. The built-in mock has no address to go back to. */
static void resumed_bases(struct bench_job *j)
{
	for (size_t i = 0; i < j->config.target_count; i++) {
		struct str base = j->config.bases[i];

		if (!j->providers[i].base.p && base.n && !str_eq(base, STR("builtin")))
			j->providers[i].base = base;
	}
}

/* Who may run programs outside a sandbox is the user's to say, and not that of a file that may come from anywhere. */
static bool resumed_sandbox(const struct bench_job *j, const struct bench_asked *o, struct err *err)
{
	if (!j->config.allow_commands || !str_eq(j->config.sandbox, STR("limits only")) ||
	    o->what.allow_commands.value.p)
		return true;
	return usage_set(err, "give it again, if you trust the suite",
			 "--resume: the run was started with --allow-commands=unsandboxed");
}

bool bench_job_resume(struct bench_job *j, const struct bench_asked *o, struct str dir, struct err *err)
{
	struct str path = ARENA_JOIN(j->arena, dir, STR("/config.json"));
	struct config *c = &j->config;
	struct str prices;

	if (!config_read(c, j->arena, path, err))
		return false;
	for (size_t i = 0; i < c->target_count; i++)
		if (!c->targets[i].provider || !c->targets[i].model.n || !c->targets[i].tag.n)
			return err_set(err, ERR_DATA, "%.*s: target %zu is not usable" ERR_HELP
				       "'trackway validate %.*s' says what is wrong with it", STR_ARG(path), i + 1,
				       STR_ARG(path));
	if (!c->run_id.n || !c->target_count)
		return err_set(err, ERR_DATA, "%.*s: it has no run_id or no targets", STR_ARG(path));
	prices = c->price_table;
	if (!resumed_counts(j, o, err) || !resumed_ways(j, o, err) || !resumed_what(j, o, err) ||
	    !resumed_files(j, o, err) || !resumed_sandbox(j, o, err) ||
	    !resumed_suite(j, path, o->what.allow_commands.value.p != NULL, err))
		return false;
	c->allow_unreachable = c->allow_unreachable || o->allow_unreachable;
	resumed_bases(j);
	if (!bench_job_finish(j, err))
		return false;
	if (prices.n && !str_eq(prices, c->price_table))
		inputs_warn(j->frame, "the price table changed since the run started: the costs of its rows are not "
			    "comparable");
	return true;
}
