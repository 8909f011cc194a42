/* `trackway ledger export`: the published entries as JSON lines, a tree or an RO-Crate. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cmd/frame/commands.h"
#include "cmd/frame/stream.h"
#include "cmd/inputs.h"
#include "cmd/ledger/args.h"
#include "cmd/screen/amounts.h"
#include "trial/export.h"

#define GATHERED ((size_t)256 << 10)

enum layout { LAYOUT_JSONL, LAYOUT_TREE, LAYOUT_CRATE };

struct export_opts {
	struct ledger_choice ledger;
	int layout;
	struct str output, experiment, license;
	int part; /* enum ledger_part, or LEDGER_PARTS: both */
	bool force;
};

static const struct export_opts defaults = { .part = LEDGER_PARTS };

static const struct opt options[] = {
	{ OPT_CHOICE, 0, "layout", offsetof(struct export_opts, layout), "jsonl|tree|ro-crate",
	  "lines of JSON; files <experiment>/<trial>.json; files with their metadata" },
	{ OPT_STR, 'o', "output", offsetof(struct export_opts, output), "OUT",
	  "the file (jsonl; default: standard output) or the directory" },
	{ OPT_STR, 0, "experiment", offsetof(struct export_opts, experiment), "ID", "only this experiment" },
	{ OPT_CHOICE, 0, "part", offsetof(struct export_opts, part), "main|diagnostic|both",
	  "which of the two logs (both)" },
	{ OPT_STR, 0, "license", offsetof(struct export_opts, license), "URL",
	  "ro-crate: the license for others" },
	{ OPT_FLAG, 0, "force", offsetof(struct export_opts, force), NULL,
	  "also write to a directory that is not empty; files of the same names are replaced" },
	LEDGER_VKEY_OPTION(struct export_opts),
	LEDGER_OPTION(struct export_opts),
	OPT_LAST,
};

struct lines {
	int fd; /* -1: standard output */
	struct buf gathered;
	struct export_options *o;
	struct export_sum *sum;
};

/* Writes what was gathered. A failure of standard output is noticed by put_line or at the end of the process. */
static bool flush_lines(struct lines *l, struct err *err)
{
	bool done = true;

	if (l->fd < 0)
		stream_write(stdout, buf_str(&l->gathered));
	else
		done = file_write_all(l->fd, buf_str(&l->gathered), err);
	buf_clear(&l->gathered);
	return done;
}

/* A reader who has seen enough (head) ends it without a word. */
static bool put_line(void *context, struct str line, struct err *err)
{
	struct lines *l = context;

	buf_add_str(&l->gathered, line);
	if (l->gathered.n < GATHERED)
		return true;
	return flush_lines(l, err) && (l->fd >= 0 || !ferror(stdout) ||
				       err_set(err, ERR_IO, "standard output: cannot write"));
}

/* For file_replace_by, or with -1 for standard output. */
static bool write_lines(void *context, int fd, struct err *err)
{
	struct lines *l = context;

	l->fd = fd;
	l->o->put = put_line;
	l->o->context = l;
	return export_jsonl(l->o, l->sum, err) && flush_lines(l, err);
}

/* A file appears whole or not at all; standard output gets lines as they come. */
static bool export_lines(struct export_options *o, struct str file, struct export_sum *sum, struct err *err)
{
	struct lines l = { .o = o, .sum = sum };
	bool done;

	buf_init(&l.gathered);
	done = file.p && !str_eq(file, STR("-")) ? file_replace_by(file, write_lines, &l, 0666, err)
						 : write_lines(&l, -1, err);
	buf_free(&l.gathered);
	return done;
}

/* Refuses options that the layout cannot use, rather than leave them without effect. */
static bool ledger_export_check_options(const struct export_opts *o, struct str output, struct args args,
					struct err *err)
{
	if (args.count && o->output.p)
		return usage_set(err, "give it once", "two outputs given: %.*s and %.*s",
				 STR_ARG(o->output), STR_ARG(args.items[0]));
	if (o->layout != LAYOUT_JSONL && !output.n)
		return usage_set(err, "name a new one: trackway ledger export --layout tree DIR",
				 "this layout needs a directory");
	if (o->layout != LAYOUT_CRATE && o->license.p)
		return usage_set(err, "leave it out", "--license needs --layout ro-crate");
	if (o->layout == LAYOUT_JSONL && o->force)
		return usage_set(err, "leave it out: a file is always replaced as a whole",
				 "--force only works with directories");
	return true;
}

/* What was exported, on standard error; nothing with -q. */
static void ledger_export_tell(const struct frame *f, const struct export_sum *s)
{
	struct buf text;

	if (f->quiet)
		return;
	buf_init(&text);
	buf_add_str(&text, STR("exported "));
	amounts_add_things(&text, s->entries, "entry");
	buf_add_str(&text, STR(": "));
	amounts_add_things(&text, s->trials, "trial");
	if (s->reviews) {
		buf_add_str(&text, STR(", "));
		amounts_add_things(&text, s->reviews, "review");
	}
	if (s->artifacts) {
		buf_add_str(&text, STR(", "));
		amounts_add_things(&text, s->artifacts, "artifact");
	}
	if (s->erased)
		buf_printf(&text, "; %llu erased", (unsigned long long)s->erased);
	buf_add_byte(&text, '\n');
	inputs_print(buf_str(&text));
	buf_free(&text);
}

/* What the tree does not have, though the ledger does. */
static void tell_clashes(const struct frame *f, const struct export_sum *s)
{
	if (s->left_out) {
		inputs_say("error: %.*s: two entries have this path; the second was left out (%llu such files)",
			   STR_ARG(s->first_left_out), (unsigned long long)s->left_out);
		inputs_say("   = help: --layout jsonl has all of them; --experiment exports one experiment alone");
	}
	if (s->unlinked) {
		inputs_warn(f, "%.*s: several records name this path, and it leads to the artifacts of the first one "
			    "(%llu artifacts of other records)", STR_ARG(s->first_unlinked),
			    (unsigned long long)s->unlinked);
		inputs_note(f, "   = help: artifacts of the other records are in EXPERIMENT/_artifacts/");
	}
}

/* The command: one of three layouts. Exit status 1 when two entries had the same path and one was left out. */
static int export_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct export_opts *o = given;
	struct str output = args.count ? args.items[0] : o->output;
	struct export_sum sum = { .entries = 0 };
	struct progress progress;
	struct ledger l;
	struct export_options x = {
		.ledger = &l,
		.part = o->part == LEDGER_PARTS ? -1 : o->part,
		.experiment = o->experiment,
		.dir = output,
		.force = o->force,
		.license = o->license,
		.tick = ledger_args_tick,
		.tick_context = &progress,
	};
	bool done;

	if (!ledger_export_check_options(o, output, args, err) ||
	    !ledger_args_open(&l, a, args.frame, &o->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	progress_init(&progress, args.frame, STDERR_FILENO, clock_mono_ns());
	if (o->layout == LAYOUT_JSONL)
		done = export_lines(&x, output, &sum, err);
	else
		done = o->layout == LAYOUT_TREE ? export_tree(&x, &sum, err) : export_crate(&x, &sum, err);
	progress_erase(&progress);
	ledger_close(&l);
	if (done && output.n && !str_eq(output, STR("-")))
		ledger_export_tell(args.frame, &sum);
	if (done)
		tell_clashes(args.frame, &sum);
	return !done ? EXIT_FAIL : sum.left_out ? EXIT_NO : EXIT_YES;
}

static const struct example examples[] = {
	{ "trackway ledger export > ledger.jsonl", "an entry and its record on each line" },
	{ "trackway ledger export --layout tree records", "a directory for each experiment" },
	{ "trackway ledger export --layout ro-crate crate", "a Process Run Crate, ready to publish" },
	{ NULL, NULL },
};

const struct command ledger_export_command = {
	.name = "ledger export",
	.summary = "write a ledger as JSON lines, as a tree of files or as an RO-Crate",
	.usage = "[--layout jsonl|tree|ro-crate] [OUT]",
	.description =
		"jsonl: a line for each entry, {\"index\", \"part\", \"leaf\", \"entry\", \"record\"}. The record "
		"is as it was sealed except for white space; null when there is none, it was erased, or it is not "
		"JSON (artifacts).\n\n"
		"tree: <experiment>/<trial>.json as AEC-Bench's tools read it, byte for byte; artifacts and "
		"reviews are in _artifacts and _reviews beside them, partial trials below _diagnostic. "
		"artifacts/<experiment>/<trial> is a link to the former, so that the paths in a record lead to "
		"its artifacts.\n\n"
		"ro-crate: a Process Run Crate 0.6 (RO-Crate 1.3). Each trial is a CreateAction with its agent, "
		"image, inputs, results and times. The record, its artifacts and reviews, a .tlog-proof of its "
		"entry and the checkpoint are files with their SHA-256.\n\n"
		"What is published when the command begins is exported; every object is checked against its "
		"digest. A directory appears whole or not at all, and is on the disk when the command ends.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.defaults = &defaults,
	.options_size = sizeof(struct export_opts),
	.args = ARGS_WORDS,
	.args_max = 1,
	.run = export_run,
};
