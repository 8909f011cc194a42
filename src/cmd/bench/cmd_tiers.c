/* `trackway bench tiers`: which targets call the tools that prompts expect. */
#include <stdio.h>

#include "cmd/bench/look.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/screen/pager.h"

struct tiers_opts {
	struct opt_maybe json;
	bool csv;
};

static const struct opt options[] = {
	{ OPT_OPTIONAL, 0, "json", offsetof(struct tiers_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_FLAG, 0, "csv", offsetof(struct tiers_opts, csv), NULL, "as CSV: tool_use_summary.csv" },
	OPT_LAST,
};

static bool check(const struct tiers_opts *o, struct err *err)
{
	static const char *const names[] = { "--json", "--csv", NULL };
	const bool given[] = { o->json.given, o->csv };

	return bench_look_one_form(given, names, err);
}

/* The command: figures of all runs together, and the prompts that each target missed, in one of three forms. */
static int tiers_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct tiers_opts *o = given;
	struct str *paths = arena_array(a, struct str, args.count + 1);
	struct bench_tiers t;
	struct summary s;
	struct buf text;

	if (!check(o, err) || !bench_look_find(a, args.items, args.count, paths, err) ||
	    !summary_make_many(&s, a, paths, args.count, RATE_WILSON, err) ||
	    !bench_tiers_make(&t, a, &s, paths, args.count, err))
		return EXIT_FAIL;
	buf_init(&text);
	if (o->json.given)
		bench_tiers_write_json(&text, &t, o->json);
	else if (o->csv)
		summary_write_tools_csv(&text, &s);
	else
		bench_tiers_show(&text, a, &t, &args.frame->out);
	if (o->json.given || o->csv)
		stream_write(stdout, buf_str(&text));
	else
		pager_show(a, args.frame, buf_str(&text));
	buf_free(&text);
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway bench tiers monday", "which targets called the expected tools" },
	{ "trackway bench tiers monday tuesday --json=targets", "of two runs combined, for a script" },
	{ "trackway bench tiers monday --csv > tiers.csv", "for a spreadsheet" },
	{ NULL, NULL },
};

const struct command bench_tiers_command = {
	.name = "bench tiers",
	.summary = "say which targets may be given tools",
	.usage = "RUN... [--json|--csv]",
	.description =
		"A prompt may say which tools an answer should call. A target that calls them in 80 % of its rows "
		"or more is Tier 1 and recommended for subagents. From 50 % it is Tier 2, below that Tier 3. Rows "
		"whose call failed are left out, because a rate limit is not the model's failure; 'all rows' "
		"counts them too.\n\n"
		"The interval is Wilson's, 95 %. Eight of ten is anything from 49 % to 94 %. Where the interval "
		"reaches into another tier, the tier has a question mark: n is too small to separate tiers. Below "
		"the table are the prompts that a target missed.\n\n"
		"Several runs are combined. Runs are named as in 'trackway bench summary'.",
	.examples = examples,
	.options = options,
	.fields = bench_tiers_fields,
	.options_size = sizeof(struct tiers_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = ARGS_MANY,
	.run = tiers_run,
};
