/* What 'import prime', 'import verifiers' and 'import aec' share: their options, their answer, and how they end. */
#ifndef CMD_IMPORT_OUTPUT_H
#define CMD_IMPORT_OUTPUT_H

#include "cmd/ledger/args.h"
#include "trial/import.h"

/* A member `import` of the options of each command, beside `ledger`. */
struct import_opts {
	struct str experiment; /* p NULL: made from the evaluation's id */
	bool dry_run;
	struct opt_maybe json;
};

extern const char *const import_fields[]; /* of --json; ended by NULL */

#define IMPORT_OPTIONS(type) \
	{ OPT_FLAG, 'n', "dry-run", offsetof(type, import.dry_run), NULL, \
	  "only say what would be imported" }, \
	{ OPT_OPTIONAL, 0, "json", offsetof(type, import.json), "FIELDS", "as JSON; only the named fields" }, \
	LEDGER_OPTION(type), LEDGER_NETWORK_OPTION(type)
#define IMPORT_EXPERIMENT_OPTION(type) \
	{ OPT_STR, 0, "experiment", offsetof(type, import.experiment), "ID", \
	  "the experiment the trials belong to (default: made from the evaluation's id)" }

struct import_output {
	const struct import_opts *options;
	const struct frame *frame;
	const char *noun; /* what is counted: "sample" */
	struct ledger ledger;
	struct import *import;
	struct progress progress;
	struct buf refusals; /* as JSON, the first ones */
	size_t refused_count; /* all refusals, kept or not */
	uint64_t begun; /* records that were looked at */
};

/*
 * Opens the ledger and the import; a dry run opens the ledger for reading and needs no key. `options`, `frame` and
 * `noun` must live as long as *o, which must not move. False with *err when the ledger cannot be opened; nothing is
 * left open then. import_output_end closes both.
 */
bool import_output_open(struct import_output *o, struct arena *a, const struct import_opts *options,
			const struct ledger_choice *ledger, const struct frame *frame, const char *noun,
			struct err *err);

/*
 * Seals what was read, also when reading failed (`done` false, with *err): what is known is kept. Prints the answer and
 * closes everything. EXIT_FAIL when reading or sealing failed, else EXIT_NO when something was refused, else EXIT_YES.
 * The ids may have p NULL.
 */
int import_output_end(struct import_output *o, bool done, struct str experiment, struct str evaluation,
		      struct err *err);

#endif
