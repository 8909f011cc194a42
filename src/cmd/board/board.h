/* What the commands that report on a ledger's trials share: options, reading the ledger, the forms of a document. */
#ifndef CMD_BOARD_BOARD_H
#define CMD_BOARD_BOARD_H

#include "cmd/ledger/args.h"
#include "trial/report/doc.h"

#define BOARD_SHOWN 500 /* rows of a table of trials, when nobody says */

struct board_opts {
	struct ledger_choice ledger;
	struct str experiment, task, model, adapter, since, html;
	int ci; /* 0: Student's t, 1: bootstrap */
	unsigned k;
	struct opt_maybe json;
	bool csv, md;
	/* of single commands */
	struct str reviewer;
	struct opt_list gates;
	bool blind, partial;
	bool transcripts; /* no option: the command reads them */
	unsigned limit, want;
};

#define BOARD_LEDGER_OPTIONS \
	LEDGER_VKEY_OPTION(struct board_opts), LEDGER_OPTION(struct board_opts)

#define BOARD_FILTER_OPTIONS \
	{ OPT_STR, 0, "experiment", offsetof(struct board_opts, experiment), "ID", "only trials of this experiment" }, \
	{ OPT_STR, 0, "task", offsetof(struct board_opts, task), "PREFIX", "only of tasks that begin so" }, \
	{ OPT_STR, 0, "since", offsetof(struct board_opts, since), "TIME", \
	  "only since TIME: 2026-05-06, 2026-05-06T14:00:00Z, 24h, 7d" }

#define BOARD_WHOSE_OPTIONS \
	{ OPT_STR, 0, "model", offsetof(struct board_opts, model), "NAME", "only of this model" }, \
	{ OPT_STR, 0, "adapter", offsetof(struct board_opts, adapter), "NAME", "only of this adapter" }

#define BOARD_FORM_OPTIONS \
	{ OPT_OPTIONAL, 0, "json", offsetof(struct board_opts, json), "FIELDS", \
	  "as one JSON document; only the named members" }, \
	{ OPT_FLAG, 0, "csv", offsetof(struct board_opts, csv), NULL, "the rows as CSV, with all columns" }, \
	{ OPT_FLAG, 0, "md", offsetof(struct board_opts, md), NULL, "as Markdown" }

#define BOARD_CI_OPTION \
	{ OPT_CHOICE, 0, "ci", offsetof(struct board_opts, ci), "t|bootstrap", \
	  "the interval of mean rewards: Student's t, or 10,000 resamples (t)" }

#define BOARD_HTML_OPTION \
	{ OPT_STR, 0, "html", offsetof(struct board_opts, html), "FILE", \
	  "also write a page with plots, which needs no network" }

#define BOARD_PARTIAL_OPTION \
	{ OPT_FLAG, 0, "partial", offsetof(struct board_opts, partial), NULL, \
	  "of the partial trials, imported ones among them, not of those that count" }

/* A report at work: what the ledger holds, filtered. */
struct board_work {
	struct arena *arena;
	const struct frame *frame;
	const struct board_opts *options;
	struct ledger ledger;
	struct tally tally;
	struct doc_source source;
};

/*
 * Checks the options, reads the ledger, lets `make` fill the document, shows it and closes everything. EXIT_YES, or
 * what `make` put into *status; EXIT_FAIL with *err.
 */
int board_run(struct arena *a, const struct board_opts *o, struct args args,
	      bool (*make)(struct board_work *w, struct args args, struct doc *out, int *status, struct err *err),
	      struct err *err);

extern const char *const board_basis_fields[]; /* members that every report has; ended by NULL */

#endif
