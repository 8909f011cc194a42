/* `trackway bench rescore`: judges stored answers by the suite as it is now, or another; the result is a new run. */
#include <stdio.h>

#include "base/build.h"
#include "cmd/bench/args.h"
#include "cmd/bench/look.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/screen/pager.h"

#define SHOWN 40 /* changes, when nobody says */
#define UNSET -1

struct rescore_opts {
	struct bench_what what;
	struct opt_list suites;
	int detector; /* or UNSET */
	struct str out, run_id;
	bool dry_run;
	unsigned limit;
	struct opt_maybe json;
};

static const struct rescore_opts defaults = { .detector = UNSET, .limit = SHOWN };

static const struct opt options[] = {
	{ OPT_LIST, 0, "suite", offsetof(struct rescore_opts, suites), "SUITE",
	  "the suite whose validators judge (the run's own); may be given several times" },
	{ OPT_CHOICE, 0, "detector", offsetof(struct rescore_opts, detector), "default|reference",
	  "how tool calls are found in text (as in the run)" },
	BENCH_WHAT_OPTIONS(struct rescore_opts),
	{ OPT_STR, 0, "out", offsetof(struct rescore_opts, out), "DIR",
	  "where the new run goes (default: beside the old one)" },
	{ OPT_STR, 0, "run-id", offsetof(struct rescore_opts, run_id), "ID",
	  "name of its directory (default: the old id and -rescored)" },
	{ OPT_FLAG, 'n', "dry-run", offsetof(struct rescore_opts, dry_run), NULL,
	  "only say what would change; write nothing" },
	{ OPT_UINT, 0, "limit", offsetof(struct rescore_opts, limit), "N",
	  "list only the first N changes; 0 lists all (40)" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct rescore_opts, json), "FIELDS", "as JSON; only the named fields" },
	OPT_LAST,
};

/*
 * Everything the new run's config.json will say about how it was made. The suite is loaded into *s, which *out points
 * to.
 */
static bool bench_rescore_make_options(struct arena *a, const struct rescore_opts *o, struct args args,
				       struct suite *s, struct rescore_options *out, struct err *err)
{
	struct suite_options how;

	*out = (struct rescore_options){
		.suite = s, .has_detector = o->detector != UNSET,
		.detector = o->detector == 1 ? DETECT_REFERENCE : DETECT_DEFAULT, .parent = o->out,
		.dry = o->dry_run, .created_at = bench_args_now(a), .version = STR(BUILD_VERSION),
		.allow_commands = o->what.allow_commands.given,
	};
	if (o->run_id.p && !bench_args_run_id(a, o->run_id, STR("."), &out->run_id, err))
		return false;
	if (!bench_look_find(a, args.items, 1, &out->run, err) ||
	    !(o->suites.count ? bench_args_suite(a, args.frame, o->suites.items, o->suites.count, &o->what, s, &how,
						 err) :
				bench_args_own_suite(a, args.frame, out->run, &o->what, s, err)))
		return false;
	if (out->allow_commands)
		out->sandbox = str_from(validator_sandbox());
	out->files = bench_args_suites(a, s);
	out->file_count = s->file_count;
	out->command = bench_args_command(a, args.frame, &out->command_count);
	return true;
}

/* The command: judges the stored answers, shows what changed, and lists the new run unless it is a dry one. */
static int rescore_command(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct rescore_opts *o = given;
	struct rescore_options how;
	struct rescore r;
	struct suite s;
	struct buf text;

	if (!bench_rescore_make_options(a, o, args, &s, &how, err) || !rescore_run(&r, a, &how, err))
		return EXIT_FAIL;
	buf_init(&text);
	if (o->json.given) {
		bench_rescore_write_json(&text, &r, o->dry_run, o->json);
		stream_write(stdout, buf_str(&text));
	} else {
		bench_rescore_show(&text, &r, o->dry_run, o->limit ? o->limit : SIZE_MAX);
		pager_show(a, args.frame, buf_str(&text));
	}
	buf_free(&text);
	if (!o->dry_run) {
		bench_args_list_run(a, r.new_id, r.path, how.created_at);
		inputs_note(args.frame, "wrote %.*s; 'trackway bench compare' shows it beside the old one",
			    STR_ARG(r.path));
	}
	return EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway bench rescore monday --dry-run", "what would change by the run's own suite, as it is now" },
	{ "trackway bench rescore monday --suite mended.json", "a new run, monday-rescored" },
	{ "trackway bench rescore monday --suite mended.json --detector reference -n",
	  "how the five patterns of the first harness would judge it" },
	{ NULL, NULL },
};

const struct command bench_rescore_command = {
	.name = "bench rescore",
	.summary = "judge the stored answers of a run again, without asking",
	.usage = "RUN [--suite SUITE]... [--detector D] [--out DIR] [-n]",
	.description =
		"The answers of a run are in its results.jsonl. When a validator was wrong, fix the suite and "
		"judge them again: nothing is sent and nothing is paid. The result is a new run, whose "
		"config.json names the run it was made from; the old run stays as it is. Without --suite the files "
		"that the run was made with are read again, with its tags and variables; a note says when one has "
		"changed since.\n\n"
		"Every changed verdict is listed, and so is what cannot be known. An answer that was cut when it "
		"was stored (after 64 KiB) is judged by the part that is left. The arguments of tool calls that a "
		"service reported were not stored, so a validator tool_args gives null for them; their names stay "
		"as they are. Calls in the text are searched for again. A prompt that is not in the suite keeps "
		"its verdict. A prompt whose question changed is named, because its answer belongs to another "
		"question.",
	.examples = examples,
	.options = options,
	.defaults = &defaults,
	.fields = bench_rescore_fields,
	.options_size = sizeof(struct rescore_opts),
	.args = ARGS_RUNS,
	.args_min = 1,
	.args_max = 1,
	.run = rescore_command,
};
