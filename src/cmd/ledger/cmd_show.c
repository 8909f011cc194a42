/* `trackway ledger show`: one entry with its bytes and the later entries about it; show.c reads and prints. */
#include <stdio.h>

#include "cmd/frame/commands.h"
#include "cmd/frame/opt.h"
#include "cmd/frame/stream.h"
#include "cmd/ledger/args.h"
#include "cmd/ledger/rows.h"
#include "cmd/ledger/show.h"

struct show_opts {
	struct ledger_choice ledger;
	struct opt_maybe json;
	int only; /* enum what */
};

enum what { ALL, RECORD, ENTRY };

static const struct opt options[] = {
	{ OPT_CHOICE, 0, "only", offsetof(struct show_opts, only), "all|record|entry",
	  "record: only its bytes as they were sealed; entry: only those of the leaf" },
	{ OPT_OPTIONAL, 0, "json", offsetof(struct show_opts, json), "FIELDS", "as JSON; only the named fields" },
	LEDGER_VKEY_OPTION(struct show_opts),
	LEDGER_OPTION(struct show_opts),
	OPT_LAST,
};

/* Bytes alone have no place for a warning, so --only record gives those that were sealed or nothing. */
static bool ledger_show_check_record(const struct ledger_show *s, struct err *err)
{
	const struct shown_entry *e = &s->it;

	if (!e->object.p)
		return err_set(err, ERR_DATA, "%.*s: the bytes of entry %llu are missing%s",
			       STR_ARG(s->ledger->where), (unsigned long long)e->row.index,
			       e->row.erased ? ": they were erased" : "");
	if (e->is_other)
		return err_set(err, ERR_DATA, "%.*s: the bytes of entry %llu are not those that were sealed" ERR_HELP
			       "'trackway ledger verify' says what else is wrong", STR_ARG(s->ledger->where),
			       (unsigned long long)e->row.index);
	return true;
}

static bool ledger_show_print(const struct show_opts *o, const struct ledger_show *s, struct err *err)
{
	struct buf out;

	if (o->only == RECORD && !ledger_show_check_record(s, err))
		return false;
	buf_init(&out);
	if (o->only == RECORD)
		buf_add_str(&out, s->it.object);
	else if (o->only == ENTRY)
		buf_add_str(&out, s->it.bytes);
	else if (o->json.given)
		ledger_show_add_json(&out, s, o->json);
	else
		ledger_show_add_text(&out, s);
	stream_write(stdout, buf_str(&out));
	buf_free(&out);
	return true;
}

/* The command: finds the entry by any of its names and shows it. */
static int ledger_show_run(struct arena *a, const void *given, struct args args, struct err *err)
{
	const struct show_opts *o = given;
	struct ledger ledger;
	struct ledger_show s = { .arena = a, .ledger = &ledger };
	struct index_row row;
	struct index *x;
	bool done = false;

	if (o->only != ALL && o->json.given &&
	    !usage_set(err, "these bytes are always JSON", "--only and --json exclude each other"))
		return EXIT_FAIL;
	if (!ledger_args_open(&ledger, a, args.frame, &o->ledger, LEDGER_READ, err))
		return EXIT_FAIL;
	x = ledger_args_open_index(&ledger, args.frame, err);
	if (x) {
		done = ledger_row_find(&ledger, x, a, args.items[0], &row, err) && ledger_show_read(&s, x, &row, err) &&
		       ledger_show_print(o, &s, err);
		index_close(x);
	}
	ledger_close(&ledger);
	return done ? EXIT_YES : EXIT_FAIL;
}

static const struct example examples[] = {
	{ "trackway ledger show t-001", "a trial, and the later entries about it" },
	{ "trackway ledger show t-001 --only record | sha256sum", "its bytes, exactly as they were sealed" },
	{ "trackway ledger show 0 --json=id,entry", "an entry by its number" },
	{ NULL, NULL },
};

const struct command ledger_show_command = {
	.name = "ledger show",
	.summary = "show one trial or entry, and the later entries about it",
	.usage = "TRIAL|EXPERIMENT/TRIAL|NUMBER|LEAF",
	.description =
		"A trial is named by its trial_id if that is unique, else by experiment_id/trial_id. A number is "
		"an entry of the main log, diagnostic/NUMBER one of the other log; 64 hexadecimal digits are a "
		"leaf.\n\n"
		"Shows where the entry is, what it is about, whether its bytes are those that were sealed, and "
		"every later entry that refers to it: reviews, artifacts, what superseded it, its erasure.",
	.examples = examples,
	.options = options,
	.env = ledger_env,
	.fields = ledger_show_fields,
	.options_size = sizeof(struct show_opts),
	.args = ARGS_WORDS,
	.args_min = 1,
	.args_max = 1,
	.run = ledger_show_run,
};
