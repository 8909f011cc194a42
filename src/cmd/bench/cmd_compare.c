/* `trackway bench compare`: pairs the answers of two runs or targets and tests each metric; look_compare.c prints. */
#include <stdio.h>

#include "cmd/bench/look.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/screen/pager.h"

struct compare_opts {
	struct str a, b;
	struct opt_list metrics;
	struct opt_maybe json;
	bool fail;
};

static const struct opt options[] = {
	{ OPT_STR, 0, "a", offsetof(struct compare_opts, a), "PROVIDER:MODEL[@THINKING]",
	  "the target on side A" },
	{ OPT_STR, 0, "b", offsetof(struct compare_opts, b), "PROVIDER:MODEL[@THINKING]", "the target on side B" },
	{ OPT_LIST, 0, "metric", offsetof(struct compare_opts, metrics), "NAME",
	  "pass, tools, latency, ttft or cost; may be given several times (all but ttft)" },
	{ OPT_FLAG, 0, "fail-on-regression", offsetof(struct compare_opts, fail), NULL,
	  "exit with 1 when B is worse than A: Holm's p below .05" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct compare_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

/* No metric chosen leaves all of them false: compare_runs then takes the usual ones. */
static bool bench_compare_read_options(const struct compare_opts *o, struct compare_options *out, struct err *err)
{
	if (!o->a.p != !o->b.p)
		return usage_set(err, "name both targets", "--a and --b belong together");
	out->a_target = o->a;
	out->b_target = o->b;
	for (size_t i = 0; i < o->metrics.count; i++) {
		enum compare_metric m;

		if (!compare_metric_parse(o->metrics.items[i], &m))
			return usage_set(err, "it is one of pass, tools, latency, ttft, cost",
					 "--metric: unknown metric '%.*s'", STR_ARG(o->metrics.items[i]));
		out->metrics[m] = true;
	}
	return true;
}

/*
 * The command: compares, prints warnings apart from the figures, and lets --fail-on-regression decide the exit status.
 */
static int compare_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct compare_opts *o = given;
	struct compare_options how = { .a = STR("") };
	struct str paths[2] = { STR(""), STR("") };
	struct compare c;
	struct buf text;

	if (!bench_compare_read_options(o, &how, err) || !bench_look_find(a, args.items, args.count, paths, err))
		return EXIT_FAIL;
	how.a = paths[0];
	how.b = args.count > 1 ? paths[1] : str_of(NULL, 0);
	if (!compare_runs(&c, a, &how, err))
		return EXIT_FAIL;
	buf_init(&text);
	if (o->json.given) {
		bench_compare_write_json(&text, &c, o->json);
		stream_write(stdout, buf_str(&text));
	} else {
		for (size_t i = 0; i < c.warning_count; i++)
			inputs_warn(args.frame, "%.*s", STR_ARG(c.warnings[i]));
		bench_compare_show(&text, &c, &args.frame->out);
		pager_show(a, args.frame, buf_str(&text));
	}
	buf_free(&text);
	return o->fail && compare_is_regression(&c) ? EXIT_NO : EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway bench compare monday tuesday", "the same targets, before and after" },
	{ "trackway bench compare monday", "the two targets of one run" },
	{ "trackway bench compare monday --a mock:small --b mock:large", "two targets of one run that has more" },
	{ "trackway bench compare monday tuesday --metric pass --fail-on-regression",
	  "for CI: exit status 1 when worse" },
	{ "trackway bench compare monday tuesday --json=pairs,warnings", "all figures, for a script" },
	{ NULL, NULL },
};

const struct command bench_compare_command = {
	.name = "bench compare",
	.summary = "say whether one run or target is better than another",
	.usage = "A [B] [--a TARGET --b TARGET] [--metric NAME]...",
	.description =
		"Answers are paired: the same prompt, the same repetition. Each target that both runs have is "
		"compared with itself. Of one run with two targets, these two are compared. --a and --b name two "
		"targets to compare instead, of two runs or of one. A target is named in full, by its tag, or by its "
		"model if no other target has that model.\n\n"
		"For pass and tools the report has the four counts, both rates, the difference of the pairs with "
		"its 95 % interval, and a p value: from the exact McNemar test with one attempt for each prompt, "
		"from a sign-flip permutation with repeats, where a prompt is a cluster. Latency, ttft and cost "
		"are compared on prompts that both answered, by the median of the differences. The p values are "
		"corrected for the number of tests by Holm's method. Failed calls are left out; where there are "
		"some, a second test counts them as failures.\n\n"
		"No difference shown is not the same as no difference: the line says how large a difference must "
		"be for this number of prompts to show it, and explains a small p beside it. Warnings say when "
		"the two sides were not asked or judged alike, and when rows have no partner. The verdicts come "
		"first, with the name of the better target.\n\n"
		"The exit status is 0 when the comparison was made, whatever it says. With --fail-on-regression "
		"it is 1 when B is worse than A in one of the tests.",
	.examples = examples,
	.options = options,
	.fields = bench_compare_fields,
	.options_size = sizeof(struct compare_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = 2,
	.run = compare_run,
};
