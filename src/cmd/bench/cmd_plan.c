/* `trackway bench plan`: the job that `bench run` would run, shown and not sent. */
#include <stdio.h>

#include "cmd/bench/run.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"

struct plan_opts {
	struct bench_who who;
	struct bench_how how;
	struct bench_what what;
	struct bench_sending sending;
	struct opt_maybe json;
};

static const struct plan_opts defaults = {
	.how = { .timeout = BENCH_TIMEOUT },
	.sending = BENCH_SENDING_DEFAULTS,
};

static const struct opt options[] = {
	BENCH_WHO_OPTIONS(struct plan_opts, "may be given several times"),
	BENCH_SENDING_OPTIONS(struct plan_opts),
	BENCH_HOW_OPTIONS(struct plan_opts),
	BENCH_WHAT_OPTIONS(struct plan_opts),
	{ OPT_OPTIONAL, 0, "json", offsetof(struct plan_opts, json), "FIELDS",
	  "the plan as JSON; only the named fields" },
	OPT_LAST,
};

/* The command. Nothing is sent, and no key is needed. */
static int plan(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct plan_opts *o = given;
	struct bench_asked asked = { .who = o->who, .how = o->how, .what = o->what, .sending = o->sending };
	struct bench_job *j = arena_new(a, struct bench_job);
	struct buf text;

	j->arena = a;
	j->frame = args.frame;
	if (!bench_job_make(j, &asked, args.items, args.count, err))
		return EXIT_FAIL;
	buf_init(&text);
	if (o->json.given)
		bench_plan_write_json(&text, j, o->json);
	else
		bench_plan_show(&text, j, &args.frame->out);
	stream_write(stdout, buf_str(&text));
	buf_free(&text);
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway bench plan builtin:sanity --target mock:echo --repeat 3", "size, cost and precision" },
	{ "trackway bench plan suite.json --target openai:o3 --max-tokens 500",
	  "with the highest possible cost" },
	{ NULL, NULL },
};

const struct command bench_plan_command = {
	.name = "bench plan",
	.summary = "what a run would send, what it could cost and what it could show",
	.usage = "SUITE... --target PROVIDER:MODEL[@THINKING]... [the options of bench run]",
	.description =
		"Checks the suite and the options as bench run does, and sends nothing. Tokens are estimated at "
		"four bytes each (~). The cost is a ceiling: every answer as long as --max-tokens allows, at the "
		"prices of doc/prices.md. Without --max-tokens there is no ceiling. A target without a price has "
		"a dash: its cost is not known and is in no total, and the plan says so; --prices adds one.\n\n"
		"The smallest visible difference is that between two targets that are asked the same prompts, "
		"with 80 % power at the 95 % level. It assumes that answers to one prompt correlate by 0.5, that "
		"both targets pass half of the prompts, and that half of the variance lies between repetitions "
		"(Miller, arXiv 2411.00640, section 5). That is a worst case for the rates and a usual one for "
		"the correlation.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.fields = bench_plan_fields,
	.options_size = sizeof(struct plan_opts),
	.args = ARGS_SUITES,
	.args_min = 0,
	.args_max = ARGS_MANY,
	.run = plan,
};
