/* `trackway bench show`: what the models said, row by row; look_show.c prints. */
#include <stdio.h>

#include "cmd/bench/look.h"
#include "cmd/bench/shown.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/nearest.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/screen/pager.h"

#define BEGINNING 4096 /* bytes of an answer that are kept where all rows are shown to people */

struct show_opts {
	struct opt_list targets;
	unsigned repetition;
	bool failed, plain;
	struct opt_maybe json;
};

static const struct opt options[] = {
	{ OPT_LIST, 0, "target", offsetof(struct show_opts, targets), "PROVIDER:MODEL[@THINKING]",
	  "only this target; its tag or its model will do; may be given several times" },
	{ OPT_FLAG, 0, "failed", offsetof(struct show_opts, failed), NULL,
	  "only what did not pass: failed calls, and answers that their validator refused" },
	{ OPT_UINT, 0, "repetition", offsetof(struct show_opts, repetition), "N", "only the N-th repetition" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct show_opts, json), "FIELDS", "as JSON; only the named fields" },
	{ OPT_FLAG, 0, "plain", offsetof(struct show_opts, plain), NULL, "tab-separated fields" },
	OPT_LAST,
};

/* Always false: a name that the run does not have, with the nearest one or how many there are. */
static bool bench_show_refuse(const char *noun, struct str given, const struct str *names, size_t count,
			      struct err *err)
{
	struct nearest near;
	char text[300];
	const char *help;

	nearest_init(&near, given);
	for (size_t i = 0; i < count; i++)
		nearest_offer(&near, names[i]);
	help = nearest_help(&near, text, sizeof(text), "");
	if (!help && count)
		snprintf(text, sizeof(text), "it has %zu, as '%.*s'; without a name all are shown", count,
			 (int)(names[0].n < 200 ? names[0].n : 200), names[0].p);
	return usage_set(err, help || count ? text : NULL, "the run has no %s '%.*s'", noun, STR_ARG(given));
}

/* A prompt or a target that the run does not have is told even when others are shown. */
static bool bench_show_has_names(struct arena *a, const struct answers *x, const struct answers_wanted *w,
				 struct str path, struct err *err)
{
	struct answers_wanted alone = { .prompt = w->prompt, .most = 1 };
	struct answers y;

	if (w->prompt.p && !x->count && (!answers_read(&y, a, path, &alone, err) || !y.count))
		return err->kind == ERR_NONE &&
		       bench_show_refuse("prompt", w->prompt, x->prompts, x->prompt_count, err);
	for (size_t i = 0; i < w->target_count; i++) {
		alone = (struct answers_wanted){ .targets = &w->targets[i], .target_count = 1, .most = 1 };
		if (!answers_read(&y, a, path, &alone, err))
			return false;
		if (!y.count)
			return bench_show_refuse("target", w->targets[i], x->targets, x->target_count, err);
	}
	return true;
}

static bool bench_show_check(const struct show_opts *o, struct err *err)
{
	static const char *const names[] = { "--json", "--plain", NULL };
	const bool given[] = { o->json.given, o->plain };

	return bench_look_one_form(given, names, err);
}

/* The command. */
static int bench_show_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct show_opts *o = given;
	struct answers_wanted wanted = { .targets = o->targets.items, .target_count = o->targets.count,
					 .failed = o->failed, .repetition = o->repetition };
	struct answers x;
	struct str path;
	struct buf text;

	if (args.count > 1)
		wanted.prompt = args.items[1];
	else if (!o->json.given && !o->plain)
		wanted.most = BEGINNING;
	if (!bench_show_check(o, err) || !bench_look_find(a, args.items, 1, &path, err) ||
	    !answers_read(&x, a, path, &wanted, err) || !bench_show_has_names(a, &x, &wanted, path, err))
		return EXIT_FAIL;
	bench_shown_warn(args.frame, x.lost.skipped, x.lost.repeated);
	buf_init(&text);
	if (o->json.given)
		bench_answers_write_json(&text, &x, o->json);
	else if (o->plain)
		bench_answers_plain(&text, &x);
	else
		bench_answers_show(&text, &x, &args.frame->out);
	if (o->json.given || o->plain)
		stream_write(stdout, buf_str(&text));
	else
		pager_show(a, args.frame, buf_str(&text));
	buf_free(&text);
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway bench show monday", "every row with its verdict and what the model said" },
	{ "trackway bench show monday --failed --target mock:small", "only what did not pass, of one target" },
	{ "trackway bench show monday S07", "one prompt: what was asked, how it is judged, every answer in full" },
	{ "trackway bench show monday --json=rows", "for a script" },
	{ NULL, NULL },
};

const struct command bench_show_command = {
	.name = "bench show",
	.summary = "show what the models said, prompt by prompt",
	.usage = "RUN [PROMPT] [--target TARGET] [--failed] [--repetition N]",
	.description =
		"Each row of the run with its target, prompt, verdict, times and tokens; with the violation, and "
		"behind got= the beginning of what came instead; and with the first lines of the answer. PROMPT is "
		"the id or the name of a prompt: then the question, its validator in words, and every answer in full "
		"are shown. An answer that was cut when it was stored (after 64 KiB) says so.\n\n"
		"Keys and passwords in prompts and answers are hidden, and characters that a terminal could act upon "
		"are shown by their number. results.jsonl has the answers as they came.\n\n"
		"RUN is named as in 'trackway bench summary'.",
	.examples = examples,
	.options = options,
	.fields = bench_answers_fields,
	.options_size = sizeof(struct show_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = 2,
	.run = bench_show_run,
};
